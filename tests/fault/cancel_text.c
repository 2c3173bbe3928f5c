/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls of language models, aligners, tokenizers and links, over the texts of the pool. */
#include <stdlib.h>

#include "cancel_calls.h"
#include "cancel_parts.h"

alcore_status call_lm_train(void) {
    const char **texts = malloc(sizeof *texts * (size_t)row_count);
    alcore_lm *out = NULL;
    for (int64_t i = 0; i < row_count; i++) texts[i] = alcore_pool_text(pool, i, NULL);
    alcore_status status = alcore_lm_new_trained(ctx, texts, NULL, row_count, NULL, &out);
    alcore_lm_unref(out);
    free(texts);
    return status;
}
alcore_status call_write_arpa(void) {
    return SAVING(alcore_lm_write_arpa(lm, in_folder("other.arpa")));
}
alcore_status call_read_arpa(void) {
    alcore_lm *out = NULL;
    alcore_status status = alcore_lm_open_arpa(ctx, in_folder("lm.arpa"), &out);
    alcore_lm_unref(out);
    return status;
}
alcore_status call_lm_score(void) {
    const char **texts = texts_of_pool();
    double *values = malloc(sizeof *values * (size_t)row_count);
    alcore_tensor out;
    alcore_status status = alcore_tensor_init(&out, values, ALCORE_FLOAT64, &row_count, 1);
    if (status == ALCORE_OK) status = alcore_lm_score(lm, texts, NULL, row_count, &out);
    free(values);
    free(texts);
    return status;
}
alcore_status call_lm_token_logprobs(void) {
    const char **texts = texts_of_pool();
    int64_t tokens = row_count * (TOKENS + 1), ends = row_count + 1;
    float *values = malloc(sizeof *values * (size_t)tokens);
    int64_t *offsets = malloc(sizeof *offsets * (size_t)ends);
    alcore_tensor out, starts;
    alcore_status status = alcore_tensor_init(&out, values, ALCORE_FLOAT32, &tokens, 1);
    if (status == ALCORE_OK) status = alcore_tensor_init(&starts, offsets, ALCORE_INT64, &ends, 1);
    if (status == ALCORE_OK)
        status = alcore_lm_token_logprobs(lm, texts, NULL, row_count, &starts, &out);
    free(offsets);
    free(values);
    free(texts);
    return status;
}
/* The pool is its own translation. */
static alcore_status train_aligner(int32_t tension) {
    const char **texts = texts_of_pool();
    alcore_aligner_options options = ALCORE_ALIGNER_OPTIONS_INIT;
    alcore_aligner *out = NULL;
    options.tension = tension;
    alcore_status status =
        alcore_aligner_new_trained(ctx, texts, NULL, texts, NULL, row_count, &options, &out);
    alcore_aligner_unref(out);
    free(texts);
    return status;
}
alcore_status call_aligner_train(void) {
    return train_aligner(ALCORE_TENSION_OFF);
}
alcore_status call_aligner_tension(void) {
    return train_aligner(ALCORE_TENSION_GRADIENT);
}
alcore_status call_aligner_links(void) {
    alcore_links *out = NULL;
    alcore_status status = alcore_aligner_links(aligner, &out);
    alcore_links_unref(out);
    return status;
}
alcore_status call_aligner_apply(void) {
    const char **texts = texts_of_pool();
    alcore_links *out = NULL;
    alcore_status status = alcore_aligner_apply(aligner, texts, NULL, texts, NULL, row_count, &out);
    alcore_links_unref(out);
    free(texts);
    return status;
}
alcore_status call_aligner_write(void) {
    return SAVING(alcore_aligner_write(aligner, in_folder("other.aligner")));
}
/* The pool is its own second text of each pair. */
alcore_status call_tokenizer_encode(void) {
    const char **texts = texts_of_pool();
    alcore_tokens *out = NULL;
    alcore_status status =
        alcore_tokenizer_encode(tokenizer, texts, NULL, texts, NULL, row_count, NULL, &out);
    alcore_tokens_unref(out);
    free(texts);
    return status;
}
/* So many ids of one text that decoding all of them takes longer than a cancelled call may. */
alcore_status call_tokenizer_decode(void) {
    enum { IDS = 1 << 20 };
    int64_t *ids = malloc(sizeof *ids * IDS);
    size_t length;
    for (int64_t i = 0; i < IDS; i++) ids[i] = i % 200000;
    alcore_status status = alcore_tokenizer_decode(tokenizer, ids, IDS, 0, 0, NULL, &length);
    free(ids);
    return status;
}
alcore_status call_tokenizer_train(void) {
    const char **texts = texts_of_pool();
    const alcore_status status = alcore_tokenizer_train_vocabulary(
        ctx, texts, NULL, row_count, in_folder("trained.model"), NULL);
    free(texts);
    return status;
}
alcore_status call_tokenizer_open(void) {
    alcore_tokenizer *out = NULL;
    alcore_status status = alcore_tokenizer_open(ctx, in_folder("vocab.txt"), &out);
    alcore_tokenizer_unref(out);
    return status;
}
alcore_status call_aligner_read(void) {
    alcore_aligner *out = NULL;
    alcore_status status = alcore_aligner_open(ctx, in_folder("aligner"), &out);
    alcore_aligner_unref(out);
    return status;
}
alcore_status call_align(void) {
    const char **texts = texts_of_pool();
    alcore_links *out = NULL;
    alcore_status status =
        alcore_align(ctx, texts, NULL, texts, NULL, row_count, NULL, NULL, NULL, &out);
    alcore_links_unref(out);
    free(texts);
    return status;
}
alcore_status call_symmetrize(void) {
    alcore_links *out = NULL;
    alcore_status status = alcore_links_symmetrize(links, links, NULL, &out);
    alcore_links_unref(out);
    return status;
}
alcore_status call_links_new(void) {
    alcore_links *out = NULL;
    alcore_tensor offsets, numbers;
    alcore_status status = alcore_links_get(links, &offsets, &numbers);
    if (status == ALCORE_OK) status = alcore_links_new(ctx, &offsets, &numbers, &out);
    alcore_links_unref(out);
    return status;
}
alcore_status call_links_write(void) {
    return SAVING(alcore_links_write(links, in_folder("other.links")));
}
alcore_status call_links_read(void) {
    alcore_links *out = NULL;
    alcore_status status = alcore_links_open(ctx, in_folder("links.txt"), row_count, &out);
    alcore_links_unref(out);
    return status;
}
