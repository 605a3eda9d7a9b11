from dlx.kernels.cover.frame cimport BUDGET_SPENT, BUFFER_FULL, EXHAUSTED, Frame
from sudoku.kernels.wide cimport copies, first, is_wide, lanes, load, store, union_of, where, which, wide, word

cdef enum:
    ALL = 0x7FFFFFF  # the 27 cells of a band
    LANES = 16  # nine digits, and unused lanes, so that a band is one register of AVX-512
    BLANK = 48  # the first word of the blanks of a level
    DIRTY = 51  # the word after the blanks
    WIDTH = 64  # words of a level, which begins a cache line
    DEPTH = 82  # every guess fills a cell

cdef enum:  # the next step on the deepest level
    SWEEP = 0
    GUESS = 1  # after the sweeps
    COUNT = 2  # a completion

cdef enum:
    SWEPT = 12  # lanes of a sweep in vectors of four
    EVERY = 0xFFFF  # the set of all lanes
    CHECKS = 32  # a search for the best completion is checked after this part of its guesses

cdef extern from *:  # plain C, with a de Bruijn sequence, for other compilers
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

cdef word turned(word t) noexcept nogil
cdef word minirows(word p0, word p1, word p2) noexcept nogil
cdef word by_rows(word t) noexcept nogil
cdef word columns(word p0, word p1, word p2) noexcept nogil
cdef word by_bands(word x) noexcept nogil
cdef word thrice(word x) noexcept nogil
cdef word both(word left, word right) noexcept nogil
cdef word alone(word p) noexcept nogil
cdef word sevenfold(word t) noexcept nogil
cdef word settled(word p, word a) noexcept nogil
cdef word rows(word p) noexcept nogil
cdef bint few(unsigned int s) noexcept nogil


cdef class Bands(Frame):
    # words[WIDTH l + LANES b + d]: the cells of band b that may have digit d on level l; bit 9 r + c is row r, column c.
    # Unused lanes are 0.
    # words[WIDTH l + BLANK + b]: the blanks, cells whose digit has not been removed from other digits.
    # words[WIDTH l + DIRTY]: the digits to sweep; bit d is digit d + 1 of a grid.
    cdef unsigned int *words
    cdef unsigned int memory[5264]  # holds `words`, aligned to a cache line
    cdef unsigned int own[48]  # own[LANES b + d]: the cells alone in their row for digit d in the last sweep
    cdef int twins[82]  # twins[l]: a completion on level l counts 2**twins[l] times
    cdef double part[82]  # part[l]: the part of the search tree left on level l, if both sides of a guess are equal
    cdef unsigned int keep[27]  # keep[k]: cell k and the cells of its band outside its row and box
    cdef unsigned char column[27]  # column[k]: the column of cell k
    cdef unsigned char digit[81]  # the first completion, or the best one so far
    cdef bint scored  # whether all completions are visited and the best one is kept
    cdef long long weights[81]  # the weights of the cells
    cdef long long best  # the largest score so far
    cdef long long found  # completions on the last level not yet counted
    cdef long long most  # the most completions to count
    cdef readonly long long here  # the completions counted; -1 if the grid was given up
    cdef unsigned int again[16]  # again[d]: not 0 if digit d is dirty after the last sweep
    cdef unsigned int fine[16]  # fine[d]: the low nine bits are the columns with a place for digit d
    cdef Py_ssize_t swept  # SWEPT as a variable: gcc unrolls short loops of known length, and makes no vectors
    cdef unsigned int bit[16]  # bit[d]: 1 << d, or 0 for unused lanes
    cdef unsigned int two[3]  # two[b]: the cells of band b with two candidates or more on the last level
    cdef unsigned int three[3]
    cdef unsigned int four[3]
    cdef unsigned int single[3]  # single[b]: the blanks with one candidate
    cdef unsigned int pair  # the best cell of a band for a guess
    cdef public bint is_wide  # whether to use AVX-512; nodes and answers are the same
    cdef long long enough  # completions after which the first cell with two candidates is guessed
    cdef const unsigned char[:, ::1] grids
    cdef unsigned char[:, ::1] completions
    cdef long long[::1] counts
    cdef long long patience
    cdef long long last  # where this grid is given up, in nodes
    cdef bint checked  # whether this search for the best completion has been checked
    cdef readonly Py_ssize_t at  # the grid that is searched; -1 before the first one

    cdef bint _is_promising(self) noexcept nogil
    cdef void _note(self) noexcept nogil
    cdef void _load(self) noexcept nogil
    cdef inline bint _give(self, Py_ssize_t band, Py_ssize_t cell, Py_ssize_t d) noexcept nogil
    cdef void _visit(self, Py_ssize_t base) noexcept nogil
    cdef bint _precedes(self, Py_ssize_t base) noexcept nogil
    cdef inline long long _score(self, Py_ssize_t base) noexcept nogil
    cdef int _search(self) noexcept nogil
    cdef int _narrow_search(self) noexcept nogil
    cdef wide _wide_search(self) noexcept nogil
    cdef inline int _go_on(self, bint wide) noexcept nogil
    cdef inline void _count(self) noexcept nogil
    cdef inline bint _filled(self, Py_ssize_t base) noexcept nogil
    cdef bint _conclude(self, Py_ssize_t base) noexcept nogil
    cdef inline bint _conclude_wide(self, Py_ssize_t base) noexcept nogil
    cdef inline bint _step(self, Py_ssize_t base) noexcept nogil
    cdef inline void _remove_of(
        self, Py_ssize_t base, Py_ssize_t d, unsigned int f0, unsigned int f1, unsigned int f2
    ) noexcept nogil
    cdef inline bint _sweep(self, Py_ssize_t base) noexcept nogil
    cdef inline void _digit(self, Py_ssize_t base, Py_ssize_t d) noexcept nogil
    cdef inline void _remove_placed(self, Py_ssize_t base, unsigned int f0, unsigned int f1, unsigned int f2) noexcept nogil
    cdef inline bint _tally(self, Py_ssize_t base) noexcept nogil
    cdef inline bint _singles(self, Py_ssize_t base) noexcept nogil
    cdef inline void _guess(self, Py_ssize_t base, bint wide) noexcept nogil
    cdef inline Py_ssize_t _best_pair(self, Py_ssize_t base, Py_ssize_t band, unsigned int cells, bint wide) noexcept nogil
    cdef inline Py_ssize_t _weigh(self, Py_ssize_t cell, unsigned int own, unsigned int one, unsigned int other) noexcept nogil
    cdef inline unsigned int _digits(self, Py_ssize_t base, Py_ssize_t band, unsigned int cell, bint wide) noexcept nogil
    cdef inline void _enter(
        self, Py_ssize_t base, Py_ssize_t to, Py_ssize_t d, Py_ssize_t band, unsigned int cell, bint wide
    ) noexcept nogil
    cdef inline void _place(self, Py_ssize_t base, Py_ssize_t d, Py_ssize_t band, unsigned int cell) noexcept nogil
