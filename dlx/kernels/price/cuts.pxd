cdef class Cliques:
    cdef long long tests  # the pairs compared while lifting
    cdef const int[::1] indptr, indices
    cdef const int[::1] begin, member  # member[begin[i]:begin[i + 1]]: the options that have item i
    cdef const char[::1] exclusive  # exclusive[i]: whether any two options with item i clash
    cdef char[::1] has  # has[i]: whether item i is exclusive and the option being compared has it
    cdef const int[::1] live  # the options of the graph; each has an exclusive item
    cdef const double[::1] mass
    cdef int[::1] support  # support[:n_support]: options with enough mass, from which cliques are grown
    cdef int n_support
    cdef char[:, ::1] clash  # clash[a, b]: whether options support[a] and support[b] clash
    cdef char[::1] common  # common[a]: support[a] clashes with the whole clique
    cdef int[::1] clique  # clique[:size], options
    cdef int size
    cdef int grown  # the number of these options that were in the support
    cdef int[::1] count  # count[o]: the number of options of the clique that option o clashes with
    cdef int[::1] mark  # mark[o]: the last option of the clique for which count[o] was increased

    cdef double _grow(self, int seed) noexcept nogil
    cdef void _lift(self, const int[::1] by_slack) noexcept nogil
    cdef void _note(self, int o, bint has) noexcept nogil
    cdef bint _clashes(self, int o) noexcept nogil


cdef class Rounding:
    cdef double violation  # the least violation of a cut
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
    cdef tuple items  # the items of the set
    cdef int[::1] times  # times[o]: the number of the items in option o; 0 for all other options
    cdef int[::1] signed  # signed[o]: the same, but items at their upper bounds count -1
    cdef char[::1] has, bounded  # whether option o is in the cut, and whether its own bound is added
    cdef int largest  # the largest number of the items in an option
    cdef long long least, most  # the sums of the items' lower bounds, and of their upper bounds
    cdef long long base  # the sum of lower bounds, minus the upper bounds of items with `upper`
    cdef double over  # the sum of the violations of upper bounds by the masses
    cdef double lacking  # the sum of the violations of the bounds in `base` by the masses

    cdef list _cuts_of(self, const int[::1] items)
    cdef void _add_up(self, const int[::1] items) noexcept
    cdef _by_size(self, list found)
    cdef _by_half(self, list found, bint is_signed, tuple times)
    cdef bint _bound(self, bint is_signed, long long total) noexcept
    cdef void _add_cut(
        self, list found, double violation, long long low, long long high, tuple bounds, int by, tuple times
    )
    cdef tuple _listed(self, const char[::1] flags)
