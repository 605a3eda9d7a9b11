# The paths of a decision diagram: each cover is one of them, from the root to node 1.

ctypedef fused number:
    long long
    double

cdef class Paths:
    # Node 0 has no covers, node 1 the empty one; node v > 1 has the edges first_edge[v]:first_edge[v + 1].
    cdef const int[::1] first_edge
    cdef const int[::1] edge_option  # -1 on an edge to node 1: what is above is a cover
    cdef const unsigned int[::1] edge_child  # less than the node itself
    cdef unsigned int root, n_nodes  # the root is 0, or the last node
    cdef const unsigned long long[:, ::1] counts  # of the covers below a node: digits of 63 bits, the lowest first
    cdef int digits  # of a count, once they are known

    cdef inline long long _below(self, long long x, int e, char[::1] gone, int chosen) noexcept nogil

# A diagram that is made from covers, which come in the order of a search.
#
# The last cover is a path of options. Its nodes are open, one at each level: other covers may still go through them.

cdef class Tree:
    # The nodes that are complete, as in `Paths`: node v > 1 has the edges first[v]:first[v + 1], and no two are equal
    cdef int[::1] first, option
    cdef unsigned int[::1] child
    cdef readonly int n_nodes, n_edges
    cdef unsigned long long[::1] table  # a slot is 0, or has the tag of a node << 32 | the node; open addressing
    # The open node of level l has the open edges begin[l]:begin[l + 1], the last level has those up to n_open
    cdef int[::1] begin
    cdef int level, n_open
    cdef int[::1] open_option  # -1: the cover ends here; no other option has two open edges
    cdef unsigned int[::1] open_child  # unknown yet for the last edge of each level but the last one

    cdef inline bint _has_room(self) noexcept nogil
    cdef inline void _add(self, const int[:, ::1] covers, Py_ssize_t j) noexcept nogil
    cdef inline void _close(self, int level) noexcept nogil
    cdef inline unsigned int _merged(self, int begin) noexcept nogil
    cdef inline int _copied(self, int begin) noexcept nogil
    cdef inline void _append(self, int end) noexcept nogil
    cdef inline unsigned long long _hash(self, int begin, int end) noexcept nogil
    cdef inline bint _has_edges(self, unsigned int node, int end) noexcept nogil
