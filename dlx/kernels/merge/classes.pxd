from dlx.kernels.cover.frame cimport BUDGET_SPENT, EXHAUSTED

# Remaining problems in classes up to isomorphism, and the number of ways to reach each.
#
# A state is what is left: words with the open items as bits, then words with the live options.

cdef extern from *:  # in plain C where the compiler is not known to have them
    """
    #if defined(__POPCNT__) && !defined(DLX_PORTABLE)
    #define dlx_ones(word) __builtin_popcountll(word)
    #else  // what the compiler would call is no faster, and not in line
    static inline int dlx_ones(unsigned long long word) {
        word -= word >> 1 & 0x5555555555555555ULL;
        word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL);
        word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (int)(word * 0x0101010101010101ULL >> 56);
    }
    #endif
    #if defined(__GNUC__) && !defined(DLX_PORTABLE)
    #define dlx_lowest(word) __builtin_ctzll(word)
    #else
    static inline int dlx_lowest(unsigned long long word) { return dlx_ones(~word & (word - 1)); }
    #endif
    #define dlx_bit(place) (1ULL << (place))
    """
    int lowest "dlx_lowest" (unsigned long long word) noexcept nogil  # the place of the lowest one; there is one
    int ones "dlx_ones" (unsigned long long word) noexcept nogil  # how many there are
    unsigned long long bit "dlx_bit" (int place) noexcept nogil  # a word with a one there


cdef class Bucket:  # classes with the same number of open items
    cdef dict known  # the form of each -> its place; forgotten once they are being expanded
    cdef list weight  # weight[k]: in how many ways class k is reached
    cdef unsigned long long[:, ::1] state  # state[k]: of one of the class, as much as is kept
    cdef int[::1] number  # number[k]: of class k among all; without a record there are none
    cdef Py_ssize_t size, forms  # classes, and the bytes of `known`, nearly

    cdef inline Py_ssize_t bytes(self) noexcept
    cdef void grow(self)
    cdef Py_ssize_t close(self)


cdef class Part:
    cdef dict buckets  # the number of open items -> bucket; all that the current one fills are here
    cdef Bucket current  # what is being expanded, if anything
    cdef Py_ssize_t most  # bytes: when all classes take more, the current bucket is set aside

    cdef bint is_short(self, Py_ssize_t taken)


cdef class Classes:
    cdef const int[::1] item_begin, item  # item[item_begin[o]:item_begin[o + 1]]: the primary items of option o
    cdef const int[::1] option_begin, option  # option[option_begin[i]:option_begin[i + 1]]: those of primary item i
    cdef const unsigned long long[:, ::1] clashes  # clashes[o]: the options that clash with o, itself too
    cdef const unsigned long long[:, ::1] users  # users[i]: the options of primary item i; or no rows
    cdef readonly const unsigned long long[:, ::1] points  # points[p]: the items of point p
    cdef unsigned long long[::1] state  # at hand; the caller's, which `form` looks at
    cdef unsigned long long[::1] root
    cdef int[::1] path  # path[:n_path]: the options chosen since `level[depth]`, or the root, was at hand
    cdef int n_path
    cdef unsigned long long[::1] here  # the open items where the search goes on
    cdef readonly bint whole  # there are classes only where a point is complete
    cdef public int point  # that is being completed; or NONE
    cdef readonly unsigned long long[:, ::1] level  # level[0]: the class that is being expanded; level[d]: after d options
    cdef public int depth  # -1 if nothing is being expanded
    cdef readonly int[:, ::1] rival  # rival[d, :n_rivals[d]]: the options to try at level d,
    cdef readonly int[:, ::1] size  # and how many of the item's each stands for, if grouped[d]
    cdef readonly int[::1] n_rivals, next_rival  # how many there are, and the place of the next one to try
    cdef readonly int[::1] grouped  # grouped[d]: one option of each orbit is tried at level d
    cdef readonly list weight  # weight[d]: in how many ways level d is reached
    cdef int[::1] orbit  # orbit[o]: an option of the orbit of live option o, as `form` has found it
    cdef int[::1] own  # own[orbit[o]]: one of that orbit with items of the point; or NONE
    cdef int[::1] seen  # seen[orbit[o]]: the last item with such an option, or the place among rivals
    cdef double[::1] share  # share[orbit[o]]: of the ways to complete the point those with own[orbit[o]], about
    cdef int words, all_words  # of open items, and of a state
    cdef int kept_words  # of a state in a bucket: the open items, if they tell which options are live
    cdef int n_open, n_done  # open items of the state at hand, and points that have none
    cdef int tried  # the option that has been chosen last
    cdef object form  # `of()` is the form of the state at hand
    cdef dict later  # the number of points done -> buckets; more points than in what is being expanded
    cdef list parts  # what is being expanded: the last one first, then those that have been set aside
    cdef object record  # edges as they were found: the class above, the option chosen, the class below; or None
    cdef int number  # of the class that is being expanded, in the record
    cdef readonly long long memory  # bytes that classes may take
    cdef readonly long long bytes  # that they take, nearly
    cdef public long long most_bytes  # that they have taken at most, with the record
    cdef public object covers  # the weight that has reached the empty class
    cdef public long long nodes, forms, states  # options tried, forms asked for, and classes that there have been
    cdef public int top, done  # open items of what is being expanded, and points done

    cdef bint _expand_next(self) except -1
    cdef Part _part(self)
    cdef void _find_live(self) noexcept
    cdef void _begin(self) except *
    cdef bint _is_tried(self) noexcept
    cdef void _try_next(self) except *
    cdef bint _is_point_open(self) noexcept
    cdef void _go_down(self, object weight) except *
    cdef void _find_rivals(self) except *
    cdef void _find_own(self) except *
    cdef int _branch_by_orbits(self) noexcept
    cdef void _find_rival_orbits(self, int i) noexcept
    cdef void _restore(self) noexcept
    cdef void _choose(self, int o) noexcept
    cdef inline bint _is_live(self, int o) noexcept
    cdef bint _force(self) noexcept
    cdef int _lone(self, int i) noexcept
    cdef int _find_here(self) noexcept
    cdef int _branch(self) noexcept
    cdef int _size(self, int i) noexcept
    cdef void _add(self, object weight) except *
    cdef void _join(self, object form, object weight) except *
    cdef Bucket _bucket(self)
    cdef void _check_memory(self) except *
