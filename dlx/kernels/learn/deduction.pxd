# Reasoning by truths and links: the state of a problem, and the search for the next step.
#
# A truth is a primary item, of which need[i] more options are to be chosen; a link is an item, of which room[i] more may
# be. With t[o] and l[o] for how many truths and links an open option has, every cover has
#     sum of (l[o] - t[o]) over the options still to be chosen <= sum of room over links - sum of need over truths = rank,
# so that where no open option has t > l, those with l - t > rank are out, and there is no cover if rank < 0.
#
#   S  a single: a truth with no more open options than it needs.
#   T  sets of N truths in N + k links, depth first: as long as some option is bare (t > l), one of its items must be
#      a link; then another truth is added that has an option with l > t. What has been tried is banned for what
#      comes behind it, so that each set is met once.
#   B  blocks: options that clash with all of a truth's that is needed once.
#   C  chains: an edge from link j to link j' is a truth with all of its options in these two. The shortest paths are
#      found breadth first; their truths and links are weighed as above.

from dlx.kernels.cover.frame cimport EXHAUSTED, Frame

cdef enum:  # the kinds of steps
    SINGLE = 0
    SET = 1
    BLOCK = 2
    CHAIN = 3
    CONTRADICTION = 4

cdef enum:  # marks of items in a search for sets
    IS_TRUTH = 1
    IS_LINK = 2
    NO_TRUTH = 4  # it has been tried
    NO_LINK = 8

cdef enum:  # the links by which an option blocks a truth
    ANY = 0
    ALONE = 1
    NEW = 2


cdef class Deduction(Frame):
    cdef const int[::1] indptr, indices, colours, owner  # owner[e]: the option of entry e
    cdef const int[::1] low, high  # the bounds of items; 0 and 1 for secondary ones
    cdef const char[::1] idle, takes_colours  # options in no cover; items with colours, which are no links
    cdef const int[::1] order  # the primary items, in the order in which they are looked at
    cdef const int[:, ::1] levels  # the kinds of steps, easiest first: kind, truths, rank; chains of each length are last

    # The state
    cdef char[::1] role  # role[o]: 0 out, 1 open, 2 chosen
    cdef const int[::1] begin, first_member
    cdef int[::1] member  # member[begin[i] : begin[i] + size[i]]: the open entries of item i, increasing
    cdef int[::1] size, need, room
    cdef int n_open  # options
    cdef int at  # the level that is tried next
    cdef bint ended

    # The last step
    cdef readonly int kind, picked  # picked: the option of a single, or -1
    cdef readonly long long rank
    cdef int[::1] truths, links, out  # of the step, or of the search
    cdef int n_truths, n_links, n_out
    cdef int[:, ::1] codes  # for each step its level and its first truth

    # The search for sets
    cdef int[::1] t, l
    cdef int bare  # open options with t > l
    cdef long long needs, rooms  # of truths and links together
    cdef char[::1] marks  # of items
    cdef int depth  # of the stack; frame f has the candidates pool[start[f] : stop[f]]
    cdef int[::1] pool, start, stop, tried
    cdef char[::1] adds  # what frame f adds: IS_TRUTH or IS_LINK
    cdef long long[::1] stamp  # of options, and behind them of items: stamp[x] == now for those seen
    cdef long long now
    cdef int[::1] starts  # of options: whether the link has it where chains begin now
    cdef int next  # how many truths have been looked at for blocks, or links for chains to begin at

    # The search for blocks, among the options that share an item with the first one of a truth
    cdef int shared, last_shared  # the entries of the first option that are still to be looked at
    cdef int candidate, last_candidate  # the places of members of the item before these, still to be tried
    cdef int[::1] entry  # entry[i]: that of item i in the option that may block a truth; -1 between two trials

    # The search for chains
    cdef int[::1] edge_truth, edge_tail, edge_head
    cdef int[::1] first_edge, next_edge  # lists of edges with the same tail; -1 is no edge
    cdef int n_edges, listed  # listed: the number of truths, in their order, that have their edges
    cdef int[::1] queue, parent, length, met  # of edges; met[e] == next + 1: reached from the link that is next
    cdef int front, back  # of the queue
    cdef int[::1] best_truths, best_links
    cdef int best  # the truths of the shortest chain so far, or too many
    cdef int best_size  # its links: one more, or as many in a loop

    cdef void _begin(self) noexcept nogil
    cdef bint _enter(self, int level) noexcept nogil
    cdef void _remove(self, int o) noexcept nogil
    cdef void _remove_dropped(self, int first) noexcept nogil
    cdef void _drop(self, int o) noexcept nogil
    cdef void _choose(self, int o) noexcept nogil
    cdef void _record(self, int kind, int code) noexcept nogil
    cdef void _record_sets(self, int kind, int code) noexcept nogil
    cdef bint _single(self) noexcept nogil
    cdef int _sets(self) noexcept nogil
    cdef bint _next(self) noexcept nogil
    cdef bint _open(self) noexcept nogil
    cdef void _push(self, char adds) noexcept nogil
    cdef inline void _offer_items(self, int o) noexcept nogil
    cdef inline void _offer(self, int i) noexcept nogil
    cdef bint _fits(self, int i, char kind) noexcept nogil
    cdef void _add(self, int i, char kind) noexcept nogil
    cdef void _take_back(self, char kind) noexcept nogil
    cdef inline void _count(self, int i, char kind, int by) noexcept nogil
    cdef void _clear(self) noexcept nogil
    cdef bint _weigh(self) noexcept nogil
    cdef int _blocks(self) noexcept nogil
    cdef void _list_candidates(self, int i) noexcept nogil
    cdef void _try_block(self, int p, int f) noexcept nogil
    cdef bint _blocks_by(self, int o, int p, int links) noexcept nogil
    cdef bint _clash(self, int e, int f) noexcept nogil
    cdef int _clashes_on(self, int q, int links) noexcept nogil
    cdef int _chains(self) noexcept nogil
    cdef void _edges_of(self, int p) noexcept nogil
    cdef void _make_edge(self, int p, int tail, int head) noexcept nogil
    cdef int _outside(self, int p, int j, int i) noexcept nogil
    cdef void _mark_start(self, int mark) noexcept nogil
    cdef void _push_edge(self, int e, int before) noexcept nogil
    cdef bint _joins(self, int e, int f) noexcept nogil
    cdef bint _has(self, int o, int i) noexcept nogil
    cdef void _try_path(self, int e) noexcept nogil
    cdef void _cancel(self) noexcept nogil
