/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel table of a device's engine as a case calls it, with arrays in host memory: each call
 * copies some of its arrays to the device first, calls the engine with these copies, and copies
 * them back. */
#ifndef PLACED_TABLE_H
#define PLACED_TABLE_H

#include "alcore/sys/kernel.h"

/* Which arrays of a call are on the device: none, all, those that are read only, or each by chance.
 * An array that the table takes on the device only (labels with gaps, a bias that is not float32)
 * is there always. */
enum { PLACED_HOST, PLACED_DEVICE, PLACED_INPUTS, PLACED_MIXED, PLACEMENTS };

/* A table with the entries that `engine` has. Every second copy begins one number behind the begin
 * of its memory. Of an array that is not aligned the copy is aligned where all arrays are on the
 * device, so that kernels read all of them in place; else every second one is as the array. A call
 * fails with ALCORE_E_INTERNAL, and a line says why, where an input was changed, the number before
 * or behind an array was written, or the device has no memory for a copy. What follows by chance
 * follows from the seed. The table is valid until the next call of this function, and used on one
 * thread; device and stream are those of conformance_work. */
const alcore_sys_kernels *placed_table(const alcore_sys_kernels *engine, int placement,
                                       uint64_t seed);

#endif
