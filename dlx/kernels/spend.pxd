from dlx.kernels.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
from dlx.kernels.prices cimport Prices


cdef class Spend(Prices):
    # How to come back to the node of each level above this one:
    cdef int[::1] at_chosen
    cdef int[::1] at_live
    cdef int[::1] at_painted
    cdef int[::1] at_open
    cdef int[::1] at_open_primary
    cdef long long[::1] at_gain
    cdef long long[::1] at_bound
    cdef int[::1] branch  # branch[first[l]:end[l]]: the options of the item of level l; from next[l] on still to try
    cdef long long[::1] branch_slack  # their slacks
    cdef int[::1] first
    cdef int[::1] next
    cdef int[::1] end
    cdef char[::1] sure  # sure[l]: the first option listed at level l is the one to begin with
    cdef long long random
    cdef public long long increment

    cdef int _run(self) noexcept nogil
    cdef inline void _back_up(self) noexcept nogil
    cdef inline void _enter(self, int o) noexcept nogil
    cdef inline void _return(self) noexcept nogil
    cdef inline void _branch(self) noexcept nogil
    cdef inline int _surest(self) noexcept nogil
    cdef inline int _tightest(self, int o) noexcept nogil
    cdef inline int _next(self) noexcept nogil
    cdef inline void _find(self) noexcept nogil
    cdef inline long long _draw(self) noexcept nogil
