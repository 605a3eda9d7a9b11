from dlx.kernels.price.simplex cimport AT_ONCE, DEAD, MORE, OPTIMAL, Simplex


cdef class Relaxation(Simplex):
    cdef int kept_rows  # of the basis of the last optimum at the root; 0 if there is none
    cdef int[::1] kept_item, kept_basis  # their items, and their basic variables
    cdef double[:, ::1] kept_inverse
    cdef char[::1] kept_up  # whether a variable was at its upper bound
    # A program that is being solved has option[:live] of the options option[:whole]
    cdef int whole
    cdef long long edge  # the largest slack of the options that it began with
    cdef int status  # of its last pivots
    cdef bint solved  # whether it has an optimum, at least of some of its options

    cdef int _count_rows(self) noexcept nogil
    cdef bint _go_on(self) noexcept nogil
    cdef void _find_witnesses(self) noexcept nogil
    cdef void _take_options(self) noexcept nogil
    cdef bint _take_lacking(self) noexcept nogil
    cdef void _take_option(self, int k) noexcept nogil
    cdef bint _begin_again(self) noexcept nogil
    cdef void _subtract_from_new(self, int r) noexcept nogil
