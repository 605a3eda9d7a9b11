cdef class Cliques:
    cdef long long tests, most_tests  # the pairs looked at while lifting, and how many at most
    # The options that live are renumbered: option k has the items indices[indptr[k]:indptr[k + 1]], only those for which
    # two options with it clash.
    cdef const int[::1] indptr, indices
    cdef const int[::1] begin, member  # member[begin[i]:begin[i + 1]]: the options that have item i
    cdef int n
    cdef const double[::1] mass
    cdef int[::1] support  # support[:n_support]: the options of some mass, among which cliques are looked for
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
