from libc.math cimport fabs

from dlx.kernels.price.proof_log cimport PAIR
from dlx.kernels.price.lp.simplex cimport Simplex
from dlx.kernels.price.node cimport Node

cdef enum:  # what `pick` returns in place of a pair
    NONE = -1  # there is none
    CHANGED = -2  # a side has no cover worth finding: the other one has been kept
    UNFINISHED = -3  # trials are left when the updates of this run are spent: the next run goes on with them


cdef class Pairs:
    # Pair c is first[c] < second[c]
    cdef int n
    cdef int[::1] first, second
    cdef double[::1] promise  # promise[c]: how near the mass with both items is to 1/2; 0 once pair c is tried
    cdef long long[::1] pattern  # pattern[c]: a hash of the options of some mass that have both items
    cdef double[::1] shared  # shared[j]: the mass of the options that have j and the current item, or 0
    cdef int[::1] touched  # the items j where shared[j] is not 0
    cdef double[::1] drop  # by how much each side of the last pair lowers the bound
    cdef int short  # an item that the last side leaves too few options; -1 if there is none
    cdef public bint trying  # whether trials are left
    cdef int tried, last_gain  # the number of pairs tried, now and when the best pair was found
    cdef int pair, side  # the pair that is tried, and its next side: 0 with both items together, 1 apart
    cdef int best
    cdef double best_score
    cdef int better  # the side of the best pair with the higher bound

    cdef int pick(self, Node node, Simplex lp) noexcept nogil
    cdef int _most_promising(self) noexcept nogil
    cdef void _propose(self, Node node) noexcept nogil
    cdef void _propose_for(self, Node node, int i) noexcept nogil
    cdef long long _try_side(self, Node node, Simplex lp, int i, int j, bint together) noexcept nogil
    cdef void _record_side(self, Node node, int i, int j, bint together) noexcept nogil
