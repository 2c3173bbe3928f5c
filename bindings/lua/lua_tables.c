/* SPDX-License-Identifier: Apache-2.0 */
/* Made by bindings/gen/generate.py from the public headers; do not edit. */
#include <stddef.h>

#include "lua_binding.h"

/* Tables that only others of this file name are not to be seen outside either. */
#pragma GCC visibility push(hidden)

/* clang-format off */
const al_constant al_aligner_models[] = {
    {"diagonal", ALCORE_ALIGNER_DIAGONAL},
    {"ibm1", ALCORE_ALIGNER_IBM1},
    {NULL, 0}};
const al_constant al_bad_lines[] = {
    {"error", ALCORE_BAD_LINES_ERROR},
    {"mask", ALCORE_BAD_LINES_MASK},
    {NULL, 0}};
const al_constant al_escapes[] = {
    {"auto", 0},
    {"on", ALCORE_ESCAPES_ON},
    {"off", ALCORE_ESCAPES_OFF},
    {NULL, 0}};
const al_constant al_bleu_smoothings[] = {
    {"exp", ALCORE_BLEU_SMOOTH_EXP},
    {"floor", ALCORE_BLEU_SMOOTH_FLOOR},
    {"add_k", ALCORE_BLEU_SMOOTH_ADD_K},
    {"none", ALCORE_BLEU_SMOOTH_NONE},
    {NULL, 0}};
const al_constant al_bleu_tokenizers[] = {
    {"13a", ALCORE_BLEU_13A},
    {"intl", ALCORE_BLEU_INTL},
    {"char", ALCORE_BLEU_CHAR},
    {"zh", ALCORE_BLEU_ZH},
    {"none", ALCORE_BLEU_NONE},
    {NULL, 0}};
const al_constant al_bands[] = {
    {"se", ALCORE_BAND_SE},
    {"sd", ALCORE_BAND_SD},
    {"none", ALCORE_BAND_NONE},
    {NULL, 0}};
const al_constant al_cost_models[] = {
    {"rate", ALCORE_COST_RATE},
    {"linear", ALCORE_COST_LINEAR},
    {"power", ALCORE_COST_POWER},
    {NULL, 0}};
const al_constant al_dedups[] = {
    {"exact", ALCORE_DEDUP_EXACT},
    {"normalized", ALCORE_DEDUP_NORMALIZED},
    {"none", ALCORE_DEDUP_NONE},
    {NULL, 0}};
const al_constant al_directions[] = {
    {"forward", ALCORE_DIRECTION_FORWARD},
    {"reverse", ALCORE_DIRECTION_REVERSE},
    {NULL, 0}};
const al_constant al_estimates[] = {
    {"bayes", ALCORE_ESTIMATE_BAYES},
    {"counts", ALCORE_ESTIMATE_COUNTS},
    {NULL, 0}};
const al_constant al_file_formats[] = {
    {"auto", 0},
    {"text", ALCORE_FORMAT_TEXT},
    {"tsv", ALCORE_FORMAT_TSV},
    {"jsonl", ALCORE_FORMAT_JSONL},
    {"csv", ALCORE_FORMAT_CSV},
    {"npy", ALCORE_FORMAT_NPY},
    {"lp", ALCORE_FORMAT_LP},
    {"conll", ALCORE_FORMAT_CONLL},
    {"sgml", ALCORE_FORMAT_SGML},
    {NULL, 0}};
const al_constant al_in_domain_words[] = {
    {"test", ALCORE_IN_DOMAIN_TEST},
    {"unseen", ALCORE_IN_DOMAIN_UNSEEN},
    {NULL, 0}};
const al_constant al_joins[] = {
    {"auto", 0},
    {"line", ALCORE_JOIN_LINE},
    {"id", ALCORE_JOIN_ID},
    {NULL, 0}};
const al_constant al_units[] = {
    {"items", ALCORE_UNIT_ITEMS},
    {"words", ALCORE_UNIT_WORDS},
    {"characters", ALCORE_UNIT_CHARACTERS},
    {"units", ALCORE_UNIT_UNITS},
    {NULL, 0}};
const al_constant al_malformed[] = {
    {"refuse", ALCORE_UTF8_REFUSE},
    {"replace", ALCORE_UTF8_REPLACE},
    {NULL, 0}};
const al_constant al_meanings[] = {
    {"default", 0},
    {"uncertainty", ALCORE_MEANS_UNCERTAINTY},
    {"confidence", ALCORE_MEANS_CONFIDENCE},
    {"logprob", ALCORE_MEANS_LOGPROB},
    {"probs", ALCORE_MEANS_PROBS},
    {"logprobs", ALCORE_MEANS_LOGPROBS},
    {"logits", ALCORE_MEANS_LOGITS},
    {"sigmoid", ALCORE_MEANS_SIGMOID},
    {"multilabel", ALCORE_MEANS_MULTILABEL},
    {NULL, 0}};
const al_constant al_metrics[] = {
    {"l2", ALCORE_METRIC_L2},
    {"dot", ALCORE_METRIC_DOT},
    {"cosine", ALCORE_METRIC_COSINE},
    {NULL, 0}};
const al_constant al_missing_rules[] = {
    {"fail", ALCORE_MISSING_FAIL},
    {"mask", ALCORE_MISSING_MASK},
    {NULL, 0}};
const al_constant al_normalizations[] = {
    {"auto", 0},
    {"unit", ALCORE_NORMALIZE_UNIT},
    {"none", ALCORE_NORMALIZE_NONE},
    {NULL, 0}};
const al_constant al_optimizers[] = {
    {"adamw", ALCORE_OPTIMIZER_ADAMW},
    {"adam", ALCORE_OPTIMIZER_ADAM},
    {NULL, 0}};
const al_constant al_overlap_roles[] = {
    {"selected", ALCORE_OVERLAP_SELECTED},
    {"outside", ALCORE_OVERLAP_OUTSIDE},
    {"test", ALCORE_OVERLAP_TEST},
    {"both", ALCORE_OVERLAP_BOTH},
    {NULL, 0}};
const al_constant al_param_types[] = {
    {"flag", ALCORE_PARAM_FLAG},
    {"integer", ALCORE_PARAM_INTEGER},
    {"number", ALCORE_PARAM_NUMBER},
    {"choice", ALCORE_PARAM_CHOICE},
    {"numbers", ALCORE_PARAM_NUMBERS},
    {"text", ALCORE_PARAM_TEXT},
    {NULL, 0}};
const al_constant al_poolings[] = {
    {"auto", 0},
    {"mean", ALCORE_POOLING_MEAN},
    {"first", ALCORE_POOLING_FIRST},
    {"pooler", ALCORE_POOLING_POOLER},
    {"words", ALCORE_POOLING_WORDS},
    {"max", ALCORE_POOLING_MAX},
    {NULL, 0}};
const al_constant al_precisions[] = {
    {"float32", ALCORE_PRECISION_FLOAT32},
    {"bfloat16", ALCORE_PRECISION_BFLOAT16},
    {"float16", ALCORE_PRECISION_FLOAT16},
    {NULL, 0}};
const al_constant al_repeated_ids[] = {
    {"unique", ALCORE_IDS_UNIQUE},
    {"per_call", ALCORE_IDS_PER_CALL},
    {"any", ALCORE_IDS_ANY},
    {NULL, 0}};
const al_constant al_rests[] = {
    {"one_class", ALCORE_REST_ONE_CLASS},
    {"uniform", ALCORE_REST_UNIFORM},
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
    {"labeled_rows", ALCORE_ROLE_LABELED_ROWS},
    {"excluded", ALCORE_ROLE_EXCLUDED},
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
const al_constant al_schedules[] = {
    {"constant", ALCORE_SCHEDULE_CONSTANT},
    {"linear", ALCORE_SCHEDULE_LINEAR},
    {"inverse_sqrt", ALCORE_SCHEDULE_INVERSE_SQRT},
    {"cosine", ALCORE_SCHEDULE_COSINE},
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
const al_constant al_sides[] = {
    {"source", ALCORE_SIDE_SOURCE},
    {"target", ALCORE_SIDE_TARGET},
    {NULL, 0}};
const al_constant al_stop_criteria[] = {
    {"plateau", ALCORE_STOP_PLATEAU},
    {"mean_uncertainty", ALCORE_STOP_MEAN_UNCERTAINTY},
    {"max_uncertainty", ALCORE_STOP_MAX_UNCERTAINTY},
    {"agreement", ALCORE_STOP_AGREEMENT},
    {NULL, 0}};
const al_constant al_tag_schemes[] = {
    {"default", ALCORE_TAGS_DEFAULT},
    {"iob2", ALCORE_TAGS_IOB2},
    {"iob1", ALCORE_TAGS_IOB1},
    {"ioe2", ALCORE_TAGS_IOE2},
    {"iobes", ALCORE_TAGS_IOBES},
    {"bilou", ALCORE_TAGS_BILOU},
    {NULL, 0}};
const al_constant al_tensions[] = {
    {"off", ALCORE_TENSION_OFF},
    {"gradient", ALCORE_TENSION_GRADIENT},
    {"public", ALCORE_TENSION_PUBLIC},
    {NULL, 0}};
const al_constant al_validations[] = {
    {"loss", ALCORE_VALIDATE_LOSS},
    {"bleu", ALCORE_VALIDATE_BLEU},
    {"accuracy", ALCORE_VALIDATE_ACCURACY},
    {"exact_match", ALCORE_VALIDATE_EXACT_MATCH},
    {"f1", ALCORE_VALIDATE_F1},
    {"span_f1", ALCORE_VALIDATE_SPAN_F1},
    {"strict_span_f1", ALCORE_VALIDATE_STRICT_SPAN_F1},
    {NULL, 0}};
const al_constant al_vocabulary_kinds[] = {
    {"unigram", ALCORE_VOCABULARY_UNIGRAM},
    {"bpe", ALCORE_VOCABULARY_BPE},
    {NULL, 0}};
const al_constant al_usual_columns[] = {
    {"scores", ALCORE_COLUMN_SCALAR},
    {"logprobs", ALCORE_COLUMN_RAGGED},
    {"probs", ALCORE_COLUMN_DENSE},
    {"embeddings", ALCORE_COLUMN_DENSE},
    {"token_probs", ALCORE_COLUMN_RAGGED_DENSE},
    {"margins", -1},
    {"confidences", -1},
    {"entropies", -1},
    {"mlm_losses", ALCORE_COLUMN_RAGGED},
    {"factors", ALCORE_COLUMN_DENSE},
    {"qa_start", ALCORE_COLUMN_RAGGED},
    {"qa_end", ALCORE_COLUMN_RAGGED},
    {"qa_windows", ALCORE_COLUMN_RAGGED},
    {"roundtrip", -1},
    {"qa_contexts", -1},
    {NULL, 0}};
const al_member al_ctx_options[] = {
    {"module_dir", AL_TEXT, 1, offsetof(alcore_ctx_options, module_dir), NULL},
    {"seed", AL_UINT64, 1, offsetof(alcore_ctx_options, seed), NULL},
    {"threads", AL_INT32, 1, offsetof(alcore_ctx_options, threads), NULL},
    {"torch_dir", AL_TEXT, 1, offsetof(alcore_ctx_options, torch_dir), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_read_options[] = {
    {"format", AL_WORD, 1, offsetof(alcore_read_options, format), al_file_formats},
    {"bad_lines", AL_WORD, 1, offsetof(alcore_read_options, bad_lines), al_bad_lines},
    {"text_column", AL_TEXT, 1, offsetof(alcore_read_options, text_column), NULL},
    {"reference_column", AL_TEXT, 1, offsetof(alcore_read_options, reference_column), NULL},
    {"references", AL_TEXT, 1, offsetof(alcore_read_options, references), NULL},
    {"language", AL_TEXT, 1, offsetof(alcore_read_options, language), NULL},
    {"side", AL_TEXT, 1, offsetof(alcore_read_options, side), NULL},
    {"translator", AL_TEXT, 1, offsetof(alcore_read_options, translator), NULL},
    {"system", AL_TEXT, 1, offsetof(alcore_read_options, system), NULL},
    {"domain", AL_TEXT, 1, offsetof(alcore_read_options, domain), NULL},
    {"escapes", AL_WORD, 1, offsetof(alcore_read_options, escapes), al_escapes},
    {"by", AL_WORD, 1, offsetof(alcore_read_options, by), al_joins},
    {NULL, 0, 0, 0, NULL}};
const al_member al_pool_options[] = {
    {"dedup", AL_WORD, 1, offsetof(alcore_pool_options, dedup), al_dedups},
    {"utf8", AL_WORD, 1, offsetof(alcore_pool_options, utf8), al_malformed},
    {"max_text_bytes", AL_INT64, 1, offsetof(alcore_pool_options, max_text_bytes), NULL},
    {"repeated_ids", AL_WORD, 1, offsetof(alcore_pool_options, repeated_ids), al_repeated_ids},
    {NULL, 0, 0, 0, NULL}};
const al_member al_filter[] = {
    {"min_words", AL_INT64, 1, offsetof(alcore_filter, min_words), NULL},
    {"max_words", AL_INT64, 1, offsetof(alcore_filter, max_words), NULL},
    {"min_letters", AL_DOUBLE, 1, offsetof(alcore_filter, min_letters), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_phrase_options[] = {
    {"max_words", AL_INT64, 1, offsetof(alcore_phrase_options, max_words), NULL},
    {"min_count", AL_INT64, 1, offsetof(alcore_phrase_options, min_count), NULL},
    {"semi_maximal", AL_FLAG, 1, offsetof(alcore_phrase_options, semi_maximal), NULL},
    {"beyond_limit", AL_FLAG, 1, offsetof(alcore_phrase_options, beyond_limit), NULL},
    {"unknown", AL_FLAG, 1, offsetof(alcore_phrase_options, unknown), NULL},
    {"with_letters", AL_FLAG, 1, offsetof(alcore_phrase_options, with_letters), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_search_options[] = {
    {"device", AL_TEXT, 1, offsetof(alcore_search_options, device), NULL},
    {"metric", AL_WORD, 1, offsetof(alcore_search_options, metric), al_metrics},
    {NULL, 0, 0, 0, NULL}};
const al_member al_logits_writers[] = {
    {"nnll", AL_WRITER, 1, offsetof(alcore_logits_writers, nnll), NULL},
    {"logprobs", AL_WRITER, 1, offsetof(alcore_logits_writers, logprobs), NULL},
    {"margins", AL_WRITER, 1, offsetof(alcore_logits_writers, margins), NULL},
    {"confidences", AL_WRITER, 1, offsetof(alcore_logits_writers, confidences), NULL},
    {"entropies", AL_WRITER, 1, offsetof(alcore_logits_writers, entropies), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_topk[] = {
    {"classes", AL_INT64, 1, offsetof(alcore_topk, classes), NULL},
    {"rest", AL_WORD, 1, offsetof(alcore_topk, rest), al_rests},
    {NULL, 0, 0, 0, NULL}};
const al_member al_ngram_options[] = {
    {"dims", AL_INT64, 1, offsetof(alcore_ngram_options, dims), NULL},
    {"seed", AL_UINT64, 1, offsetof(alcore_ngram_options, seed), NULL},
    {"order", AL_INT32, 1, offsetof(alcore_ngram_options, order), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_model_options[] = {
    {"device", AL_TEXT, 1, offsetof(alcore_model_options, device), NULL},
    {"pooling", AL_WORD, 1, offsetof(alcore_model_options, pooling), al_poolings},
    {"layer", AL_INT32, 1, offsetof(alcore_model_options, layer), NULL},
    {"normalize", AL_WORD, 1, offsetof(alcore_model_options, normalize), al_normalizations},
    {"max_tokens", AL_INT64, 1, offsetof(alcore_model_options, max_tokens), NULL},
    {"batch_tokens", AL_INT64, 1, offsetof(alcore_model_options, batch_tokens), NULL},
    {"stride", AL_INT64, 1, offsetof(alcore_model_options, stride), NULL},
    {"prompt", AL_TEXT, 1, offsetof(alcore_model_options, prompt), NULL},
    {"prompt_name", AL_TEXT, 1, offsetof(alcore_model_options, prompt_name), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_model_info[] = {
    {"engine", AL_TEXT, 1, offsetof(alcore_model_info, engine), NULL},
    {"family", AL_TEXT, 1, offsetof(alcore_model_info, family), NULL},
    {"device", AL_TEXT, 1, offsetof(alcore_model_info, device), NULL},
    {"version", AL_TEXT, 1, offsetof(alcore_model_info, version), NULL},
    {"json", AL_TEXT, 1, offsetof(alcore_model_info, json), NULL},
    {"dims", AL_INT64, 1, offsetof(alcore_model_info, dims), NULL},
    {"classes", AL_INT64, 1, offsetof(alcore_model_info, classes), NULL},
    {"max_tokens", AL_INT64, 1, offsetof(alcore_model_info, max_tokens), NULL},
    {"vocabulary", AL_INT64, 1, offsetof(alcore_model_info, vocabulary), NULL},
    {"translates", AL_FLAG, 1, offsetof(alcore_model_info, translates), NULL},
    {"scores", AL_FLAG, 1, offsetof(alcore_model_info, scores), NULL},
    {"trains", AL_INT32, 1, offsetof(alcore_model_info, trains), NULL},
    {"saves", AL_INT32, 1, offsetof(alcore_model_info, saves), NULL},
    {"prompt", AL_TEXT, 1, offsetof(alcore_model_info, prompt), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_translate_options[] = {
    {"max_tokens", AL_INT64, 1, offsetof(alcore_translate_options, max_tokens), NULL},
    {"length_penalty", AL_DOUBLE, 1, offsetof(alcore_translate_options, length_penalty), NULL},
    {"temperature", AL_DOUBLE, 1, offsetof(alcore_translate_options, temperature), NULL},
    {"seed", AL_UINT64, 1, offsetof(alcore_translate_options, seed), NULL},
    {"beams", AL_INT32, 1, offsetof(alcore_translate_options, beams), NULL},
    {"sample", AL_FLAG, 1, offsetof(alcore_translate_options, sample), NULL},
    {"language", AL_TEXT, 1, offsetof(alcore_translate_options, language), NULL},
    {"best", AL_INT32, 1, offsetof(alcore_translate_options, best), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_train_options[] = {
    {"rate", AL_DOUBLE, 1, offsetof(alcore_train_options, rate), NULL},
    {"weight_decay", AL_DOUBLE, 1, offsetof(alcore_train_options, weight_decay), NULL},
    {"clip", AL_DOUBLE, 1, offsetof(alcore_train_options, clip), NULL},
    {"label_smoothing", AL_DOUBLE, 1, offsetof(alcore_train_options, label_smoothing), NULL},
    {"updates", AL_INT64, 1, offsetof(alcore_train_options, updates), NULL},
    {"warmup", AL_INT64, 1, offsetof(alcore_train_options, warmup), NULL},
    {"accumulate", AL_INT64, 1, offsetof(alcore_train_options, accumulate), NULL},
    {"batch_tokens", AL_INT64, 1, offsetof(alcore_train_options, batch_tokens), NULL},
    {"checkpoint_every", AL_INT64, 1, offsetof(alcore_train_options, checkpoint_every), NULL},
    {"seed", AL_UINT64, 1, offsetof(alcore_train_options, seed), NULL},
    {"checkpoints", AL_TEXT, 1, offsetof(alcore_train_options, checkpoints), NULL},
    {"schedule", AL_WORD, 1, offsetof(alcore_train_options, schedule), al_schedules},
    {"optimizer", AL_WORD, 1, offsetof(alcore_train_options, optimizer), al_optimizers},
    {"beta1", AL_DOUBLE, 1, offsetof(alcore_train_options, beta1), NULL},
    {"beta2", AL_DOUBLE, 1, offsetof(alcore_train_options, beta2), NULL},
    {"epsilon", AL_DOUBLE, 1, offsetof(alcore_train_options, epsilon), NULL},
    {"weights", AL_TEXT, 1, offsetof(alcore_train_options, weights), NULL},
    {"best", AL_TEXT, 1, offsetof(alcore_train_options, best), NULL},
    {"validate_every", AL_INT64, 1, offsetof(alcore_train_options, validate_every), NULL},
    {"patience", AL_INT64, 1, offsetof(alcore_train_options, patience), NULL},
    {"metric", AL_WORD, 1, offsetof(alcore_train_options, metric), al_validations},
    {"precision", AL_WORD, 1, offsetof(alcore_train_options, precision), al_precisions},
    {"recompute", AL_FLAG, 1, offsetof(alcore_train_options, recompute), NULL},
    {"labels", AL_TEXT, 1, offsetof(alcore_train_options, labels), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_train_result[] = {
    {"updates", AL_INT64, 1, offsetof(alcore_train_result, updates), NULL},
    {"tokens", AL_INT64, 1, offsetof(alcore_train_result, tokens), NULL},
    {"loss", AL_DOUBLE, 1, offsetof(alcore_train_result, loss), NULL},
    {"seconds", AL_DOUBLE, 1, offsetof(alcore_train_result, seconds), NULL},
    {"resumed", AL_INT64, 1, offsetof(alcore_train_result, resumed), NULL},
    {"best_update", AL_INT64, 1, offsetof(alcore_train_result, best_update), NULL},
    {"best_value", AL_DOUBLE, 1, offsetof(alcore_train_result, best_value), NULL},
    {"stopped", AL_FLAG, 1, offsetof(alcore_train_result, stopped), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_lm_options[] = {
    {"order", AL_INT32, 1, offsetof(alcore_lm_options, order), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_aligner_options[] = {
    {"direction", AL_WORD, 1, offsetof(alcore_aligner_options, direction), al_directions},
    {"model", AL_WORD, 1, offsetof(alcore_aligner_options, model), al_aligner_models},
    {"estimate", AL_WORD, 1, offsetof(alcore_aligner_options, estimate), al_estimates},
    {"tension", AL_WORD, 1, offsetof(alcore_aligner_options, tension), al_tensions},
    {"iterations", AL_INT32, 1, offsetof(alcore_aligner_options, iterations), NULL},
    {"p0", AL_DOUBLE, 1, offsetof(alcore_aligner_options, p0), NULL},
    {"lambda", AL_DOUBLE, 1, offsetof(alcore_aligner_options, lambda), NULL},
    {"alpha", AL_DOUBLE, 1, offsetof(alcore_aligner_options, alpha), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_answer_report[] = {
    {"lines", AL_INT64, 1, offsetof(alcore_answer_report, lines), NULL},
    {"answered", AL_INT64, 1, offsetof(alcore_answer_report, answered), NULL},
    {"skipped", AL_INT64, 1, offsetof(alcore_answer_report, skipped), NULL},
    {"rejected", AL_INT64, 1, offsetof(alcore_answer_report, rejected), NULL},
    {"untranslatable", AL_INT64, 1, offsetof(alcore_answer_report, untranslatable), NULL},
    {"unanswered", AL_INT64, 1, offsetof(alcore_answer_report, unanswered), NULL},
    {"corrected", AL_INT64, 1, offsetof(alcore_answer_report, corrected), NULL},
    {"conflicting", AL_INT64, 1, offsetof(alcore_answer_report, conflicting), NULL},
    {"unusable", AL_INT64, 1, offsetof(alcore_answer_report, unusable), NULL},
    {"messages", AL_TEXT, 1, offsetof(alcore_answer_report, messages), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_mix_options[] = {
    {"kind", AL_TEXT, 1, offsetof(alcore_mix_options, kind), NULL},
    {"span", AL_TEXT, 1, offsetof(alcore_mix_options, span), NULL},
    {"device", AL_TEXT, 1, offsetof(alcore_mix_options, device), NULL},
    {"count", AL_INT64, 1, offsetof(alcore_mix_options, count), NULL},
    {"subset", AL_INT64, 1, offsetof(alcore_mix_options, subset), NULL},
    {"k", AL_INT64, 1, offsetof(alcore_mix_options, k), NULL},
    {"upsample_phrase", AL_INT64, 1, offsetof(alcore_mix_options, upsample_phrase), NULL},
    {"round", AL_INT64, 1, offsetof(alcore_mix_options, round), NULL},
    {"seed", AL_UINT64, 1, offsetof(alcore_mix_options, seed), NULL},
    {"unique", AL_FLAG, 1, offsetof(alcore_mix_options, unique), NULL},
    {"norm", AL_FLAG, 1, offsetof(alcore_mix_options, norm), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_overlap_options[] = {
    {"max_order", AL_INT32, 1, offsetof(alcore_overlap_options, max_order), NULL},
    {"tagged", AL_FLAG, 1, offsetof(alcore_overlap_options, tagged), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_coverage_result[] = {
    {"coverage", AL_DOUBLE, 1, offsetof(alcore_coverage_result, coverage), NULL},
    {"token_coverage", AL_DOUBLE, 1, offsetof(alcore_coverage_result, token_coverage), NULL},
    {"precision", AL_DOUBLE, 1, offsetof(alcore_coverage_result, precision), NULL},
    {"jaccard", AL_DOUBLE, 1, offsetof(alcore_coverage_result, jaccard), NULL},
    {"test_types", AL_INT64, 1, offsetof(alcore_coverage_result, test_types), NULL},
    {"test_tokens", AL_INT64, 1, offsetof(alcore_coverage_result, test_tokens), NULL},
    {"data_types", AL_INT64, 1, offsetof(alcore_coverage_result, data_types), NULL},
    {"shared_types", AL_INT64, 1, offsetof(alcore_coverage_result, shared_types), NULL},
    {"shared_tokens", AL_INT64, 1, offsetof(alcore_coverage_result, shared_tokens), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_in_domain_result[] = {
    {"type_share", AL_DOUBLE, 1, offsetof(alcore_in_domain_result, type_share), NULL},
    {"word_share", AL_DOUBLE, 1, offsetof(alcore_in_domain_result, word_share), NULL},
    {"in_domain_types", AL_INT64, 1, offsetof(alcore_in_domain_result, in_domain_types), NULL},
    {"types", AL_INT64, 1, offsetof(alcore_in_domain_result, types), NULL},
    {"in_domain_words", AL_INT64, 1, offsetof(alcore_in_domain_result, in_domain_words), NULL},
    {"words", AL_INT64, 1, offsetof(alcore_in_domain_result, words), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_bleu_options[] = {
    {"tokenizer", AL_WORD, 1, offsetof(alcore_bleu_options, tokenizer), al_bleu_tokenizers},
    {"smoothing", AL_WORD, 1, offsetof(alcore_bleu_options, smoothing), al_bleu_smoothings},
    {"smoothing_value", AL_DOUBLE, 1, offsetof(alcore_bleu_options, smoothing_value), NULL},
    {"effective_order", AL_FLAG, 1, offsetof(alcore_bleu_options, effective_order), NULL},
    {"resamples", AL_INT64, 1, offsetof(alcore_bleu_options, resamples), NULL},
    {"seed", AL_UINT64, 1, offsetof(alcore_bleu_options, seed), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_bleu_result[] = {
    {"bleu", AL_DOUBLE, 1, offsetof(alcore_bleu_result, bleu), NULL},
    {"brevity_penalty", AL_DOUBLE, 1, offsetof(alcore_bleu_result, brevity_penalty), NULL},
    {"precisions", AL_DOUBLE, 4, offsetof(alcore_bleu_result, precisions), NULL},
    {"matches", AL_INT64, 4, offsetof(alcore_bleu_result, matches), NULL},
    {"totals", AL_INT64, 4, offsetof(alcore_bleu_result, totals), NULL},
    {"hypothesis_tokens", AL_INT64, 1, offsetof(alcore_bleu_result, hypothesis_tokens), NULL},
    {"reference_tokens", AL_INT64, 1, offsetof(alcore_bleu_result, reference_tokens), NULL},
    {"bootstrap_mean", AL_DOUBLE, 1, offsetof(alcore_bleu_result, bootstrap_mean), NULL},
    {"bootstrap_low", AL_DOUBLE, 1, offsetof(alcore_bleu_result, bootstrap_low), NULL},
    {"bootstrap_high", AL_DOUBLE, 1, offsetof(alcore_bleu_result, bootstrap_high), NULL},
    {"baseline", AL_DOUBLE, 1, offsetof(alcore_bleu_result, baseline), NULL},
    {"p", AL_DOUBLE, 1, offsetof(alcore_bleu_result, p), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_chrf_options[] = {
    {"word_order", AL_INT32, 1, offsetof(alcore_chrf_options, word_order), NULL},
    {"whitespace", AL_FLAG, 1, offsetof(alcore_chrf_options, whitespace), NULL},
    {"resamples", AL_INT64, 1, offsetof(alcore_chrf_options, resamples), NULL},
    {"seed", AL_UINT64, 1, offsetof(alcore_chrf_options, seed), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_chrf_result[] = {
    {"chrf", AL_DOUBLE, 1, offsetof(alcore_chrf_result, chrf), NULL},
    {"matches", AL_INT64, 8, offsetof(alcore_chrf_result, matches), NULL},
    {"hypothesis_total", AL_INT64, 8, offsetof(alcore_chrf_result, hypothesis_total), NULL},
    {"reference_total", AL_INT64, 8, offsetof(alcore_chrf_result, reference_total), NULL},
    {"bootstrap_mean", AL_DOUBLE, 1, offsetof(alcore_chrf_result, bootstrap_mean), NULL},
    {"bootstrap_low", AL_DOUBLE, 1, offsetof(alcore_chrf_result, bootstrap_low), NULL},
    {"bootstrap_high", AL_DOUBLE, 1, offsetof(alcore_chrf_result, bootstrap_high), NULL},
    {"baseline", AL_DOUBLE, 1, offsetof(alcore_chrf_result, baseline), NULL},
    {"p", AL_DOUBLE, 1, offsetof(alcore_chrf_result, p), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_ter_options[] = {
    {"case_sensitive", AL_FLAG, 1, offsetof(alcore_ter_options, case_sensitive), NULL},
    {"resamples", AL_INT64, 1, offsetof(alcore_ter_options, resamples), NULL},
    {"seed", AL_UINT64, 1, offsetof(alcore_ter_options, seed), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_ter_result[] = {
    {"ter", AL_DOUBLE, 1, offsetof(alcore_ter_result, ter), NULL},
    {"edits", AL_INT64, 1, offsetof(alcore_ter_result, edits), NULL},
    {"reference_words", AL_DOUBLE, 1, offsetof(alcore_ter_result, reference_words), NULL},
    {"bootstrap_mean", AL_DOUBLE, 1, offsetof(alcore_ter_result, bootstrap_mean), NULL},
    {"bootstrap_low", AL_DOUBLE, 1, offsetof(alcore_ter_result, bootstrap_low), NULL},
    {"bootstrap_high", AL_DOUBLE, 1, offsetof(alcore_ter_result, bootstrap_high), NULL},
    {"baseline", AL_DOUBLE, 1, offsetof(alcore_ter_result, baseline), NULL},
    {"p", AL_DOUBLE, 1, offsetof(alcore_ter_result, p), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_mean_options[] = {
    {NULL, 0, 0, 0, NULL}};
const al_member al_mean_result[] = {
    {"mean", AL_DOUBLE, 1, offsetof(alcore_mean_result, mean), NULL},
    {"standard_deviation", AL_DOUBLE, 1, offsetof(alcore_mean_result, standard_deviation), NULL},
    {"standard_error", AL_DOUBLE, 1, offsetof(alcore_mean_result, standard_error), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_pearson_options[] = {
    {NULL, 0, 0, 0, NULL}};
const al_member al_pearson_result[] = {
    {"rho", AL_DOUBLE, 1, offsetof(alcore_pearson_result, rho), NULL},
    {"p", AL_DOUBLE, 1, offsetof(alcore_pearson_result, p), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_wilcoxon_options[] = {
    {NULL, 0, 0, 0, NULL}};
const al_member al_wilcoxon_result[] = {
    {"pairs", AL_INT64, 1, offsetof(alcore_wilcoxon_result, pairs), NULL},
    {"w_plus", AL_DOUBLE, 1, offsetof(alcore_wilcoxon_result, w_plus), NULL},
    {"w_minus", AL_DOUBLE, 1, offsetof(alcore_wilcoxon_result, w_minus), NULL},
    {"p", AL_DOUBLE, 1, offsetof(alcore_wilcoxon_result, p), NULL},
    {"exact", AL_FLAG, 1, offsetof(alcore_wilcoxon_result, exact), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_kappa_options[] = {
    {NULL, 0, 0, 0, NULL}};
const al_member al_kappa_result[] = {
    {"kappa", AL_DOUBLE, 1, offsetof(alcore_kappa_result, kappa), NULL},
    {"observed", AL_DOUBLE, 1, offsetof(alcore_kappa_result, observed), NULL},
    {"expected", AL_DOUBLE, 1, offsetof(alcore_kappa_result, expected), NULL},
    {"classes", AL_INT64, 1, offsetof(alcore_kappa_result, classes), NULL},
    {"items", AL_INT64, 1, offsetof(alcore_kappa_result, items), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_labels_options[] = {
    {"words", AL_FLAG, 1, offsetof(alcore_labels_options, words), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_labels_result[] = {
    {"accuracy", AL_DOUBLE, 1, offsetof(alcore_labels_result, accuracy), NULL},
    {"macro_f1", AL_DOUBLE, 1, offsetof(alcore_labels_result, macro_f1), NULL},
    {"correct", AL_INT64, 1, offsetof(alcore_labels_result, correct), NULL},
    {"labels", AL_INT64, 1, offsetof(alcore_labels_result, labels), NULL},
    {"compared", AL_INT64, 1, offsetof(alcore_labels_result, compared), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_spans_options[] = {
    {"scheme", AL_WORD, 1, offsetof(alcore_spans_options, scheme), al_tag_schemes},
    {NULL, 0, 0, 0, NULL}};
const al_member al_spans_result[] = {
    {"precision", AL_DOUBLE, 1, offsetof(alcore_spans_result, precision), NULL},
    {"recall", AL_DOUBLE, 1, offsetof(alcore_spans_result, recall), NULL},
    {"f1", AL_DOUBLE, 1, offsetof(alcore_spans_result, f1), NULL},
    {"gold_spans", AL_INT64, 1, offsetof(alcore_spans_result, gold_spans), NULL},
    {"predicted_spans", AL_INT64, 1, offsetof(alcore_spans_result, predicted_spans), NULL},
    {"matches", AL_INT64, 1, offsetof(alcore_spans_result, matches), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_answers_options[] = {
    {NULL, 0, 0, 0, NULL}};
const al_member al_answers_result[] = {
    {"exact_match", AL_DOUBLE, 1, offsetof(alcore_answers_result, exact_match), NULL},
    {"f1", AL_DOUBLE, 1, offsetof(alcore_answers_result, f1), NULL},
    {"exact", AL_INT64, 1, offsetof(alcore_answers_result, exact), NULL},
    {"questions", AL_INT64, 1, offsetof(alcore_answers_result, questions), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_word_accuracy_options[] = {
    {NULL, 0, 0, 0, NULL}};
const al_member al_word_accuracy_result[] = {
    {"accuracy", AL_DOUBLE, 1, offsetof(alcore_word_accuracy_result, accuracy), NULL},
    {"matched", AL_INT64, 1, offsetof(alcore_word_accuracy_result, matched), NULL},
    {"total", AL_INT64, 1, offsetof(alcore_word_accuracy_result, total), NULL},
    {"unlinked", AL_INT64, 1, offsetof(alcore_word_accuracy_result, unlinked), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_length_ratio_options[] = {
    {NULL, 0, 0, 0, NULL}};
const al_member al_length_ratio_result[] = {
    {"ratio", AL_DOUBLE, 1, offsetof(alcore_length_ratio_result, ratio), NULL},
    {"hypothesis_words", AL_INT64, 1, offsetof(alcore_length_ratio_result, hypothesis_words), NULL},
    {"reference_words", AL_INT64, 1, offsetof(alcore_length_ratio_result, reference_words), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_plateau_options[] = {
    {"patience", AL_INT64, 1, offsetof(alcore_plateau_options, patience), NULL},
    {"least_gain", AL_DOUBLE, 1, offsetof(alcore_plateau_options, least_gain), NULL},
    {"lower_is_better", AL_FLAG, 1, offsetof(alcore_plateau_options, lower_is_better), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_agreement_options[] = {
    {"window", AL_INT64, 1, offsetof(alcore_agreement_options, window), NULL},
    {"threshold", AL_DOUBLE, 1, offsetof(alcore_agreement_options, threshold), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_stop_decision[] = {
    {"criterion", AL_WORD, 1, offsetof(alcore_stop_decision, criterion), al_stop_criteria},
    {"stop", AL_FLAG, 1, offsetof(alcore_stop_decision, stop), NULL},
    {"numbers", AL_INT64, 1, offsetof(alcore_stop_decision, numbers), NULL},
    {"left_out", AL_INT64, 1, offsetof(alcore_stop_decision, left_out), NULL},
    {"window", AL_INT64, 1, offsetof(alcore_stop_decision, window), NULL},
    {"best_round", AL_INT64, 1, offsetof(alcore_stop_decision, best_round), NULL},
    {"best", AL_DOUBLE, 1, offsetof(alcore_stop_decision, best), NULL},
    {"value", AL_DOUBLE, 1, offsetof(alcore_stop_decision, value), NULL},
    {"threshold", AL_DOUBLE, 1, offsetof(alcore_stop_decision, threshold), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_cost_options[] = {
    {"model", AL_WORD, 1, offsetof(alcore_cost_options, model), al_cost_models},
    {"rate", AL_DOUBLE, 1, offsetof(alcore_cost_options, rate), NULL},
    {"bleu_gain", AL_DOUBLE, 1, offsetof(alcore_cost_options, bleu_gain), NULL},
    {"in_domain_types", AL_DOUBLE, 1, offsetof(alcore_cost_options, in_domain_types), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_cost_result[] = {
    {"usd", AL_DOUBLE, 1, offsetof(alcore_cost_result, usd), NULL},
    {"usd_per_bleu", AL_DOUBLE, 1, offsetof(alcore_cost_result, usd_per_bleu), NULL},
    {"usd_per_type", AL_DOUBLE, 1, offsetof(alcore_cost_result, usd_per_type), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_composition_options[] = {
    {"neighbors", AL_INT64, 1, offsetof(alcore_composition_options, neighbors), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_composition_result[] = {
    {"rows", AL_INT64, 1, offsetof(alcore_composition_result, rows), NULL},
    {"target_language_rows", AL_INT64, 1, offsetof(alcore_composition_result, target_language_rows),
        NULL},
    {"mean_uncertainty", AL_DOUBLE, 1, offsetof(alcore_composition_result, mean_uncertainty), NULL},
    {"median_uncertainty", AL_DOUBLE, 1, offsetof(alcore_composition_result, median_uncertainty),
        NULL},
    {"mean_distance", AL_DOUBLE, 1, offsetof(alcore_composition_result, mean_distance), NULL},
    {"targets", AL_INT64, 1, offsetof(alcore_composition_result, targets), NULL},
    {"targets_reached", AL_INT64, 1, offsetof(alcore_composition_result, targets_reached), NULL},
    {"jaccard", AL_DOUBLE, 1, offsetof(alcore_composition_result, jaccard), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_duplicates_result[] = {
    {"duplicates", AL_DOUBLE, 1, offsetof(alcore_duplicates_result, duplicates), NULL},
    {"in_train", AL_INT64, 1, offsetof(alcore_duplicates_result, in_train), NULL},
    {"texts", AL_INT64, 1, offsetof(alcore_duplicates_result, texts), NULL},
    {"repeated", AL_INT64, 1, offsetof(alcore_duplicates_result, repeated), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_projection_result[] = {
    {"rows", AL_INT64, 1, offsetof(alcore_projection_result, rows), NULL},
    {"eigenvalues", AL_DOUBLE, 2, offsetof(alcore_projection_result, eigenvalues), NULL},
    {"shares", AL_DOUBLE, 2, offsetof(alcore_projection_result, shares), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_ablation[] = {
    {"value", AL_DOUBLE, 1, offsetof(alcore_ablation, value), NULL},
    {"items", AL_INT64, 1, offsetof(alcore_ablation, items), NULL},
    {"phrases", AL_INT64, 1, offsetof(alcore_ablation, phrases), NULL},
    {"words", AL_INT64, 1, offsetof(alcore_ablation, words), NULL},
    {"overlap", AL_DOUBLE, 1, offsetof(alcore_ablation, overlap), NULL},
    {"share_of_0", AL_DOUBLE, 1, offsetof(alcore_ablation, share_of_0), NULL},
    {"share_of_1", AL_DOUBLE, 1, offsetof(alcore_ablation, share_of_1), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_plot_options[] = {
    {"title", AL_TEXT, 1, offsetof(alcore_plot_options, title), NULL},
    {"x_label", AL_TEXT, 1, offsetof(alcore_plot_options, x_label), NULL},
    {"y_label", AL_TEXT, 1, offsetof(alcore_plot_options, y_label), NULL},
    {"width", AL_INT32, 1, offsetof(alcore_plot_options, width), NULL},
    {"height", AL_INT32, 1, offsetof(alcore_plot_options, height), NULL},
    {"band", AL_WORD, 1, offsetof(alcore_plot_options, band), al_bands},
    {"equal_scales", AL_FLAG, 1, offsetof(alcore_plot_options, equal_scales), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_encode_options[] = {
    {"language", AL_TEXT, 1, offsetof(alcore_encode_options, language), NULL},
    {"max_tokens", AL_INT64, 1, offsetof(alcore_encode_options, max_tokens), NULL},
    {"without_special", AL_FLAG, 1, offsetof(alcore_encode_options, without_special), NULL},
    {"as_target", AL_FLAG, 1, offsetof(alcore_encode_options, as_target), NULL},
    {NULL, 0, 0, 0, NULL}};
const al_member al_vocabulary_options[] = {
    {"coverage", AL_DOUBLE, 1, offsetof(alcore_vocabulary_options, coverage), NULL},
    {"tokens", AL_INT64, 1, offsetof(alcore_vocabulary_options, tokens), NULL},
    {"max_texts", AL_INT64, 1, offsetof(alcore_vocabulary_options, max_texts), NULL},
    {"seed", AL_UINT64, 1, offsetof(alcore_vocabulary_options, seed), NULL},
    {"kind", AL_WORD, 1, offsetof(alcore_vocabulary_options, kind), al_vocabulary_kinds},
    {"byte_fallback", AL_FLAG, 1, offsetof(alcore_vocabulary_options, byte_fallback), NULL},
    {NULL, 0, 0, 0, NULL}};
static alcore_status compute_bleu(alcore_ctx *ctx, const al_input *in, const void *options, const
        alcore_tensor *scores, void *out) {
    return alcore_metric_compute_bleu(ctx, in[0].texts, in[0].lengths, in[0].count, in[1].texts,
        in[1].lengths, in[1].count, options, scores, out);
}
static alcore_status read_bleu(alcore_ctx *ctx, const alcore_text_files *files, const char *links,
        const void *options, void *out) {
    (void)links;
    return alcore_metric_read_bleu(ctx, files, options, out);
}
static const char *bleu_signature(int64_t sets, const void *options, char buffer[160]) {
    return alcore_metric_bleu_signature(sets, options, buffer);
}
static alcore_status compute_chrf(alcore_ctx *ctx, const al_input *in, const void *options, const
        alcore_tensor *scores, void *out) {
    return alcore_metric_compute_chrf(ctx, in[0].texts, in[0].lengths, in[0].count, in[1].texts,
        in[1].lengths, in[1].count, options, scores, out);
}
static alcore_status read_chrf(alcore_ctx *ctx, const alcore_text_files *files, const char *links,
        const void *options, void *out) {
    (void)links;
    return alcore_metric_read_chrf(ctx, files, options, out);
}
static const char *chrf_signature(int64_t sets, const void *options, char buffer[160]) {
    return alcore_metric_chrf_signature(sets, options, buffer);
}
static alcore_status compute_ter(alcore_ctx *ctx, const al_input *in, const void *options, const
        alcore_tensor *scores, void *out) {
    return alcore_metric_compute_ter(ctx, in[0].texts, in[0].lengths, in[0].count, in[1].texts,
        in[1].lengths, in[1].count, options, scores, out);
}
static alcore_status read_ter(alcore_ctx *ctx, const alcore_text_files *files, const char *links,
        const void *options, void *out) {
    (void)links;
    return alcore_metric_read_ter(ctx, files, options, out);
}
static const char *ter_signature(int64_t sets, const void *options, char buffer[160]) {
    return alcore_metric_ter_signature(sets, options, buffer);
}
static alcore_status compute_mean(alcore_ctx *ctx, const al_input *in, const void *options, const
        alcore_tensor *scores, void *out) {
    (void)scores;
    return alcore_metric_compute_mean(ctx, in[0].numbers, in[0].count, options, out);
}
static alcore_status compute_pearson(alcore_ctx *ctx, const al_input *in, const void *options, const
        alcore_tensor *scores, void *out) {
    (void)scores;
    return alcore_metric_compute_pearson(ctx, in[0].numbers, in[0].count, in[1].numbers,
        in[1].count, options, out);
}
static alcore_status compute_wilcoxon(alcore_ctx *ctx, const al_input *in, const void *options,
        const alcore_tensor *scores, void *out) {
    (void)scores;
    return alcore_metric_compute_wilcoxon(ctx, in[0].numbers, in[0].count, in[1].numbers,
        in[1].count, options, out);
}
static alcore_status compute_kappa(alcore_ctx *ctx, const al_input *in, const void *options, const
        alcore_tensor *scores, void *out) {
    (void)scores;
    return alcore_metric_compute_kappa(ctx, in[0].classes, in[0].count, in[1].classes, in[1].count,
        options, out);
}
static alcore_status read_kappa(alcore_ctx *ctx, const alcore_text_files *files, const char *links,
        const void *options, void *out) {
    (void)links;
    return alcore_metric_read_kappa(ctx, files, options, out);
}
static alcore_status compute_labels(alcore_ctx *ctx, const al_input *in, const void *options, const
        alcore_tensor *scores, void *out) {
    (void)scores;
    return alcore_metric_compute_labels(ctx, in[0].texts, in[0].lengths, in[0].count, in[1].texts,
        in[1].lengths, in[1].count, options, out);
}
static alcore_status read_labels(alcore_ctx *ctx, const alcore_text_files *files, const char *links,
        const void *options, void *out) {
    (void)links;
    return alcore_metric_read_labels(ctx, files, options, out);
}
static alcore_status compute_spans(alcore_ctx *ctx, const al_input *in, const void *options, const
        alcore_tensor *scores, void *out) {
    (void)scores;
    return alcore_metric_compute_spans(ctx, in[0].texts, in[0].lengths, in[0].count, in[1].texts,
        in[1].lengths, in[1].count, options, out);
}
static alcore_status read_spans(alcore_ctx *ctx, const alcore_text_files *files, const char *links,
        const void *options, void *out) {
    (void)links;
    return alcore_metric_read_spans(ctx, files, options, out);
}
static alcore_status compute_answers(alcore_ctx *ctx, const al_input *in, const void *options, const
        alcore_tensor *scores, void *out) {
    (void)scores;
    return alcore_metric_compute_answers(ctx, in[0].texts, in[0].lengths, in[0].count,
        in[0].offsets, in[0].offset_count, in[1].texts, in[1].lengths, in[1].count, options, out);
}
static alcore_status read_answers(alcore_ctx *ctx, const alcore_text_files *files, const char
        *links, const void *options, void *out) {
    (void)links;
    return alcore_metric_read_answers(ctx, files, options, out);
}
static alcore_status compute_word_accuracy(alcore_ctx *ctx, const al_input *in, const void *options,
        const alcore_tensor *scores, void *out) {
    (void)scores;
    return alcore_metric_compute_word_accuracy(ctx, in[0].texts, in[0].lengths, in[0].count,
        in[1].texts, in[1].lengths, in[1].count, in[2].texts, in[2].lengths, in[2].count,
        in[3].links, options, out);
}
static alcore_status read_word_accuracy(alcore_ctx *ctx, const alcore_text_files *files, const char
        *links, const void *options, void *out) {
    return alcore_metric_read_word_accuracy(ctx, files, links, options, out);
}
static alcore_status compute_length_ratio(alcore_ctx *ctx, const al_input *in, const void *options,
        const alcore_tensor *scores, void *out) {
    (void)scores;
    return alcore_metric_compute_length_ratio(ctx, in[0].texts, in[0].lengths, in[0].count,
        in[1].texts, in[1].lengths, in[1].count, options, out);
}
static alcore_status read_length_ratio(alcore_ctx *ctx, const alcore_text_files *files, const char
        *links, const void *options, void *out) {
    (void)links;
    return alcore_metric_read_length_ratio(ctx, files, options, out);
}
const al_measure al_measures[] = {
    {.name = "bleu",
     .inputs = {{"hypotheses", AL_TEXTS}, {"references", AL_TEXTS}},
     .compute = compute_bleu,
     .read = read_bleu,
     .signature = bleu_signature,
     .options = al_bleu_options,
     .result = al_bleu_result,
     .options_size = sizeof(alcore_bleu_options),
     .result_size = sizeof(alcore_bleu_result),
     .result_name = "alcore_bleu_result",
     .defaults = &(const alcore_bleu_options)ALCORE_BLEU_OPTIONS_INIT,
     .pointer = offsetof(alcore_bleu_options, paired)},
    {.name = "chrf",
     .inputs = {{"hypotheses", AL_TEXTS}, {"references", AL_TEXTS}},
     .compute = compute_chrf,
     .read = read_chrf,
     .signature = chrf_signature,
     .options = al_chrf_options,
     .result = al_chrf_result,
     .options_size = sizeof(alcore_chrf_options),
     .result_size = sizeof(alcore_chrf_result),
     .result_name = "alcore_chrf_result",
     .defaults = &(const alcore_chrf_options)ALCORE_CHRF_OPTIONS_INIT,
     .pointer = offsetof(alcore_chrf_options, paired)},
    {.name = "ter",
     .inputs = {{"hypotheses", AL_TEXTS}, {"references", AL_TEXTS}},
     .compute = compute_ter,
     .read = read_ter,
     .signature = ter_signature,
     .options = al_ter_options,
     .result = al_ter_result,
     .options_size = sizeof(alcore_ter_options),
     .result_size = sizeof(alcore_ter_result),
     .result_name = "alcore_ter_result",
     .defaults = &(const alcore_ter_options)ALCORE_TER_OPTIONS_INIT,
     .pointer = offsetof(alcore_ter_options, paired)},
    {.name = "mean",
     .inputs = {{"values", AL_NUMBERS}},
     .compute = compute_mean,
     .options = al_mean_options,
     .result = al_mean_result,
     .options_size = sizeof(alcore_mean_options),
     .result_size = sizeof(alcore_mean_result),
     .result_name = "alcore_mean_result",
     .defaults = &(const alcore_mean_options)ALCORE_MEAN_OPTIONS_INIT},
    {.name = "pearson",
     .inputs = {{"x", AL_NUMBERS}, {"y", AL_NUMBERS}},
     .compute = compute_pearson,
     .options = al_pearson_options,
     .result = al_pearson_result,
     .options_size = sizeof(alcore_pearson_options),
     .result_size = sizeof(alcore_pearson_result),
     .result_name = "alcore_pearson_result",
     .defaults = &(const alcore_pearson_options)ALCORE_PEARSON_OPTIONS_INIT},
    {.name = "wilcoxon",
     .inputs = {{"x", AL_NUMBERS}, {"y", AL_NUMBERS}},
     .compute = compute_wilcoxon,
     .options = al_wilcoxon_options,
     .result = al_wilcoxon_result,
     .options_size = sizeof(alcore_wilcoxon_options),
     .result_size = sizeof(alcore_wilcoxon_result),
     .result_name = "alcore_wilcoxon_result",
     .defaults = &(const alcore_wilcoxon_options)ALCORE_WILCOXON_OPTIONS_INIT},
    {.name = "kappa",
     .inputs = {{"x", AL_CLASSES}, {"y", AL_CLASSES}},
     .compute = compute_kappa,
     .read = read_kappa,
     .options = al_kappa_options,
     .result = al_kappa_result,
     .options_size = sizeof(alcore_kappa_options),
     .result_size = sizeof(alcore_kappa_result),
     .result_name = "alcore_kappa_result",
     .defaults = &(const alcore_kappa_options)ALCORE_KAPPA_OPTIONS_INIT},
    {.name = "labels",
     .inputs = {{"gold", AL_TEXTS}, {"predicted", AL_TEXTS}},
     .compute = compute_labels,
     .read = read_labels,
     .options = al_labels_options,
     .result = al_labels_result,
     .options_size = sizeof(alcore_labels_options),
     .result_size = sizeof(alcore_labels_result),
     .result_name = "alcore_labels_result",
     .defaults = &(const alcore_labels_options)ALCORE_LABELS_OPTIONS_INIT},
    {.name = "spans",
     .inputs = {{"gold", AL_TEXTS}, {"predicted", AL_TEXTS}},
     .compute = compute_spans,
     .read = read_spans,
     .options = al_spans_options,
     .result = al_spans_result,
     .options_size = sizeof(alcore_spans_options),
     .result_size = sizeof(alcore_spans_result),
     .result_name = "alcore_spans_result",
     .defaults = &(const alcore_spans_options)ALCORE_SPANS_OPTIONS_INIT},
    {.name = "answers",
     .inputs = {{"gold", AL_LISTS}, {"predicted", AL_TEXTS}},
     .compute = compute_answers,
     .read = read_answers,
     .options = al_answers_options,
     .result = al_answers_result,
     .options_size = sizeof(alcore_answers_options),
     .result_size = sizeof(alcore_answers_result),
     .result_name = "alcore_answers_result",
     .defaults = &(const alcore_answers_options)ALCORE_ANSWERS_OPTIONS_INIT},
    {.name = "word_accuracy",
     .inputs = {{"sources", AL_TEXTS}, {"references", AL_TEXTS}, {"hypotheses", AL_TEXTS}, {"links",
         AL_LINKS}},
     .compute = compute_word_accuracy,
     .read = read_word_accuracy,
     .options = al_word_accuracy_options,
     .result = al_word_accuracy_result,
     .options_size = sizeof(alcore_word_accuracy_options),
     .result_size = sizeof(alcore_word_accuracy_result),
     .result_name = "alcore_word_accuracy_result",
     .defaults = &(const alcore_word_accuracy_options)ALCORE_WORD_ACCURACY_OPTIONS_INIT,
     .pointer = offsetof(alcore_word_accuracy_options, domain)},
    {.name = "length_ratio",
     .inputs = {{"hypotheses", AL_TEXTS}, {"references", AL_TEXTS}},
     .compute = compute_length_ratio,
     .read = read_length_ratio,
     .options = al_length_ratio_options,
     .result = al_length_ratio_result,
     .options_size = sizeof(alcore_length_ratio_options),
     .result_size = sizeof(alcore_length_ratio_result),
     .result_name = "alcore_length_ratio_result",
     .defaults = &(const alcore_length_ratio_options)ALCORE_LENGTH_RATIO_OPTIONS_INIT},
    {.name = NULL}
};
