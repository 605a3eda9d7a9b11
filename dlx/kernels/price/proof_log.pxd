cdef enum:  # the kinds of steps of a proof
    PRICES = 0
    ITEM = 1
    OPTION = 2
    PAIR = 3
    END = 4


cdef class ProofLog:
    cdef bint is_open  # whether steps are written
    cdef int n_items
    cdef long long[::1] record  # record[:recorded]: each step: its kind, how many numbers follow, and the numbers
    cdef long long recorded
    cdef long long margin  # the most numbers that the steps of one node take

    cdef inline bint is_full(self) noexcept nogil
    cdef inline void write(self, long long number) noexcept nogil
    cdef inline void step(self, int kind, int numbers) noexcept nogil
    cdef void prices(self, const long long[::1] prices, const int[::1] place, int open) noexcept nogil
    cdef void item(self, int i, int o) noexcept nogil
    cdef void end(self) noexcept nogil
