from dlx.kernels.price.node cimport ITEM, PAIR, Node


cdef class Stack:
    # The node of each level above the current level: the lengths of its sets, its gain and its bound.
    # Lengths never grow on the way down, those of the options chosen never shrink.
    cdef int[::1] chosen, live, painted, open, open_primary
    cdef long long[::1] gain, bound
    # The division of each node: tried[l] of children[l] have been tried, the current child is the last of these.
    cdef char[::1] kind  # by an ITEM's options, a PAIR of items, or one OPTION
    cdef int[::1] tried, children
    cdef int[::1] one, other  # the two items of a PAIR, or the one OPTION
    cdef char[::1] turn  # 1 if the second side of a PAIR or of an OPTION is tried first
    cdef int[::1] branch  # branch[first[l]:end[l]]: the options of the item of level l; from next[l] on still to try
    cdef long long[::1] slack  # slack[k]: the slack of branch[k]; 0 for the option with which a dive begins
    cdef int[::1] first, next, end

    cdef void save(self, Node node) noexcept nogil
    cdef void restore(self, Node node) noexcept nogil
    cdef void divide(self, Node node, int kind, int children) noexcept nogil
    cdef void divide_in_two(self, Node node, int kind, int one, int other, bint turn) noexcept nogil
    cdef void divide_by_options(self, Node node, int i, int first) noexcept nogil
    cdef int next_option(self, Node node) noexcept nogil
    cdef void _swap(self, int k, int m) noexcept nogil
