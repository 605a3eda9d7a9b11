from dlx.kernels.price.proof_log cimport ITEM, OPTION, PAIR
from dlx.kernels.price.lp.simplex cimport Simplex
from dlx.kernels.price.node cimport Node
from dlx.kernels.price.pairs cimport Pairs
from dlx.kernels.price.stack cimport Stack


cdef class Brancher:
    cdef readonly Pairs pairs
    cdef long long random  # from 1 to 2**31 - 2

    cdef bint divide(self, Node node, Simplex lp, Stack stack) noexcept nogil
    cdef void _record(self, Node node, Stack stack, int i) noexcept nogil
    cdef int _lightest(self, Node node, bint optional) noexcept nogil
    cdef bint _too_dear(self, Node node, int i) noexcept nogil
    cdef int _favourite(self, Node node, int i, bint by_mass) noexcept nogil
    cdef int _tightest(self, Node node, int o, int i) noexcept nogil
    cdef inline long long _draw(self) noexcept nogil
