from dlx.kernels.cover.frame cimport BUFFER_FULL, DONE, EXHAUSTED, Frame


cdef class Components(Frame):
    cdef const int[::1] indptr, indices
    cdef char[::1] is_usable  # is_usable[o]: whether option o has a primary item
    cdef int[::1] parent  # a forest; the root of each tree is the smallest item of the component, its own parent
    cdef object component  # the component of each item; None before the first call of `labels`
    cdef readonly int number  # components; numbered in the order of their smallest items, which are primary
    # The components with more than one option. It is 1 if there is one component, or one without options, which any
    # search sees at once: there is no cover.
    cdef readonly int choices
    # After `prepare`:
    cdef int[::1] part_begin, part_item  # part_item[part_begin[c]:part_begin[c + 1]]: the primary items of component c
    cdef const int[::1] begin, user  # user[begin[i]:begin[i + 1]]: the usable options that have item i
    cdef char[::1] hard  # hard[c]: whether component c needs a search of its own
    cdef int[::1] hidden  # hidden[o]: the number of items of option o that chosen options cover
    cdef int[::1] size  # size[i]: how many options of item i are not hidden
    cdef char[::1] covered  # covered[i]: whether a chosen option has item i
    cdef int[::1] next, end  # user[next[l]:end[l]]: the options still to try at level l
    cdef int part  # the component being searched, or the next one
    cdef int settled  # the number of components searched to the end
    cdef long long patience  # updates for a component
    cdef int[::1] owner  # owner[r]: the component of row r of the buffer
    cdef readonly bint impossible  # whether a component has been found to have no cover

    cdef inline int _root(self, int i) noexcept nogil
    cdef int _join(self) noexcept nogil
    cdef void _search(self) noexcept nogil
    cdef void _enter(self) noexcept nogil
    cdef int _next_option(self) noexcept nogil
    cdef void _cover(self, int o) noexcept nogil
    cdef void _uncover(self) noexcept nogil
    cdef inline void _hide(self, int i, int by) noexcept nogil
