# cython: language_level=3
"""One cover by conflict-driven clause learning on items and options, where a plain descent gets lost.

The search is that of SAT solvers (J. Marques-Silva, K. Sakallah, doi:10.1109/12.769433; TAOCP 4B, 7.2.2.2, Algorithm C):
it chooses options, follows up what that implies, and learns a clause from each conflict. Its items are no clauses, but
constraints of their own: an item that is covered leaves its other options out, and a primary item whose options are out
but one takes that one. Five things are ours, or not as usual there:

* The search branches on an item of the least size / weight, ties at random; the weight of an item grows by one with
  each conflict in whose analysis it stands, and never falls (as in constraint programming: F. Boussemart and others,
  Boosting systematic search by weighting constraints, 2004). Activities that decay were 1.6 times as slow.
* It chooses an option, one that was in the last time if there is any, and never leaves one out.
* In a conflict, an option that is out because it clashes with a chosen one stands for that one. So clauses speak of
  options that are in together, and of what other clauses have left out; this took a quarter of the time off.
* Restarts come after 100 conflicts times the sequence of Luby, Sinclair and Zuckerman (doi:10.1016/0020-0190(93)90029-9).
* Clauses are in one array of a fixed size. A restart forgets about half of them where there are many: those whose
  literals are of the most levels (G. Audemard, L. Simon, Predicting learnt clauses quality, IJCAI 2009), old ones first.

It ends with the first cover, or with a conflict that no choice had a part in: then there is none.
"""

import cython
import numpy as np

from dlx.kernels.frame import Frame

if not cython.compiled:
    from dlx.kernels import DONE, ENTER, EXHAUSTED

    OPEN, IN, OUT = range(3)
    CHOICE, CLAUSE = -1, -2
    SIZE, RANK, LITERALS = 2, 3, 4
    RANKS, STRETCH = 64, 100

STORE = 1 << 22  # numbers in the store of clauses, 16 MB, more where a clause might take more than a quarter of them
CLAUSES = 4000  # how many are kept before the first of them are forgotten; a tenth more after each time


class Learn(Frame):
    """A search for one cover; a node is a choice.

    Parameters:
        rows, buffer: as for `Frame`; there must be no multiplicities.
        seed: from 0 on; by it ties are broken.
        room: how many numbers the store of clauses may hold.
    """

    def __init__(self, rows, buffer, seed=0, room=STORE) -> None:
        Frame.__init__(self, rows, buffer, rows.n_primary + 1)
        n_items, n_primary, n_options = rows.n_items, rows.n_primary, len(rows.indptr) - 1
        indptr, indices = rows.indptr, rows.indices
        i: cython.int
        owner = np.repeat(np.arange(n_options, dtype=np.int32), np.diff(indptr))
        order = np.argsort(indices, kind="stable").astype(np.int32)
        sizes = np.bincount(indices, minlength=n_items)
        self.first, self.item = indptr, indices
        self.coloured = rows.colours is not None
        if self.coloured:
            self.colour = rows.colours
        self.begin = np.append(0, np.cumsum(sizes)).astype(np.int32)
        self.member, self.user = order, owner[order]
        self.value, self.seen = np.zeros((2, n_options), dtype=np.int8)
        self.liked = np.ones(n_options, dtype=np.int8)
        self.depth, self.reason, self.trail, self.learnt = np.zeros((4, n_options + 1), dtype=np.int32)
        self.floor, self.stamp = np.zeros((2, n_primary + 1), dtype=np.int32)
        self.size = sizes.astype(np.int32)
        self.rest = np.zeros(n_items, dtype=np.int32)
        np.bitwise_xor.at(np.asarray(self.rest), indices, owner)
        self.owner = np.full(n_items, -1, dtype=np.int32)
        self.active, self.place = np.tile(np.arange(n_primary, dtype=np.int32), (2, 1))
        self.n_active = n_primary
        self.single = np.zeros(n_items + 1, dtype=np.int32)
        self.weight = np.ones(n_items)
        self.store = np.empty(max(room, 4 * (n_options + LITERALS)), dtype=np.int32)
        self.watched = np.full(2 * n_options, -1, dtype=np.int32)
        self.most_clauses = CLAUSES
        self.tally = np.zeros(RANKS, dtype=np.int32)
        self.height = self.done = self.n_single = self.n_store = self.n_clauses = self.n_learnt = self.stamps = 0
        self.conflicts, self.restart_at, self.reluctant, self.stretch = 0, STRETCH, 1, 1
        self.random = 1 + seed % 2147483646
        self.broken, self.rival = CHOICE, -1
        for i in range(n_primary):
            if self.size[i] == 0:
                self.broken = i
            elif self.size[i] == 1:
                self.single[self.n_single] = i
                self.n_single += 1

    def fraction(self) -> float:
        """0 until the search has ended, since a restart begins again, and then 1."""
        return float(self.state == DONE)

    def learned(self) -> list:
        """The clauses that are kept, each a list of literals: 2 o if option o is in, 2 o + 1 if it is out."""
        store = np.asarray(self.store)[: self.n_store].tolist()
        found, c = [], 0
        while c < len(store):
            end = c + LITERALS + store[c + SIZE]
            found.append(store[c + LITERALS : end])
            c = end
        return found

    def _run(self):
        status: cython.int
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
                self._start_over()
            status = self._spent()
            if status:
                return status
            self._decide()
        return EXHAUSTED

    def _finish(self):
        """Hands out the cover: the options that are in."""
        k: cython.int
        self.level = 0
        for k in range(self.height):
            if self.trail[k] & 1 == 0:
                self.chosen[self.level] = self.trail[k] >> 1
                self.level += 1
        self._emit(self.level)
        self.state = DONE

    # Choices

    def _decide(self):
        o: cython.int = self._likeliest(self._hardest())
        self.nodes += 1
        self.chosen[self.level] = o
        self.floor[self.level] = self.height
        self.level += 1
        self._assign(2 * o, CHOICE)

    def _hardest(self):
        """An active item of the least size / weight."""
        k: cython.int
        i: cython.int
        ties: cython.int = 0
        best: cython.int = -1
        score: cython.double
        least: cython.double = 0.0
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

    def _likeliest(self, i):
        """An open option of an item, drawn from those that it liked last, or from all if it liked none."""
        k: cython.int
        o: cython.int
        best: cython.int = -1
        ties: cython.int = 0
        liking: cython.bint = False
        for k in range(self.begin[i], self.begin[i + 1]):
            o = self.user[k]
            if self.value[o] != OPEN or (liking and not self.liked[o]):
                continue
            if self.liked[o] and not liking:
                liking, ties = True, 0
            ties += 1
            if self._draw(ties) == 0:
                best = o
        self.updates += self.begin[i + 1] - self.begin[i]
        return best

    def _draw(self, n):
        """A number below n, by the minimal standard generator (Park, Miller 1988, doi:10.1145/63039.63042)."""
        self.random = self.random * 16807 % 2147483647
        return self.random % n

    # What follows from them

    def _assign(self, literal, reason):
        """Lets a literal of an open option hold."""
        o: cython.int = literal >> 1
        self.value[o] = OUT if literal & 1 else IN
        self.depth[o] = self.level
        self.reason[o] = reason
        self.trail[self.height] = literal
        self.height += 1
        if literal & 1:
            self._leave_out(o)

    def _leave_out(self, o):
        """Takes an option off the sizes of its primary items, and notes those that fall to one option, or to none."""
        e: cython.int
        i: cython.int
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            self.size[i] -= 1
            self.rest[i] ^= o
            if self.size[i] <= 1 and i < self.n_primary:
                if self.size[i] == 0:
                    if self.broken == CHOICE:
                        self.broken = i
                elif self.value[self.rest[i]] == OPEN:
                    self.single[self.n_single] = i
                    self.n_single += 1
        self.updates += self.first[o + 1] - self.first[o]

    def _propagate(self):
        """Follows up all that holds; False: something is broken."""
        i: cython.int
        literal: cython.int
        while self.broken == CHOICE:
            if self.n_single > 0:
                self.n_single -= 1
                i = self.single[self.n_single]
                if self.value[self.rest[i]] == OPEN:
                    self._assign(2 * self.rest[i], i)
            elif self.done < self.height:
                literal = self.trail[self.done]
                self.done += 1
                if literal & 1 == 0:
                    self._take(literal >> 1)
                if self.broken == CHOICE:
                    self._visit_watchers(literal ^ 1)
            else:
                return True
        return False

    def _take(self, o):
        """Covers the items of an option that is in, and leaves out what clashes with it."""
        e: cython.int
        i: cython.int
        last: cython.int
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            if self.owner[i] >= 0:  # by an option with the same colour, or this one would be out
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
            if self.broken != CHOICE:
                return

    def _exclude(self, o, e):
        """Leaves out the other options of an entry's item, but for those of the same colour."""
        k: cython.int
        p: cython.int
        i: cython.int = self.item[e]
        colour: cython.int = self.colour[e] if self.coloured else 0
        for k in range(self.begin[i], self.begin[i + 1]):
            p = self.user[k]
            if self.value[p] == OUT or p == o or (colour != 0 and self.colour[self.member[k]] == colour):
                continue
            if self.value[p] == IN:
                self.broken, self.rival = i, p
            else:
                self._assign(2 * p + 1, i)
            if self.broken != CHOICE:
                break
        self.updates += self.begin[i + 1] - self.begin[i]

    def _visit_watchers(self, literal):
        """Looks at the clauses that watch a literal which has become false."""
        c: cython.int = self.watched[literal]
        following: cython.int
        other: cython.int
        link: cython.int = -1  # where the store has the link to c; -1: `watched` has it
        self.updates += 1
        while c >= 0:
            self.updates += 2
            if self.store[c + LITERALS] == literal:  # it is to be the second one
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
                    self.broken = CLAUSE - c
                elif not self._is_true(other):
                    self._assign(other, CLAUSE - c)
                if self.broken != CHOICE:
                    return
                link = c + 1
            c = following

    def _rewatch(self, c):
        """Lets a clause watch another literal instead of its second one, if there is one that is not false."""
        k: cython.int
        literal: cython.int
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

    # Conflicts

    def _learn(self):
        """Learns a clause from what is broken, backs up to where all but one of its literals are false, and obeys it."""
        o: cython.int
        literal: cython.int
        reason: cython.int = CHOICE
        self._analyse()
        level: cython.int = self._second_level()
        o = self.learnt[0]
        literal = self._denial(o)
        if self.n_learnt > 1 and self.n_store + LITERALS + self.n_learnt > self.store.shape[0]:
            self._back_to(0)
            self._forget()
            return
        if self.n_learnt > 1:
            reason = CLAUSE - self._keep()
        self._back_to(level)
        self._assign(literal, reason)

    def _analyse(self):
        """Finds the first option by which alone, on this level, all this followed, and those of lower levels with it."""
        o: cython.int
        k: cython.int = self.height
        self.n_learnt = 1
        self.n_seen = 0
        if self.broken >= 0 and self.rival >= 0:
            self.weight[self.broken] += 1
            self._see(self.rival)
            self._see(self.owner[self.broken])
        else:
            self._see_reasons(self.broken, -1)
        while True:
            k -= 1
            o = self.trail[k] >> 1
            if not self.seen[o] or self.depth[o] < self.level:
                continue
            self.n_seen -= 1
            if self.n_seen == 0:
                break
            self.seen[o] = False
            self._see_reasons(self.reason[o], o)
        self.learnt[0] = o
        for k in range(self.n_learnt):
            self.seen[self.learnt[k]] = False

    def _see_reasons(self, reason, o):
        """Sees the options whose values give option o its own by an item or a clause; or break that, for -1."""
        k: cython.int
        c: cython.int = CLAUSE - reason
        if reason >= 0:
            self.weight[reason] += 1
            for k in range(self.begin[reason], self.begin[reason + 1]):
                if self.user[k] != o:
                    self._see(self.user[k])
            self.updates += self.begin[reason + 1] - self.begin[reason]
            return
        for k in range(c + LITERALS, c + LITERALS + self.store[c + SIZE]):
            if self.store[k] >> 1 != o:
                self._see(self.store[k] >> 1)
        self.updates += self.store[c + SIZE]

    def _see(self, o):
        """Notes an option for the clause, or for analysis if it is of this level; for one that clashes, its rival."""
        if self.value[o] == OUT and self.reason[o] >= 0:
            o = self.owner[self.reason[o]]
        if self.seen[o] or self.depth[o] == 0:
            return
        self.seen[o] = True
        if self.depth[o] == self.level:
            self.n_seen += 1
        else:
            self.learnt[self.n_learnt] = o
            self.n_learnt += 1

    def _denial(self, o):
        """The literal that option o has not the value that it has."""
        return 2 * o + (self.value[o] == IN)

    def _second_level(self):
        """The highest level of the clause but this one, an option of which it puts second; 0 if there is none."""
        k: cython.int
        o: cython.int
        for k in range(2, self.n_learnt):
            o = self.learnt[k]
            if self.depth[o] > self.depth[self.learnt[1]]:
                self.learnt[k] = self.learnt[1]
                self.learnt[1] = o
        return self.depth[self.learnt[1]] if self.n_learnt > 1 else 0

    # Clauses

    def _keep(self):
        """Puts the clause into the store; returns where it is."""
        k: cython.int
        c: cython.int = self.n_store
        self.store[c + SIZE] = self.n_learnt
        self.store[c + RANK] = self._rank()
        for k in range(self.n_learnt):
            self.store[c + LITERALS + k] = self._denial(self.learnt[k])
        self.n_store += LITERALS + self.n_learnt
        self.n_clauses += 1
        self._watch(c)
        return c

    def _rank(self):
        """How many levels the literals of the clause are of."""
        k: cython.int
        level: cython.int
        rank: cython.int = 0
        self.stamps += 1
        for k in range(self.n_learnt):
            level = self.depth[self.learnt[k]]
            if self.stamp[level] != self.stamps:
                self.stamp[level] = self.stamps
                rank += 1
        return min(rank, RANKS - 1)

    def _watch(self, c):
        """Puts a clause on the lists of its first two literals."""
        k: cython.int
        for k in range(2):
            self.store[c + k] = self.watched[self.store[c + LITERALS + k]]
            self.watched[self.store[c + LITERALS + k]] = c

    def _start_over(self):
        """Goes back to the root, and sets the time of the next such restart."""
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
        """Forgets the worse half of the clauses, and again while the store is more than half full; at the root only."""
        k: cython.int
        c: cython.int
        self._halve()
        while self.n_store > self.store.shape[0] // 2:
            self._halve()
        for k in range(self.watched.shape[0]):
            self.watched[k] = -1
        c = 0
        while c < self.n_store:
            self._watch(c)
            c += LITERALS + self.store[c + SIZE]

    def _halve(self):
        """Keeps the clauses of low rank, and of the highest of these ranks the newest ones."""
        c: cython.int = 0
        at: cython.int
        kept: cython.int = 0
        rank: cython.int = 0
        surplus: cython.int  # how many of that rank are to go
        left: cython.int = self.n_clauses // 2
        self._tally()
        while rank < RANKS - 1 and self.tally[rank] <= left:
            left -= self.tally[rank]
            rank += 1
        surplus = self.tally[rank] - left
        self.n_clauses = 0
        self.updates += self.n_store
        while c < self.n_store:
            at = c
            c += LITERALS + self.store[c + SIZE]
            if self.store[at + RANK] == rank:
                surplus -= 1
            if self.store[at + RANK] < rank or (self.store[at + RANK] == rank and surplus < 0):
                kept = self._move(at, kept)
        self.n_store = kept

    def _tally(self):
        """Counts the clauses of each rank."""
        k: cython.int
        c: cython.int = 0
        for k in range(RANKS):
            self.tally[k] = 0
        while c < self.n_store:
            self.tally[self.store[c + RANK]] += 1
            c += LITERALS + self.store[c + SIZE]

    def _move(self, c, to):
        """Moves a clause down in the store, without literals that are false, unless it holds; returns where it ends."""
        k: cython.int
        at: cython.int = to + LITERALS
        size: cython.int = self.store[c + SIZE]
        rank: cython.int = self.store[c + RANK]
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

    # Backing up

    def _back_to(self, level):
        """Takes back all that was chosen from a level on, and what followed."""
        literal: cython.int
        self.broken, self.rival = CHOICE, -1
        self.n_single = 0
        if level >= self.level:
            return
        self.updates += self.height - self.floor[level]
        while self.height > self.floor[level]:
            self.height -= 1
            literal = self.trail[self.height]
            self.liked[literal >> 1] = not literal & 1
            self.value[literal >> 1] = OPEN
            if literal & 1:
                self._let_in(literal >> 1)
            else:
                self._release(literal >> 1)
        self.done = self.height
        self.level = level

    def _let_in(self, o):
        """Undoes `_leave_out`."""
        e: cython.int
        for e in range(self.first[o], self.first[o + 1]):
            self.size[self.item[e]] += 1
            self.rest[self.item[e]] ^= o

    def _release(self, o):
        """Undoes `_take`, as far as that had come."""
        e: cython.int
        i: cython.int
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            if self.owner[i] == o:
                self.owner[i] = -1
                self.n_active += i < self.n_primary
