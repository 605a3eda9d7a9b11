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
