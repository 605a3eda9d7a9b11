from dlx.kernels.cover.frame cimport EXHAUSTED
from sudoku.kernels.bands cimport DIRTY, LANES, Bands


cdef class Question(Bands):
    cdef unsigned char[:, ::1] asked  # the grid of the question

    cdef inline void _forbid(self, int cell, int digit) noexcept nogil


cdef class Minimal(Question):
    cdef unsigned char[:, ::1] grids  # those before `at` are done
    cdef int[:, ::1] turns  # turns[g]: the orbits to be tried in grid g, one after the other
    cdef int[:, ::1] orbits  # orbits[o]: the cells of orbit o, then -1
    cdef int[::1] fewest  # fewest[g]: grid g gets no fewer givens
    cdef readonly Py_ssize_t at  # the grid at hand
    cdef int turn  # the place in its turns; -1 before the first
    cdef bint asking  # whether the orbit has been taken, and the search has not ended that says whether it is needed
    cdef int givens  # how many the grid at hand has
    cdef unsigned char[::1] taken  # the digits of the cells of the orbit

    cdef bint _take(self) noexcept nogil
    cdef bint _is_forced(self, int cell) noexcept nogil
    cdef void _put_back(self) noexcept nogil
