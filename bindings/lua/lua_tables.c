/* SPDX-License-Identifier: Apache-2.0 */
/* Made by bindings/gen/generate.py from the public headers; do not edit. */
#include "lua_binding.h"

/* clang-format off */
const al_constant al_bad_lines[] = {
    {"error", ALCORE_BAD_LINES_ERROR},
    {"mask", ALCORE_BAD_LINES_MASK},
    {NULL, 0}};
const al_constant al_dedups[] = {
    {"exact", ALCORE_DEDUP_EXACT},
    {"normalized", ALCORE_DEDUP_NORMALIZED},
    {"none", ALCORE_DEDUP_NONE},
    {NULL, 0}};
const al_constant al_file_formats[] = {
    {"auto", ALCORE_FORMAT_AUTO},
    {"text", ALCORE_FORMAT_TEXT},
    {"tsv", ALCORE_FORMAT_TSV},
    {"jsonl", ALCORE_FORMAT_JSONL},
    {"csv", ALCORE_FORMAT_CSV},
    {NULL, 0}};
const al_constant al_malformed[] = {
    {"refuse", ALCORE_UTF8_REFUSE},
    {"replace", ALCORE_UTF8_REPLACE},
    {NULL, 0}};
const al_constant al_meanings[] = {
    {"default", ALCORE_MEANS_DEFAULT},
    {"uncertainty", ALCORE_MEANS_UNCERTAINTY},
    {"confidence", ALCORE_MEANS_CONFIDENCE},
    {"logprob", ALCORE_MEANS_LOGPROB},
    {"probs", ALCORE_MEANS_PROBS},
    {"logprobs", ALCORE_MEANS_LOGPROBS},
    {"logits", ALCORE_MEANS_LOGITS},
    {NULL, 0}};
const al_constant al_missing_rules[] = {
    {"fail", ALCORE_MISSING_FAIL},
    {"mask", ALCORE_MISSING_MASK},
    {NULL, 0}};
const al_constant al_normalizations[] = {
    {"auto", ALCORE_NORMALIZE_AUTO},
    {"unit", ALCORE_NORMALIZE_UNIT},
    {"none", ALCORE_NORMALIZE_NONE},
    {NULL, 0}};
const al_constant al_poolings[] = {
    {"auto", ALCORE_POOLING_AUTO},
    {"mean", ALCORE_POOLING_MEAN},
    {"first", ALCORE_POOLING_FIRST},
    {"pooler", ALCORE_POOLING_POOLER},
    {"words", ALCORE_POOLING_WORDS},
    {"max", ALCORE_POOLING_MAX},
    {NULL, 0}};
const al_constant al_report_kinds[] = {
    {"markdown", ALCORE_REPORT_MARKDOWN},
    {"json", ALCORE_REPORT_JSON},
    {"html", ALCORE_REPORT_HTML},
    {NULL, 0}};
const al_constant al_roles[] = {
    {"candidates", ALCORE_ROLE_CANDIDATES},
    {"labeled", ALCORE_ROLE_LABELED},
    {"target", ALCORE_ROLE_TARGET},
    {NULL, 0}};
const al_constant al_row_states[] = {
    {"empty", ALCORE_ROW_EMPTY},
    {"duplicate", ALCORE_ROW_DUPLICATE},
    {"labeled", ALCORE_ROW_LABELED},
    {"excluded", ALCORE_ROW_EXCLUDED},
    {"filtered", ALCORE_ROW_FILTERED},
    {"nan", ALCORE_ROW_NAN},
    {"ineligible", ALCORE_ROW_INELIGIBLE},
    {"known", ALCORE_ROW_KNOWN},
    {"missing", ALCORE_ROW_MISSING},
    {"malformed", ALCORE_ROW_MALFORMED},
    {NULL, 0}};
const al_constant al_scopes[] = {
    {"picks", ALCORE_SCOPE_PICKS},
    {"candidates", ALCORE_SCOPE_CANDIDATES},
    {NULL, 0}};
const al_constant al_shapes[] = {
    {"scalar", ALCORE_COLUMN_SCALAR},
    {"dense", ALCORE_COLUMN_DENSE},
    {"ragged", ALCORE_COLUMN_RAGGED},
    {"ragged_dense", ALCORE_COLUMN_RAGGED_DENSE},
    {NULL, 0}};
const al_constant al_usual_columns[] = {
    {"scores", ALCORE_COLUMN_SCALAR},
    {"logprobs", ALCORE_COLUMN_RAGGED},
    {"probs", ALCORE_COLUMN_DENSE},
    {"embeddings", ALCORE_COLUMN_DENSE},
    {"token_probs", ALCORE_COLUMN_RAGGED_DENSE},
    {"factors", ALCORE_COLUMN_DENSE},
    {NULL, 0}};
const char al_default_strategy[] = "huds";
