/* SPDX-License-Identifier: Apache-2.0 */
/* Mean distances to targets. */
#include "kernel_entry.h"

const entry entries_distance[] = {
    {PLACE(distance_sums), NULL, NULL, 0},
    {PLACE(distance_bounds), NULL, NULL, 0},
};
const int entries_distance_count = sizeof entries_distance / sizeof entries_distance[0];
