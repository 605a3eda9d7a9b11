cdef class Clusters:
    cdef int n
    cdef double[:, ::1] tie  # tie[a, b]: what joins two clusters, each named by one of its items; 0 if it is gone
    cdef double[::1] leaving  # leaving[a]: what joins it to any other
    cdef int[::1] best  # best[a]: the cluster with which least would leave, or -1
    cdef int[::1] size  # size[a]: its items, a and those after it by `next` up to last[a]
    cdef int[::1] next, last
    cdef int[::1] into  # into[a]: the cluster that it has joined, or a
    cdef int[::1] joined, then, end  # the clusters that others have joined, in order, their sizes and last items then
    cdef int[::1] begin, member  # set s is member[begin[s]:begin[s + 1]]
    cdef int n_sets

    cdef int _whole(self, int a) noexcept nogil
    cdef void _list(self, int i, int size, int gap, int behind) noexcept nogil
    cdef void _find(self, int a) noexcept nogil
    cdef double _left(self, int a, int b) noexcept nogil
    cdef int _nearest(self) noexcept nogil
    cdef void _unite(self, int a, int b) noexcept nogil
