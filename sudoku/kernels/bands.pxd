from dlx.kernels.cover.frame cimport BUFFER_FULL, EXHAUSTED
from sudoku.kernels.levels cimport (
    ALL, BLANK, COUNT, DIRTY, GUESS, LANES, SWEEP, WIDTH, Levels, first_bit, population
)
from sudoku.kernels.wide cimport copies, first, is_wide, lanes, load, store, union_of, where, which, wide, word

cdef enum:
    SWEPT = 12  # lanes that are swept in vectors of four
    EVERY = 0xFFFF  # the set of all lanes

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


cdef class Bands(Levels):
    cdef unsigned int again[16]  # again[d]: not 0 if the last sweep has left digit d dirty
    cdef unsigned int fine[16]  # fine[d]: its low nine bits are the columns where digit d has a place
    cdef Py_ssize_t swept  # SWEPT: gcc would unroll short loops if it knew it, and make no vectors
    cdef unsigned int bit[16]  # bit[d]: 1 << d, or 0 for the lanes that are no digits
    cdef unsigned int two[3]  # two[b]: the cells of band b with two candidates or more, of the last level swept
    cdef unsigned int three[3]
    cdef unsigned int four[3]
    cdef unsigned int single[3]  # single[b]: its blanks with one candidate
    cdef unsigned int pair  # the cell with two candidates that is best to guess, of a band
    cdef readonly bint is_wide  # whether the search is that for AVX-512
    cdef long long enough  # after so many completions there is no hurry to prune: any cell will do

    cdef int _search(self) noexcept nogil
    cdef int _narrow_search(self) noexcept nogil
    cdef wide _wide_search(self) noexcept nogil
    cdef inline int _go_on(self, bint wide) noexcept nogil
    cdef inline void _count(self) noexcept nogil
    cdef inline bint _filled(self, Py_ssize_t base) noexcept nogil
    cdef bint _conclude(self, Py_ssize_t base) noexcept nogil
    cdef inline bint _conclude_wide(self, Py_ssize_t base) noexcept nogil
    cdef inline bint _step(self, Py_ssize_t base) noexcept nogil
    cdef inline void _tell_of(
        self, Py_ssize_t base, Py_ssize_t d, unsigned int f0, unsigned int f1, unsigned int f2
    ) noexcept nogil
    cdef inline bint _sweep(self, Py_ssize_t base) noexcept nogil
    cdef inline void _digit(self, Py_ssize_t base, Py_ssize_t d) noexcept nogil
    cdef inline void _tell(self, Py_ssize_t base, unsigned int f0, unsigned int f1, unsigned int f2) noexcept nogil
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
