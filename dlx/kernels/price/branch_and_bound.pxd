from dlx.kernels.cover.frame cimport BUDGET_SPENT, BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
from dlx.kernels.price.brancher cimport Brancher
from dlx.kernels.price.lp.simplex cimport Simplex
from dlx.kernels.price.node cimport ITEM, PAIR, Node
from dlx.kernels.price.stack cimport Stack


cdef class BranchAndBound:
    cdef readonly Node node  # the current node; at level 0 the root
    cdef Stack stack  # the nodes above the current node
    cdef readonly Simplex lp  # the linear programs of nodes and of the root
    cdef Brancher brancher
    cdef int state  # ENTER before the current node is bounded, TRY after it is divided, DONE at the end
    cdef int[:, ::1] buffer  # a row for each cover, padded with -1; without rows covers are only counted
    cdef public int filled  # used rows of the buffer; the caller resets it
    cdef readonly long long covers  # covers found so far
    cdef long long node_limit, cover_limit  # where this run stops; the limit of updates is the node's
    cdef public long long increment

    cdef int _run(self) noexcept nogil
    cdef inline void _back_up(self) noexcept nogil
    cdef inline void _leave_root(self) noexcept nogil
    cdef inline void _descend(self) noexcept nogil
    cdef inline void _return(self) noexcept nogil
    cdef bint _tighten(self) noexcept nogil
    cdef void _branch(self) noexcept nogil
    cdef inline bint _next(self) noexcept nogil
    cdef void _take_side(self, int level, bint second) noexcept nogil
    cdef void _find(self) noexcept nogil
