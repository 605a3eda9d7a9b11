cdef enum:
    GREATER = 16  # than any digit


cdef class Images:
    cdef const unsigned char[:, ::1] grids  # the grids, a row of 81 digits for each
    cdef unsigned char[:, ::1] least  # their least images
    cdef int[::1] lowest  # lowest[s]: the smallest member of set s, from 1 on
    cdef int[:, ::1] orders  # orders[p]: one of the six orders of 0, 1, 2
    cdef int[:, ::1] units  # units[cell]: its row, its column and its box, numbers below 27
    cdef int[:, ::1] blanks_first  # blanks_first[s, p]: whether order p of three cells, with givens in s, begins with blanks

    # The grid at hand; side 0 is the grid as it is, side 1 the transposed one.
    cdef int[::1] digits  # digits[81 side + 9 row + column]
    cdef int[:, ::1] givens  # givens[side, row]: in which columns it has givens
    cdef int[::1] blank_rows  # blank_rows[side]: the rows without any
    cdef bint clash  # whether a row, a column or a box has a digit twice
    cdef int[::1] seen  # while it is loaded: seen[u] has the digits of unit u

    # The place of the search. On level l the rows before are placed, and equal to the least image so far.
    cdef int side
    cdef int[::1] columns  # columns[k]: the column at place k
    cdef int[::1] rows  # rows[l]: the row at place l
    cdef int[::1] taken  # taken[l]: the set of the rows before l
    cdef int[::1] untried  # untried[l]: those to be tried there
    cdef unsigned long long[::1] labels  # labels[l]: four bits for the name of each digit, 0 for none; from bit 40 the next name

    cdef int[::1] best  # the least image so far; GREATER stands where what follows is not known

    cdef void _load(self, Py_ssize_t grid) noexcept nogil
    cdef void _search(self) noexcept nogil
    cdef inline bint _is_twin(self, int side, int row) noexcept nogil
    cdef inline int _size(self, int triple) noexcept nogil
    cdef inline int _pattern(self, int givens) noexcept nogil
    cdef void _order_columns(self, int row, int order, int a, int b, int c) noexcept nogil
    cdef inline void _order_stack(self, int place, int stack, int order) noexcept nogil
    cdef void _descend(self) noexcept nogil
    cdef inline void _open(self, int level) noexcept nogil
    cdef bint _place(self, int level, int row) noexcept nogil
