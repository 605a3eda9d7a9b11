/* The search of the core on vectors of bytes, for gcc and clang on x86-64: with AVX2 where the processor has it, else
   with SSE2. Other compilers, other processors and DLX_PORTABLE use `_search` of core.py, which takes the same steps.

   The file has two parts. The first part includes the second part once for each kind of vector. */
#ifndef DLX_CORE_SEARCH

#ifndef DLX_CORE_H
#define DLX_CORE_H

#include <string.h>

typedef struct {  /* the fields of a Core have the same names, except `limit` and `most` */
    const unsigned long long *conflict, *users;
    unsigned long long *live, *todo;
    const unsigned char *has;
    unsigned char *size;
    int *chosen;
    int words, width, level, base;
    long long nodes, covers, updates;  /* of this run */
    long long limit, most;  /* the run stops before it tries another node, or with the last of so many covers */
} dlx_core;

enum { DLX_ENDED, DLX_SPENT, DLX_FOUND };
enum { DLX_LANES = 256 };  /* items at most */

#if defined(__GNUC__) && !defined(DLX_PORTABLE)
#define dlx_first(word) __builtin_ctzll(word)
#else
static inline int dlx_first(unsigned long long word) {
    int place = 0;
    while (!(word & 255)) word >>= 8, place += 8;
    while (!(word & 1)) word >>= 1, place++;
    return place;
}
#endif

#if defined(__GNUC__) && defined(__x86_64__) && !defined(DLX_PORTABLE)
#include <immintrin.h>
#define DLX_CORE_VECTORS 1
#define DLX_INLINE __attribute__((always_inline)) static inline
#define DLX_AVX2 __attribute__((target("avx2")))

typedef unsigned char dlx_bytes32 __attribute__((vector_size(32)));
typedef unsigned char dlx_bytes16 __attribute__((vector_size(16)));

/* Return the least byte of n vectors, and its first place. */
DLX_AVX2 DLX_INLINE int dlx_least_avx2(const dlx_bytes32 *a, int n, int *place) {
    __m256i all = (__m256i) a[0], copies;
    __m128i half;
    int least;
    for (int v = 1; v < n; v++) all = _mm256_min_epu8(all, (__m256i) a[v]);
    half = _mm_min_epu8(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    half = _mm_min_epu8(half, _mm_srli_epi16(half, 8));
    least = _mm_cvtsi128_si32(_mm_minpos_epu16(half)) & 255;
    copies = _mm256_set1_epi8((char) least);
    for (int v = 0; v < n; v++) {
        unsigned equal = (unsigned) _mm256_movemask_epi8(_mm256_cmpeq_epi8((__m256i) a[v], copies));
        if (equal) {
            *place = 32 * v + __builtin_ctz(equal);
            break;
        }
    }
    return least;
}

DLX_INLINE int dlx_least_sse2(const dlx_bytes16 *a, int n, int *place) {
    __m128i all = (__m128i) a[0], copies;
    int least;
    for (int v = 1; v < n; v++) all = _mm_min_epu8(all, (__m128i) a[v]);
    all = _mm_min_epu8(all, _mm_srli_si128(all, 8));
    all = _mm_min_epu8(all, _mm_srli_si128(all, 4));
    all = _mm_min_epu8(all, _mm_srli_si128(all, 2));
    all = _mm_min_epu8(all, _mm_srli_si128(all, 1));
    least = _mm_cvtsi128_si32(all) & 255;
    copies = _mm_set1_epi8((char) least);
    for (int v = 0; v < n; v++) {
        unsigned equal = (unsigned) _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i) a[v], copies));
        if (equal) {
            *place = 16 * v + __builtin_ctz(equal);
            break;
        }
    }
    return least;
}

#define DLX_CORE_SEARCH dlx_search_avx2
#define DLX_TARGET DLX_AVX2
#define DLX_VECTOR dlx_bytes32
#define DLX_LEAST dlx_least_avx2
#include "core.h"
#define DLX_CORE_SEARCH dlx_search_sse2
#define DLX_TARGET
#define DLX_VECTOR dlx_bytes16
#define DLX_LEAST dlx_least_sse2
#include "core.h"

/* With constant numbers of words and vectors a compiler keeps a state in registers. */
DLX_AVX2 __attribute__((noinline)) static int dlx_run_avx2(dlx_core *c) {
    if (c->words == 2) return dlx_search_avx2(c, 2, c->width / 32);
    if (c->words == 3) return dlx_search_avx2(c, 3, c->width / 32);
    if (c->words > 3) return dlx_search_avx2(c, 4, c->width / 32);
    switch (c->width / 32) {
        case 1: return dlx_search_avx2(c, 1, 1);
        case 2: return dlx_search_avx2(c, 1, 2);
        case 3: return dlx_search_avx2(c, 1, 3);
        case 4: return dlx_search_avx2(c, 1, 4);
        default: return dlx_search_avx2(c, 1, c->width / 32);
    }
}

__attribute__((noinline)) static int dlx_run_sse2(dlx_core *c) {
    if (c->words == 2) return dlx_search_sse2(c, 2, c->width / 16);
    if (c->words == 3) return dlx_search_sse2(c, 3, c->width / 16);
    if (c->words > 3) return dlx_search_sse2(c, 4, c->width / 16);
    switch (c->width / 32) {
        case 1: return dlx_search_sse2(c, 1, 2);
        case 2: return dlx_search_sse2(c, 1, 4);
        case 3: return dlx_search_sse2(c, 1, 6);
        default: return dlx_search_sse2(c, 1, c->width / 16);
    }
}

static inline int dlx_core_run(dlx_core *c) {
    return __builtin_cpu_supports("avx2") ? dlx_run_avx2(c) : dlx_run_sse2(c);
}
#else
#define DLX_CORE_VECTORS 0
static inline int dlx_core_run(dlx_core *c) { return c->level; }  /* not called */
#endif
#endif

#else

/* The search on states of `words` words and n vectors; `_search` of core.py in C, and it takes the same steps. */
DLX_TARGET DLX_INLINE int DLX_CORE_SEARCH(dlx_core *c, const int words, const int n) {
    const int width = n * (int) sizeof(DLX_VECTOR);
    DLX_VECTOR left[DLX_LANES / sizeof(DLX_VECTOR)];
    unsigned long long rest[4];
    long long nodes = 0, covers = 0, updates = 0;
    int level = c->level, status;
    for (;;) {
        unsigned long long *todo = c->todo + level * words;
        const unsigned long long *live = c->live + level * words, *conflict;
        const DLX_VECTOR *size, *has;
        int option, least, place = 0, w = 0;
        while (w < words - 1 && !todo[w]) w++;
        if (!todo[w]) {  /* back up */
            status = DLX_ENDED;
            if (level == c->base) break;
            level--;
            continue;
        }
        status = DLX_SPENT;
        if (nodes >= c->limit) break;
        nodes++;  /* try */
        option = 64 * w + __builtin_ctzll(todo[w]);
        todo[w] &= todo[w] - 1;
        c->chosen[level] = option;
        size = (const DLX_VECTOR *) (c->size + level * width);  /* count */
        has = (const DLX_VECTOR *) (c->has + option * width);
        conflict = c->conflict + option * words;
        for (int v = 0; v < n; v++) left[v] = size[v] - has[v];
        for (w = 0; w < words; w++) {
            unsigned long long gone = live[w] & conflict[w];
            rest[w] = live[w] ^ gone;
            while (gone) {
                has = (const DLX_VECTOR *) (c->has + (64 * w + __builtin_ctzll(gone)) * width);
                gone &= gone - 1;
                updates++;
                for (int v = 0; v < n; v++) left[v] -= has[v];
            }
        }
        least = DLX_LEAST(left, n, &place);
        if (least == 0) continue;
        if (least == 255) {  /* a cover */
            status = DLX_FOUND;
            if (++covers == c->most) break;
            continue;
        }
        level++;  /* enter */
        for (int v = 0; v < n; v++) ((DLX_VECTOR *) (c->size + level * width))[v] = left[v];
        for (w = 0; w < words; w++) {
            c->live[level * words + w] = rest[w];
            c->todo[level * words + w] = rest[w] & c->users[place * words + w];
        }
    }
    c->nodes = nodes;
    c->covers = covers;
    c->updates = updates;
    c->level = level;
    return status;
}
#undef DLX_CORE_SEARCH
#undef DLX_TARGET
#undef DLX_VECTOR
#undef DLX_LEAST
#endif
