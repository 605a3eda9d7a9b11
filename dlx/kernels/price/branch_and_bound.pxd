from dlx.kernels.cover.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
from dlx.kernels.price.brancher cimport Brancher
from dlx.kernels.price.lp.simplex cimport Simplex
from dlx.kernels.price.proof_log cimport ITEM, PAIR
from dlx.kernels.price.node cimport Node
from dlx.kernels.price.stack cimport Stack


cdef class BranchAndBound(Node):
    # It is the node at work, and holds:
    cdef Stack stack  # the nodes above it
    cdef readonly Simplex lp  # the linear programs of nodes and of the root
    cdef Brancher brancher
    cdef public long long increment

    cdef inline void _back_up(self) noexcept nogil
    cdef inline void _leave_root(self) noexcept nogil
    cdef inline void _descend(self) noexcept nogil
    cdef inline void _return(self) noexcept nogil
    cdef void _branch(self) noexcept nogil
    cdef inline bint _next(self) noexcept nogil
    cdef void _take_side(self, int level, bint second) noexcept nogil
    cdef inline void _find(self) noexcept nogil
    cdef bint _choose_masses(self) noexcept nogil
