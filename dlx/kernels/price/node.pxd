from dlx.kernels.price.proof_log cimport ProofLog


cdef class Node(ProofLog):
    cdef const int[::1] indptr
    cdef const int[::1] indices
    cdef const long long[::1] weight
    # Two sparse sets: a set is a prefix of a permutation, so to undo any number of removals is to restore its length.
    cdef int[::1] option  # option[:live] are the live options
    cdef int live
    cdef int n_usable  # the options with a primary item: only these are ever live
    cdef int[::1] item  # item[:open] may still be covered, of which open_primary have to be
    cdef int[::1] place  # item[place[i]] == i
    cdef int open
    cdef int open_primary
    # Item i is to be covered at least least[i] and at most most[i] times, and has been used[i] times if `ranged`. Where
    # not `ranged`, that is once for primary items, and at most once for the others.
    cdef bint ranged
    cdef int[::1] least
    cdef int[::1] most
    cdef int[::1] used
    # Colours, if `coloured`. An item that any option gives a colour is *tinted*; it costs nothing, since options that
    # agree on it share it.
    cdef bint coloured
    cdef const int[::1] colour  # for each entry of `indices`, or 0
    cdef char[::1] tinted
    cdef int[::1] shade  # shade[i]: the colour that the chosen options have given item i, or 0
    cdef int[::1] painted  # painted[:n_painted]: the items with a shade, in the order in which they got it
    cdef int n_painted
    cdef int n_chosen  # chosen[:n_chosen]: the options chosen, forced ones too
    cdef public long long target  # covers with this score or more
    cdef long long gain  # the weights of the chosen options
    cdef long long bound  # gain + the costs of the open items: no completion of this node scores more
    cdef long long[:, ::1] price  # price[row] at the current node: a row for each level, and the last one for all below
    cdef int row
    # After `_filter`:
    cdef long long[::1] slack  # slack[o] for live options, by price[row]
    cdef int[::1] size  # size[i]: how many live options an open item has
    cdef int[::1] witness  # witness[i]: one of these options
    # work[i]: the sum over its options of the square of the share of the slack that each would leave to spend. An
    # option with much slack has a small subtree: branching on the least work took fewer nodes than on the least size.
    cdef double[::1] work
    cdef bint dead  # some open item has no live option, or only one that clashes

    cdef void _list_usable(self) noexcept nogil
    cdef inline long long _cost(self, int i, long long price) noexcept nogil
    cdef inline int _need(self, int i) noexcept nogil
    cdef inline bint _once(self, int i) noexcept nogil
    cdef inline long long _price(self, int i) noexcept nogil
    cdef bint _filter(self) noexcept nogil
    cdef inline void _drop(self, int k) noexcept nogil
    cdef bint _cover_forced(self) noexcept nogil
    cdef int _paid(self, int i, int need) noexcept nogil
    cdef void _choose(self, int o) noexcept nogil
    cdef inline void _close(self, int i) noexcept nogil
    cdef inline void _paint(self, int i, int colour) noexcept nogil
    cdef inline bint _clashes(self, int e) noexcept nogil
    cdef inline bint _fits(self, int o) noexcept nogil
