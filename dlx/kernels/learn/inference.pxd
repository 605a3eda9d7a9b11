# Reasoning by truths and links: the state of a problem, and the search for the next step.
#
# A truth is a primary item i that needs need[i] more options; a link is an item i that has room for room[i] more. Let
# t[o] and l[o] be the numbers of truths and links of an open option o. Then for every cover
#     sum of l[o] - t[o] over the options still to be chosen <= sum of room over links - sum of need over truths = rank.
# So if t <= l for all open options, the options with l - t > rank are out, and there is no cover if rank < 0.
#
#   S  a single: a truth with no more open options than it needs.
#   T  sets of N truths in N + k links, depth first. While an option is uncovered (t > l), one of its items must be a
#      link; then a truth is added that has an option with l > t. Items tried are banned in later branches, so each set
#      is found once.
#   B  blocks: options that clash with all options of a truth that is needed once.
#   C  chains: an edge from link j to link j' is a truth whose options all have j or j'. The shortest paths are found
#      breadth first; the rule above is applied to their truths and links.

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


cdef class Inference(Frame):
    cdef const int[::1] indptr, indices, colours, owner  # owner[e]: the option of entry e
    cdef const int[::1] low, high  # the bounds of items; 0 and 1 for secondary items
    cdef const char[::1] idle, takes_colours  # options in no cover; items with colours, which cannot be links
    cdef const int[::1] order  # the primary items, in order of inspection
    cdef const int[:, ::1] levels  # kind, truths and rank of the steps of each level, easiest first

    # The state
    cdef char[::1] role  # role[o]: 0 out, 1 open, 2 chosen
    cdef const int[::1] begin, first_member
    cdef int[::1] member  # member[begin[i] : begin[i] + size[i]]: the open entries of item i, increasing
    cdef int[::1] size, need, room
    cdef int n_open  # options
    cdef int at  # the level to try next
    cdef bint ended

    # The last step
    cdef readonly int kind, picked  # picked: the option of a single, or -1
    cdef readonly long long rank
    cdef int[::1] truths, links, out  # those of the last step, or of the search
    cdef int n_truths, n_links, n_out
    cdef int[:, ::1] codes  # for each step its level and its first truth

    # The search for sets
    cdef int[::1] t, l
    cdef int n_uncovered  # the number of open options with t > l
    cdef long long needs, rooms  # the sums over all truths and links
    cdef char[::1] marks  # marks of items
    cdef int depth  # depth of the stack; frame f has the candidates pool[start[f] : stop[f]]
    cdef int[::1] pool, start, stop, tried
    cdef char[::1] adds  # what frame f adds: IS_TRUTH or IS_LINK
    cdef long long[::1] stamp  # for options, then for items: stamp[x] == now if x was visited
    cdef long long now
    cdef int[::1] starts  # for each option, whether the first link of the current chains has it
    cdef int next  # finished truths in the search for blocks, or finished first links in the search for chains

    # The search for blocks, among the options that share an item with the first option of a truth
    cdef int shared, last_shared  # the entries of the first option still to be inspected
    cdef int candidate, last_candidate  # the places of members of the previous item still to be tried
    cdef int[::1] entry  # entry[i]: the entry of item i in the option being tried; -1 between two trials

    # The search for chains
    cdef int[::1] edge_truth, edge_tail, edge_head
    cdef int[::1] first_edge, next_edge  # lists of edges with the same tail; -1 is no edge
    cdef int n_edges, listed  # listed: the number of truths in `order` whose edges exist
    cdef int[::1] queue, parent, length, met  # arrays for edges; met[e] == next: reached from the current first link
    cdef int front, back  # the ends of the queue
    cdef int[::1] best_truths, best_links
    cdef int best  # truths of the shortest chain so far; more than allowed if there is none
    cdef int best_size  # links of this chain: best + 1, or best in a loop

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
