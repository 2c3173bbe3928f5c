/* SPDX-License-Identifier: Apache-2.0 */
/* What annotations are read from, chosen by the first byte: a selection, answers or a dictionary,
 * as TSV, CSV or JSONL. What is refused changes nothing; what is accepted is within bounds. */
#include "alcore/extra/annotation.h"
#include "fuzz_target.h"

/* A pool of two rows and its annotations: a sentence, and a phrase with the same id. */
static alcore_annotations *open_annotations(alcore_ctx *ctx, alcore_pool **out_pool) {
    static const char *const texts[] = {"a b", "c"}, *const items[] = {"a b", "b"};
    static const char *const kinds[] = {"sent", "phrase"}, *const ids[] = {"1", "1"};
    static const int64_t rows[] = {0, 0};
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    alcore_annotations *annotations;
    records.texts = items;
    records.kinds = kinds;
    records.ids = ids;
    records.rows = rows;
    records.count = 2;
    FUZZ_CHECK(alcore_pool_new(ctx, NULL, out_pool) == ALCORE_OK);
    FUZZ_CHECK(alcore_pool_add_texts(*out_pool, texts, NULL, 2, NULL) == ALCORE_OK);
    FUZZ_CHECK(alcore_annotations_new(*out_pool, &annotations) == ALCORE_OK);
    FUZZ_CHECK(alcore_annotations_add(annotations, &records) == ALCORE_OK);
    return annotations;
}

/* Every item has a word, a translation has one too, and only a translated item has one. */
static void check_items(const alcore_annotations *annotations, alcore_status status) {
    FUZZ_CHECK(alcore_annotations_count(annotations) >= 2);
    for (int64_t i = 0; i < alcore_annotations_count(annotations); i++) {
        size_t length, translated;
        const char *known = alcore_annotations_status(annotations, i);
        FUZZ_CHECK(alcore_annotations_text(annotations, i, &length) && length > 0);
        const char *translation = alcore_annotations_translation(annotations, i, &translated);
        const bool has_one = !strcmp(known, "ok") || !strcmp(known, "loose");
        FUZZ_CHECK((translation != NULL) == has_one && (translated > 0) == has_one);
        FUZZ_CHECK(status == ALCORE_OK || !strcmp(known, "open"));
        FUZZ_CHECK(alcore_annotations_row(annotations, i) < 2);
    }
    FUZZ_CHECK(alcore_annotations_spent(annotations) >= 0);
    FUZZ_CHECK(status == ALCORE_OK || alcore_annotations_count(annotations) == 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    alcore_pool *pool;
    if (bytes == 0) return 0;
    const char *path = data[0] & 4 ? "f.jsonl" : data[0] & 8 ? "f.csv" : "f.tsv";
    memory_host_open(&host);
    memory_host_file(&host, data + 1, bytes - 1);
    alcore_annotations *annotations = open_annotations(host.ctx, &pool);
    alcore_status status = (data[0] & 3) == 0 ? alcore_annotations_read_selection(annotations, path)
                           : (data[0] & 3) == 1 ? alcore_annotations_read_answers(annotations, path)
                                                : alcore_annotations_look_up(annotations, path);
    check_items(annotations, status);
    alcore_annotations_unref(annotations);
    alcore_pool_unref(pool);
    fuzz_finish(&host, bytes, status);
    return 0;
}
