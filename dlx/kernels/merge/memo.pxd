# The memory of a search: its states, and the covers below the levels of its path.

cdef enum:  # what `run` of a kernel with a memo returns besides the states of all kernels
    CRAMPED = 3  # as in dlx/kernels/__init__.py: `grow` makes some room

cdef extern from *:  # a hint to the processor, where the compiler can give one
    """
    #if defined(__GNUC__) && !defined(DLX_PORTABLE)
    #define DLX_FETCH(p) __builtin_prefetch(p)
    #else
    #define DLX_FETCH(p) ((void)0)
    #endif
    """
    void fetch "DLX_FETCH"(const void *) noexcept nogil

cdef class Memo:
    # States are numbered as they come. A slot of the table is 0, or has 1 + a state below the lower half of its hash.
    cdef unsigned long long[::1] key  # of what is left now: the kernel writes it
    cdef unsigned long long[::1] table
    cdef unsigned long long slot_mask
    cdef unsigned long long free, tag  # the slot for the key that was looked up last, if it is not known; and its tag
    cdef unsigned long long[:, ::1] record  # record[s]: the key of state s, then the number of its covers, or its node
    cdef int words  # of the key
    cdef readonly long long n_states
    cdef readonly long long hits, asked  # how often a state was known; and was that, or was remembered
    cdef readonly long long covers  # found so far, but no more than COUNTLESS; none in a diagram

    cdef int[::1] at  # at[l]: the state of level l, or -1
    cdef unsigned long long[:, ::1] sum  # sum[l]: the covers found below level l so far; at its end perhaps its node
    cdef unsigned long long[:, ::1] one  # such a number
    cdef int digits  # of 63 bits in such numbers, the lowest first
    cdef bint wide  # one of them has come near its last digit

    # The diagram: node 0 has no covers, node 1 the empty one, node v > 1 the edges first_edge[v]:first_edge[v + 1].
    cdef readonly bint draws  # whether there is one
    cdef int[::1] first_edge
    cdef int[::1] edge_option  # -1 on an edge to node 1: what is above is a cover
    cdef unsigned int[::1] edge_child  # less than the node itself
    cdef readonly long long n_nodes, n_edges
    cdef int[::1] pending_option  # the edges of the nodes of this level and those above, as far as they are known
    cdef unsigned int[::1] pending_child
    cdef int[::1] first_pending  # first_pending[l]: where those of level l begin
    cdef int n_pending

    cdef bint cramped(self) noexcept nogil
    cdef void begin(self, int level) noexcept nogil
    cdef bint recall(self, int level, int option) noexcept nogil
    cdef bint is_far(self) noexcept nogil
    cdef void expect(self) noexcept nogil
    cdef void remember(self, int level) noexcept nogil
    cdef void found(self, int level, int option) noexcept nogil
    cdef void leave(self, int level, int option) noexcept nogil
    cdef long long _find(self) noexcept nogil
    cdef inline unsigned long long _hash(self) noexcept nogil
    cdef void _add(self, int level, unsigned long long[:, ::1] numbers, long long row, int column) noexcept nogil
    cdef long long _counted(self, unsigned long long some) noexcept nogil
    cdef void _draw(self, int level) noexcept nogil
    cdef void _hang(self, int option, unsigned int child) noexcept nogil
