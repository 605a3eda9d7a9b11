cdef enum:
    MOST = 1728  # fillings of a band

cdef extern from *:
    """
    static inline unsigned long long sudoku_mixed(unsigned long long z) {
        z *= 0x9E3779B97F4A7C15ull;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ z >> 27) * 0x94D049BB133111EBull;
        return z ^ z >> 31;
    }
    """
    unsigned long long mixed "sudoku_mixed"(unsigned long long z) noexcept nogil


cdef class Complete:
    cdef unsigned char[:, ::1] grids  # where the grids go
    cdef readonly Py_ssize_t done  # how many have been drawn
    cdef readonly long long tries  # how many bands and sets of columns it took
    cdef unsigned long long state  # goes up by one for each random number
    cdef int[:, ::1] orders  # orders[p]: one of the six orders of 0, 1, 2
    cdef int[:, ::1] partitions  # the number of a partition, by two of its sets
    cdef int[:, ::1] fillings  # by the partitions of the second and of the third stack, named as in `_partition`; or -1

    cdef int[:, :, ::1] sets  # sets[b, c]: the digits, 0 to 8, that column c has in band b; of a stack, those of its boxes
    cdef int[:, ::1] rows  # rows[r]: row r of the first band
    cdef int[::1] place  # place[d]: where digit d is in the sets of the first stack
    cdef int[::1] names  # names[d]: what digit d is called in the grid
    cdef int[:, ::1] dealt  # dealt[0, k], dealt[1, k]: how many digits the second and the third set k have got

    cdef int[::1] order  # order[c]: the order of column c, for the columns before the level
    cdef int[::1] untried  # untried[c]: the next one to be tried
    cdef int[::1] used  # used[c]: the digits in the rows before column c, bit 9 r + d for digit d in row r
    cdef int[:, ::1] columns  # columns[c, p]: what column c adds to that in order p

    cdef inline unsigned long long _random(self, unsigned long long below) noexcept nogil
    cdef void _draw(self) noexcept nogil
    cdef void _draw_band(self) noexcept nogil
    cdef void _deal(self, int stack, int way) noexcept nogil
    cdef int _fillings(self, int band) noexcept nogil
    cdef int _partition(self, int band, int stack) noexcept nogil
    cdef void _fill(self, int band) noexcept nogil
    cdef int _descend(self, int band, int first, int stop) noexcept nogil
