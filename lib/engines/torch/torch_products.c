/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of torch_products.h for one number type: bfloat16 or int8 where this is compiled
 * with the instructions for it, else float32. TORCH_PRODUCTS is the name of their table.
 *
 * A tile of a product is some rows times a panel of 64 columns, four vectors wide, summed in
 * registers: for each group of components four vectors of weights are loaded, and 32 bits of each
 * row go to all places of a vector. Rows of a tile are a constant where it is inlined. While the
 * tiles of a panel are computed, the next panel comes from memory, a share with each tile: fetched
 * faster, it would keep the tiles waiting. */
#include "torch_products.h"
#include "torch_after.h"

enum { VECTORS = TORCH_PANEL / WIDTH, TILE = 6, PANEL_GROUP = TORCH_PANEL * 4, LINE = 64 };

#define UNROLLED_TILE _Pragma("GCC unroll 8")

INLINE int64_t groups_of(int64_t in, int64_t group) {
    return (in + group - 1) / group;
}

/* Returns sum with the products added by the instruction, of which weights are operand 1 and the
 * row is operand 2. Around its intrinsic gcc 12 copies every sum from register to register and
 * back, which takes as long as the products. */
#define ADD_PRODUCTS(instruction)                                                                  \
    __asm__(instruction : "+v"(sum) : "v"(weights), "v"(row));                                     \
    return sum

#if defined(__AVX512BF16__)

#define GROUP 2
typedef uint16_t narrow_number;
typedef floats sums_vector;

INLINE sums_vector add_products(sums_vector sum, __m512i weights, __m512i row) {
    ADD_PRODUCTS("vdpbf16ps %2, %1, %0");
}

/* Rounds to nearest even. */
INLINE void narrow_vector(floats x, int32_t zero, narrow_number *to) {
    const __m256i bits = (__m256i)_mm512_cvtneps_pbh((__m512)x);
    (void)zero;
    memcpy(to, &bits, sizeof bits);
}
INLINE int32_t weight_vector(floats x, narrow_number *to) {
    narrow_vector(x, 0, to);
    return 0;
}

/* The factor that numbers are multiplied by before they are rounded, and the one of results. */
INLINE float factor_of(const float *x, int64_t in, float *scale, int32_t *zero) {
    (void)x, (void)in;
    *zero = 0;
    *scale = 1;
    return 1;
}
INLINE float weight_factor_of(const float *x, int64_t in, float *scale) {
    int32_t zero;
    return factor_of(x, in, scale, &zero);
}
INLINE floats result_of(const torch_product *what, sums_vector sum, int64_t row, int64_t column) {
    (void)row;
    return sum + load(what->bias + column);
}

#elif defined(__AVX512VNNI__)

#define GROUP 4
enum { STEPS = 255, WEIGHT_STEPS = 127 };
typedef uint8_t narrow_number; /* of a weight an int8_t */
typedef ints sums_vector;

/* The instruction takes the row, its second factor here, without a sign. */
INLINE sums_vector add_products(sums_vector sum, __m512i weights, __m512i row) {
    ADD_PRODUCTS("vpdpbusd %1, %2, %0");
}
/* What is above 255, where both ends of a range are rounded up, becomes 255. */
INLINE void narrow_vector(floats x, int32_t zero, narrow_number *to) {
    const ints steps = (ints)_mm512_cvtps_epi32((__m512)x) + zero;
    const __m128i bytes = _mm512_cvtusepi32_epi8((__m512i)steps);
    memcpy(to, &bytes, sizeof bytes);
}
/* Returns the sum. */
INLINE int32_t weight_vector(floats x, narrow_number *to) {
    const __m512i steps = _mm512_cvtps_epi32((__m512)x);
    const __m128i bytes = _mm512_cvtepi32_epi8(steps);
    memcpy(to, &bytes, sizeof bytes);
    return _mm512_reduce_add_epi32(steps);
}

/* The range of a row with 0: bits of floats above 0 have the order of the floats as integers, those
 * below 0 as unsigned ones, both with infinity and NaN at their ends. */
INLINE void find_range(const float *x, int64_t in, float *least, float *greatest) {
    __m512i above = _mm512_setzero_si512(), below = _mm512_set1_epi32(INT32_MIN);
    for (int64_t k = 0; k < in; k += WIDTH) {
        const int64_t left = in - k;
        const __mmask16 some = (__mmask16)(left < WIDTH ? (1u << left) - 1 : 0xffff);
        const __m512i bits = _mm512_maskz_loadu_epi32(some, x + k);
        above = _mm512_max_epi32(bits, above);
        below = _mm512_max_epu32(bits, below);
    }
    const int32_t most = _mm512_reduce_max_epi32(above);
    const uint32_t last = _mm512_reduce_max_epu32(below);
    memcpy(greatest, &most, sizeof most);
    memcpy(least, &last, sizeof last);
}

/* steps / range, and as the scale its inverse; 0 and the scale 0 where the range is 0 or too small
 * to divide by, 0 and the scale NaN where it is infinite or none. */
INLINE float factor_of_range(float range, float steps, float *scale) {
    *scale = !isfinite(range) ? NAN : range < 1e-30f ? 0.0f : range / steps;
    return *scale > 0 ? steps / range : 0.0f;
}
INLINE float factor_of(const float *x, int64_t in, float *scale, int32_t *zero) {
    float least, greatest;
    find_range(x, in, &least, &greatest);
    const float factor = factor_of_range(greatest - least, STEPS, scale);
    *zero = factor == 0 ? 0 : (int32_t)rintf(-least * factor);
    return factor;
}
INLINE float weight_factor_of(const float *x, int64_t in, float *scale) {
    float least, greatest;
    find_range(x, in, &least, &greatest);
    return factor_of_range(greatest > -least || isnan(greatest) ? greatest : -least, WEIGHT_STEPS,
                           scale);
}
INLINE floats result_of(const torch_product *what, sums_vector sum, int64_t row, int64_t column) {
    ints sums;
    memcpy(&sums, what->sums + column, sizeof sums);
    const ints exact = sum - sums * what->row_zeros[row];
    const floats scale = load(what->scales + column) * what->row_scales[row];
    return __builtin_convertvector(exact, floats) * scale + load(what->bias + column);
}

#else

#define GROUP 1
typedef floats sums_vector;

INLINE sums_vector add_products(sums_vector sum, __m512i weights, __m512i row) {
    ADD_PRODUCTS("vfmadd231ps %2, %1, %0");
}
INLINE floats result_of(const torch_product *what, sums_vector sum, int64_t row, int64_t column) {
    (void)row;
    return sum + load(what->bias + column);
}

#endif

#if GROUP > 1

/* Rounds one row: `padded` numbers, those behind `in` any, as weights there are zeros. */
INLINE void narrow_row(const float *x, int64_t in, int64_t padded, narrow_number *to, float *scale,
                       int32_t *zero) {
    const float factor = factor_of(x, in, scale, zero);
    int64_t k = 0;
    for (; k + WIDTH <= in; k += WIDTH) {
        /* 0 times infinity is none. */
        narrow_vector(factor == 0 ? all_of(0) : load(x + k) * factor, *zero, to + k);
    }
    if (k < padded) {
        float rest[WIDTH] = {0};
        narrow_number rounded[WIDTH];
        for (int64_t i = k; i < in && factor != 0; i++) rest[i - k] = x[i] * factor;
        narrow_vector(load(rest), *zero, rounded);
        memcpy(to + k, rounded, (size_t)(padded - k) * sizeof *to);
    }
}

static void narrow(const float *inputs, int64_t count, int64_t in, void *rows, float *scales,
                   int32_t *zeros) {
    const int64_t padded = groups_of(in, GROUP) * GROUP;
    narrow_number *to = rows;
    for (int64_t r = 0; r < count; r++)
        narrow_row(inputs + r * in, in, padded, to + r * padded, scales + r, zeros + r);
}

static void pack(const float *weights, int64_t rows, int64_t in, void *panel, float *scales,
                 int32_t *sums) {
    const int64_t groups = groups_of(in, GROUP);
    narrow_number *to = panel;
    for (int64_t c = 0; c < TORCH_PANEL; c++) {
        const float *row = weights + c * in;
        scales[c] = 0;
        sums[c] = 0;
        const float factor = c < rows ? weight_factor_of(row, in, scales + c) : 0.0f;
        for (int64_t first = 0; first < groups * GROUP; first += WIDTH) {
            float some[WIDTH] = {0};
            narrow_number rounded[WIDTH];
            for (int64_t k = first; k < in && k < first + WIDTH && factor != 0; k++)
                some[k - first] = row[k] * factor;
            sums[c] += weight_vector(load(some), rounded);
            for (int64_t k = first; k < groups * GROUP && k < first + WIDTH; k++)
                to[(k / GROUP * TORCH_PANEL + c) * GROUP + k % GROUP] = rounded[k - first];
        }
    }
}

#else

/* Exchanges rows and columns: of two rows that are `apart`, the columns that are, for all powers of
 * two. */
INLINE void transpose(floats square[WIDTH]) {
    for (int apart = 1; apart < WIDTH; apart *= 2) {
        ints first, second;
        for (int j = 0; j < WIDTH; j++) {
            first[j] = j & apart ? WIDTH + j - apart : j;
            second[j] = first[j] + apart;
        }
        for (int i = 0; i < WIDTH; i++) {
            if (i & apart) continue;
            const floats above = square[i], below = square[i + apart];
            square[i] = __builtin_shuffle(above, below, first);
            square[i + apart] = __builtin_shuffle(above, below, second);
        }
    }
}

/* There is nothing to scale. While some columns are turned, the rows of the next panel, which lie
 * behind these, come from memory. */
static void pack(const float *weights, int64_t rows, int64_t in, void *panel, float *scales,
                 int32_t *sums) {
    float *to = panel;
    (void)scales, (void)sums;
    const char *next = (const char *)(weights + TORCH_PANEL * in);
    for (int64_t k = 0; k < in; k += WIDTH) {
        const int64_t left = in - k < WIDTH ? in - k : WIDTH;
        for (int line = 0; line < TORCH_PANEL; line++, next += LINE)
            __builtin_prefetch(next, 0 /* read */, 2 /* into the second cache */);
        for (int64_t c = 0; c < TORCH_PANEL; c += WIDTH) {
            const __mmask16 some = (__mmask16)((1u << left) - 1);
            floats square[WIDTH];
            for (int i = 0; i < WIDTH; i++)
                square[i] = (floats)_mm512_maskz_loadu_ps(c + i < rows ? some : 0,
                                                          weights + (c + i) * in + k);
            transpose(square);
            for (int i = 0; i < left; i++) store(to + (k + i) * TORCH_PANEL + c, square[i]);
        }
    }
}

#endif

/* Groups of a panel that are multiplied together; `next` is what is fetched meanwhile, a line for
 * every `every` groups, a power of 2. */
struct block {
    int64_t panel, first, end, every;
    const char *next;
};

#if GROUP == 1

/* Sums of the blocks before, which are in the place of the result. */
enum { BLOCK = 1024 };

INLINE __mmask16 columns_of(int64_t size) {
    return (__mmask16)(size >= WIDTH ? 0xffff : size > 0 ? (1u << size) - 1 : 0);
}
INLINE floats begun(const torch_product *what, const struct block *block, int64_t row,
                    int64_t column) {
    if (block->first == 0) return (floats){0};
    return (floats)_mm512_maskz_loadu_ps(columns_of(what->out - column),
                                         what->result + row * what->out + column);
}
INLINE void keep_sum(const torch_product *what, floats sum, int64_t row, int64_t column) {
    _mm512_mask_storeu_ps(what->result + row * what->out + column, columns_of(what->out - column),
                          (__m512)sum);
}

#else

/* A panel, whose sums are none of float32, is one block. */
#define BLOCK INT64_MAX

INLINE sums_vector begun(const torch_product *what, const struct block *block, int64_t row,
                         int64_t column) {
    (void)what, (void)block, (void)row, (void)column;
    return (sums_vector){0};
}
INLINE void keep_sum(const torch_product *what, sums_vector sum, int64_t row, int64_t column) {
    (void)what, (void)sum, (void)row, (void)column;
}

#endif

INLINE void multiply_tile(const torch_product *what, const struct block *block, int64_t row,
                          int rows) {
    const int64_t groups = groups_of(what->in, GROUP), first = block->panel * TORCH_PANEL;
    const char *weights =
        (const char *)what->weights + (block->panel * groups + block->first) * PANEL_GROUP;
    const char *inputs = (const char *)what->rows + row * groups * 4;
    const char *next = block->next;
    sums_vector sums[TILE][VECTORS];
    UNROLLED_TILE
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int v = 0; v < VECTORS; v++)
            sums[r][v] = begun(what, block, row + r, first + v * WIDTH);
    }
    for (int64_t g = block->first; g < block->end; g++, weights += PANEL_GROUP) {
        __m512i own[VECTORS];
        if ((g & (block->every - 1)) == 0) {
            __builtin_prefetch(next, 0 /* read */, 2 /* into the second cache */);
            next += LINE;
        }
        UNROLLED
        for (int v = 0; v < VECTORS; v++) own[v] = _mm512_loadu_si512(weights + v * LINE);
        UNROLLED_TILE
        for (int r = 0; r < rows; r++) {
            int32_t bits;
            memcpy(&bits, inputs + (r * groups + g) * 4, sizeof bits);
            const __m512i input = _mm512_set1_epi32(bits);
            UNROLLED
            for (int v = 0; v < VECTORS; v++) sums[r][v] = add_products(sums[r][v], own[v], input);
        }
    }
    if (block->end < groups) {
        UNROLLED_TILE
        for (int r = 0; r < rows; r++) {
            UNROLLED
            for (int v = 0; v < VECTORS; v++)
                keep_sum(what, sums[r][v], row + r, first + v * WIDTH);
        }
        return;
    }
    floats results[TILE][VECTORS];
    UNROLLED_TILE
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int v = 0; v < VECTORS; v++)
            results[r][v] = result_of(what, sums[r][v], row + r, first + v * WIDTH);
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++) {
            const int64_t column = first + v * WIDTH, size = what->out - column;
            if (size > 0)
                put_vector(what, results[r][v], row + r, column, size < WIDTH ? size : WIDTH);
        }
}

/* All rows, in tiles that differ by one row at most: a tile of few rows would wait for weights.
 * Meanwhile the next block in memory is prefetched. It has as many cache lines as this one, and
 * each tile prefetches those that follow what the tile before it has. */
static void multiply_block(const torch_product *what, struct block block) {
    const int64_t groups = block.end - block.first, tiles = (what->count + TILE - 1) / TILE,
                  share = (groups + block.every - 1) / block.every * LINE;
    const char *own = (const char *)what->weights +
                      (block.panel * groups_of(what->in, GROUP) + block.first) * PANEL_GROUP;
    const char *behind = own + groups * PANEL_GROUP;
    for (int64_t tile = 0, row = 0, rows; tile < tiles; tile++, row += rows) {
        rows = (what->count - row + tiles - tile - 1) / (tiles - tile);
        block.next = (tile + 1) * share <= groups * PANEL_GROUP ? behind + tile * share : own;
        switch (rows) {
        case 5:
            multiply_tile(what, &block, row, 5);
            break;
        case 4:
            multiply_tile(what, &block, row, 4);
            break;
        case 3:
            multiply_tile(what, &block, row, 3);
            break;
        case 2:
            multiply_tile(what, &block, row, 2);
            break;
        case 1:
            multiply_tile(what, &block, row, 1);
            break;
        default:
            multiply_tile(what, &block, row, TILE);
            break;
        }
    }
}

static void multiply(const torch_product *what) {
    const int64_t groups = groups_of(what->in, GROUP), tiles = (what->count + TILE - 1) / TILE;
    struct block block = {.every = tiles >= 32 ? 8 : tiles >= 16 ? 4 : tiles >= 8 ? 2 : 1};
    for (block.panel = what->panel; block.panel < what->panels; block.panel++)
        for (block.first = 0; block.first < groups; block.first = block.end) {
            block.end = groups - block.first > BLOCK ? block.first + BLOCK : groups;
            multiply_block(what, block);
        }
}

extern const torch_products TORCH_PRODUCTS;
#if GROUP > 1
const torch_products TORCH_PRODUCTS = {GROUP, pack, narrow, multiply};
#else
const torch_products TORCH_PRODUCTS = {GROUP, pack, NULL, multiply};
#endif
