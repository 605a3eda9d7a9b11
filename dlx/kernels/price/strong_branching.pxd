from libc.math cimport fabs

from dlx.kernels.price.prices cimport Prices
from dlx.kernels.price.proof_log cimport END, PAIR


cdef class StrongBranching(Prices):
    cdef bint pairing
    # The pairs of items proposed at a node: first[c] < second[c], and how near the share of mass that has both is to 1/2
    cdef int n_pairs
    cdef int[::1] pair_first
    cdef int[::1] pair_second
    cdef double[::1] pair_promise
    cdef double[::1] shared  # shared[j]: the mass of the options that have j and the item being looked at, or 0
    cdef int[::1] touched  # the items j where it is not 0
    # What has been seen of a pair, in a hash table with open addressing: its key, 0 where there is none; for both sides
    # the trials, and the sum of what they took off the bound.
    cdef long long[::1] pair_key
    cdef int pairs_known
    cdef int[:, ::1] pair_trials
    cdef double[:, ::1] pair_drop
    cdef double[::1] drop  # of a pair: by how much its two sides lower the bound
    cdef int short  # after `_try_side`: an item that the side leaves too few options; -1 if there is none
    cdef int better  # after `_pick_pair`: the side with the higher bound

    cdef void _make_table(self, int places)
    cdef void _share(self, StrongBranching other)
    cdef bint _has(self, int o, int i) noexcept nogil
    cdef void _keep_side(self, int i, int j, bint together) noexcept nogil
    cdef void _propose(self) noexcept nogil
    cdef void _propose_for(self, int i) noexcept nogil
    cdef int _slot(self, int i, int j) noexcept nogil
    cdef long long _try_side(self, int i, int j, bint together) noexcept nogil
    cdef void _record_side(self, int i, int j, bint together) noexcept nogil
    cdef void _count_again(self) noexcept nogil
    cdef int _pick_pair(self, int most) noexcept nogil
    cdef inline int _most_promising(self) noexcept nogil
