cdef class Cliques:
    cdef long long tests  # the pairs compared while lifting
    # The options that live are renumbered: option k has the items indices[indptr[k]:indptr[k + 1]], only those for which
    # two options with it clash.
    cdef const int[::1] indptr, indices
    cdef const int[::1] begin, member  # member[begin[i]:begin[i + 1]]: the options that have item i
    cdef int n
    cdef const double[::1] mass
    cdef int[::1] support  # support[:n_support]: options with enough mass, from which cliques are grown
    cdef int n_support
    cdef char[:, ::1] clash  # clash[a, b]: whether options support[a] and support[b] clash
    cdef char[::1] common  # common[a]: support[a] clashes with the whole clique
    cdef int[::1] clique  # clique[:size], options
    cdef int size
    cdef int grown  # how many of these were in the support
    cdef int[::1] count  # count[k]: with how many of the clique option k clashes
    cdef int[::1] mark  # mark[k]: the last one for which this has been counted

    cdef double _grow(self, int seed) noexcept nogil
    cdef void _lift(self, const int[::1] by_slack) noexcept nogil
    cdef bint _clash_of(self, int a, int b) noexcept nogil


cdef class Rounding:
    cdef double violation  # of a cut, at least
    cdef long long work  # entries added up
    cdef const double[::1] mass
    cdef const long long[::1] room
    cdef const char[::1] single, chosen
    cdef const int[:, ::1] ranges
    cdef double[::1] coverage  # coverage[i]: how often the masses cover item i
    cdef char[::1] upper  # upper[i]: whether coverage[i] is nearer to the upper bound of item i
    cdef const int[::1] begin, option  # option[begin[i]:begin[i + 1]]: the options that have item i
    # Of the current set of items:
    cdef int[::1] some  # some[:n]: the options that have any of the items
    cdef int n
    cdef int[::1] times  # times[o]: how many of the items option o has; 0 for all others
    cdef int[::1] signed  # signed[o]: the same with those subtracted that are at their upper bounds
    cdef char[::1] has, bounded  # whether option o is in the cut, and whether its own bound is added
    cdef int largest  # the most of the items that an option has
    cdef long long least, most  # the sums of the items' bounds,
    cdef long long base  # and of lower bounds with upper ones subtracted where items are at these
    cdef double over  # what the masses violate the upper bounds by,
    cdef double lacking  # and those of the base

    cdef list _cuts_of(self, const int[::1] items)
    cdef void _add_up(self, const int[::1] items) noexcept
    cdef _by_size(self, list found)
    cdef _by_half(self, list found, bint is_signed, tuple times)
    cdef bint _bound(self, bint is_signed, long long total) noexcept
    cdef void _add_cut(
        self, list found, double violation, long long low, long long high, tuple bounds, int by, tuple times
    )
    cdef tuple _listed(self, const char[::1] flags)
