/* The search of the core, as in `_search` of core.py: on vectors of 32 bytes where gcc or clang compile for x86-64 and the
   processor has AVX2; elsewhere, and with DLX_PORTABLE, on words of eight bytes.

   The file has two parts. The first part includes the second part once for vectors and once for words. */
#ifndef DLX_CORE_SEARCH

#ifndef DLX_CORE_H
#define DLX_CORE_H

#include <string.h>

typedef unsigned long long dlx_word;

typedef struct {  /* the fields of a Core have the same names, except `limit` and `most` */
    const dlx_word *conflict, *users;
    dlx_word *live, *todo;
    const unsigned char *has;
    unsigned char *size;
    int *chosen;
    int words, width, level, base;
    long long nodes, covers, updates;  /* of this run */
    long long limit, most;  /* the most nodes and covers of this run */
} dlx_core;

enum { DLX_ENDED, DLX_SPENT, DLX_FOUND };
enum { DLX_LANES = 256 };  /* items at most */

#if defined(__GNUC__) && !defined(DLX_PORTABLE)
#define dlx_first(word) __builtin_ctzll(word)
#else
static inline int dlx_first(dlx_word word) {
    word &= 0 - word;
    return 32 * !!(word & 0xFFFFFFFF00000000) + 16 * !!(word & 0xFFFF0000FFFF0000) + 8 * !!(word & 0xFF00FF00FF00FF00)
         + 4 * !!(word & 0xF0F0F0F0F0F0F0F0) + 2 * !!(word & 0xCCCCCCCCCCCCCCCC) + !!(word & 0xAAAAAAAAAAAAAAAA);
}
#endif

#define DLX_ONES 0x0101010101010101
#define DLX_HIGHS 0x8080808080808080

/* Return the least byte of n words, and its first place. */
static inline int dlx_least_of_words(const dlx_word *a, int n, int *place) {
    dlx_word all = ~(dlx_word) 0;
    for (int v = 0; v < n; v++) all &= a[v];
    if (all == ~(dlx_word) 0) return 255;
    for (int least = 0;; least++)
        for (int v = 0; v < n; v++) {
            dlx_word x = a[v] ^ least * DLX_ONES;
            if ((x - DLX_ONES) & ~x & DLX_HIGHS) {  /* a byte of x is zero */
                *place = 8 * v;
                while (((const unsigned char *) a)[*place] != least) ++*place;
                return least;
            }
        }
}

#define DLX_CORE_SEARCH dlx_search_words
#define DLX_STEP static inline
#define DLX_ROW dlx_word
#define DLX_LEAST dlx_least_of_words
#include "core.h"

#if defined(__GNUC__) && defined(__x86_64__) && !defined(DLX_PORTABLE)
#include <immintrin.h>
#define DLX_AVX2 __attribute__((target("avx2")))

typedef unsigned char dlx_bytes __attribute__((vector_size(32)));

/* Return the least byte of n vectors, and its first place. */
DLX_AVX2 __attribute__((always_inline)) static inline int dlx_least_of_bytes(const dlx_bytes *a, int n, int *place) {
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

#define DLX_CORE_SEARCH dlx_search_bytes
#define DLX_STEP DLX_AVX2 __attribute__((always_inline)) static inline
#define DLX_ROW dlx_bytes
#define DLX_LEAST dlx_least_of_bytes
#include "core.h"

/* With constant numbers of words and vectors a compiler keeps a state in registers. */
DLX_AVX2 __attribute__((noinline, unused)) static int dlx_run_bytes(dlx_core *c) {
    const int n = c->width / 32;
    if (c->words == 2) return dlx_search_bytes(c, 2, n);
    if (c->words == 3) return dlx_search_bytes(c, 3, n);
    if (c->words > 3) return dlx_search_bytes(c, 4, n);
    switch (n) {
        case 1: return dlx_search_bytes(c, 1, 1);
        case 2: return dlx_search_bytes(c, 1, 2);
        case 3: return dlx_search_bytes(c, 1, 3);
        case 4: return dlx_search_bytes(c, 1, 4);
        default: return dlx_search_bytes(c, 1, n);
    }
}

static inline int dlx_core_run(dlx_core *c) {
    if (__builtin_cpu_supports("avx2")) return dlx_run_bytes(c);
    return dlx_search_words(c, c->words, c->width / 8);
}
#else
static inline int dlx_core_run(dlx_core *c) { return dlx_search_words(c, c->words, c->width / 8); }
#endif
#endif

#else

/* The search on states of `words` words and n rows; it takes the same steps as `_search` of core.py. */
DLX_STEP int DLX_CORE_SEARCH(dlx_core *c, const int words, const int n) {
    const int width = n * (int) sizeof(DLX_ROW), is_words = sizeof(DLX_ROW) == sizeof(dlx_word);
    DLX_ROW left[DLX_LANES / sizeof(DLX_ROW)];
    dlx_word rest[4];
    long long nodes = 0, covers = 0, updates = 0;
    int level = c->level, status;
    for (;;) {
        dlx_word *todo = c->todo + level * words;
        const dlx_word *live = c->live + level * words, *conflict;
        const DLX_ROW *size, *has, *own;
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
        option = 64 * w + dlx_first(todo[w]);
        todo[w] &= todo[w] - 1;
        c->chosen[level] = option;
        size = (const DLX_ROW *) (c->size + level * width);  /* count */
        own = (const DLX_ROW *) (c->has + option * width);
        conflict = c->conflict + option * words;
        /* The chosen option's items fall to 0 with the conflicts, then to 255: words are set, since they would borrow. */
        for (int v = 0; v < n; v++) left[v] = is_words ? size[v] : size[v] - own[v];
        for (w = 0; w < words; w++) {
            dlx_word gone = live[w] & conflict[w];
            rest[w] = live[w] ^ gone;
            while (gone) {
                has = (const DLX_ROW *) (c->has + (64 * w + dlx_first(gone)) * width);
                gone &= gone - 1;
                updates++;
                for (int v = 0; v < n; v++) left[v] -= has[v];
            }
        }
        if (is_words)
            for (int v = 0; v < n; v++) left[v] |= 255 * own[v];
        least = DLX_LEAST(left, n, &place);
        if (least == 0) continue;
        if (least == 255) {  /* a cover */
            status = DLX_FOUND;
            if (++covers == c->most) break;
            continue;
        }
        level++;  /* enter */
        for (int v = 0; v < n; v++) ((DLX_ROW *) (c->size + level * width))[v] = left[v];
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
#undef DLX_STEP
#undef DLX_ROW
#undef DLX_LEAST
#endif
