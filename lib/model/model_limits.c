/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a text a model reads, what is said of texts that were cut, and the memory of the
 * texts of a call. */
#include "model/model_engine.h"
#include "text/utf8.h"

size_t alcore__engine_points(const char *text, size_t length, int64_t most) {
    size_t next = 0;
    if (length <= (uint64_t)most) return length;
    for (int64_t i = 0; i < most && next < length; i++)
        (void)alcore__utf8_next(text, length, &next);
    return next;
}

int64_t alcore__engine_limit(const alcore__engine_model *data, alcore__text_role role) {
    const int64_t most = data->info.max_tokens;
    if (role == ALCORE__TEXT_LEARNED) return 0;
    if (role == ALCORE__TEXT_TARGET && alcore__is_language_model(data)) return 0;
    if (role != ALCORE__TEXT_LABELED || most == 0 || most == INT64_MAX) return most;
    return most - data->verbalizer.longest;
}

int64_t alcore__engine_cut_limit(const alcore__engine_model *data, alcore__text_role role) {
    const int64_t most = alcore__engine_limit(data, role);
    return role == ALCORE__TEXT_CONTINUED && data->is_template ? most - most / 4 : most;
}

void alcore__engine_texts_clear(alcore_ctx *ctx, alcore__engine_texts *texts) {
    alcore__tokens_clear(ctx, &texts->tokens);
    alcore__free(ctx, (void *)texts->tags);
    alcore__free(ctx, texts->joined);
    alcore__free(ctx, (void *)texts->views);
    alcore__free(ctx, texts->lengths);
    *texts = (alcore__engine_texts){0};
}

void alcore__model_log_cut(const alcore_model *model, alcore__column_cut cut, const char *column) {
    if (cut.texts == 0) return;
    alcore__log(model->object.ctx, ALCORE_LOG_WARN, "model", NULL,
                "%s: %lld %s cut to %lld tokens for %s%s%s", model->name, (long long)cut.texts,
                cut.texts == 1 ? "text was" : "texts were", (long long)cut.tokens,
                column ? "the column '" : "the outputs", column ? column : "", column ? "'" : "");
}

void alcore__model_note_cut(alcore_model *model, alcore__column_cut cut, const char *column) {
    if (cut.texts >= model->cut.texts) model->cut = cut;
    alcore__model_log_cut(model, cut, column);
}
