from libc.math cimport INFINITY, fabs, fmax, fmin


cdef class InteriorPoint:
    cdef int n, m  # columns and rows
    cdef const int[::1] begin, row  # row[begin[j]:begin[j + 1]]: the rows of column j
    cdef const double[::1] right, cost, upper
    cdef readonly double[::1] x, y, w  # what the class says of them
    cdef double[::1] s, z
    cdef double gap  # the sum of x z and s w,
    cdef int pairs  # and of how many products
    cdef double[::1] primal, dual, bound  # what the rows, the reduced costs and the bounds lack
    cdef double[::1] scale  # the diagonal of the normal equations
    cdef double[::1] by_x, by_s  # by how much x z and s w are to change
    cdef double[::1] push  # the right-hand side of the normal equations,
    cdef double[::1] pressed  # and another
    cdef double[::1] force  # what the reduced costs lack then
    cdef double[::1] dx, ds, dy, dz, dw  # the direction

    cdef bint _look(self, double off, double gap) noexcept nogil
    cdef void _push(self, double aim, bint again) noexcept nogil
    cdef void _turn(self) noexcept nogil
    cdef double _far(self) noexcept nogil
    cdef double _deep(self) noexcept nogil
    cdef double _part(self, const double[::1] values, const double[::1] direction) noexcept nogil
    cdef double _sum(self, const double[::1] y, int j) noexcept nogil
