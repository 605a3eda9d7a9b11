from libc.math cimport exp, fabs, floor, log, pow

from dlx.kernels.cover.frame cimport DONE
from dlx.kernels.price.node cimport Node
from dlx.kernels.price.proof_log cimport END


cdef class Prices(Node):
    cdef readonly long long entries  # of all options
    cdef readonly long long ceiling  # the least bound that the root has had
    cdef long long[::1] kept  # the best prices that the root has had, if `has_kept`
    cdef bint has_kept
    cdef double price_limit
    # Scratch of a sweep: the live options of each open item, masses, factors, and prices on trial.
    cdef int[::1] begin
    cdef int[::1] fill
    cdef int[::1] member
    cdef double[::1] mass
    cdef double[::1] factor
    cdef double[::1] at_zero  # at_zero[i]: what the factor is divided by where the price of item i is 0, if it may be
    cdef double temperature
    cdef long long[::1] trial
    cdef long long[::1] trial_slack
    # What the caller asks for:
    cdef public int sweeps  # at each node
    cdef public double warmth  # at nodes: the temperature by the slack to spend for each open item
    cdef public double diving  # or a temperature of its own, if positive
    cdef bint settled  # this node has had its sweeps

    cdef void _first_prices(self)
    cdef void _save(self) noexcept nogil
    cdef bint _propagate(self) noexcept nogil
    cdef inline double _node_temperature(self) noexcept nogil
    cdef bint _reprice(self, double temperature, int sweeps) noexcept nogil
    cdef void _heat(self, double temperature) noexcept nogil
    cdef void _list_members(self) noexcept nogil
    cdef void _soften(self, int sweeps, double power) noexcept nogil
    cdef double _excess(self, int i, double total) noexcept nogil
    cdef bint _cool(self, bint anyway) noexcept nogil
    cdef long long _bound_of_trial(self) noexcept nogil
    cdef void _try_prices(self) noexcept nogil
    cdef void _harden(self) noexcept nogil
