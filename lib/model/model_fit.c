/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in a prompt with places (model_template.c) as tokens. Where the model reads fewer tokens
 * than a prompt has with its text, the text alone is cut, at its end: what stands around it, and a
 * chat template, stay whole, so that labels, targets and outputs follow the end of the prompt.
 *
 * With t_1 .. t_n the tokens of the text read alone, the part that is kept ends where t_k ends (at
 * a whole character), for the largest k with which the prompt, tokenized anew around that part,
 * fits. k is searched for between bounds that each trial narrows: first where the tokens in excess
 * say, as one token less of the text mostly is one less of the whole, and every other time in the
 * middle. So a text costs two or three trials, and never more than 2 log2(n). */
#include "model/model_engine.h"
#include "pool/pool_internal.h"

/* The texts of a call. */
typedef struct fitting {
    const alcore_model *model;
    const alcore__texts *texts;
    const char *const *languages; /* [texts->count], or NULL */
    alcore__text_role role;
    const int64_t *rooms; /* [texts->count], or NULL */
} fitting;

/* The most tokens that text i may have in its prompt; cut: where it has to be cut, which leaves
 * outputs a quarter of what the model reads. INT64_MAX: there is no limit. */
static int64_t most_of(const fitting *self, int64_t i, bool cut) {
    const int64_t most = alcore__engine_limit(self->model->data, self->role);
    if (most == 0 || most == INT64_MAX) return INT64_MAX;
    if (self->rooms) return most - self->rooms[i];
    return cut ? alcore__engine_cut_limit(self->model->data, self->role) : most;
}

/* Fills and encodes the prompts of texts, without a limit. */
static alcore_status encode(const fitting *self, const alcore__texts *texts,
                            const char *const *languages, alcore__engine_texts *out) {
    const alcore__engine_model *data = self->model->data;
    const alcore__encoding how = {.without_special = data->in_turns};
    ALCORE__TRY(alcore__template_fill(self->model, texts, languages, out));
    const alcore__texts filled = {out->views, out->lengths, texts->count};
    return alcore__tokenizer_encode(data->tokenizer, &filled, NULL /* no pairs */, &how,
                                    &out->tokens);
}

/* *out: the tokens of the prompt around the first `length` bytes of text i. */
static alcore_status count_tokens(const fitting *self, int64_t i, size_t length, int64_t *out) {
    const alcore__texts one = {self->texts->texts + i, &length, 1};
    alcore__engine_texts made = {0};
    const alcore_status status =
        encode(self, &one, self->languages ? self->languages + i : NULL, &made);
    if (status == ALCORE_OK) *out = made.tokens.offsets[1];
    alcore__engine_texts_clear(self->model->object.ctx, &made);
    return status;
}

/* The bytes of a text up to the end of its first k tokens, of whole characters. */
static size_t end_of(const alcore__tokens *tokens, int64_t k, const char *text) {
    size_t end = (size_t)tokens->spans[2 * (k - 1) + 1];
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80) end--;
    return end;
}

/* *length: the bytes of text i that fit, whose tokens, read alone, are given; 0: none do. excess:
 * how many tokens the whole text is too long by. */
static alcore_status search(const fitting *self, int64_t i, const alcore__tokens *tokens,
                            int64_t excess, size_t *length) {
    const int64_t most = most_of(self, i, true), count = tokens->offsets[1];
    int64_t fits = 0, above = count <= most ? count : most + 1; /* k is from fits to above - 1 */
    int64_t k = count - excess;
    *length = 0;
    for (int trial = 0; above - fits > 1; trial++) {
        int64_t found = 0;
        if (trial % 2 == 1 && trial > 1) k = fits + (above - fits) / 2;
        k = k <= fits ? fits + 1 : k >= above ? above - 1 : k;
        const size_t end = end_of(tokens, k, self->texts->texts[i]);
        ALCORE__TRY(count_tokens(self, i, end, &found));
        if (found <= most) {
            fits = k;
            *length = end;
        } else {
            above = k;
        }
        if (found == most) break;
        k += most - found;
    }
    return ALCORE_OK;
}

/* Says that there is no room for a byte of text i. */
static alcore_status fail_full(const fitting *self, int64_t i) {
    static const char *const beside[] = {[ALCORE__TEXT_SOURCE] = "",
                                         [ALCORE__TEXT_LABELED] = " in front of the longest label",
                                         [ALCORE__TEXT_CONTINUED] = " in front of an output"};
    int64_t alone = 0;
    ALCORE__TRY(count_tokens(self, i, 0, &alone));
    if (self->rooms)
        return alcore__fail(ALCORE_E_PARAM,
                            "the prompt without its text has %lld tokens and the target behind it "
                            "%lld, and the model %s reads %lld, which leaves no room for the text",
                            (long long)alone, (long long)self->rooms[i], self->model->name,
                            (long long)alcore__engine_limit(self->model->data, self->role));
    return alcore__fail(ALCORE_E_PARAM,
                        "the prompt without its text has %lld tokens, and the model %s reads "
                        "%lld%s, which leaves no room for the text",
                        (long long)alone, self->model->name, (long long)most_of(self, i, true),
                        beside[self->role]);
}

/* *length: the bytes of text i that are kept; excess as above. */
static alcore_status fit_text(const fitting *self, int64_t i, int64_t excess, size_t *length) {
    const alcore__engine_model *data = self->model->data;
    const alcore__texts one = {self->texts->texts + i, self->texts->lengths + i, 1};
    const alcore__encoding how = {.without_special = true};
    alcore__tokens tokens = {0};
    alcore_status status =
        alcore__tokenizer_encode(data->tokenizer, &one, NULL /* no pairs */, &how, &tokens);
    if (status == ALCORE_OK) status = search(self, i, &tokens, excess, length);
    if (status == ALCORE_OK && *length == 0) status = fail_full(self, i);
    alcore__tokens_clear(self->model->object.ctx, &tokens);
    return status;
}

/* Sets lengths [texts->count], those of the texts before, to the bytes that are kept of each, and
 * out->cut. */
static alcore_status fit_texts(const fitting *self, size_t *lengths, alcore__engine_texts *out) {
    const int64_t *offsets = out->tokens.offsets;
    for (int64_t i = 0; i < self->texts->count; i++) {
        const int64_t tokens = offsets[i + 1] - offsets[i];
        lengths[i] = self->texts->lengths[i];
        if (tokens <= most_of(self, i, false)) continue;
        const alcore_status status =
            fit_text(self, i, tokens - most_of(self, i, true), &lengths[i]);
        if (status != ALCORE_OK) {
            out->failed = i + 1;
            return status;
        }
        out->cut++;
    }
    return ALCORE_OK;
}

alcore_status alcore__engine_check_pairs(const alcore_model *model, const alcore_pool *pool,
                                         const alcore__model_batch *batch,
                                         const alcore_sys_model_texts *sources,
                                         const alcore_sys_model_texts *targets) {
    const alcore__engine_model *data = model->data;
    const int64_t most = data->info.max_tokens;
    if (!alcore__is_language_model(data) || most == 0) return ALCORE_OK;
    for (int64_t i = 0; i < batch->count; i++) {
        const int64_t source = sources->offsets[i + 1] - sources->offsets[i],
                      target = targets->offsets[i + 1] - targets->offsets[i], row = batch->rows[i];
        char id[24];
        if (source <= most - target) continue;
        return alcore__fail(ALCORE_E_SHAPE,
                            "row %lld (id %s): the text%s has %lld tokens and its reference %lld, "
                            "and the model %s reads %lld",
                            (long long)row, alcore__pool_id(pool, row, id),
                            data->prompt_given ? " in its prompt" : "", (long long)source,
                            (long long)target, model->name, (long long)most);
    }
    return ALCORE_OK;
}

alcore_status alcore__template_encode(const alcore_model *model, const alcore__texts *texts,
                                      const char *const *languages, alcore__text_role role,
                                      const int64_t *rooms, alcore__engine_texts *out) {
    const fitting self = {model, texts, languages, role, rooms};
    alcore_ctx *ctx = model->object.ctx;
    size_t *lengths = NULL; /* [texts->count] bytes of each that are kept */
    ALCORE__TRY(encode(&self, texts, languages, out));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)texts->count, sizeof *lengths, &lengths));
    alcore_status status = fit_texts(&self, lengths, out);
    if (status == ALCORE_OK && out->cut > 0) {
        const alcore__texts kept = {texts->texts, lengths, texts->count};
        const int64_t cut = out->cut;
        alcore__engine_texts_clear(ctx, out);
        out->cut = cut;
        status = encode(&self, &kept, languages, out);
    }
    alcore__free(ctx, lengths);
    return status;
}
