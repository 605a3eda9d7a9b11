from dlx.kernels.cover.frame cimport DONE, EXHAUSTED, Frame

cdef enum:  # the value of an option
    OPEN = 0
    IN = 1  # in all covers below this node
    OUT = 2  # in no cover below this node

cdef enum:  # the reason of a value: an item (at least 0), a choice, or clause c (CLAUSE - c)
    CHOICE = -1
    CLAUSE = -2

cdef enum:  # a clause in `store`: two links, its size, its rank, then its literals, the two watched ones first
    SIZE = 2
    RANK = 3
    LITERALS = 4

cdef enum:
    RANKS = 64  # ranks are below this
    STRETCH = 300  # conflicts before the first restart


cdef class Learn(Frame):
    # A literal is 2 o for "option o is in" and 2 o + 1 for "option o is out".
    # Option o has the entries first[o] to first[o + 1] - 1. Entry e has the item item[e] and, if `coloured`, the colour
    # colour[e], or 0. Item i has the entries member[begin[i] : begin[i + 1]]; user[k] is the option of member[k].
    cdef const int[::1] first, item, colour, begin, member, user
    cdef bint coloured
    cdef signed char[::1] value  # value[o]: OPEN, IN or OUT
    cdef signed char[::1] phase  # phase[o]: whether the last value of option o was IN; true at first
    cdef int[::1] depth  # depth[o]: the level on which option o got its value
    cdef int[::1] reason  # reason[o]: the item, choice or clause that gave option o its value
    cdef int[::1] trail  # trail[:height]: the true literals, in the order of assignment
    cdef int[::1] floor  # floor[l]: the height of the trail when the option of level l was chosen
    cdef int height, propagated  # trail[:propagated] has been propagated
    cdef int[::1] size  # size[i]: the number of options of item i that are not out
    cdef int[::1] rest  # rest[i]: the exclusive or of their numbers, so the option itself if it is the last one
    cdef int[::1] owner  # owner[i]: the option that covers item i, the first one if a colour is shared; or -1
    cdef int[::1] active  # active[:n_active]: the primary items without an owner
    cdef int[::1] place  # place[i]: the place of primary item i in `active`
    cdef int n_active
    cdef int[::1] single  # single[:n_single]: items with one option, which must be in
    cdef int n_single
    cdef int[::1] store  # store[:n_store]: the clauses, one after the other
    cdef int n_store, n_clauses
    cdef int[::1] watched  # watched[literal]: the first clause in the list of those that watch it, or -1
    cdef int conflict  # the violated item, or CLAUSE - c for a violated clause; CHOICE: no conflict
    cdef int clashing  # an option that is in, but clashes on the violated item; -1: that item has no options
    cdef double[::1] weight  # weight[i]: one more than the number of conflicts that involved item i
    cdef int most_clauses  # a restart with more clauses deletes some
    cdef signed char[::1] marked  # marked[o]: whether the analysis has reached option o
    cdef int n_marked  # marked options of this level that are still to be analysed
    cdef int[::1] learnt  # learnt[:n_learnt]: the options of the clause being learnt
    cdef int n_learnt
    cdef int[::1] stamp  # stamp[l]: the last clause with a literal of level l
    cdef int stamps
    cdef int[::1] tally  # scratch: the number of clauses of each rank
    cdef long long conflicts, restart_at  # the search restarts at `restart_at` conflicts
    cdef long long reluctant, stretch  # the state of the sequence of restarts
    cdef long long random

    cdef void _decide(self) noexcept nogil
    cdef int _choose_item(self) noexcept nogil
    cdef int _choose_option(self, int i) noexcept nogil
    cdef void _finish(self) noexcept nogil
    cdef void _learn(self) noexcept nogil
    cdef void _analyse(self) noexcept nogil
    cdef void _mark_reasons(self, int reason, int o) noexcept nogil
    cdef inline void _mark(self, int o) noexcept nogil
    cdef inline int _negation(self, int o) noexcept nogil
    cdef int _second_level(self) noexcept nogil
    cdef int _keep(self) noexcept nogil
    cdef void _restart_search(self) noexcept nogil
    cdef void _forget(self) noexcept nogil
    cdef void _halve(self) noexcept nogil
    cdef int _move(self, int c, int to) noexcept nogil
    cdef inline int _draw(self, int n) noexcept nogil
    cdef void _assign(self, int literal, int reason) noexcept nogil
    cdef void _leave_out(self, int o) noexcept nogil
    cdef bint _propagate(self) noexcept nogil
    cdef void _cover_items(self, int o) noexcept nogil
    cdef void _exclude(self, int o, int e) noexcept nogil
    cdef void _visit_watchers(self, int literal) noexcept nogil
    cdef bint _rewatch(self, int c) noexcept nogil
    cdef inline bint _is_false(self, int literal) noexcept nogil
    cdef inline bint _is_true(self, int literal) noexcept nogil
    cdef void _watch(self, int c) noexcept nogil
    cdef void _back_to(self, int level) noexcept nogil
