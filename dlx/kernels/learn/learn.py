# cython: language_level=3
"""One cover by clause learning on items and options, for problems on which a plain search takes very long.

The search is that of SAT solvers (J. Marques-Silva, K. Sakallah, doi:10.1109/12.769433; TAOCP 4B, 7.2.2.2, Algorithm
C): it chooses options, propagates what they imply, and learns a clause from each conflict. It ends with the first
cover, or with a conflict at the root, which proves that there is none. It differs from a SAT solver in six points:

* An item is a constraint, not a set of clauses. When it is covered, its other options are out. When all options of a
  primary item but one are out, that one is in. Two literals of each clause are watched (M. Moskewicz and others, Chaff,
  DAC 2001); the lists of watchers are linked inside the clauses, as in Knuth's Algorithm D.
* It branches on an item of the least size / weight; ties are broken at random. The weight of an item grows by one with
  each conflict that involves it, and never falls, as in constraint programming (F. Boussemart and others, Boosting
  systematic search by weighting constraints, ECAI 2004). With weights that decay it took 1.6 times as long.
* A choice always puts an option in, never out; it prefers options that were in before they were last undone.
* In the analysis of a conflict, an option that clashes with a chosen option is replaced by the chosen option. So a
  clause consists of options that are in, and of options that are out by other clauses. Minimising clauses did not pay.
* Restarts come after 300 conflicts times the sequence of Luby, Sinclair and Zuckerman
  (doi:10.1016/0020-0190(93)90029-9); after 100 it took 1.4 times as long.
* Clauses are in one array of fixed size. If there are many clauses, a restart deletes half of them: the clauses with
  literals of the most levels (G. Audemard, L. Simon, Predicting learnt clauses quality, IJCAI 2009), old clauses before
  new clauses.
"""

import cython
import numpy as np

from dlx.kernels.cover.frame import Frame

if not cython.compiled:
    from dlx.kernels import DONE, EXHAUSTED

    OPEN, IN, OUT = range(3)
    CHOICE, CLAUSE = -1, -2
    SIZE, RANK, LITERALS = 2, 3, 4
    RANKS, STRETCH = 64, 300

CLAUSES = 4000  # clauses before the first deletion; each deletion raises this number by a tenth
STORE = 1 << 22  # size of the store of clauses in int32 numbers, 16 MB; larger for very long clauses


class Learn(Frame):
    """A search for one cover; a node is a choice.

    Parameters:
        rows, buffer: as for `Frame`; there must be no multiplicities.
        seed: at least 0; decides ties.
        room: the size of the store of clauses in numbers; larger if one clause might take more than a quarter of it.
    """

    def __init__(self, rows, buffer, seed=0, room=STORE) -> None:
        Frame.__init__(self, rows, buffer, rows.n_primary + 1)
        n_items, n_primary, n_options = rows.n_items, rows.n_primary, rows.n_options
        self.first, self.item = rows.indptr, rows.indices
        self.coloured = rows.colours is not None
        if self.coloured:
            self.colour = rows.colours
        self.begin, self.member, self.user = rows.by_item
        self.value = np.zeros(n_options, dtype=np.int8)
        self.phase = np.ones(n_options, dtype=np.int8)
        self.depth, self.reason, self.trail = np.zeros((3, n_options), dtype=np.int32)
        self.floor = np.zeros(n_primary + 1, dtype=np.int32)
        self.size = np.diff(rows.by_item.begin)
        self.rest = np.zeros(n_items, dtype=np.int32)
        np.bitwise_xor.at(np.asarray(self.rest), rows.indices, rows.owner)
        self.owner = np.full(n_items, -1, dtype=np.int32)
        self.active, self.place = np.tile(np.arange(n_primary, dtype=np.int32), (2, 1))
        self.n_active = n_primary
        self.single = np.zeros(n_items, dtype=np.int32)
        self.store = np.empty(max(room, 4 * (n_options + LITERALS)), dtype=np.int32)
        self.watched = np.full(2 * n_options, -1, dtype=np.int32)
        self.height = self.propagated = self.n_single = self.n_store = self.n_clauses = 0
        self.conflict, self.clashing = CHOICE, -1
        self.marked = np.zeros(n_options, dtype=np.int8)
        self.learnt = np.zeros(n_options + 1, dtype=np.int32)
        self.stamp = np.zeros(n_primary + 1, dtype=np.int32)
        self.weight = np.ones(n_items)
        self.tally = np.zeros(RANKS, dtype=np.int32)
        self.most_clauses = CLAUSES
        self.n_learnt = self.n_marked = self.stamps = 0
        self.conflicts, self.restart_at, self.reluctant, self.stretch = 0, STRETCH, 1, 1
        self.random = 1 + seed % 2147483646
        for i in range(self.n_primary):
            if self.size[i] == 0:
                self.conflict = i
            elif self.size[i] == 1:
                self.single[self.n_single] = i
                self.n_single += 1

    def clauses(self) -> dict:
        """Returns the clauses by their places in the store: lists of literals, 2 o for option o in, 2 o + 1 for out."""
        store = np.asarray(self.store)[: self.n_store].tolist()
        found: dict = {}
        c = 0
        while c < len(store):
            found[c] = store[c + LITERALS : c + LITERALS + store[c + SIZE]]
            c += LITERALS + store[c + SIZE]
        assert c == len(store), "the store does not end with a clause"
        return found

    def fraction(self) -> float:
        """1 at the end, else 0, since a restart begins again."""
        return float(self.state == DONE)

    def _run(self):
        while self.state != DONE:
            if not self._propagate():
                self.conflicts += 1
                if self.level == 0:
                    self.state = DONE
                else:
                    self._learn()
                continue
            if self.n_active == 0:
                self._finish()
                break
            if self.conflicts >= self.restart_at:
                self._restart_search()
            status = self._spent()
            if status:
                return status
            self._decide()
        return EXHAUSTED

    def _finish(self):
        """Emits the cover: the options that are in."""
        self.level = 0
        for k in range(self.height):
            if self.trail[k] & 1 == 0:
                self.chosen[self.level] = self.trail[k] >> 1
                self.level += 1
        self._emit(self.level)
        self.state = DONE

    # Choices

    def _decide(self):
        o = self._choose_option(self._choose_item())
        self.nodes += 1
        self.chosen[self.level] = o
        self.floor[self.level] = self.height
        self.level += 1
        self._assign(2 * o, CHOICE)

    def _choose_item(self):
        """Returns an active item of the least size / weight."""
        ties, best = 0, -1
        least = 0.0
        for k in range(self.n_active):
            i = self.active[k]
            score = self.size[i] / self.weight[i]
            if ties == 0 or score < least:
                best, least, ties = i, score, 1
            elif score == least:
                ties += 1
                if self._draw(ties) == 0:
                    best = i
        self.updates += self.n_active
        return best

    def _choose_option(self, i):
        """Returns a random open option of an item, preferably an option that was in before."""
        best, ties, liking = -1, 0, False
        for k in range(self.begin[i], self.begin[i + 1]):
            o = self.user[k]
            if self.value[o] != OPEN or (liking and not self.phase[o]):
                continue
            if self.phase[o] and not liking:
                liking, ties = True, 0
            ties += 1
            if self._draw(ties) == 0:
                best = o
        self.updates += cython.cast(cython.int, self.begin[i + 1] - self.begin[i])
        return best

    def _draw(self, n):
        """Returns a random number below n by the minimal standard generator (Park, Miller, doi:10.1145/63039.63042)."""
        self.random = self.random * 16807 % 2147483647
        return self.random % n

    # Unit propagation

    def _assign(self, literal, reason):
        """Gives an open option a value: its literal becomes true."""
        o: cython.int = literal >> 1
        self.value[o] = OUT if literal & 1 else IN
        self.depth[o] = self.level
        self.reason[o] = reason
        self.trail[self.height] = literal
        self.height += 1
        if literal & 1:
            self._leave_out(o)

    def _leave_out(self, o):
        """Subtracts an option from the sizes of its items, and notes primary items that fall to one option or none."""
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            self.size[i] -= 1
            self.rest[i] ^= o
            if self.size[i] <= 1 and i < self.n_primary:
                if self.size[i] == 0:
                    if self.conflict == CHOICE:
                        self.conflict = i
                elif self.value[self.rest[i]] == OPEN:
                    self.single[self.n_single] = i
                    self.n_single += 1
        self.updates += cython.cast(cython.int, self.first[o + 1] - self.first[o])

    def _propagate(self):
        """Propagates all true literals; returns False at a conflict."""
        while self.conflict == CHOICE:
            if self.n_single > 0:
                self.n_single -= 1
                i = self.single[self.n_single]
                if self.value[self.rest[i]] == OPEN:
                    self._assign(2 * self.rest[i], i)
            elif self.propagated < self.height:
                literal = self.trail[self.propagated]
                self.propagated += 1
                if literal & 1 == 0:
                    self._cover_items(literal >> 1)
                if self.conflict == CHOICE:
                    self._visit_watchers(literal ^ 1)
            else:
                return True
        return False

    def _cover_items(self, o):
        """Covers the items of an option that is in, and puts out the options that clash with it."""
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            if self.owner[i] >= 0:  # by an option with the same colour, since otherwise this option would be out
                continue
            self.owner[i] = o
            if i < self.n_primary:
                self.n_active -= 1
                last = self.active[self.n_active]
                self.active[self.place[i]] = last
                self.place[last] = self.place[i]
                self.active[self.n_active] = i
                self.place[i] = self.n_active
        for e in range(self.first[o], self.first[o + 1]):
            if self.owner[self.item[e]] == o:
                self._exclude(o, e)
            if self.conflict != CHOICE:
                return

    def _exclude(self, o, e):
        """Puts out the other options of an entry's item, except those of the same colour."""
        i = self.item[e]
        colour: cython.int = self.colour[e] if self.coloured else 0
        for k in range(self.begin[i], self.begin[i + 1]):
            p = self.user[k]
            if self.value[p] == OUT or p == o or (colour != 0 and self.colour[self.member[k]] == colour):
                continue
            if self.value[p] == IN:
                self.conflict, self.clashing = i, p
            else:
                self._assign(2 * p + 1, i)
            if self.conflict != CHOICE:
                break
        self.updates += cython.cast(cython.int, self.begin[i + 1] - self.begin[i])

    def _visit_watchers(self, literal):
        """Visits the clauses that watch a literal that has become false."""
        c = self.watched[literal]
        link: cython.int = -1  # the place in the store of the link to c; -1: in `watched`
        self.updates += 1
        while c >= 0:
            self.updates += 8  # a visit is a cache miss; with 8, an update takes 4 ns in all families
            if self.store[c + LITERALS] == literal:  # make it the second literal
                self.store[c + LITERALS] = self.store[c + LITERALS + 1]
                self.store[c + LITERALS + 1] = literal
                following = self.store[c]
                self.store[c] = self.store[c + 1]
                self.store[c + 1] = following
            following = self.store[c + 1]
            other = self.store[c + LITERALS]
            if not self._is_true(other) and self._rewatch(c):
                if link < 0:
                    self.watched[literal] = following
                else:
                    self.store[link] = following
            else:
                if self._is_false(other):
                    self.conflict = CLAUSE - c
                elif not self._is_true(other):
                    self._assign(other, CLAUSE - c)
                if self.conflict != CHOICE:
                    return
                link = c + 1
            c = following

    def _rewatch(self, c):
        """Replaces the second watched literal of a clause by a literal that is not false, if possible."""
        first: cython.int = c + LITERALS + 1
        for k in range(first + 1, c + LITERALS + self.store[c + SIZE]):
            literal = self.store[k]
            self.updates += 1
            if not self._is_false(literal):
                self.store[k] = self.store[first]
                self.store[first] = literal
                self.store[c + 1] = self.watched[literal]
                self.watched[literal] = c
                return True
        return False

    def _is_true(self, literal):
        return self.value[literal >> 1] == (OUT if literal & 1 else IN)

    def _is_false(self, literal):
        return self.value[literal >> 1] == (IN if literal & 1 else OUT)

    def _watch(self, c):
        for k in range(2):
            self.store[c + k] = self.watched[self.store[c + LITERALS + k]]
            self.watched[self.store[c + LITERALS + k]] = c

    def _back_to(self, level):
        """Undoes all choices from a level on, and all that they implied."""
        self.conflict, self.clashing = CHOICE, -1
        self.n_single = 0
        if level >= self.level:
            return
        self.updates += cython.cast(cython.int, self.height - self.floor[level])
        while self.height > self.floor[level]:
            self.height -= 1
            literal = self.trail[self.height]
            o: cython.int = literal >> 1
            self.phase[o], self.value[o] = not literal & 1, OPEN
            for e in range(self.first[o], self.first[o + 1]):
                i = self.item[e]
                if literal & 1:
                    self.size[i] += 1
                    self.rest[i] ^= o
                elif self.owner[i] == o:  # items that `_cover_items` had reached
                    self.owner[i] = -1
                    self.n_active += i < self.n_primary
        self.propagated = self.height
        self.level = level

    # Conflicts

    def _learn(self):
        """Learns a clause from the conflict, jumps back to the level on which it is a unit, and assigns its literal."""
        reason = CHOICE
        self._analyse()
        level = self._second_level()
        o = self.learnt[0]
        literal = self._negation(o)
        if self.n_learnt > 1 and self.n_store + LITERALS + self.n_learnt > self.store.shape[0]:
            self._back_to(0)
            self._forget()
            return
        if self.n_learnt > 1:
            reason = CLAUSE - self._keep()
        self._back_to(level)
        self._assign(literal, reason)

    def _analyse(self):
        """Fills `learnt` with the first unique implication point and the options of lower levels in the conflict."""
        k: cython.int = self.height
        self.n_learnt = 1
        self.n_marked = 0
        if self.conflict >= 0 and self.clashing >= 0:
            self.weight[self.conflict] += 1
            self._mark(self.clashing)
            self._mark(self.owner[self.conflict])
        else:
            self._mark_reasons(self.conflict, -1)
        while True:
            k -= 1
            o: cython.int = self.trail[k] >> 1
            if not self.marked[o] or self.depth[o] < self.level:
                continue
            self.n_marked -= 1
            if self.n_marked == 0:
                break
            self.marked[o] = False
            self._mark_reasons(self.reason[o], o)
        self.learnt[0] = o
        for k in range(self.n_learnt):
            self.marked[self.learnt[k]] = False

    def _mark_reasons(self, reason, o):
        """Marks the options of an item or clause, except o; that is the reason of o, or the conflict if o is -1."""
        c = CLAUSE - reason
        if reason >= 0:
            self.weight[reason] += 1
            for k in range(self.begin[reason], self.begin[reason + 1]):
                if self.user[k] != o:
                    self._mark(self.user[k])
            self.updates += cython.cast(cython.int, self.begin[reason + 1] - self.begin[reason])
            return
        for k in range(c + LITERALS, c + LITERALS + self.store[c + SIZE]):
            if self.store[k] >> 1 != o:
                self._mark(self.store[k] >> 1)
        self.updates += cython.cast(cython.int, self.store[c + SIZE])

    def _mark(self, o):
        """Marks an option, or the chosen option that it clashes with; an option of a lower level joins the clause."""
        if self.value[o] == OUT and self.reason[o] >= 0:
            o = self.owner[self.reason[o]]
        if self.marked[o] or self.depth[o] == 0:
            return
        self.marked[o] = True
        if self.depth[o] == self.level:
            self.n_marked += 1
        else:
            self.learnt[self.n_learnt] = o
            self.n_learnt += 1

    def _negation(self, o):
        return 2 * o + (self.value[o] == IN)

    def _second_level(self):
        """Puts an option of the highest lower level second in the clause, and returns that level, or 0."""
        for k in range(2, self.n_learnt):
            o = self.learnt[k]
            if self.depth[o] > self.depth[self.learnt[1]]:
                self.learnt[k] = self.learnt[1]
                self.learnt[1] = o
        return self.depth[self.learnt[1]] if self.n_learnt > 1 else 0

    # Clauses

    def _keep(self):
        """Stores the clause, ranked by the number of its levels; returns its place."""
        c = self.n_store
        rank: cython.int = 0
        self.stamps += 1
        for k in range(self.n_learnt):
            o = self.learnt[k]
            self.store[c + LITERALS + k] = self._negation(o)
            if self.stamp[self.depth[o]] != self.stamps:
                self.stamp[self.depth[o]] = self.stamps
                rank += 1
        self.store[c + SIZE] = self.n_learnt
        self.store[c + RANK] = min(rank, RANKS - 1)
        self.n_store += LITERALS + self.n_learnt
        self.n_clauses += 1
        self._watch(c)
        return c

    def _restart_search(self):
        """Goes back to the root, and sets the number of conflicts at the next restart."""
        self._back_to(0)
        if self.n_clauses > self.most_clauses:
            self._forget()
            self.most_clauses += self.most_clauses // 10
        if self.reluctant & -self.reluctant == self.stretch:
            self.reluctant += 1
            self.stretch = 1
        else:
            self.stretch *= 2
        self.restart_at = self.conflicts + STRETCH * self.stretch

    def _forget(self):
        """Deletes the worse half of the clauses, and again while the store is more than half full; only at the root."""
        self._halve()
        while self.n_store > self.store.shape[0] // 2:
            self._halve()
        for k in range(self.watched.shape[0]):
            self.watched[k] = -1
        c: cython.int = 0
        while c < self.n_store:
            self._watch(c)
            c += LITERALS + self.store[c + SIZE]

    def _halve(self):
        """Keeps the clauses of low rank, and the newest clauses of the last rank."""
        c = kept = rank = 0
        left: cython.int = self.n_clauses // 2
        for k in range(RANKS):
            self.tally[k] = 0
        while c < self.n_store:
            self.tally[self.store[c + RANK]] += 1
            c += LITERALS + self.store[c + SIZE]
        c = 0
        while rank < RANKS - 1 and self.tally[rank] <= left:
            left -= self.tally[rank]
            rank += 1
        surplus: cython.int = self.tally[rank] - left  # clauses of that rank to delete
        self.n_clauses = 0
        self.updates += self.n_store
        while c < self.n_store:
            at: cython.int = c
            c += LITERALS + self.store[c + SIZE]
            if self.store[at + RANK] == rank:
                surplus -= 1
            if self.store[at + RANK] < rank or (self.store[at + RANK] == rank and surplus < 0):
                kept = self._move(at, kept)
        self.n_store = kept

    def _move(self, c, to):
        """Moves a clause down in the store without its false literals; drops it if it is true; returns its end."""
        at: cython.int = to + LITERALS
        size = self.store[c + SIZE]
        rank = self.store[c + RANK]
        for k in range(c + LITERALS, c + LITERALS + size):
            if self._is_true(self.store[k]):
                return to
        for k in range(c + LITERALS, c + LITERALS + size):
            if not self._is_false(self.store[k]):
                self.store[at] = self.store[k]
                at += 1
        self.store[to + SIZE] = at - to - LITERALS
        self.store[to + RANK] = rank
        self.n_clauses += 1
        return at

    # Invariants

    def check(self) -> None:
        self._check_frame()
        for o in np.flatnonzero(self.marked):
            raise AssertionError(f"option {o} is still marked")
        assert (np.asarray(self.weight) >= 1).all(), "an item weighs less than one"
        assert self.conflicts <= self.restart_at or self.state == DONE, "a restart is overdue"
        if self.state == DONE:
            return
        self._check_trail()
        self._check_items()
        if self.nodes:  # the root has been propagated
            self._check_options()
        self._check_clauses()

    def _options_of(self, i: cython.int) -> list:
        return np.asarray(self.user)[self.begin[i] : self.begin[i + 1]].tolist()

    def _check_trail(self) -> None:
        """Checks that the trail has exactly the options with a value, level by level, and that values have reasons."""
        floor = np.asarray(self.floor)[: self.level].tolist()
        trail = np.asarray(self.trail)[: self.height].tolist()
        value = np.asarray(self.value).tolist()
        rank = {literal >> 1: k for k, literal in enumerate(trail)}
        assert len(rank) == len(trail), "an option is on the trail twice"
        assert set(rank) == {o for o, known in enumerate(value) if known != OPEN}, "value and trail disagree"
        for k, literal in enumerate(trail):
            o = literal >> 1
            assert value[o] == (OUT if literal & 1 else IN), f"value[{o}] does not match the trail"
            level = sum(begin <= k for begin in floor)
            assert self.depth[o] == level, f"depth[{o}] is {self.depth[o]}, not {level}"
            if self.reason[o] == CHOICE:
                assert level == 0 or floor[level - 1] == k, f"option {o} has no reason"
            elif level:
                wrong = [p for p in self._because(o) if rank.get(p, len(trail)) >= k]
                assert not wrong, f"the reason of option {o} does not come before it"
        for level, begin in enumerate(floor):
            assert trail[begin] == 2 * self.chosen[level], f"chosen[{level}] does not match the trail"

    def _because(self, o: cython.int) -> list:
        """Returns the options whose values imply that of option o, and checks these values."""
        r = self.reason[o]
        if r >= 0 and self.value[o] == IN:
            others = [p for p in self._options_of(r) if p != o]
            assert all(self.value[p] == OUT for p in others), f"item {r} is no reason for option {o}"
            return others
        if r >= 0:
            assert self.owner[r] >= 0, f"item {r} is no reason for option {o}"
            return [self.owner[r]]
        c = CLAUSE - r
        literals = np.asarray(self.store)[c + LITERALS : c + LITERALS + self.store[c + SIZE]].tolist()
        others = [literal for literal in literals if literal >> 1 != o]
        assert len(others) == len(literals) - 1, f"the clause for option {o} lacks it"
        assert all(self._is_false(literal) for literal in others), f"a clause is no reason for option {o}"
        return [literal >> 1 for literal in others]

    def _check_items(self) -> None:
        """Checks sizes, owners and active items against the values of the options."""
        covered = {literal >> 1 for literal in np.asarray(self.trail)[: self.propagated].tolist() if literal & 1 == 0}
        for i in range(self.n_items):
            left = [o for o in self._options_of(i) if self.value[o] != OUT]
            taken = [o for o in left if o in covered]
            assert self.size[i] == len(left), f"size[{i}] is {self.size[i]}, not {len(left)}"
            assert self.rest[i] == np.bitwise_xor.reduce(left or [0]), f"rest[{i}] is not the numbers of its options"
            assert (self.owner[i] in taken) if taken else self.owner[i] == -1, f"owner[{i}] is {self.owner[i]}"
        active = np.asarray(self.active).tolist()
        assert sorted(active) == list(range(self.n_primary)), "active has not every primary item once"
        for k, i in enumerate(active):
            assert self.place[i] == k, "place and active disagree"
            assert (self.owner[i] < 0) == (k < self.n_active), f"item {i} is on the wrong side of active"

    def _check_options(self) -> None:
        """Checks that all is propagated: options that clash are out, and a last option is in."""
        colour = np.asarray(self.colour).tolist() if self.coloured else [0] * self.first[self.n_options]
        assert self.propagated == self.height, "the end of the trail has not been propagated"
        assert self.conflict == CHOICE, "there is a conflict"
        for i in range(self.n_items):
            shades = {o: colour[self.member[k]] for k, o in enumerate(self._options_of(i), self.begin[i])}
            o = self.owner[i]
            if o >= 0:
                clash = [p for p in shades if p != o and (shades[o] == 0 or shades[p] != shades[o])]
                assert all(self.value[p] == OUT for p in clash), f"an option that clashes with {o} is not out"
            elif i < self.n_primary:
                assert self.size[i] > 1, f"active item {i} has {self.size[i]} options"

    def _check_clauses(self) -> None:
        """Checks the store: each clause is watched by its first two literals, and no clause is false."""
        watched: dict = {}
        store = np.asarray(self.store)[: self.n_store].tolist()
        for literal, c in enumerate(np.asarray(self.watched).tolist()):
            while c >= 0:
                watched.setdefault(c, []).append(literal)
                assert literal in store[c + LITERALS : c + LITERALS + 2], f"literal {literal} does not watch clause {c}"
                c = store[c if store[c + LITERALS] == literal else c + 1]
        clauses = self.clauses()
        for c, literals in clauses.items():
            assert sorted(watched.get(c, [])) == sorted(literals[:2]), f"clause {c} is not watched by its first two"
            assert store[c + RANK] > 0, f"the rank of clause {c} is {store[c + RANK]}"
            if self.nodes and any(self._is_false(literal) for literal in literals[:2]):
                assert any(self._is_true(literal) for literal in literals[:2]), f"clause {c} watches a false literal"
        assert len(clauses) == self.n_clauses, f"n_clauses is {self.n_clauses}, not {len(clauses)}"
