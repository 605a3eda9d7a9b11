# cython: language_level=3
"""The brancher of branch and bound: divides a node by a pair of items, by the options of an item, or by one option."""

import cython

from dlx.kernels.price.pairs import Pairs

if not cython.compiled:
    from dlx.kernels.price.proof_log import ITEM, OPTION, PAIR


class Brancher:
    """The rules by which nodes are divided, and their random numbers.

    Parameters:
        seed: how ties are broken.
    """

    def __init__(self, seed: cython.longlong) -> None:
        self.pairs = Pairs()
        self.begin(seed)

    def begin(self, seed: cython.longlong) -> None:
        """Begins at the root, to break ties in another way."""
        self.pairs.trying = False
        self.random = 1 + seed % 2147483646

    def divide(self, node, lp, stack):
        """Divides the node at its level of the stack; False if it has to be entered again.

        That is if one side of a pair cannot reach the target, so that the other one has been kept, or if the updates of
        this run are spent amid trials.
        """
        c = i = -1
        level = node.level
        has_masses: cython.bint = node.sweeps > 0 and level < node.price.shape[0]
        stack.begin(level)
        if has_masses and level < lp.levels:
            c = self.pairs.pick(node, lp)
            if c < -1:  # CHANGED or UNFINISHED
                return False
        if c >= 0:
            stack.kind[level] = PAIR
            stack.one[level], stack.other[level] = self.pairs.first[c], self.pairs.second[c]
            stack.turn[level] = self.pairs.better
        else:
            node._weigh()
            i = self._lightest(node, False)
            if i < 0:
                i = self._lightest(node, True)
            if i < 0 or not (node._once(i) or self._too_dear(node, i)):  # an option of the item, or of all, or not it
                o = self._favourite(node, i, has_masses)
                stack.kind[level] = OPTION
                stack.one[level] = o
                stack.turn[level] = i < 0 and node.slack[o] > 0
            elif node.diving > 0 and level < node.price.shape[0]:
                # A dive begins with the option of the largest mass (decimation).
                o = self._favourite(node, -1, True)
                i = self._tightest(node, o, i)
                stack.list_options(node, i, o)
            else:
                stack.list_options(node, i, -1)
        if node.log.is_open:
            self._record(node, stack, i)
        return True

    def _record(self, node, stack, i):
        """Records the branching of this level's node, if it is not on a pair: on item i, or on one of its options."""
        level = node.level
        if stack.kind[level] == ITEM:
            node.log.step(ITEM, 1 + stack.end[level] - stack.first[level])
            node.log.write(i)
            for k in range(stack.first[level], stack.end[level]):
                node.log.write(stack.branch[k])
            return
        node.log.step(stack.kind[level], 2 + (stack.kind[level] == PAIR))
        node.log.write(stack.one[level])
        if stack.kind[level] == PAIR:
            node.log.write(stack.other[level])
        node.log.write(stack.turn[level] == 0)

    def _lightest(self, node, optional):
        """Returns the item of least work to branch on, give or take 30% at random; -1 if there is none.

        It has to be covered, or is `optional` and costs something where it stays open; that is one more branch, unless
        it would be too dear. To branch on the best option instead proves little: 400 random bids for 60 lots took
        longer than 20 s, and take up to 1 s.
        """
        best: cython.int = -1
        least = 0.0
        for k in range(node.open):
            i = node.item[k]
            if optional:
                if node.most[i] != node.used[i] + 1 or node._price(i) <= 0:
                    continue
            elif i >= node.n_primary or node._need(i) == 0:
                continue
            share = node.work[i] * (1.0 + self._draw() / 7e9)
            if optional:
                share += not self._too_dear(node, i)
            if best < 0 or share < least:
                least = share
                best = i
        return best

    def _too_dear(self, node, i):
        """Returns whether an open item has to be covered once more, since its price is more than the slack."""
        return node.most[i] == node.used[i] + 1 and node._paid(i, 0) > 0

    def _favourite(self, node, i, by_mass):
        """Returns the option of item i, or of all if that is -1, of largest mass (the marginal) or of least slack."""
        best: cython.int = -1
        for k in range(node.live):
            o = node.option[k]
            if i >= 0 and not node._has(o, i):
                continue
            if best < 0 or (node.mass[o] > node.mass[best] if by_mass else node.slack[o] < node.slack[best]):
                best = o
        return best

    def _tightest(self, node, o, i):
        """Returns the item of option o with the fewest live options, of those that end with it; i if there is none."""
        best: cython.int = -1
        for e in range(node.indptr[o], node.indptr[o + 1]):
            j = node.indices[e]
            if node._once(j) and (best < 0 or node.size[j] < node.size[best]):
                best = j
        return best if best >= 0 else i

    def _draw(self):
        """Returns a random number, by the minimal standard generator (Park, Miller 1988, doi:10.1145/63039.63042)."""
        self.random = self.random * 16807 % 2147483647
        return self.random
