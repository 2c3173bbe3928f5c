/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of char_code.h, written once with vectors of GNU C (char_code_wide.h) and compiled
 * for each instruction set with vectors of the length of its registers. */
#include "text/char_code.h"

#include <string.h>

#define INLINED static inline __attribute__((always_inline))

/* A double that is halfway between two float32 ends in 1 and ROUNDED - 1 zeros. The differences of
 * multiply() are negative where the last ROUNDED bits are `reach` or less from that. */
enum { ROUNDED = 29 };

#define WIDE(name) name##_portable
#define INSTRUCTIONS
#define REGISTER 16
#define SUMS 8
#include "text/char_code_wide.h"

#if defined(__x86_64__)
#define WIDE(name) name##_avx2
#define INSTRUCTIONS __attribute__((target("avx2")))
#define REGISTER 32
#define SUMS 8
#include "text/char_code_wide.h"

#define WIDE(name) name##_avx512
#define INSTRUCTIONS __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define REGISTER 64
#define SUMS 16
#include "text/char_code_wide.h"
#endif

int alcore__char_code_list(const alcore__char_code *out[ALCORE__CHAR_CODES]) {
    int count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        out[count++] = &code_avx512;
    if (__builtin_cpu_supports("avx2")) out[count++] = &code_avx2;
#endif
    out[count++] = &code_portable;
    return count;
}

const alcore__char_code *alcore__char_code_choose(void) {
    const alcore__char_code *codes[ALCORE__CHAR_CODES];
    alcore__char_code_list(codes);
    return codes[0];
}
