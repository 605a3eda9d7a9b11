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


cdef class RandomGrids:
    cdef unsigned char[:, ::1] grids  # where the grids go
    cdef readonly long long tries  # how many bands and sets of columns it took
    cdef unsigned long long state  # goes up by one for each random number
    cdef int[:, ::1] orders  # orders[p]: one of the six orders of 0, 1, 2
    cdef int[:, ::1] numbers  # the number of a partition, by two of its sets
    cdef int[:, ::1] fillings  # of a band, by the partitions of its second and of its third stack, as `_partition` has them

    cdef int[:, ::1] sets  # sets[b]: the digits, 0 to 8, of band b, three for each column
    cdef int[:, ::1] rows  # rows[r]: row r of the first band
    cdef int[::1] place  # place[d]: where digit d is in the sets of the first stack
    cdef int[::1] names  # names[d]: what digit d is called in the grid
    cdef int[::1] way  # way[s]: in which of 56 ways stack s is dealt
    cdef int[:, :, ::1] deals  # deals[0, w], deals[1, w]: where way w puts each digit of a stack in the second, third band

    cdef int[::1] order  # order[c]: the order of column c, for the columns before the level
    cdef int[::1] untried  # untried[c]: the next one to be tried
    cdef int[::1] used  # used[c]: the digits in the rows before column c, bit 9 r + d for digit d in row r
    cdef int[:, ::1] columns  # columns[c, p]: what column c adds to that in order p
    cdef int[::1] blocks  # blocks[c]: the digits of column 6 + c, once for each row
    cdef int[::1] own  # own[c]: those that column 6 + c has left in the rows, for the filling found last

    cdef inline unsigned long long _random(self, unsigned long long below) noexcept nogil
    cdef void _draw(self, Py_ssize_t grid) noexcept nogil
    cdef void _draw_band(self) noexcept nogil
    cdef void _deal(self, int stack, int band) noexcept nogil
    cdef int _count(self, int band) noexcept nogil
    cdef int _partition(self, int band, int stack) noexcept nogil
    cdef void _fill(self, Py_ssize_t grid, int band) noexcept nogil
    cdef inline bint _fits(self, int left) noexcept nogil
    cdef int _descend(self, int band, int first, int stop) noexcept nogil
