from dlx.kernels.merge.classes cimport Classes, bit

# Classes of remaining problems with multiplicities. A state is what is left: bits for how often each item is still to be
# covered, then the live options.

cdef class Multiclasses(Classes):
    cdef int n_items
    # Item i has the bits first[i] to first[i + 1] - 1: the least[i] lowest ones are its need, the others its room. Those
    # that are there come first in both.
    cdef const int[::1] first, least
    cdef int[::1] need, room  # how many of these are there in the state at hand
    cdef const unsigned long long[:, ::1] takers  # takers[i]: the options of item i
    cdef int branch  # the item that is being covered
    cdef object ways  # how many orders of choice the options chosen since `level[depth]` stand for

    cdef bint _is_ordered(self, int i) noexcept
    cdef bint _is_here(self, int i) noexcept
    cdef void _cover(self, int i) noexcept
    cdef void _shut(self, int place) noexcept
    cdef int _first_live(self, int i) noexcept
