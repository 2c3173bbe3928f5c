/* SPDX-License-Identifier: Apache-2.0 */
/* Items that go out: of one round or all, with the texts around them, and with drafts of the
 * answers. */
#include "project_round_bed.h"

#include <math.h>

#include "alcore/extra/translating.h"
#include "file_text.h"

START_TEST(exports) {
    char batch[64];
    ck_assert_ok(alcore_project_export(project, "csv", in_bed("out.csv"), 0));
    const char *text = file_text(in_bed("out.csv"));
    const char *at[] = {strstr(text, first), strstr(text, second), strstr(text, third)};
    ck_assert(at[0] && at[1] && at[2] && at[0] < at[1] && at[1] < at[2]);
    const char *document;
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(strstr(document, "\"tool\":\"csv\",\"round\":1,\"items\":3"));
    ck_assert_ptr_nonnull(strstr(document, "2001-09-09T01:46:40Z")); /* $SOURCE_DATE_EPOCH */
    ck_assert_int_eq(sscanf(strstr(document, "\"batch\":"), "\"batch\":\"%63[^\"]", batch), 1);
    ck_assert_ptr_nonnull(strstr(batch, "alcore-"));
    imported(row(second, "b", "", "", ""));
    ck_assert_ok(alcore_project_export(project, "csv", in_bed("out.csv"), 1));
    text = file_text(in_bed("out.csv"));
    ck_assert(strstr(text, first) && !strstr(text, second) && strstr(text, third));
    bed_next(project, ids);
    ck_assert_ok(alcore_project_export(project, "csv", in_bed("out.csv"), -1));
    ck_assert_fails(alcore_project_export(project, "csv", in_bed("out.csv"), 3), ALCORE_E_NOT_FOUND,
                    "no round 3");
    ck_assert_fails(alcore_project_export(project, "cvs", in_bed("out.csv"), 1), ALCORE_E_NOT_FOUND,
                    "csv");
    ck_assert_fails(alcore_project_export(project, NULL, "x", 1), ALCORE_E_INVALID, "tool");
    ck_assert_fails(alcore_project_export(NULL, "csv", "x", 1), ALCORE_E_INVALID, "project");
    imported(row(first, "a", "", "", ""));
    imported(row(third, "c", "", "", ""));
    ck_assert_fails(alcore_project_export(project, "csv", in_bed("out.csv"), 1), ALCORE_E_MISSING,
                    "no open item");
}
END_TEST

/* Annotators see the texts around an item, of its group and no further. */
START_TEST(contexts) {
    alcore_project *other;
    ck_assert_ok(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &other));
    ck_assert_ok(alcore_project_set(other, "strategy", "random"));
    ck_assert_ok(alcore_project_set(other, "budget", "9"));
    ck_assert_ok(alcore_project_set(other, "context", "1"));
    ck_assert_ok(alcore_project_add(
        other, ALCORE_ROLE_CANDIDATES,
        bed_put("q.tsv", "id\ttext\tgroup\na\tA1\tx\nb\tA2\tx\nc\tA3\tx\nd\tB1\ty\ne\tC\t\n"),
        NULL));
    ck_assert_ok(alcore_project_next(other, NULL, NULL, NULL, 0, NULL));
    ck_assert_ok(alcore_project_export(other, "csv", in_bed("q.csv"), 1));
    const char *const text = file_text(in_bed("q.csv"));
    ck_assert_ptr_nonnull(strstr(text, "\"A1\nA2\nA3\""));
    ck_assert_ptr_nonnull(strstr(text, "\"A1\nA2\""));
    ck_assert_ptr_nonnull(strstr(text, "\"A2\nA3\""));
    ck_assert_ptr_null(strstr(text, "A3\nB1"));
    alcore_project_unref(other);
}
END_TEST

/* What the file "x.csv" says, after the open items of all rounds were exported to it. */
static const char *exported(alcore_project *of) {
    ck_assert_ok(alcore_project_export(of, "csv", in_bed("x.csv"), -1));
    return file_text(in_bed("x.csv"));
}

static alcore_status translate(void *user, const alcore_batch *batch,
                               const alcore_translate_options *options, alcore_outputs *out) {
    alcore_status status = ALCORE_OK;
    (void)user;
    for (int64_t i = 0; i < batch->count && status == ALCORE_OK; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s:%.20s", options->language, batch->texts[i]);
        status = alcore_outputs_put(out, i, 0, text, strlen(text), NULL, 0, (double)NAN);
    }
    return status;
}

/* Annotators may begin with the references of candidates, or with what the model translates. */
START_TEST(drafts_go_out) {
    alcore_project *other;
    alcore_model *model;
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    ck_assert_ok(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &other));
    ck_assert_ok(alcore_project_set(other, "strategy", "random"));
    ck_assert_ok(alcore_project_set(other, "budget", "1"));
    ck_assert_ok(alcore_project_add(
        other, ALCORE_ROLE_CANDIDATES,
        bed_put("q.tsv", "text\treference\nein Haus\ta house\nein Hof\ta yard\nein Hut\ta hat\n"),
        NULL));
    ck_assert_ok(alcore_project_next(other, NULL, NULL, NULL, 0, NULL));
    ck_assert_ptr_null(strstr(exported(other), ",a "));
    ck_assert_ok(alcore_project_set(other, "draft", "reference"));
    ck_assert_ok(alcore_project_next(other, NULL, NULL, NULL, 0, NULL));
    ck_assert_ptr_nonnull(strstr(exported(other), ",a "));
    ck_assert_ok(alcore_project_set(other, "draft", "model"));
    ck_assert_ok(alcore_project_set(other, "draft_language", "en"));
    ck_assert_fails(alcore_project_next(other, NULL, NULL, NULL, 0, NULL), ALCORE_E_MISSING,
                    "draft=model");
    ck_assert_ok(alcore_model_new_host(ctx, &host, &model));
    ck_assert_ok(alcore_model_set_translate(model, translate));
    ck_assert_ok(alcore_project_next(other, model, NULL, NULL, 0, NULL));
    ck_assert_ptr_nonnull(strstr(exported(other), ",en:ein H"));
    alcore_model_unref(model);
    alcore_project_unref(other);
}
END_TEST

CHECK_SUITE_WITH("project_export", round_setup, round_teardown, exports, contexts, drafts_go_out);
