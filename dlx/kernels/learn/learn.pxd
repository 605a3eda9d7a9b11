from dlx.kernels.cover.frame cimport DONE, EXHAUSTED
from dlx.kernels.learn.imply cimport CHOICE, CLAUSE, IN, LITERALS, OPEN, OUT, RANK, SIZE, Imply

cdef enum:
    RANKS = 64  # ranks are below this
    STRETCH = 300  # conflicts before the first restart


cdef class Learn(Imply):
    cdef double[::1] weight  # weight[i]: one, and one for each conflict that item i had a part in
    cdef int most_clauses  # how many there may be before the next restart forgets some
    cdef signed char[::1] seen  # seen[o]: whether the analysis has come to option o
    cdef int n_seen  # how many of these are on this level, and still to be analysed
    cdef int[::1] learnt  # learnt[:n_learnt]: the options of the clause that is being learnt
    cdef int n_learnt
    cdef int[::1] stamp  # stamp[l]: the last clause with a literal of level l
    cdef int stamps
    cdef int[::1] tally  # how many clauses of each rank there are, while some are being forgotten
    cdef long long conflicts
    cdef long long restart_at  # the number of conflicts at which the search begins again
    cdef long long reluctant  # the state of the sequence that says when
    cdef long long stretch
    cdef long long random

    cdef int _run(self) noexcept nogil
    cdef void _decide(self) noexcept nogil
    cdef int _hardest(self) noexcept nogil
    cdef int _likeliest(self, int i) noexcept nogil
    cdef void _finish(self) noexcept nogil
    cdef void _learn(self) noexcept nogil
    cdef void _analyse(self) noexcept nogil
    cdef void _see_reasons(self, int reason, int o) noexcept nogil
    cdef inline void _see(self, int o) noexcept nogil
    cdef inline int _denial(self, int o) noexcept nogil
    cdef int _second_level(self) noexcept nogil
    cdef int _keep(self) noexcept nogil
    cdef int _rank(self) noexcept nogil
    cdef void _start_over(self) noexcept nogil
    cdef void _forget(self) noexcept nogil
    cdef void _halve(self) noexcept nogil
    cdef void _tally(self) noexcept nogil
    cdef int _move(self, int c, int to) noexcept nogil
    cdef inline int _draw(self, int n) noexcept nogil
