from dlx.kernels.cover.frame cimport DONE, EXHAUSTED, Frame

cdef enum:  # what is known of an option
    OPEN = 0
    IN = 1  # in every cover that is left
    OUT = 2  # in none of them

cdef enum:  # where an option's value comes from, besides an item (from 0 on) and a clause c (CLAUSE - c)
    CHOICE = -1
    CLAUSE = -2

cdef enum:  # a clause in `store`: two links, its size, its rank, then its literals, the two that are watched first
    SIZE = 2
    RANK = 3
    LITERALS = 4

cdef enum:
    RANKS = 64  # ranks are below this
    STRETCH = 300  # conflicts before the first restart


cdef class Learn(Frame):
    # A literal is 2 o for "option o is in" and 2 o + 1 for "option o is out".
    # Option o has the entries first[o] to before first[o + 1], of which e has the item item[e] and, if `coloured`, the
    # colour colour[e], or 0. Item i has the entries member[begin[i] : begin[i + 1]], and user[k] is the option of one.
    cdef const int[::1] first, item, colour, begin, member, user
    cdef bint coloured
    cdef signed char[::1] value  # value[o]: OPEN, IN or OUT
    cdef signed char[::1] liked  # liked[o]: whether option o was in when it had a value last, or has had none
    cdef int[::1] depth  # depth[o]: the level on which option o got its value
    cdef int[::1] reason  # reason[o]: an item, by which all its options but o are out, or by whose owner o is; or see above
    cdef int[::1] trail  # trail[:height]: the literals that hold, in the order in which they came to
    cdef int[::1] floor  # floor[l]: the height of the trail when the option of level l was chosen
    cdef int height, done  # the literals before `done` in the trail have been followed up
    cdef int[::1] size  # size[i]: how many options of item i are not out
    cdef int[::1] rest  # rest[i]: the exclusive or of their numbers: the last one itself
    cdef int[::1] owner  # owner[i]: the option by which item i is covered, the first such where its colour is shared; or -1
    cdef int[::1] active  # active[:n_active]: the primary items without an owner
    cdef int[::1] place  # place[i]: where primary item i is in `active`
    cdef int n_active
    cdef int[::1] single  # single[:n_single]: items that have fallen to one option, which is to be in
    cdef int n_single
    cdef int[::1] store  # store[:n_store]: the clauses, one behind the other
    cdef int n_store, n_clauses
    cdef int[::1] watched  # watched[literal]: the first clause in the list of those that watch it, or -1
    cdef int broken  # what cannot be fulfilled, an item or CLAUSE - c; CHOICE while nothing is
    cdef int rival  # an option that is in, and would be out by item `broken`; or -1: then this item has no options
    cdef double[::1] weight  # weight[i]: one, and one for each conflict that item i had a part in
    cdef int most_clauses  # how many there may be before the next restart forgets some
    cdef signed char[::1] seen  # seen[o]: whether the analysis has come to option o
    cdef int n_seen  # how many of these are on this level, and still to be analysed
    cdef int[::1] learnt  # learnt[:n_learnt]: the options of the clause that is being learnt
    cdef int n_learnt
    cdef int[::1] stamp  # stamp[l]: the last clause with a literal of level l
    cdef int stamps
    cdef int[::1] tally  # how many clauses of each rank there are, while some are being forgotten
    cdef long long conflicts, restart_at  # restart_at: the number of conflicts at which the search restarts
    cdef long long reluctant, stretch  # the state of the sequence that says when
    cdef long long random

    cdef void _decide(self) noexcept nogil
    cdef int _hardest(self) noexcept nogil
    cdef int _likeliest(self, int i) noexcept nogil
    cdef void _finish(self) noexcept nogil
    cdef void _learn(self) noexcept nogil
    cdef void _analyse(self) noexcept nogil
    cdef void _see_reasons(self, int reason, int o) noexcept nogil
    cdef inline void _see(self, int o) noexcept nogil
    cdef inline int _denial(self, int o) noexcept nogil
    cdef int _second_level(self) noexcept nogil
    cdef int _keep(self) noexcept nogil
    cdef void _start_over(self) noexcept nogil
    cdef void _forget(self) noexcept nogil
    cdef void _halve(self) noexcept nogil
    cdef int _move(self, int c, int to) noexcept nogil
    cdef inline int _draw(self, int n) noexcept nogil
    cdef void _assign(self, int literal, int reason) noexcept nogil
    cdef void _leave_out(self, int o) noexcept nogil
    cdef bint _propagate(self) noexcept nogil
    cdef void _take(self, int o) noexcept nogil
    cdef void _exclude(self, int o, int e) noexcept nogil
    cdef void _visit_watchers(self, int literal) noexcept nogil
    cdef bint _rewatch(self, int c) noexcept nogil
    cdef inline bint _is_false(self, int literal) noexcept nogil
    cdef inline bint _is_true(self, int literal) noexcept nogil
    cdef void _watch(self, int c) noexcept nogil
    cdef void _back_to(self, int level) noexcept nogil
