from dlx.kernels.cover.frame cimport BUDGET_SPENT, EXHAUSTED
from sudoku.kernels.bands cimport Bands

cdef enum:
    CHECKS = 32  # a search for the best completion is checked after this part of its guesses


cdef class Stream(Bands):
    cdef const unsigned char[:, ::1] grids
    cdef unsigned char[:, ::1] completions  # without rows, counts are all that is wanted
    cdef long long[::1] counts
    cdef long long patience
    cdef long long last  # where this grid is given up, in nodes
    cdef bint checked  # whether this search for the best completion has been checked
    cdef readonly Py_ssize_t at  # the grid that is searched; -1 before the first one

    cdef bint _is_promising(self) noexcept nogil
    cdef void _note(self) noexcept nogil
