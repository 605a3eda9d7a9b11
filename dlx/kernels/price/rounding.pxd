cdef class Rounding:
    cdef double violation  # of a cut, at least
    cdef long long work, most_work  # entries added up, and how many at most
    cdef const double[::1] mass
    cdef const long long[::1] room
    cdef const char[::1] single, chosen
    cdef const int[:, ::1] ranges
    cdef double[::1] there  # there[i]: how often the masses cover item i
    cdef char[::1] upper  # upper[i]: whether it is nearer to its upper bound
    # option[begin[i]:begin[i + 1]]: the options that have item i; the heavy ones are those with some mass
    cdef const int[::1] begin, option, heavy_begin, heavy_option
    # Of the set of items that is looked at:
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
    cdef void _add_up(self, const int[::1] items, const int[::1] begin, const int[::1] option) noexcept
    cdef void _forget(self) noexcept
    cdef bint _by_size(self, list found)
    cdef bint _by_half(self, list found)
    cdef bint _signed_half(self, list found, const int[::1] items)
    cdef bint _bound(self, bint is_signed, long long total) noexcept
    cdef double _those(self, int size) noexcept
    cdef void _tell(
        self, list found, double violation, long long low, long long high, tuple bounds, int by, tuple times
    )
    cdef tuple _listed(self, const char[::1] flags)
