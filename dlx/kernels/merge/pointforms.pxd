# The canonical form of the graph of points: two are joined while an item that is about both is open.

from dlx.kernels.merge.classes cimport bit, lowest


cdef class Pointforms:
    cdef const unsigned long long[::1] state  # open items as bits come first
    cdef const int[::1] begin  # one[begin[i]:begin[i + 1]], other[...]: the points that item i joins; one < other
    cdef const int[::1] one
    cdef const int[::1] other
    cdef const int[::1] colour  # colour[p], from 0 to n_colours - 1
    cdef int n  # points
    cdef int n_colours
    cdef int item_words  # of open items
    cdef int words  # of 64 points
    cdef int flip  # of byte k of a word in the order of its bits, from the highest, the place in memory is k ^ flip
    cdef unsigned long long[:, ::1] behind  # behind[p]: the points after p that are joined to it
    cdef unsigned long long[::1] there  # the points that are joined to any
    cdef int[::1] place  # place[p]: its number among these
    cdef object graph
    cdef object certificate
    cdef object label

    cdef void _join(self) noexcept
    cdef list _ask(self)
    cdef list _joined(self, int p)
    cdef bytes _packed(self, list cells, bytes rows)
