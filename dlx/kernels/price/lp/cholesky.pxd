from libc.math cimport sqrt


cdef class Cholesky:
    cdef int n
    cdef unsigned long long[:, ::1] joined  # joined[i]: the neighbours of remaining row i, as bits
    cdef int[::1] degree  # degree[i]: the number of neighbours of row i; n once row i is placed
    cdef int[::1] place, order  # order[place[i]] = i: the places of the rows in the factor
    # From here on rows and columns are numbered by their places.
    cdef const int[::1] begin  # begin[k]:begin[k + 1]: the terms of row k
    cdef const int[::1] column  # column[e]: the column of term e, at most its row
    cdef const int[::1] source  # source[e]: the index of the value of term e
    cdef int[::1] parent  # parent[k]: the first row below row k of the factor's column k, or -1; the elimination tree
    cdef int[::1] mark  # mark[k]: the last row whose pattern has column k
    cdef int[::1] pattern, path  # pattern[top:]: the columns of a row of the factor, each behind those it is changed by
    # first[k]:end[k]: the entries of the factor's column k so far, the diagonal first; it has room up to first[k + 1]
    cdef long long[::1] first, end
    cdef int[::1] row  # row[p]: the row of entry p of the factor
    cdef double[::1] value  # value[p]: the value of entry p of the factor
    cdef double[::1] work  # the row that is made, or the vector that is solved for
    cdef readonly long long entries  # entries of the factor; 0 if the factor takes too many steps
    cdef readonly double steps  # approximate number of multiplications for the factor
    cdef object over  # returns whether a limit has been reached
    cdef int placed, factored  # the number of rows with a place, and of rows of the factor so far
    cdef int floor  # the degree of every row without a place is at least this

    cdef void _arrange(self, double most) noexcept nogil
    cdef int _eliminate(self, int i) noexcept nogil
    cdef int _reach(self, int k) noexcept nogil
    cdef bint _factor(self, const double[::1] values, double ridge) noexcept nogil
    cdef void _solve(self) noexcept nogil
