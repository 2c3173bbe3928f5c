/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest neighbours and margin ratios. */
#include "kernel_entry.h"

const entry entries_search[] = {
    {PLACE(knn), NULL, NULL, 0},
    {PLACE(margin_ratios), NULL, NULL, 0},
};
const int entries_search_count = sizeof entries_search / sizeof entries_search[0];
