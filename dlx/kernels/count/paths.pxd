# The paths of a decision diagram: each cover is one of them, from the root to node 1.

ctypedef fused number:
    long long
    double

cdef class Paths:
    # Node 0 has no covers, node 1 the empty one; node v > 1 has the edges first_edge[v]:first_edge[v + 1].
    cdef const int[::1] first_edge
    cdef const int[::1] edge_option  # the option of each edge; -1 on an edge to node 1, where a cover ends
    cdef const unsigned int[::1] edge_child  # the child of each edge, less than its node
    cdef unsigned int root, n_nodes  # the root is 0, or the last node
    cdef const unsigned long long[:, ::1] counts  # covers below each node: digits of 63 bits, the lowest first
    cdef int digits  # digits of a count, if known

    cdef inline long long _below(self, long long x, int e, char[::1] gone, int chosen) noexcept nogil

# A diagram that is made from covers, which come in the order of a search.
#
# The last cover is a path of options. Its nodes are open, one at each level: other covers may still go through them.

cdef class Tree:
    # An edge is (option + 1) << 32 | child; option -1 ends a cover, and its child is node 1
    cdef dict nodes  # the number of each complete node, by the bytes of its edges; node 1 has the single edge 1
    cdef object open_edges  # the array of `edge`
    cdef long long[::1] edge  # the open edges; the child is 0 in the last one of each level but the last level
    cdef int[::1] begin  # the open node of level l has the edges begin[l]:begin[l + 1], the last level up to n_open
    cdef int level, n_open
    cdef readonly long long n_added, n_edges  # options of covers added to the path, and edges of complete nodes

    cdef void _close(self, int level)
