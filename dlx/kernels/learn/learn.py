# cython: language_level=3
"""One cover by clause learning on items and options, where a plain descent gets lost.

The search is that of SAT solvers (J. Marques-Silva, K. Sakallah, doi:10.1109/12.769433; TAOCP 4B, 7.2.2.2, Algorithm
C): it chooses options, follows up what they imply, and learns a clause from each conflict. It ends with the first
cover, or with a conflict that no choice had a part in: then there is none. Five things are not as usual there:

* It branches on an item of the least size / weight, ties at random. The weight of an item grows by one with each
  conflict in whose analysis it stands, and never falls, as in constraint programming (F. Boussemart and others,
  Boosting systematic search by weighting constraints, ECAI 2004). With weights that decay it took 1.6 times as long.
* It always chooses an option, and one that was in the last time, if it can; it never chooses to leave one out.
* In a conflict, an option that is out because it clashes with another one stands for that one. So clauses speak of
  options that are in together, and of what other clauses have left out; to shorten them further was not worth its
  time.
* Restarts come after 300 conflicts times the sequence of Luby, Sinclair and Zuckerman
  (doi:10.1016/0020-0190(93)90029-9); after 100 it took 1.4 times as long.
* Clauses are in one array of a fixed size. Where there are many, a restart forgets half of them, those with literals
  of the most levels (G. Audemard, L. Simon, Predicting learnt clauses quality, IJCAI 2009), and old ones before new
  ones.
"""

import cython
import numpy as np

from dlx.kernels.learn.imply import STORE, Imply

if not cython.compiled:
    from dlx.kernels import DONE, EXHAUSTED
    from dlx.kernels.learn.imply import CHOICE, CLAUSE, IN, LITERALS, OPEN, OUT, RANK, SIZE

    RANKS, STRETCH = 64, 300

CLAUSES = 4000  # how many are kept before the first of them are forgotten; a tenth more after each time


class Learn(Imply):
    """A search for one cover; a node is a choice.

    Parameters:
        rows, buffer: as for `Frame`; there must be no multiplicities.
        seed: from 0 on; by it ties are broken.
        room: how many numbers the store of clauses may hold.
    """

    def __init__(self, rows, buffer, seed=0, room=STORE) -> None:
        Imply.__init__(self, rows, buffer, room)
        self.seen = np.zeros(self.n_options, dtype=np.int8)
        self.learnt = np.zeros(self.n_options + 1, dtype=np.int32)
        self.stamp = np.zeros(self.n_primary + 1, dtype=np.int32)
        self.weight = np.ones(self.n_items)
        self.tally = np.zeros(RANKS, dtype=np.int32)
        self.most_clauses = CLAUSES
        self.n_learnt = self.n_seen = self.stamps = 0
        self.conflicts, self.restart_at, self.reluctant, self.stretch = 0, STRETCH, 1, 1
        self.random = 1 + seed % 2147483646

    def fraction(self) -> float:
        """0 until the search has ended, since a restart begins again, and then 1."""
        return float(self.state == DONE)

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
        cython.declare(k=cython.int, i=cython.int)
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
        cython.declare(k=cython.int, o=cython.int)
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
        self.updates += cython.cast(cython.int, self.begin[i + 1] - self.begin[i])
        return best

    def _draw(self, n):
        """A number below n, by the minimal standard generator (Park, Miller 1988, doi:10.1145/63039.63042)."""
        self.random = self.random * 16807 % 2147483647
        return self.random % n

    # Conflicts

    def _learn(self):
        """Learns a clause from what is broken, backs up to where it says something, and obeys it."""
        cython.declare(o=cython.int, literal=cython.int)
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
        """Finds the first option of this level by which alone it all followed, and those of others that it took."""
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
            self.updates += cython.cast(cython.int, self.begin[reason + 1] - self.begin[reason])
            return
        for k in range(c + LITERALS, c + LITERALS + self.store[c + SIZE]):
            if self.store[k] >> 1 != o:
                self._see(self.store[k] >> 1)
        self.updates += cython.cast(cython.int, self.store[c + SIZE])

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
        cython.declare(k=cython.int, o=cython.int)
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
        """Returns the number of levels that the literals of the clause are of."""
        cython.declare(k=cython.int, level=cython.int)
        rank: cython.int = 0
        self.stamps += 1
        for k in range(self.n_learnt):
            level = self.depth[self.learnt[k]]
            if self.stamp[level] != self.stamps:
                self.stamp[level] = self.stamps
                rank += 1
        return min(rank, RANKS - 1)

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
        cython.declare(k=cython.int, c=cython.int)
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

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; to be called between two runs, by tests."""
        Imply.check(self)
        for o in np.flatnonzero(self.seen):
            raise AssertionError(f"option {o} is still marked as seen")
        assert (np.asarray(self.weight) >= 1).all(), "an item weighs less than one"
        assert self.conflicts <= self.restart_at or self.state == DONE, "a restart is overdue"
