from libc.math cimport fabs

from dlx.kernels.price.lp.simplex cimport Simplex
from dlx.kernels.price.node cimport OPTION, PAIR, Node
from dlx.kernels.price.stack cimport Stack


cdef class Brancher:
    cdef long long random  # from 1 to 2**31 - 2
    # Pairs of items, with arrays once `make_room` has been called.
    cdef int n  # the number of pairs proposed at this node
    cdef int[::1] first, second  # pair c has the two different items first[c] and second[c]
    cdef double[::1] promise  # promise[c]: how near the mass with both items is to 1/2; 0 once pair c is tried
    cdef long long[::1] pattern  # pattern[c]: a hash of the options of some mass that have both items
    cdef double[::1] shared  # scratch of a proposal: the mass of the options with item j and the current one; else 0
    cdef int[::1] touched  # the items j where shared[j] is not 0
    # Trials of pairs at a node
    cdef public bint trying  # whether trials are left: the next run continues them
    cdef int tried, last_gain  # the number of pairs tried, now and when the best pair was found
    cdef int pair, side  # the pair that is tried, and its next side: 0 with both items together, 1 apart
    cdef double first_drop  # by how much side 0 of this pair lowers the bound
    cdef int short  # an item that has too few options on the side tried last; -1 if there is none
    cdef int best  # the best pair; -1 if there is none
    cdef double best_score
    cdef bint apart_first  # whether side 1 of the best pair has the higher bound, so that it is searched first

    cdef bint divide(self, Node node, Simplex lp, Stack stack) noexcept nogil
    cdef void _divide_by_item(self, Node node, Stack stack, bint has_masses) noexcept nogil
    cdef int _lightest(self, Node node, bint optional) noexcept nogil
    cdef bint _must_cover(self, Node node, int i) noexcept nogil
    cdef int _best_option(self, Node node, int i, bint by_mass) noexcept nogil
    cdef int _tightest(self, Node node, int o, int i) noexcept nogil
    cdef inline long long _draw(self) noexcept nogil
    cdef bint _try_pairs(self, Node node, Simplex lp) noexcept nogil
    cdef int _most_promising(self) noexcept nogil
    cdef void _propose(self, Node node) noexcept nogil
    cdef void _propose_for(self, Node node, int i) noexcept nogil
    cdef long long _try_side(self, Node node, Simplex lp, int i, int j, bint together) noexcept nogil
