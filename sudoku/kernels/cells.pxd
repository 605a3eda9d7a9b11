from dlx.kernels.frame cimport EXHAUSTED, Frame

cdef enum:
    BRUTE = 0
    ROWS = 1
    STATIC = 2
    DYNAMIC = 3


cdef class Cells(Frame):
    cdef int[::1] digits  # digits[cell]: what is in it; 0 is blank
    cdef long long[::1] weights
    cdef int[::1] blanks  # blanks[l]: the cell of level l
    cdef int[:, ::1] units  # units[cell]: its row, its column and its box, numbers below 27
    cdef int[::1] count  # count[s]: the number of digits in set s
    cdef int[::1] lowest  # lowest[s]: the smallest digit in set s
    cdef int[::1] free  # free[u]: the set of the digits that unit u has not; bit d - 1 for digit d
    cdef int[::1] untried  # untried[l]: the digits still to be tried in blanks[l]
    cdef int[::1] breadth  # breadth[l]: how many digits there were to try
    cdef int kind  # BRUTE, ROWS, STATIC or DYNAMIC
    cdef long long second  # rows: the second largest weight, m in its documentation
    cdef long long excess  # rows: 9 x (M - m)
    cdef long long[::1] rest  # static: rest[l]: no digits in blanks[l], blanks[l + 1], ... score more
    cdef int n_blanks  # blanks[0] to blanks[level - 1] are filled; the level is -1 when the search has ended
    cdef long long total  # the score of the digits that are placed
    cdef long long placed  # rows: their sum
    cdef int[::1] best  # the completion with the best score
    cdef readonly long long score  # that score
    cdef readonly long long ties  # how many completions have had it, where no others are cut off

    cdef int _run(self) noexcept nogil
    cdef inline bint _is_hopeless(self) noexcept nogil
    cdef inline void _choose(self) noexcept nogil
    cdef inline void _bring_smallest(self) noexcept nogil
    cdef inline void _visit(self) noexcept nogil
    cdef inline int _candidates(self, int cell) noexcept nogil
    cdef inline void _put(self, int cell, int digit) noexcept nogil
