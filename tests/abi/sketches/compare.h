/* SPDX-License-Identifier: Apache-2.0 */
/* A sketch of alcore/extra/compare.h: what several strategies would buy, side by side, before money
 * is spent. Strategies that are added later, their masks and samples of probabilities are names of
 * the registries, options of requests and names of columns: no call is for them. */
#ifndef ALCORE_EXTRA_COMPARE_H
#define ALCORE_EXTRA_COMPARE_H

#include "alcore/extra.h"

ALCORE_BEGIN

typedef struct alcore_comparison alcore_comparison;

typedef struct alcore_comparison_row {
    size_t size;
    int64_t items, words, languages;
    double cost, coverage, redundancy;
} alcore_comparison_row;
#define ALCORE_COMPARISON_ROW_INIT ALCORE_INIT(alcore_comparison_row)

ALCORE_API alcore_status alcore_comparison_new(alcore_request *request,
                                               alcore_strategy *const *strategies, int64_t count,
                                               alcore_overlap *test, alcore_comparison **out);
ALCORE_API alcore_comparison *alcore_comparison_ref(alcore_comparison *comparison);
ALCORE_API void alcore_comparison_unref(alcore_comparison *comparison);
ALCORE_API alcore_status alcore_comparison_get_row(const alcore_comparison *comparison,
                                                   int64_t index, alcore_comparison_row *out);
ALCORE_API alcore_status alcore_comparison_get_selection(const alcore_comparison *comparison,
                                                         int64_t index, alcore_selection **out);
ALCORE_API alcore_status alcore_comparison_report(const alcore_comparison *comparison,
                                                  const char *path,
                                                  const alcore_write_options *options);

ALCORE_END

#endif
