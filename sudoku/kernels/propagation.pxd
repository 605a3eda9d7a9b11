from dlx.kernels.cover.frame cimport EXHAUSTED, Frame


cdef class Propagation(Frame):
    # Option o has the items indices[indptr[o]:indptr[o + 1]], the first primary and plain, and a colour for each, or 0.
    cdef int[::1] indptr, indices, colours
    cdef int[::1] starts, options  # item i has the options options[starts[i]:starts[i + 1]]
    cdef int[::1] shades  # the colour that each of these gives it, or 0
    cdef int[::1] sizes  # sizes[i]: how many of them are live
    cdef int[::1] live  # live[o]: option o has not been ruled out
    cdef int[::1] covered  # covered[i]: a placed option has item i, without a colour
    cdef int[::1] queue  # items that have been seen to be singles, the first n_queue
    cdef int[::1] waiting  # waiting[i]: item i is one of these
    cdef int n_queue
    cdef int[::1] killed  # the options that are not live, the first n_killed, in order
    cdef int n_killed
    cdef int[::1] placed  # the options chosen, the first n_placed, in order; all are live
    cdef int n_placed
    cdef int n_killed_first, n_placed_first  # when `begin` had ended
    cdef int open  # how many primary items are not covered
    cdef bint consistent  # whether no contradiction has been seen on this level
    cdef int[::1] guessed  # guessed[l]: the option by which level l was left downwards
    cdef int[::1] killed_before, placed_before  # n_killed and n_placed before it
    cdef long long most  # how many covers end the search
    cdef int[::1] cover  # the first cover, or the backdoor: its first `size` options
    cdef int size

    cdef void _keep(self, int[::1] options, int size) noexcept nogil
    cdef int _pick(self) noexcept nogil
    cdef inline int _first_of(self, int item) noexcept nogil
    cdef inline void _mark(self, int option) noexcept nogil
    cdef bint _follow(self) noexcept nogil
    cdef bint _choose(self, int option) noexcept nogil
    cdef inline bint _kill(self, int option) noexcept nogil
    cdef inline bint _look_at(self, int item) noexcept nogil
    cdef void _undo(self, int killed, int placed) noexcept nogil


cdef class Backdoors(Propagation):
    cdef int[::1] among  # the options to choose from
    cdef int[::1] at  # at[l]: the place of the next one to be tried on level l
    cdef int wanted  # how many are to be chosen
