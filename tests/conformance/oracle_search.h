/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle's searches (oracle_search.c): every pair in double, inserted into sorted lists. */
#ifndef ORACLE_SEARCH_H
#define ORACLE_SEARCH_H

#include "alcore/sys/kernel.h"

alcore_status oracle_knn(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const uint8_t *mask, const alcore_sys_rows *queries,
                         const uint8_t *query_mask, const alcore_sys_search *search,
                         const alcore_sys_best *query_best, const alcore_sys_best *row_best);
alcore_status oracle_margin_ratios(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, const alcore_sys_rows *others,
                                   const uint8_t *other_mask, const alcore_sys_search *search,
                                   const double *row_half, const double *other_half, double *ratio,
                                   int64_t *other);

#endif
