from dlx.kernels.cover.core cimport LEFT, Core, Shell, first_bit
from dlx.kernels.cover.frame cimport DONE, ENTER, EXHAUSTED, LACKING, TRY


cdef class Links(Shell):
    # A node is four consecutive ints, so that it is in one cache line. Its index is that of its first int. The arrays are
    # views of one array, each shifted by one int. Names in capitals are Knuth's.
    cdef int[::1] top  # TOP; option node: the header of its item; spacer: 0
    cdef int[::1] up  # ULINK: the node before it in the list of its item; spacer: the first node of the option before
    cdef int[::1] down  # DLINK: the node after it in the list of its item; spacer: the last node of the option after
    cdef int[::1] option  # option node: its option
    cdef int[::1] size  # LEN; header: the length of its list (in the place of `top`)
    cdef int[::1] left  # LLINK; header: the active primary item before it; 0 heads the ring
    cdef int[::1] right  # RLINK; header: the active primary item after it
    cdef int[::1] shade  # header: the colour that the chosen options have given the item, or 0
    cdef int[::1] owner  # header: the node that gave it that colour
    cdef int[::1] colour  # COLOR; colour[p / 4]: the colour that node p gives its item, or 0; only if `coloured`
    cdef int[::1] rank  # rank[x / 4]: the rank of header x, which does not fall along the ring; only if `ranked`
    cdef bint coloured, ranked
    cdef int[::1] primaries  # primaries[o]: the number of primary items of option o
    cdef int[::1] forced  # a queue of items; its active ones are exactly the active items of one option
    cdef int[::1] head, tail  # head[l], tail[l]: the ends of the queue after the item of level l was covered
    cdef int[::1] fresh  # fresh[l]: the first place of the queue that covering that item added
    cdef int[::1] choice  # x_l; choice[l]: the node by which the item of level l is being covered
    cdef int last_primary, last_header  # headers: of the last primary item, and of the last one
    cdef int active  # number of active primary items
    cdef int live  # number of options that are not hidden
    cdef unsigned long long[::1] alive  # scratch: a set of options, 64 in each word
    cdef int first, last  # the ends of the queue now
    cdef bint dead  # some active primary item has no option left

    cdef void _link(self, const int[::1] indptr, const int[::1] indices)
    cdef void _unwind(self) noexcept nogil
    cdef int _back(self) noexcept nogil
    cdef bint _is_small(self) noexcept nogil
    cdef void _fill_core(self) noexcept nogil
    cdef int _branch(self) noexcept nogil
    cdef int _choose(self) noexcept nogil
    cdef inline bint _forces(self) noexcept nogil
    cdef inline bint _is_active(self, int item) noexcept nogil
    cdef inline void _detach(self, int item) noexcept nogil
    cdef inline void _attach(self, int item) noexcept nogil
    cdef inline void _hide(self, int item) noexcept nogil
    cdef inline void _unhide(self, int item) noexcept nogil
    cdef inline void _hide_option(self, int p) noexcept nogil
    cdef inline void _unhide_option(self, int p) noexcept nogil
    cdef void _purify(self, int p) noexcept nogil
    cdef void _unpurify(self, int p) noexcept nogil
    cdef bint _cover_others(self, int x) noexcept nogil
    cdef void _uncover_others(self, int x, int p) noexcept nogil
