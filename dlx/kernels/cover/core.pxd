from dlx.kernels.cover.frame cimport ENTER, EXHAUSTED, TRY, Frame

cdef extern from "dlx/kernels/cover/core.h":
    ctypedef struct dlx_core:
        const unsigned long long *conflict
        const unsigned long long *users
        const unsigned long long *has
        unsigned long long *live
        unsigned long long *todo
        unsigned long long *size
        int *chosen
        int *branch
        int words, width, planes, level, base
        long long nodes, covers, updates, limit, most
    int first_bit "dlx_first"(unsigned long long word) noexcept nogil  # the place of the lowest one; the word is not 0
    int dlx_core_run(dlx_core *c) noexcept nogil

cdef enum:  # what a run of the core returns
    ENDED = 0
    SPENT = 1
    FOUND = 2

cdef enum:  # one more value that `_inside` returns
    LEFT = -1  # the core has ended: the search continues outside

cdef enum:
    LANES = 256  # items of a core
    MOST_PLANES = 8


cdef int popcount(unsigned long long word) noexcept nogil

cdef class Core:
    # A set of options of the core is `words` words, in which option j is bit j % 64 of word j / 64.
    cdef const int[::1] indptr, indices  # of the whole problem
    cdef const int[::1] key  # key[e]: the item of entry e, or the pair of item and colour if it has one
    cdef int n_items, n_primary
    cdef int words
    cdef int n, n_lanes  # options and items
    cdef int width  # words of a set of lanes: 1 for up to 64 lanes, otherwise 4
    cdef int planes  # binary digits of a size: 3, 4, 5 or 8
    cdef unsigned long long[::1] sets  # scratch: the options that have each item of the problem, and each pair
    cdef int[::1] lane  # scratch: the lane of each active primary item of the problem
    cdef int[::1] option  # option[j]: the number of option j in the problem
    cdef int[::1] uses  # scratch: the size of each lane
    cdef int[::1] item  # item[k]: the item of lane k, in ascending order
    cdef unsigned long long[::1] conflict  # row j: the options that clash with option j, itself too
    cdef unsigned long long[::1] users  # row k: the options that cover the item of lane k
    cdef unsigned long long[::1] has  # row j: the lanes of the items of option j
    # Row l has `planes` sets of lanes: set p has those whose items have 1 as digit p of their number of live options on
    # level l. Covered items and lanes without an item are in all of them.
    cdef unsigned long long[::1] size
    cdef unsigned long long[::1] live  # row l: the options that clash with none of those chosen above level l
    cdef unsigned long long[::1] todo  # row l: the options of the item of level l that are still to be tried
    cdef int[::1] branch  # branch[l]: the lane of the item of level l
    cdef int[::1] chosen  # chosen[l]: the option that was tried last on level l
    cdef int level  # the number of options chosen
    cdef long long nodes, covers, updates  # of the last run; an update is an option taken out

    cdef void clear(self, int room) noexcept nogil
    cdef void add_item(self, int i) noexcept nogil
    cdef void add_option(self, int o) noexcept nogil
    cdef void begin(self) noexcept nogil
    cdef void _count(self) noexcept nogil
    cdef void _find_conflicts(self) noexcept nogil
    cdef void _store(self, int level) noexcept nogil
    cdef void _enter(self, int level, int lane) noexcept nogil
    cdef int _first(self, int level) noexcept nogil
    cdef int run(self, int base, long long limit, long long most) noexcept nogil
    cdef int branching(self, int level) noexcept nogil
    cdef int upcoming(self) noexcept nogil
    cdef bint skip(self) noexcept nogil


cdef class Shell(Frame):
    cdef object _rows
    cdef Core core  # None before the first state that suits it
    cdef int most_live  # the most live options of a state for the core
    cdef int entry  # the level on which the core began; -1: the search is not in the core
    cdef public int least_items  # the fewest active items of a state for the core
    cdef readonly long long core_updates  # updates in the core

    cdef bint _suits_core(self, int items) noexcept nogil
    cdef int _inside(self) noexcept nogil
    cdef void _note(self, int size) noexcept nogil
