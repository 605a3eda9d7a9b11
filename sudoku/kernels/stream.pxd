from dlx.kernels.cover.frame cimport BUDGET_SPENT, EXHAUSTED
from sudoku.kernels.bands cimport Bands


cdef class Stream(Bands):
    cdef const unsigned char[:, ::1] grids
    cdef unsigned char[:, ::1] completions  # without rows, counts are all that is wanted
    cdef long long[::1] counts
    cdef long long patience
    cdef long long last  # where this grid is given up, in nodes
    cdef readonly Py_ssize_t at  # the grid that is searched; -1 before the first one

    cdef void _note(self) noexcept nogil
