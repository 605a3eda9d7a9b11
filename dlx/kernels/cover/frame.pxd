# The common part of all kernels: the states, the buffer of covers, the counters, the budgets, and the path so far.

cdef enum:  # what `run` returns
    EXHAUSTED = 0
    BUFFER_FULL = 1
    BUDGET_SPENT = 2

cdef enum:  # one more value that `_run` returns
    LACKING = -2  # the search goes on after `_equip`

cdef enum:  # where the search stands between two runs
    ENTER = 0  # at a level that has no item yet
    TRY = 1  # at a level whose next option is to be tried
    DONE = 2

cdef class Frame:
    cdef int n_items, n_primary, n_options  # items below n_primary are primary
    cdef int[:, ::1] buffer  # a row for each cover, padded with -1; without rows covers are only counted
    cdef public int filled  # rows of the buffer in use; the caller sets it back
    cdef readonly long long covers, nodes, updates  # found, tried, and steps of the data structures so far
    cdef long long node_limit, update_limit, cover_limit  # the run stops at these
    cdef int[::1] chosen  # chosen[l]: the option of level l, for the levels above the current one
    cdef int level  # the number of options chosen
    cdef int state  # ENTER, TRY or DONE
    cdef int base  # the search ends when it backs up to a level above this one
    cdef bint portable  # whether a mark is enough to continue the search

    cdef int _run(self) noexcept nogil
    # As Python methods these three made `bits` 5 % slower: gcc took less of its search into one function.
    cdef int _branching(self) noexcept nogil
    cdef int _upcoming(self) noexcept nogil
    cdef bint _skip(self) noexcept nogil
    cdef void _restart(self) noexcept nogil
    cdef int _spent(self) noexcept nogil
    cdef void _emit(self, int size) noexcept nogil
