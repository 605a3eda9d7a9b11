from dlx.kernels.cover.frame cimport Frame

cdef enum:
    ALL = 0x7FFFFFF  # the 27 cells of a band
    LANES = 16  # nine digits, and lanes more so that a band is one register of AVX-512
    BLANK = 48  # where the blanks of a level begin, behind its candidates
    DIRTY = 51  # the word behind them
    WIDTH = 64  # words from one level to the next: each begins a line of the cache
    DEPTH = 82  # every guess fills a cell

cdef enum:  # what comes next on the deepest level
    SWEEP = 0
    GUESS = 1  # it has been swept
    COUNT = 2  # it is a completion


cdef class Levels(Frame):
    # words[WIDTH l + LANES b + d]: the cells of band b that may have digit d on level l; bit 9 r + c is row r, column c of it.
    # The lanes that are no digits have none.
    # words[WIDTH l + BLANK + b]: its blanks, the cells whose digit has not been taken from the other digits.
    # words[WIDTH l + DIRTY]: the digits to be swept; bit d for digit d, which is d + 1 in a grid.
    cdef unsigned int *words
    cdef unsigned int memory[5264]  # where they are, from a line of the cache on, which is faster with AVX-512
    cdef unsigned int own[48]  # own[LANES b + d]: the cells that are alone in their row for digit d, by the last sweep
    cdef int twins[82]  # twins[l]: a completion on level l stands for 2 to the twins[l]
    cdef double part[82]  # part[l]: the part of the search tree that is left on level l, if both sides of each guess are alike
    cdef unsigned int keep[27]  # keep[k]: the cells of its band that are neither in the row nor in the box of cell k, and k
    cdef unsigned char column[27]  # column[k]: that of cell k
    cdef unsigned char digit[81]  # the first completion, or the best one so far
    cdef bint scored  # whether all completions are visited, and the one with the largest score is kept
    cdef long long weights[81]  # of the cells, for the score
    cdef long long best  # the largest score so far
    cdef long long found  # how many completions on the last level have not been counted
    cdef long long most  # how many completions to count
    cdef readonly long long here  # how many there have been; -1 if the grid was given up

    cdef bint _load(self, const unsigned char[:, ::1] grids, Py_ssize_t k) noexcept nogil
    cdef inline bint _give(self, Py_ssize_t band, Py_ssize_t cell, Py_ssize_t d) noexcept nogil
    cdef void _visit(self, Py_ssize_t base) noexcept nogil
    cdef inline long long _score(self, Py_ssize_t base) noexcept nogil


cdef extern from *:  # in plain C, by a sequence of de Bruijn, where the compiler is not known to have it
    """
    #if defined(__GNUC__) && !defined(DLX_PORTABLE)
    #define sudoku_first_bit(word) __builtin_ctz(word)
    #define sudoku_population __builtin_popcountll
    #else
    static inline int sudoku_population(unsigned long long x) {
        x -= x >> 1 & 0x5555555555555555u;
        x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
        return (int) (((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
    }
    static inline int sudoku_first_bit(unsigned int word) {
        static const unsigned char place[32] = {0, 1, 28, 2, 29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4, 8,
                                                31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6, 11, 5, 10, 9};
        return place[((word & (~word + 1u)) * 0x077CB531u) >> 27];
    }
    #endif
    """
    Py_ssize_t first_bit "sudoku_first_bit"(unsigned int word) noexcept nogil
    Py_ssize_t population "sudoku_population"(unsigned long long x) noexcept nogil
