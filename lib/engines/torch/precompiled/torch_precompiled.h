/* SPDX-License-Identifier: Apache-2.0 */
/* Torch's headers, which the compiler reads once for all files of the module: they are most of each
 * file's compilation (10 s of 12). Every file includes what it uses all the same. */
#include <ATen/ATen.h>
