# cython: language_level=3
"""Covers with multiplicities on sparse sets: the kernel for items that are covered between `lo` and `hi` times.

The problem is Knuth's MCC (TAOCP 4B, 7.2.2.1, Algorithm M), the search is not his. An option is *live* while it is
neither chosen nor ruled out, and clashes with nothing chosen. A level has an item that still needs options. Its live
options are tried one after the other, and each, once tried, is ruled out for the rest of the level: so a set of
options is found just once, whatever the order in which it could be chosen. The level ends when an item would be left
with fewer live options than it needs.

Where no item needs an option any more, a cover has been found; and so is each set that adds live options to it. These
are the options of one more item, the *extra* item, which needs nothing: levels of that item try all of them, and all
their nodes are covers.

The live options of an item are a sparse set (Briggs, Torczon 1993, doi:10.1145/176454.176484; dancing cells are
Knuth's name for them): an array whose first part holds the members, so that taking one out is a swap with the last,
and putting it back, in the opposite order, is a longer first part. One trail of hidden options undoes everything.
"""

from collections import Counter

import cython
import numpy as np

from dlx.kernels.cover.frame import Frame, usable

if not cython.compiled:
    from dlx.kernels import BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY


def _multiplicities(rows) -> np.ndarray:
    """Returns the least and the most options of a cover with each primary item: int32, two columns."""
    return np.ones((rows.n_primary, 2), dtype=np.int32) if rows.multiplicities is None else rows.multiplicities


def _entries(rows) -> tuple:
    """The entries that the search needs, as three arrays: where each option begins, then items, then colours.

    Options without primary items lose theirs. Options that a cover may have beyond what is needed get one more, of the
    extra item: that is those whose primary items all have a choice.
    """
    _, indices, n_items, n_primary, colours, _ = rows
    colours = np.zeros(len(indices), dtype=np.int32) if colours is None else colours
    n_options, option = rows.n_options, rows.owner
    strict = np.zeros(n_items, dtype=bool)
    strict[:n_primary] = np.ptp(_multiplicities(rows), axis=1) == 0
    some = usable(rows)
    extra = np.flatnonzero(some & (np.bincount(option[strict[indices]], minlength=n_options) == 0)).astype(np.int32)
    kept = some[option]
    option = np.concatenate([option[kept], extra])
    order = np.argsort(option, kind="stable")
    first = np.zeros(n_options + 1, dtype=np.int32)
    np.cumsum(np.bincount(option, minlength=n_options), out=first[1:])
    item = np.concatenate([indices[kept], np.full(len(extra), n_items, dtype=np.int32)])[order]
    return first, item, np.concatenate([colours[kept], np.zeros(len(extra), dtype=np.int32)])[order]


class Multi(Frame):
    """A search for all covers of a problem with multiplicities; options without primary items are never chosen.

    Parameters:
        rows, buffer: as for `Frame`; without multiplicities each primary item is to be covered once.
    """

    def __init__(self, rows, buffer) -> None:
        first, item, colour = _entries(rows)
        Frame.__init__(self, rows, buffer, int(np.count_nonzero(np.diff(first))) + 1)
        self.portable = True
        self.first, self.item, self.colour = first, item, colour
        self.option = np.repeat(np.arange(self.n_options, dtype=np.int32), np.diff(first))
        self.multiplicities = _multiplicities(rows)
        size = np.bincount(item, minlength=self.n_items + 1)
        self.begin = (np.cumsum(size) - size).astype(np.int32)
        self.member, self.place = np.empty((2, len(item)), dtype=np.int32)
        self.size, self.need, self.room, self.shade, self.owner = np.empty((5, self.n_items + 1), dtype=np.int32)
        self.wanted, self.rank = np.zeros((2, self.n_primary), dtype=np.int32)
        self.trail = np.zeros(self.n_options, dtype=np.int32)
        self.branch, self.floor, self.tried, self.width = np.zeros((4, len(self.chosen)), dtype=np.int32)
        self._restart()

    def _restart(self):
        """Fills what the search changes: all options are live, and the last in each set is tried first."""
        self.level = self.height = self.n_wanted = 0
        self.n_roomy, self.dead = self.n_primary, False
        for i in range(self.n_items + 1):
            self.size[i] = self.need[i] = self.shade[i] = 0
            self.room[i] = 1
            self.owner[i] = -1
        self.room[self.n_items] = self.n_options + 1  # more than it can ever have
        for e in range(self.item.shape[0] - 1, -1, -1):
            i = self.item[e]
            self.place[e] = self.begin[i] + self.size[i]
            self.member[self.place[e]] = e
            self.size[i] += 1
        for i in range(self.n_primary):
            self.need[i] = self.multiplicities[i, 0]
            self.room[i] = self.multiplicities[i, 1]
            self.dead |= self.need[i] > self.size[i]
            if self.need[i] > 0:
                self.wanted[self.n_wanted] = i
                self.rank[i] = self.n_wanted
                self.n_wanted += 1

    def _probe(self, draws, tally):
        """Takes a random path; one that draws a branch behind the end of its level ends there.

        The order of the options, and with it the tree, is that in which the search before has left the sets: the mean
        of the covers is right, that of the nodes nearly so.
        """
        length: cython.int = 0
        weight = 1.0  # how many nodes of its level the node of this level stands for
        updates = self.updates
        going: cython.bint = not self.dead and self._enter()
        tally[0] = 0.0
        tally[1] = 1.0 if self.n_wanted == 0 else 0.0
        while going:
            k: cython.int = cython.cast(cython.int, draws[self.level] * self.width[self.level])
            weight *= self.width[self.level]
            covers = self.covers
            while going and k > 0:  # the branches before the one drawn, which rule out its options
                self._try()
                going = self._retract()
                k -= 1
            if not going:
                break
            self.covers = covers
            tally[0] += weight
            length += 1
            going = self._try()
            tally[1] += weight * (self.covers - covers)
            self.covers = covers
            if not going:
                self._retract()
                break
            self.level += 1
            going = self._enter()
        while self.level > 0:  # undo it all
            self.level -= 1
            self._retract()
        if not self.dead:
            self._undo(0)
        self.covers = 0
        self.updates = updates
        return length

    def _branches(self, level: cython.int) -> tuple:
        return self.tried[level] - (level < self.level), self.width[level]

    def _run(self):
        going: cython.bint = True  # whether the level has an option to try
        if self.state == DONE:
            return EXHAUSTED
        if self.state == ENTER:
            if self.n_wanted == 0:  # nothing needs an option: the empty cover
                if self.covers >= self.cover_limit:
                    return BUFFER_FULL
                self._emit(0)
            going = not self.dead and self._enter()
            self.state = TRY
        while True:
            while not going:  # back up
                if self.level == 0:
                    self._undo(0)
                    self.state = DONE
                    return EXHAUSTED
                self.level -= 1
                going = self._retract()
                if self.level < self.base:
                    return EXHAUSTED
            status = self._spent()
            if status:
                return status
            self.nodes += 1
            if self._try():
                self.level += 1
                going = self._enter()
            else:
                going = self._retract()

    def _enter(self):
        """Begins a level with the item that leaves the fewest branches; whether it has an option to try."""
        best = self.n_items
        least: cython.int = 0x7FFFFFFF
        for k in range(self.n_wanted):
            i = self.wanted[k]
            spare = self.size[i] - self.need[i]
            if spare < least:
                least = spare
                best = i
                if spare == 0:
                    break
        return self._begin_with(best)

    def _begin_with(self, i):
        """Begins a level with this item; whether it has an option to try."""
        self.branch[self.level] = i
        self.tried[self.level] = 0
        self.width[self.level] = self.size[i] - max(0, self.need[i]) + 1
        return self.size[i] > 0

    def _try(self):
        """Chooses the next option of the level; False where nothing can be added to it, or not enough."""
        i = self.branch[self.level]
        o = self.option[self.member[self.begin[i] + self.size[i] - 1]]
        end = self.first[o + 1]
        self.tried[self.level] += 1
        self.chosen[self.level] = o
        for e in range(self.first[o], end):
            i = self.item[e]
            self.need[i] -= 1
            self.room[i] -= 1
            if i < self.n_primary:
                self.n_roomy -= self.room[i] == 0
                if self.need[i] == 0:
                    self._meet(i)
        self._hide(o)
        self.floor[self.level] = self.height
        if self.n_wanted == 0:  # a cover, which only options of the extra item can extend
            self._emit(self.level + 1)
            return self._extend(o)
        for e in range(self.first[o], end):
            i = self.item[e]
            if self.colour[e] != 0:
                self._purify(e)
            elif self.room[i] == 0:
                self._close(i)
            if self.dead:
                return False
        return True

    def _extend(self, o):
        """Hides those options of the extra item that clash with what is chosen, option o last; whether any are left.

        To hide all options that clash would be quadratic where an item has many options and each completes a cover. Of
        the extra item's set and the sets of the items that o has closed, the smaller ones are looked through.
        """
        closed: cython.longlong = 0
        if self.size[self.n_items] == 0 or self.n_roomy == 0:
            return False
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            if self.colour[e] != 0 and self.shade[i] == 0:
                self.shade[i] = self.colour[e]
                self.owner[i] = e
            if self.room[i] <= 0:
                closed += self.size[i]
        if closed >= self.size[self.n_items]:
            self._hide_clashing(self.n_items)
            return True
        for e in range(self.first[o], self.first[o + 1]):
            if self.room[self.item[e]] <= 0:
                self._hide_clashing(self.item[e])
        return True

    def _hide_clashing(self, i):
        """Hides the options of item i that also have the extra item, their last, and clash with what is chosen."""
        k: cython.int = self.size[i]
        self.updates += cython.cast(cython.longlong, k)
        while k > 0:
            k -= 1
            o = self.option[self.member[self.begin[i] + k]]
            if self.item[self.first[o + 1] - 1] == self.n_items and self._has_no_room(o):
                self._hide(o)

    def _has_no_room(self, o):
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            if self.room[i] <= 0 if self.shade[i] == 0 else self.shade[i] != self.colour[e]:
                return True
        return False

    def _retract(self):
        """Takes back the choice of the level, but leaves the option hidden; whether there is another one to try."""
        o = self.chosen[self.level]
        e: cython.int = self.first[o + 1]
        alive: cython.bint = True
        self.dead = False
        self._undo(self.floor[self.level])
        while e > self.first[o]:
            e -= 1
            i = self.item[e]
            if self.owner[i] == e:
                self.shade[i] = 0
            self.room[i] += 1
            self.need[i] += 1
            if i < self.n_primary:
                self.n_roomy += self.room[i] == 1
                if self.need[i] == 1:
                    self.n_wanted += 1
                alive &= self.size[i] >= self.need[i]
        return alive and self.size[self.branch[self.level]] > 0

    def _meet(self, i):
        """Takes item i off the wanted ones; `_retract` puts it back, since it is just behind the rest."""
        k = self.rank[i]
        self.n_wanted -= 1
        other = self.wanted[self.n_wanted]
        self.wanted[k] = other
        self.rank[other] = k
        self.wanted[self.n_wanted] = i
        self.rank[i] = self.n_wanted

    def _close(self, i):
        """Hides the live options of an item that can have no more of them."""
        while self.size[i] > 0 and not self.dead:
            self._hide(self.option[self.member[self.begin[i] + self.size[i] - 1]])

    def _purify(self, e):
        """Hides the live options that give the item of entry e another colour, or none, unless that has been done."""
        i = self.item[e]
        k: cython.int = self.size[i]
        if self.shade[i] != 0:
            return
        self.shade[i] = self.colour[e]
        self.owner[i] = e
        while k > 0 and not self.dead:
            k -= 1
            other = self.member[self.begin[i] + k]
            if self.colour[other] != self.shade[i]:
                self._hide(self.option[other])

    def _hide(self, o):
        """Takes the entries of a live option off the sets of their items; `dead` if one of these needs it."""
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            self.size[i] -= 1
            k = self.begin[i] + self.size[i]
            other = self.member[k]
            self.member[self.place[e]] = other
            self.place[other] = self.place[e]
            self.member[k] = e
            self.place[e] = k
            self.dead |= self.size[i] < self.need[i]
        self.updates += cython.cast(cython.int, self.first[o + 1] - self.first[o])
        self.trail[self.height] = o
        self.height += 1

    def _undo(self, height):
        """Puts hidden options back, the last one first, until the trail has that height."""
        while self.height > height:
            self.height -= 1
            o = self.trail[self.height]
            for e in range(self.first[o], self.first[o + 1]):
                self.size[self.item[e]] += 1

    def mark(self) -> list:
        """Returns the place of the search: for each level its item, and those of its options that have been tried.

        The order of the sets, and with it that of the options, depends on all that the search has done. So a mark puts
        them in the order in which `seek` leaves them: both searches go on alike. Without a mark the order would have
        been another one, and the nodes too, but not the covers.
        """
        mark = Frame.mark(self)
        if mark[0] == TRY:
            self._restart()
            self.state = ENTER
            self._reach(self._places(mark[1:]))
        return mark

    def _trace(self) -> list:
        """Returns the numbers of a mark: of each level the item, the number of options tried, and these in order."""
        numbers: list = []
        for k in range(self.level + 1):
            end = self.floor[k] if k < self.level else self.height
            tried = np.asarray(self.trail)[end - self.tried[k] : end].tolist()
            numbers += [int(self.branch[k]), len(tried), *tried]
        return numbers

    def _places(self, numbers: list) -> list:
        """The levels that `_trace` described: the item, the options tried, and whether the last of them is chosen."""
        places, at = [], 0
        while at < len(numbers):
            end = at + 2 + sum(numbers[at + 1 : at + 2])
            places.append((numbers[at], numbers[at + 2 : end], end < len(numbers)))
            at = end
        if at != len(numbers):
            raise ValueError(f"the mark has {len(numbers) + 1} numbers, and describes {at + 1}")
        return places

    def _settle(self, place) -> str:
        """Begins a level anew with an item, hides the options tried but the one chosen, and goes to that, if any."""
        item, tried, chosen = place
        best = self.branch[self.level]
        spare = self.size[best] - self.need[best]
        wanted = item < self.n_primary and self.need[item] > 0
        if item != best and not (wanted and self.size[item] - self.need[item] == spare):
            return f"item {item} is not the one to branch on"
        if chosen and not tried:
            return "no option is chosen"
        self._begin_with(item)
        for option in tried[: len(tried) - chosen]:
            if not self._put_first(option) or not self._skip():
                return f"option {option} cannot have been tried, with another one left"
        if chosen and not self._put_first(tried[len(tried) - 1]):
            return f"option {tried[len(tried) - 1]} cannot have been chosen"
        return ""

    def _branching(self):
        return self.branch[self.level]

    def _upcoming(self):
        i = self.branch[self.level]
        return self.option[self.member[self.begin[i] + self.size[i] - 1]]

    def _skip(self):
        """Hides the option to be tried next as one that has been tried; False: no other one can be tried."""
        self._hide(self._upcoming())
        self.tried[self.level] += 1
        return not self.dead and self.size[self.branch[self.level]] > 0

    def _put_first(self, o):
        """Makes an option of the level the first one to be tried; False: it has no such option that is live."""
        i = self.branch[self.level]
        last: cython.int = self.begin[i] + self.size[i] - 1
        if o >= self.n_options:
            return False
        for e in range(self.first[o], self.first[o + 1]):
            if self.item[e] == i and self.place[e] <= last:
                self.member[self.place[e]] = self.member[last]
                self.place[self.member[last]] = self.place[e]
                self.member[last] = e
                self.place[e] = last
                return True
        return False

    def check(self) -> None:
        self._check_frame()
        assert self.state == TRY or self.level == 0, f"level is {self.level} in state {self.state}"
        if self.level < self.base:  # it has ended, maybe where nothing is left to try
            return
        pairs = list(zip(np.asarray(self.item).tolist(), np.asarray(self.colour).tolist(), strict=True))
        options = [pairs[self.first[o] : self.first[o + 1]] for o in range(self.n_options)]
        self._check_sets(self._check_trail(options))
        self._check_counts(options)
        assert not self.dead or self.state != TRY, "dead is set where there is an option to try"

    def _check_trail(self, options: list) -> set:
        """Checks that the trail holds, level by level, options that clash, then those tried; returns the live ones."""
        trail = np.asarray(self.trail)[: self.height].tolist()
        live = {o for o, entries in enumerate(options) if entries}
        least, most = np.asarray(self.multiplicities).T.tolist()
        room, shade, clashing, begin = list(most), {}, [], 0
        for k in range(self.level + (self.state == TRY)):
            tried = self.tried[k]
            end = self.floor[k] if k < self.level else self.height
            assert begin + len(clashing) + tried == end, f"floor[{k}] or tried[{k}] does not match the trail"
            assert set(trail[begin : end - tried]) == set(clashing), f"the trail misses options that clash on level {k}"
            live -= set(trail[begin:end])
            if k == self.level:
                break
            o = self.chosen[k]
            assert trail[end - 1] == o, f"chosen[{k}] is not the last option hidden on its level"
            assert self.branch[k] in [i for i, _ in options[o]], f"chosen[{k}] lacks the item of its level"
            for i, c in options[o]:
                if i < self.n_primary:
                    room[i] -= 1
                elif i < self.n_items:
                    shade[i] = c
            clashing = [p for p in live if any(self._clashes(i, c, shade, room) for i, c in options[p])]
            if not any(room[i] > most[i] - least[i] for i in range(self.n_primary)):  # nothing is wanted any more
                clashing = [p for p in clashing if any(i == self.n_items for i, _ in options[p])]
            begin = end
        assert self.state == TRY or not trail, f"the trail has {len(trail)} options where nothing is chosen"
        shades = [shade.get(i, 0) for i in range(self.n_items + 1)]
        assert np.asarray(self.shade).tolist() == shades, "shade does not hold just the colours of the chosen options"
        return live

    def _clashes(self, i: cython.int, c: cython.int, shade: dict, room: list) -> bool:
        """Tells whether item i can have no more options with this colour."""
        return room[i] == 0 if i < self.n_primary else i in shade and (c == 0 or c != shade[i])

    def _check_sets(self, live: set) -> None:
        """Checks that each item's set holds the entries of the live options that have it, and that places agree."""
        member, item = np.asarray(self.member), np.asarray(self.item)
        for e in np.flatnonzero(member[np.asarray(self.place)] != np.arange(len(item))):
            raise AssertionError(f"entry {e}: place and member disagree")
        alive = np.isin(np.asarray(self.option), list(live))
        for i in range(self.n_items + 1):
            expected = np.flatnonzero(alive & (item == i))
            found = np.sort(member[self.begin[i] : self.begin[i] + self.size[i]])
            assert self.size[i] == len(expected), f"size[{i}] is {self.size[i]}, not {len(expected)}"
            assert (found == expected).all(), f"the set of item {i} does not hold just its live options"

    def _check_counts(self, options: list) -> None:
        """Checks the wanted items, the roomy ones and the item of the level against need, room and size."""
        times = Counter(i for o in np.asarray(self.chosen)[: self.level].tolist() for i, _ in options[o])
        for i in range(self.n_primary):
            least, most = self.multiplicities[i, 0] - times[i], self.multiplicities[i, 1] - times[i]
            assert self.need[i] == least, f"need[{i}] is {self.need[i]} after {times[i]} options"
            assert self.room[i] == most, f"room[{i}] is {self.room[i]} after {times[i]} options"
        expected = [i for i in range(self.n_primary) if self.need[i] > 0]
        wanted = np.asarray(self.wanted)[: self.n_wanted].tolist()
        assert sorted(wanted) == expected, "wanted does not hold just the items that need an option"
        assert all(self.rank[i] == k for k, i in enumerate(wanted)), "rank and wanted disagree"
        roomy = sum(self.room[i] > 0 for i in range(self.n_primary))
        assert self.n_roomy == roomy, f"n_roomy is {self.n_roomy}, not {roomy}"
        if self.state == TRY:
            i = self.branch[self.level]
            assert all(self.size[k] >= self.need[k] for k in expected), "an item needs more options than are live"
            assert i in expected if expected else i == self.n_items, f"branch[{self.level}] needs no option"
            assert self.size[i] > 0, f"the item of level {self.level} has no option to try"
