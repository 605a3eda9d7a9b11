"""Registers of 16 words, for the functions that gcc makes for processors with AVX-512.

A function whose result is declared as `wide` is made for these; all that it calls has to be inlined there (`flatten`),
since the others know no such registers. Other compilers get one word in place of 16: they make what nobody calls.
"""

cdef extern from *:
    """
    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(_WIN32) \\
        && !defined(__NO_INLINE__) && !defined(DLX_PORTABLE)  /* in Windows gcc leaves the stack unaligned for them */
    #include <immintrin.h>
    #pragma GCC diagnostic ignored "-Wpsabi"
    #pragma GCC diagnostic ignored "-Wattributes"  /* Cython repeats the type of a result where none may stand */
    #define SUDOKU_TARGET target("avx512f,avx512bw,avx512dq,avx512vl,popcnt,bmi,bmi2")
    #define SUDOKU_WIDE __attribute__((SUDOKU_TARGET, flatten)) int
    #define SUDOKU_INLINE __attribute__((SUDOKU_TARGET)) static inline
    #define SUDOKU_HAS(feature) __builtin_cpu_supports(feature)
    #define sudoku_is_wide() (SUDOKU_HAS("avx512f") && SUDOKU_HAS("avx512bw") && SUDOKU_HAS("avx512dq") \\
        && SUDOKU_HAS("avx512vl") && SUDOKU_HAS("popcnt") && SUDOKU_HAS("bmi") && SUDOKU_HAS("bmi2"))
    typedef unsigned int sudoku_lanes __attribute__((vector_size(64)));
    SUDOKU_INLINE sudoku_lanes sudoku_load(const unsigned int *words, Py_ssize_t at) {
        return (sudoku_lanes) _mm512_loadu_si512(words + at);
    }
    SUDOKU_INLINE void sudoku_store(unsigned int *words, Py_ssize_t at, sudoku_lanes v) {
        _mm512_storeu_si512(words + at, (__m512i) v);
    }
    SUDOKU_INLINE sudoku_lanes sudoku_copies(unsigned int x, unsigned int lanes) {
        return (sudoku_lanes) _mm512_maskz_set1_epi32((__mmask16) lanes, (int) x);
    }
    SUDOKU_INLINE unsigned int sudoku_which(sudoku_lanes v) { return _mm512_test_epi32_mask((__m512i) v, (__m512i) v); }
    SUDOKU_INLINE sudoku_lanes sudoku_where(sudoku_lanes v) { return (sudoku_lanes) (v != 0); }
    SUDOKU_INLINE unsigned int sudoku_first(sudoku_lanes v) { return v[0]; }
    SUDOKU_INLINE sudoku_lanes sudoku_union(sudoku_lanes v) {
        v |= (sudoku_lanes) _mm512_shuffle_i32x4((__m512i) v, (__m512i) v, 0x4E);
        v |= (sudoku_lanes) _mm512_shuffle_i32x4((__m512i) v, (__m512i) v, 0xB1);
        v |= (sudoku_lanes) _mm512_shuffle_epi32((__m512i) v, 0x4E);
        return v | (sudoku_lanes) _mm512_shuffle_epi32((__m512i) v, 0xB1);
    }
    #else
    #define SUDOKU_WIDE int
    #define sudoku_is_wide() 0
    typedef unsigned int sudoku_lanes;
    #define sudoku_load(words, at) (words)[at]
    #define sudoku_store(words, at, v) (void) ((words)[at] = (v))
    #define sudoku_copies(x, lanes) (x)
    #define sudoku_which(v) (v)
    #define sudoku_where(v) (v)
    #define sudoku_first(v) (v)
    #define sudoku_union(v) (v)
    #endif
    """
    ctypedef unsigned long long lanes "sudoku_lanes"  # 16 of unsigned int; to Cython another type than that
    ctypedef int wide "SUDOKU_WIDE"  # the result of a function for AVX-512
    bint is_wide "sudoku_is_wide"() noexcept nogil  # whether this processor has it
    lanes load "sudoku_load"(const unsigned int *words, Py_ssize_t at) noexcept nogil
    void store "sudoku_store"(unsigned int *words, Py_ssize_t at, lanes v) noexcept nogil
    lanes copies "sudoku_copies"(unsigned int x, unsigned int lanes) noexcept nogil  # x in the lanes of a set, else 0
    unsigned int which "sudoku_which"(lanes v) noexcept nogil  # the set of lanes that are not 0
    lanes where "sudoku_where"(lanes v) noexcept nogil  # all bits of those lanes
    unsigned int first "sudoku_first"(lanes v) noexcept nogil
    lanes union_of "sudoku_union"(lanes v) noexcept nogil  # of all lanes, in each of them

ctypedef fused word:
    unsigned int
    lanes
