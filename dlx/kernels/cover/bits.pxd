from dlx.kernels.cover.core cimport LEFT, Core, Shell, first_bit
from dlx.kernels.cover.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY


cdef class Bits(Shell):
    cdef unsigned long long[:, ::1] has, forbids  # has[o], forbids[o]: the masks of option o
    cdef unsigned long long[::1] lists  # all of them, one behind the other; a row is the words that an option has, then its number
    cdef Py_ssize_t[::1] begin, end  # begin[l], end[l]: the list of level l, as places in `lists`
    cdef Py_ssize_t[::1] cursor  # cursor[l]: the row being tried on level l
    cdef int[::1] left  # left[l]: how many rows behind it are still to be tried
    cdef int[::1] word  # word[l], bit[l]: the item being covered on level l
    cdef unsigned long long[::1] bit
    cdef unsigned long long[:, ::1] needed  # needed[l]: the active primary items of level l
    cdef unsigned long long[:, ::1] forced  # forced[l]: active items that have one option in the list of level l
    cdef unsigned long long[:, ::1] gone  # gone[l]: what the options forbid that were chosen since that list was filtered
    cdef unsigned long long[::1] plane  # bit i of plane[k]: binary digit k of the size of item i, in a full count
    cdef int n_bits, words  # of a mask
    cdef int primary_words  # words of a mask that hold primary items
    cdef Py_ssize_t stride  # words of a row

    cdef inline void _spell(self, const int[::1] indptr, const int[::1] indices, int[::1] base, int[::1] width, int[::1] code, int[::1] spelt)
    cdef inline bint _choose(self) noexcept nogil
    cdef inline bint _next(self) noexcept nogil
    cdef inline bint _enter(self) noexcept nogil
    cdef inline bint _is_small(self) noexcept nogil
    cdef void _fill_core(self) noexcept nogil
    cdef inline bint _forces(self) noexcept nogil
    cdef inline void _take(self, int word, unsigned long long items, int size) noexcept nogil
    cdef inline void _filter(self) noexcept nogil
    cdef inline bint _smallest(self) noexcept nogil
    cdef inline void _smallest_of_many(self) noexcept nogil
