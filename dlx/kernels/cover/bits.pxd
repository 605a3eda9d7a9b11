from dlx.kernels.cover.core cimport LEFT, Core, Shell, first_bit, popcount
from dlx.kernels.cover.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY

cdef extern from "dlx/kernels/cover/bits.h":
    ctypedef struct dlx_list:
        unsigned long long *planes
        long long span
        int rows, words
    bint has_passes "dlx_has_passes"() noexcept nogil
    int look "dlx_look"(const dlx_list *list, const unsigned long long *gone, const unsigned long long *needed, int primary_words, unsigned long long *together) noexcept nogil
    void filter_to "dlx_filter"(const dlx_list *list, const unsigned long long *gone, const dlx_list *next) noexcept nogil
    void count "dlx_count"(const unsigned long long *plane, int rows, unsigned long long *sizes) noexcept nogil

cdef Py_ssize_t _span(Py_ssize_t rows) noexcept nogil


cdef class Bits(Shell):
    # A layout is an order of bits in masks. The first layout has all bits; each later one has some bits of the one before.
    cdef unsigned long long[:, ::1] has  # has[o]: the mask of option o in the first layout
    cdef unsigned long long[:, :, ::1] forbids  # forbids[y, o]: what option o forbids, in layout y
    cdef int[::1] words  # words[y]: words of a mask of layout y
    cdef int[::1] primary_words  # primary_words[y]: words of such a mask that hold primary items
    cdef int[:, ::1] origin  # origin[y, b]: the bit of the first layout that is bit b of layout y
    cdef int[::1] place  # scratch: the place in the next layout of each bit of a layout
    cdef unsigned long long[::1] squeezed  # scratch: a mask in the next layout
    cdef int[::1] layout  # layout[l]: the layout of the list of level l, and of all masks of that level
    cdef int depth  # estimated number of options of a cover
    cdef public int least_area  # the least product of rows and levels below for which a list is squeezed
    # All lists, one behind the other. A list has a plane for each word of the masks of its rows, and one for their options.
    cdef unsigned long long[::1] lists
    cdef Py_ssize_t[::1] begin, span  # begin[l]: the start of the list of level l in `lists`; span[l]: words of its planes
    cdef int[::1] rows  # rows[l]: rows of the list of level l; zeros follow up to whole vectors
    cdef int[::1] cursor  # cursor[l]: the row being tried on level l
    cdef int[::1] left  # left[l]: the number of rows after it that are still to be tried
    cdef int[::1] word  # word[l], bit[l]: the place of the item of level l
    cdef unsigned long long[::1] bit
    cdef unsigned long long[:, ::1] needed  # needed[l]: the active primary items of level l
    cdef unsigned long long[:, ::1] forced  # forced[l]: active items that have one option in the list of level l
    cdef unsigned long long[:, ::1] gone  # gone[l]: the bits forbidden by options chosen since the list was filtered
    cdef unsigned long long[::1] sizes  # bit i of the first four: the size of item i, modulo 16; of the fifth: it is 16 or more
    cdef unsigned long long[::1] plane  # bit i of plane[k]: binary digit k of the size of item i, in a full count
    cdef unsigned long long[::1] together  # scratch: the bitwise or of all rows that stay live
    cdef bint has_passes  # whether lists of up to three words are read by `bits.h`

    cdef inline void _spell(self, const int[::1] indptr, const int[::1] indices, int[::1] base, int[::1] width, int[::1] code, int[::1] spelt)
    cdef inline bint _choose(self) noexcept nogil
    cdef inline int _option(self, int level) noexcept nogil
    cdef int _item(self, int level) noexcept nogil
    cdef inline bint _next(self) noexcept nogil
    cdef inline bint _enter(self) noexcept nogil
    cdef inline bint _is_small(self) noexcept nogil
    cdef int _active(self) noexcept nogil
    cdef inline bint _is_sparse(self) noexcept nogil
    cdef void _squeeze(self) noexcept nogil
    cdef void _move(self, int word, unsigned long long bits) noexcept nogil
    cdef unsigned long long _moved(self, int word) noexcept nogil
    cdef void _fill_core(self) noexcept nogil
    cdef inline bint _forces(self) noexcept nogil
    cdef inline void _take(self, int word, unsigned long long items, int size) noexcept nogil
    cdef inline dlx_list _list(self, int level) noexcept nogil
    cdef inline int _look(self) noexcept nogil
    cdef inline bint _stays(self, int k) noexcept nogil
    cdef inline void _filter(self, int staying) noexcept nogil
    cdef inline void _count(self, int word) noexcept nogil
    cdef inline void _smallest(self) noexcept nogil
    cdef inline void _smallest_of_many(self) noexcept nogil
