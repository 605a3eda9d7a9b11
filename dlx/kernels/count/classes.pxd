from dlx.kernels.cover.frame cimport BUDGET_SPENT, EXHAUSTED

# Remaining problems in classes up to isomorphism, and the number of ways to reach each.
#
# A state is a row of 64-bit words: the open items as bits, then the live options as bits.

cdef extern from *:
    """
    static inline int dlx_ones(unsigned long long word) {
        word -= word >> 1 & 0x5555555555555555ULL;
        word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL);
        word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (int)(word * 0x0101010101010101ULL >> 56);
    }
    #if defined(__GNUC__) && !defined(DLX_PORTABLE)
    #define dlx_lowest(word) __builtin_ctzll(word)
    #else
    static inline int dlx_lowest(unsigned long long word) { return dlx_ones(~word & (word - 1)); }
    #endif
    #define dlx_bit(place) (1ULL << (place))
    """
    int lowest "dlx_lowest" (unsigned long long word) noexcept nogil  # the place of the lowest one bit; the word is not 0
    int ones "dlx_ones" (unsigned long long word) noexcept nogil  # the number of one bits
    unsigned long long bit "dlx_bit" (int place) noexcept nogil  # a word with this bit alone


cdef class Remaining:  # a problem, and the current state
    cdef const int[::1] item_begin, item  # item[item_begin[o]:item_begin[o + 1]]: the primary items of option o
    cdef const int[::1] option_begin, option  # option[option_begin[i]:option_begin[i + 1]]: the options of item i
    cdef const unsigned long long[:, ::1] clashes  # clashes[o]: the options that clash with o, and o
    cdef const unsigned long long[::1] root  # the state before any option is chosen
    cdef unsigned long long[::1] state  # the current state, a subset of root; the caller's array, which `form` reads
    cdef int words, all_words  # words of open items, and of a state

    cdef void load(self, const unsigned long long[::1] state) noexcept
    cdef void choose(self, int o) noexcept
    cdef inline bint is_live(self, int o) noexcept
    cdef int lone(self, int i) noexcept
    cdef int size(self, int i) noexcept


cdef class Frontier:  # the classes that wait to be expanded, each as a list of its weight and the bytes of one state
    cdef dict buckets  # order(complete points, open items) -> form -> class
    cdef list current  # the classes of the bucket that is being expanded
    cdef readonly long long memory  # bytes that classes may take
    cdef readonly long long bytes  # estimated bytes that they take
    cdef readonly long long most_bytes  # estimated bytes that they have taken at most, when a class was to be expanded
    cdef public long long states  # classes found so far

    cdef list last(self)
    cdef void drop(self)
    cdef void add(self, long long order, bytes form, object state, object weight) except *
    cdef void check_memory(self) except *


cdef class Choice:  # a state whose item is being covered
    cdef unsigned long long[::1] state
    cdef int[::1] rival, size  # rival[:n_rivals]: options to be tried, each for size[k] options of its orbit
    cdef int n_rivals, next_rival  # rival[next_rival:n_rivals] have not been tried
    cdef object weight  # the number of ways to reach the state


cdef class Orbits:  # the orbits of live options under the group of the current state
    cdef Remaining remaining
    cdef object form  # its method `orbits()` fills `orbit`
    cdef int[::1] orbit  # orbit[o]: one option of the orbit of live option o
    cdef int[::1] own  # own[orbit[o]]: an option of that orbit with an item of the point; or NONE
    cdef int[::1] seen  # seen[orbit[o]]: scratch, the last item or rival of that orbit
    cdef double[::1] share  # share[orbit[o]]: estimated share of the point's completions that have own[orbit[o]]

    cdef void find(self, const unsigned long long[::1] here) except *
    cdef int branch(self) noexcept
    cdef void find_rivals(self, Choice choice, int i) noexcept


cdef class ClassCount:
    cdef readonly Frontier frontier
    cdef Remaining remaining
    cdef object state  # the current state: the same memory as an array
    cdef object form  # `of()` is the canonical form of the current state
    cdef Orbits orbits  # None unless `whole`
    cdef readonly const unsigned long long[:, ::1] points  # points[p]: the items of point p
    cdef bint whole  # whether classes are compared only if a point is complete, since there are several points
    cdef int point  # the point that is being completed; or NONE
    cdef unsigned long long[::1] here  # the open items among which the search branches
    cdef int n_open, n_done  # open items of the current state, and points without an open item
    cdef list choices  # choices[0]: the class that is being expanded; choices[d]: after d options of its point
    cdef int depth  # choices[:depth + 1] are in use; -1 if nothing is being expanded
    cdef public object covers  # the weight that has reached the empty class
    cdef public long long nodes, forms  # options tried, and forms computed
    cdef readonly int top, done  # open items and complete points of the class that is being expanded

    cdef bint _expand_next(self) except -1
    cdef bint _is_tried(self) noexcept
    cdef void _try_next(self) except *
    cdef bint _is_point_open(self) noexcept
    cdef Choice _begin_choice(self, object weight)
    cdef void _find_rivals(self, Choice choice, bint by_orbits) except *
    cdef bint _force(self) noexcept
    cdef int _find_here(self) noexcept
    cdef int _branch(self) noexcept
    cdef void _add(self, object weight) except *
