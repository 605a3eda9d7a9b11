from libc.math cimport fabs

from dlx.kernels.price.lp.simplex cimport Simplex
from dlx.kernels.price.node cimport OPTION, PAIR, Node
from dlx.kernels.price.stack cimport Stack


cdef class Brancher:
    cdef long long random  # from 1 to 2**31 - 2
    # Pairs of items, with arrays once `make_room` has been called. Pair c is first[c] < second[c].
    cdef int n
    cdef int[::1] first, second
    cdef double[::1] promise  # promise[c]: how near the mass with both items is to 1/2; 0 once pair c is tried
    cdef long long[::1] pattern  # pattern[c]: a hash of the options of some mass that have both items
    cdef double[::1] shared  # shared[j]: the mass of the options that have j and the current item, or 0
    cdef int[::1] touched  # the items j where shared[j] is not 0
    # Trials of pairs at a node
    cdef public bint trying  # whether trials are left: the next run continues them
    cdef int tried, last_gain  # the number of pairs tried, now and when the best pair was found
    cdef int pair, side  # the pair that is tried, and its next side: 0 with both items together, 1 apart
    cdef double first_drop  # by how much side 0 of this pair lowers the bound
    cdef int short  # an item that the last side leaves too few options; -1 if there is none
    cdef int best  # the best pair; -1 if there is none
    cdef double best_score
    cdef bint better  # the side of the best pair with the higher bound

    cdef bint divide(self, Node node, Simplex lp, Stack stack) noexcept nogil
    cdef void _divide_by_item(self, Node node, Stack stack, bint has_masses) noexcept nogil
    cdef int _lightest(self, Node node, bint optional) noexcept nogil
    cdef bint _too_dear(self, Node node, int i) noexcept nogil
    cdef int _favourite(self, Node node, int i, bint by_mass) noexcept nogil
    cdef int _tightest(self, Node node, int o, int i) noexcept nogil
    cdef inline long long _draw(self) noexcept nogil
    cdef bint _try_pairs(self, Node node, Simplex lp) noexcept nogil
    cdef int _most_promising(self) noexcept nogil
    cdef void _propose(self, Node node) noexcept nogil
    cdef void _propose_for(self, Node node, int i) noexcept nogil
    cdef long long _try_side(self, Node node, Simplex lp, int i, int j, bint together) noexcept nogil
    cdef void _record_side(self, Node node, int i, int j, bint together) noexcept nogil
