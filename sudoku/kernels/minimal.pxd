from dlx.kernels.cover.frame cimport EXHAUSTED
from sudoku.kernels.bands cimport DIRTY, LANES, Bands


cdef class Minimal(Bands):
    cdef unsigned char[:, ::1] puzzles  # the memory of `grids`, writable; grids before `at` are done
    cdef int[:, ::1] turns  # turns[g]: the orbits to try in grid g, in order
    cdef int[:, ::1] orbits  # orbits[o]: the cells of orbit o, then -1
    cdef int[::1] fewest  # fewest[g]: the least givens of grid g
    cdef int turn  # the place in `turns`; -1 before the first
    cdef bint searching  # whether a search decides about the orbit
    cdef int givens  # the number of givens of the grid at hand
    cdef unsigned char[::1] taken  # the digits of the cells of the orbit

    cdef bint _remove_orbit(self) noexcept nogil
    cdef inline void _forbid(self, int cell, int digit) noexcept nogil
    cdef void _put_back(self) noexcept nogil
