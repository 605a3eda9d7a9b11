from dlx.kernels.cover.bits cimport Bits
from dlx.kernels.cover.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
from dlx.kernels.merge.memo cimport CRAMPED, Memo


cdef class Mergebits(Bits):
    cdef readonly Memo memo
    cdef int told  # how many words of the key the active items tell
    cdef bint going  # whether the level has an option to try

    cdef inline bint _arrive(self) noexcept nogil
    cdef inline bint _known(self) noexcept nogil
    cdef inline void _expect(self) noexcept nogil
