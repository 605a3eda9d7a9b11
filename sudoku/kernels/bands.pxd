from dlx.kernels.frame cimport BUFFER_FULL, EXHAUSTED, Frame

cdef enum:
    ALL = 0x7FFFFFF  # the 27 cells of a band
    LANES = 12  # nine digits, and three lanes more so that they are whole vectors
    BLANK = 36  # where the blanks of a level begin, behind its candidates
    DIRTY = 39  # its last word
    WIDTH = 40  # words from one level to the next
    DEPTH = 82  # every guess fills a cell

cdef enum:  # what comes next on the deepest level
    SWEEP = 0
    GUESS = 1  # it has been swept
    COUNT = 2  # it is a completion


cdef inline Py_ssize_t first_bit(unsigned int word) noexcept nogil
cdef inline unsigned int turned(unsigned int t) noexcept nogil
cdef inline unsigned int minirows(unsigned int p0, unsigned int p1, unsigned int p2) noexcept nogil
cdef inline unsigned int by_rows(unsigned int t) noexcept nogil
cdef inline unsigned int columns(unsigned int p0, unsigned int p1, unsigned int p2) noexcept nogil
cdef inline unsigned int by_bands(unsigned int x) noexcept nogil
cdef inline unsigned int thrice(unsigned int x) noexcept nogil
cdef inline unsigned int both(unsigned int left, unsigned int right) noexcept nogil
cdef inline unsigned int alone(unsigned int p) noexcept nogil
cdef inline bint few(unsigned int s) noexcept nogil
cdef inline Py_ssize_t population(unsigned long long x) noexcept nogil


cdef class Bands(Frame):
    # words[WIDTH l + LANES b + d]: the cells of band b that may have digit d on level l; bit 9 r + c is row r, column c of it.
    # What the lanes that are no digits have means nothing.
    # words[WIDTH l + BLANK + b]: its blanks, the cells whose digit has not been taken from the other digits.
    # words[WIDTH l + DIRTY]: the digits to be swept; bit d for digit d, which is d + 1 in a grid.
    cdef unsigned int words[3280]
    cdef unsigned int own[36]  # own[LANES b + d]: the cells that are alone in their row for digit d, by the last sweep
    cdef unsigned int again[12]  # again[d]: not 0 if that sweep has left digit d dirty
    cdef unsigned int fine[12]  # fine[d]: its low nine bits are the columns where digit d has a place
    cdef int twins[82]  # twins[l]: a completion on level l stands for 2 to the twins[l]
    cdef long long found  # how many of them have not been counted
    cdef Py_ssize_t lanes  # LANES: gcc would unroll short loops if it knew it, and make no vectors
    cdef unsigned int bit[12]  # bit[d]: 1 << d, or 0 for the lanes that are no digits
    cdef unsigned int two[3]  # two[b]: the cells of band b with two candidates or more, of the last level swept
    cdef unsigned int three[3]
    cdef unsigned int four[3]
    cdef unsigned int keep[27]  # keep[k]: the cells of its band that are neither in the row nor in the box of cell k, and k
    cdef unsigned char column[27]  # column[k]: that of cell k
    cdef unsigned int pair  # the cell with two candidates that is best to guess, of a band
    cdef unsigned char digit[81]  # the first completion
    cdef long long most  # how many completions to count
    cdef long long enough  # after so many completions there is no hurry to prune: any cell will do
    cdef readonly long long here  # how many there have been

    cdef int _run(self) noexcept nogil
    cdef bint _load(self, const unsigned char[:, ::1] grids, Py_ssize_t k) noexcept nogil
    cdef inline bint _give(self, Py_ssize_t band, Py_ssize_t cell, Py_ssize_t d) noexcept nogil
    cdef int _search(self) noexcept nogil
    cdef inline void _count(self) noexcept nogil
    cdef inline bint _filled(self, Py_ssize_t base) noexcept nogil
    cdef bint _conclude(self, Py_ssize_t base) noexcept nogil
    cdef inline bint _step(self, Py_ssize_t base) noexcept nogil
    cdef inline void _tell_of(
        self, Py_ssize_t base, Py_ssize_t d, unsigned int f0, unsigned int f1, unsigned int f2
    ) noexcept nogil
    cdef inline bint _sweep(self, Py_ssize_t base) noexcept nogil
    cdef inline void _digit(self, Py_ssize_t base, Py_ssize_t d) noexcept nogil
    cdef inline void _tell(self, Py_ssize_t base, unsigned int f0, unsigned int f1, unsigned int f2) noexcept nogil
    cdef inline bint _tally(self, Py_ssize_t base) noexcept nogil
    cdef inline void _singles(self, Py_ssize_t base, Py_ssize_t band, unsigned int cells) noexcept nogil
    cdef inline void _guess(self, Py_ssize_t base) noexcept nogil
    cdef inline Py_ssize_t _best_pair(self, Py_ssize_t base, Py_ssize_t band, unsigned int cells) noexcept nogil
    cdef inline Py_ssize_t _weigh(self, Py_ssize_t cell, unsigned int own, unsigned int one, unsigned int other) noexcept nogil
    cdef inline void _place(self, Py_ssize_t base, Py_ssize_t d, Py_ssize_t band, unsigned int cell) noexcept nogil
    cdef inline void _write(self, Py_ssize_t base) noexcept nogil


cdef extern from *:  # in plain C, by a sequence of de Bruijn, where the compiler is not known to have it
    """
    #if defined(__GNUC__) && !defined(DLX_PORTABLE)
    #define sudoku_first_bit(word) __builtin_ctz(word)
    #else
    static inline int sudoku_first_bit(unsigned int word) {
        static const unsigned char place[32] = {0, 1, 28, 2, 29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4, 8,
                                                31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6, 11, 5, 10, 9};
        return place[((word & (~word + 1u)) * 0x077CB531u) >> 27];
    }
    #endif
    """
    Py_ssize_t ctz "sudoku_first_bit"(unsigned int word) noexcept nogil
