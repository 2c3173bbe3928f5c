/* SPDX-License-Identifier: Apache-2.0 */
/* Large blocks in large pages: a table of hundreds of megabytes that is read at random misses the
 * page tables' cache at every step, and loading gigabytes of text spends a third of its time on
 * page faults. */
#ifndef ALCORE__HUGE_PAGES_H
#define ALCORE__HUGE_PAGES_H

#include <stdint.h>
#include <sys/mman.h>

/* Advice to the system about the whole large pages within a block; no more than advice, so a
 * refusal is nothing. */
static inline void alcore__prefer_huge_pages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)2 << 20, begin = (uintptr_t)memory;
    const uintptr_t first = (begin + page - 1) / page * page, end = (begin + bytes) / page * page;
    if (end > first) madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}

#endif
