/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tests/tools/struct_images.py from the public headers; do not edit.
 * The structs of alcore/alcore.h and what their _INIT macros make. */
#include "select/struct_images.h"

#include "alcore/alcore.h"

#define IMAGE(type, initial) {#type, sizeof(type), &(const type)initial}

const alcore__struct_image alcore__struct_images[] = {
    IMAGE(alcore_table_options, ALCORE_TABLE_OPTIONS_INIT),
    IMAGE(alcore_price, ALCORE_PRICE_INIT),
    IMAGE(alcore_allocator, ALCORE_ALLOCATOR_INIT),
    IMAGE(alcore_files, ALCORE_FILES_INIT),
    IMAGE(alcore_ctx_options, ALCORE_CTX_OPTIONS_INIT),
    IMAGE(alcore_read_options, ALCORE_READ_OPTIONS_INIT),
    IMAGE(alcore_write_options, ALCORE_WRITE_OPTIONS_INIT),
    IMAGE(alcore_logits, ALCORE_LOGITS_INIT),
    IMAGE(alcore_token_stats, ALCORE_TOKEN_STATS_INIT),
    IMAGE(alcore_logits_writers, ALCORE_LOGITS_WRITERS_INIT),
    IMAGE(alcore_topk, ALCORE_TOPK_INIT),
    IMAGE(alcore_model_column, ALCORE_MODEL_COLUMN_INIT),
    IMAGE(alcore_model_host, ALCORE_MODEL_HOST_INIT),
    IMAGE(alcore_ngram_options, ALCORE_NGRAM_OPTIONS_INIT),
    IMAGE(alcore_model_options, ALCORE_MODEL_OPTIONS_INIT),
    IMAGE(alcore_model_info, ALCORE_MODEL_INFO_INIT),
    IMAGE(alcore_param_info, ALCORE_PARAM_INFO_INIT),
    IMAGE(alcore_phrase_options, ALCORE_PHRASE_OPTIONS_INIT),
    IMAGE(alcore_pool_options, ALCORE_POOL_OPTIONS_INIT),
    IMAGE(alcore_records, ALCORE_RECORDS_INIT),
    IMAGE(alcore_join_options, ALCORE_JOIN_OPTIONS_INIT),
    IMAGE(alcore_filter, ALCORE_FILTER_INIT),
    IMAGE(alcore_column_options, ALCORE_COLUMN_OPTIONS_INIT),
    IMAGE(alcore_column_info, ALCORE_COLUMN_INFO_INIT),
    IMAGE(alcore_remedy, ALCORE_REMEDY_INIT),
    IMAGE(alcore_scorer_host, ALCORE_SCORER_HOST_INIT),
    IMAGE(alcore_search_data, ALCORE_SEARCH_DATA_INIT),
    IMAGE(alcore_search_options, ALCORE_SEARCH_OPTIONS_INIT),
    IMAGE(alcore_report_options, ALCORE_REPORT_OPTIONS_INIT),
    IMAGE(alcore_strategy_host, ALCORE_STRATEGY_HOST_INIT),
    {NULL, 0, NULL}};
