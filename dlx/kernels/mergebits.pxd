from dlx.kernels.bits cimport Bits
from dlx.kernels.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
from dlx.kernels.memo cimport CRAMPED, Memo


cdef class Mergebits(Bits):
    cdef readonly Memo memo
    cdef bint plain
    cdef int full
    cdef bint going  # whether the level has an option to try

    cdef int _run(self) noexcept nogil
    cdef inline bint _arrive(self) noexcept nogil
    cdef inline void _expect(self) noexcept nogil
    cdef inline void _unite(self) noexcept nogil
