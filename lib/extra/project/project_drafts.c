/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts: what annotators may begin with, by the setting draft. They are made once, when the round
 * is selected, so that each export has the same ones. */
#include <string.h>

#include "alcore/extra/translating.h"
#include "extra/project/project_round.h"

/* A pool of the texts of the picks, in rank order. */
static alcore_status pool_of_picks(alcore_project *project, const alcore_selection *selection,
                                   alcore_pool **out) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    const alcore_pool *const pool = alcore_selection_pool(selection);
    const int64_t *const rows = alcore_selection_rows(selection);
    options.dedup = ALCORE_DEDUP_NONE;
    ALCORE__TRY(alcore_pool_new(project->object.ctx, &options, out));
    for (int64_t rank = 0; rank < alcore_selection_count(selection); rank++) {
        const char *const text = alcore_pool_text(pool, rows[rank], NULL);
        ALCORE__TRY(alcore_pool_add_texts(*out, &text, NULL, 1, NULL));
    }
    return ALCORE_OK;
}

alcore_status alcore__project_drafts_make(alcore_project *project,
                                          const alcore__project_settings *settings,
                                          const alcore_selection *selection, alcore_model *model,
                                          alcore__project_drafts *out) {
    alcore_translate_options options = ALCORE_TRANSLATE_OPTIONS_INIT;
    const char *const draft = alcore__project_setting(settings, "draft");
    const char *const language = alcore__project_setting(settings, "draft_language");
    alcore_pool *picks = NULL;
    *out = (alcore__project_drafts){.of_references = strcmp(draft, "reference") == 0};
    if (strcmp(draft, "model") != 0) return ALCORE_OK;
    if (!model)
        return alcore__fail(ALCORE_E_MISSING,
                            "draft=model needs a model that translates: the setting model names "
                            "its folder");
    if (*language) options.language = language;
    alcore_status status = pool_of_picks(project, selection, &picks);
    if (status == ALCORE_OK)
        status = alcore_model_translate(model, picks, &options, &out->translations);
    alcore_pool_unref(picks);
    return status;
}

void alcore__project_drafts_clear(alcore__project_drafts *drafts) {
    alcore_pool_unref(drafts->translations);
    *drafts = (alcore__project_drafts){0};
}

const char *alcore__project_draft(const alcore__project_drafts *drafts, const alcore_pool *source,
                                  int64_t row, int64_t rank) {
    size_t length = 0;
    const char *text = NULL;
    if (drafts->of_references && source) text = alcore_pool_reference(source, row, &length);
    if (drafts->translations) text = alcore_pool_text(drafts->translations, rank, &length);
    return length > 0 ? text : NULL;
}
