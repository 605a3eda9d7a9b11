from libc.math cimport fabs

from dlx.kernels.cover.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
from dlx.kernels.price.node cimport END, ITEM, OPTION, PAIR, Node
from dlx.kernels.price.pairs cimport Pairs
from dlx.kernels.price.lp.simplex cimport Simplex


cdef class BranchAndBound(Node):
    cdef readonly Simplex lp
    # The way back to the node of each level above this one:
    cdef int[::1] at_chosen, at_live, at_painted, at_open, at_open_primary
    cdef long long[::1] at_gain, at_bound
    cdef int[::1] branch  # branch[first[l]:end[l]]: the options of the item of level l; from next[l] on still to try
    cdef long long[::1] branch_slack  # their slacks
    cdef int[::1] first, next, end
    cdef char[::1] sure  # sure[l]: the first option listed at level l is the one to begin with
    cdef char[::1] kind  # what level l is divided by: an ITEM's options, a PAIR of items, or one OPTION
    cdef int[::1] tried  # how many children of the node have been tried
    cdef int[::1] children  # how many it has
    cdef int[::1] one, other  # the two items of a PAIR, or the one OPTION
    cdef char[::1] turn  # 1 if the second side of a PAIR or of an OPTION is tried first
    cdef long long random
    cdef public long long increment
    cdef bint pairing  # nodes with masses are divided by pairs
    cdef Pairs strong
    cdef int[::1] touched  # touched[i]: how often the masses cover open item i, or the colour that they give it

    cdef inline void _back_up(self) noexcept nogil
    cdef inline void _leave_root(self) noexcept nogil
    cdef inline void _descend(self) noexcept nogil
    cdef inline void _return(self) noexcept nogil
    cdef void _branch(self) noexcept nogil
    cdef void _record_branch(self, int i) noexcept nogil
    cdef inline int _lightest(self, bint optional) noexcept nogil
    cdef bint _too_dear(self, int i) noexcept nogil
    cdef inline void _list_all(self, int i) noexcept nogil
    cdef inline void _save_node(self) noexcept nogil
    cdef int _favourite(self, int i, bint by_mass) noexcept nogil
    cdef inline int _tightest(self, int o, int i) noexcept nogil
    cdef inline void _swap(self, int k, int m) noexcept nogil
    cdef inline bint _next(self) noexcept nogil
    cdef void _take_side(self, int level, bint second) noexcept nogil
    cdef inline int _next_option(self) noexcept nogil
    cdef inline void _find(self) noexcept nogil
    cdef void _find_whole(self) noexcept nogil
    cdef bint _touch(self, int e) noexcept nogil
    cdef inline long long _draw(self) noexcept nogil
