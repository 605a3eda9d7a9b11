from dlx.kernels.cover.frame cimport EXHAUSTED, Frame


cdef class Backtracking(Frame):
    cdef int[::1] digits  # digits[cell]: what is in it; 0 is blank
    cdef long long[::1] weights  # for rows less m, the second largest of them
    cdef int[::1] blanks  # blanks[l]: the cell of level l
    cdef int[:, ::1] units  # units[cell]: its row, its column and its box, numbers below 27
    cdef int[::1] count  # count[s]: the number of digits in set s
    cdef int[::1] lowest  # lowest[s]: the smallest digit in set s
    cdef int[::1] free  # free[u]: the set of the digits that unit u has not; bit d - 1 for digit d
    cdef int[::1] untried  # untried[l]: the digits still to be tried in blanks[l]
    cdef int[::1] candidates  # candidates[l]: all that there were to try there
    cdef long long[::1] rest  # rest[l]: no digits in blanks[l], blanks[l + 1], ... add more to the score
    cdef bint dynamic  # whether `blanks` is sorted on the way
    cdef int n_blanks  # blanks[0] to blanks[level - 1] are filled; the level is -1 when the search has ended
    cdef long long total  # the score of the digits that are placed, by these weights
    cdef long long highest  # that of the best completion so far
    cdef long long taken  # what these weights have taken from the score of every completion
    cdef int[::1] best  # that completion

    cdef inline int _bring_smallest(self) noexcept nogil
    cdef inline int _allowed(self, int cell) noexcept nogil
    cdef inline void _put(self, int cell, int digit) noexcept nogil
