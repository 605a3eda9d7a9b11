from libc.math cimport fabs

from dlx.kernels.cover.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
from dlx.kernels.price.node cimport END, ITEM, OPTION, PAIR, Node
from dlx.kernels.price.relaxation cimport Relaxation


cdef class BranchAndBound(Relaxation):
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
    cdef int before  # branches of the first level that were tried before this search stood there
    # Strong branching
    cdef bint pairing
    # The pairs of items proposed at a node: first[c] < second[c], and how near the share of mass that has both is to 1/2
    cdef int n_pairs
    cdef int[::1] pair_first, pair_second
    cdef double[::1] pair_promise
    cdef long long[::1] pair_pattern  # a hash of the options of some mass that have both items
    cdef double[::1] shared  # shared[j]: the mass of the options that have j and the item being looked at, or 0
    cdef int[::1] touched  # the items j where it is not 0
    cdef double[::1] drop  # of a pair: by how much its two sides lower the bound
    cdef int short  # after `_try_side`: an item that the side leaves too few options; -1 if there is none
    # The trials of a node: pairs_tried of them, the last gain by the one numbered last_gain, for best_pair
    cdef bint trying  # some are left
    cdef int pairs_tried, last_gain, best_pair
    cdef double best_score
    cdef int better  # after `_pick_pair`: the side with the higher bound

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
    cdef void _keep_side(self, int i, int j, bint together) noexcept nogil
    cdef void _propose(self) noexcept nogil
    cdef void _propose_for(self, int i) noexcept nogil
    cdef long long _try_side(self, int i, int j, bint together) noexcept nogil
    cdef void _record_side(self, int i, int j, bint together) noexcept nogil
    cdef void _count_again(self) noexcept nogil
    cdef int _pick_pair(self) noexcept nogil
    cdef inline int _most_promising(self) noexcept nogil
