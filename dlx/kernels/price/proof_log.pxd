from dlx.kernels.cover.frame cimport Frame

cdef enum:  # the kinds of steps
    PRICES = 0
    ITEM = 1
    OPTION = 2
    PAIR = 3
    END = 4

cdef class ProofLog(Frame):
    cdef bint recording
    cdef long long[::1] record  # record[:recorded]: for each step its kind, how many numbers follow, and these
    cdef long long recorded
    cdef long long margin  # what the steps of one node may take of it

    cdef inline void _write(self, long long number) noexcept nogil
    cdef void _step(self, int kind, int numbers) noexcept nogil
    cdef void _record_prices(self, const long long[::1] prices, const int[::1] place, int open) noexcept nogil
    cdef void _record_item(self, int i, int o) noexcept nogil
    cdef inline bint _crowded(self) noexcept nogil
