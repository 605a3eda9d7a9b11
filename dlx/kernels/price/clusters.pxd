cdef class Clusters:
    cdef int n
    cdef double[:, ::1] tie  # tie[a, b]: what joins two clusters, each named by one of its items; 0 if it is gone
    cdef double[::1] leaving  # leaving[a]: what joins it to any other
    cdef int[::1] best  # best[a]: the cluster with which least would leave, or -1
    cdef int[:, ::1] pairs

    cdef void _find(self, int a) noexcept nogil
    cdef double _left(self, int a, int b) noexcept nogil
    cdef int _nearest(self) noexcept nogil
    cdef void _unite(self, int a, int b) noexcept nogil
