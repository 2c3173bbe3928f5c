/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the domains, and the pools that are read from them. A file of which only some
 * records are used is cut once, line by line, to a file of its own in FOLDER/data, so that programs
 * are given the same records as the library. */
#include <string.h>

#include "extra/experiment/experiment_run.h"
#include "formats/line_reader.h"
#include "formats/records.h"

static const char *const roles[] = {"pool", "labeled", "test", "target"};
enum { ROLES = 4 };

static const alcore__experiment_data *data_of(const alcore__experiment_domain *domain,
                                              const char *role) {
    const alcore__experiment_data *const data[] = {&domain->pool, &domain->labeled, &domain->test,
                                                   &domain->target};
    for (int i = 0; i < ROLES; i++)
        if (!strcmp(role, roles[i])) return data[i];
    return NULL;
}

alcore_status alcore__experiment_data_path(const alcore__experiment *self,
                                           const alcore__experiment_domain *domain,
                                           const char *role, alcore__buffer *out) {
    const alcore__experiment_data *data = data_of(domain, role);
    out->length = 0;
    if (!data->path) return alcore__buffer_append(self->ctx, out, "", 0);
    if (!data->records) return alcore__experiment_absolute(self, data->path, out);
    const int32_t format = alcore__records_format(data->path);
    return alcore__experiment_path(self->ctx, out, "%s/data/%s.%s.%s", self->folder.data,
                                   domain->name, role,
                                   format == ALCORE_FORMAT_TSV     ? "tsv"
                                   : format == ALCORE_FORMAT_JSONL ? "jsonl"
                                                                   : "txt");
}

/* ---- cutting ---- */

/* Copies the header of a table and the records that are used. */
static alcore_status copy_lines(alcore__line_reader *lines, const alcore__experiment_data *data,
                                bool header, alcore__writer *writer) {
    char *text;
    size_t length;
    int64_t record = header ? -1 : 0;
    for (bool more = true; more && record < data->last;) {
        ALCORE__TRY(alcore__lines_fill(lines, &more));
        while (more && record < data->last) {
            ALCORE__TRY(alcore__lines_next(lines, &text, &length));
            if (!text) break;
            record++;
            if (record > 0 && record < data->first) continue;
            ALCORE__TRY(alcore__writer_put(writer, text, length));
            ALCORE__TRY(alcore__writer_put(writer, "\n", 1));
        }
    }
    if (record >= data->last) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s: records: there are %lld, not %lld", data->path,
                        (long long)(record > 0 ? record : 0), (long long)data->last);
}

static alcore_status cut(alcore__experiment *self, const alcore__experiment_domain *domain,
                         const char *role) {
    const alcore__experiment_data *data = data_of(domain, role);
    alcore__buffer from = {0}, to = {0};
    alcore__line_reader lines;
    alcore__writer *writer;
    const int32_t format = data->path ? alcore__records_format(data->path) : 0;
    if (!data->records) return ALCORE_OK;
    if (data->references || (format != ALCORE_FORMAT_TSV && format != ALCORE_FORMAT_JSONL &&
                             format != ALCORE_FORMAT_TEXT))
        return alcore__tree_fail(&self->config.tree, data->records,
                                 "domains[%s].%s.records: only one file of TSV, JSONL or text is "
                                 "cut",
                                 domain->name, role);
    alcore_status status = alcore__experiment_absolute(self, data->path, &from);
    if (status == ALCORE_OK) status = alcore__experiment_data_path(self, domain, role, &to);
    if (status == ALCORE_OK && !alcore__path_exists(to.data)) {
        status = alcore__lines_open(&lines, self->ctx, from.data, 0);
        if (status == ALCORE_OK) {
            status = alcore__writer_open(self->ctx, to.data, &writer);
            if (status == ALCORE_OK) {
                status = copy_lines(&lines, data, format == ALCORE_FORMAT_TSV, writer);
                if (status == ALCORE_OK)
                    status = alcore__writer_commit(writer);
                else
                    alcore__writer_abort(writer);
            }
            alcore__lines_close(&lines);
        }
    }
    alcore__buffer_clear(self->ctx, &from);
    alcore__buffer_clear(self->ctx, &to);
    return status;
}

alcore_status alcore__experiment_cut_files(alcore__experiment *self) {
    for (int64_t i = 0; i < self->config.domain_count; i++)
        for (int k = 0; k < ROLES; k++) ALCORE__TRY(cut(self, &self->config.domains[i], roles[k]));
    return ALCORE_OK;
}

/* ---- pools ---- */

alcore_status alcore__experiment_new_pool(alcore_ctx *ctx, alcore_pool **out) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.dedup = ALCORE_DEDUP_NONE;
    options.repeated_ids = ALCORE_IDS_ANY;
    return alcore_pool_new(ctx, &options, out);
}

alcore_status alcore__experiment_texts(const alcore_pool *pool, alcore_ctx *ctx,
                                       const char ***texts, size_t **lengths) {
    const int64_t count = alcore_pool_row_count(pool);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof **texts, texts));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof **lengths, lengths));
    for (int64_t row = 0; row < count; row++)
        (*texts)[row] = alcore_pool_text(pool, row, &(*lengths)[row]);
    return ALCORE_OK;
}

alcore_status alcore__experiment_data_read(const alcore__experiment_run *run, const char *role,
                                           alcore_pool *pool) {
    const alcore__experiment_data *data = data_of(run->domain, role);
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore__buffer path = {0}, references = {0};
    if (!data->path) return ALCORE_OK;
    options.text_column = data->text_column;
    options.reference_column = data->reference_column;
    options.language = data->language;
    alcore_status status = alcore__experiment_data_path(run->all, run->domain, role, &path);
    if (status == ALCORE_OK && data->references) {
        status = alcore__experiment_absolute(run->all, data->references, &references);
        options.references = references.data;
    }
    if (status == ALCORE_OK) status = alcore_pool_read(pool, path.data, &options);
    alcore__buffer_clear(run->all->ctx, &path);
    alcore__buffer_clear(run->all->ctx, &references);
    return status;
}

alcore_status alcore__experiment_read_pools(alcore__experiment_run *run) {
    if (run->pool) return ALCORE_OK;
    ALCORE__TRY(alcore_pool_new(run->all->ctx, NULL, &run->pool));
    ALCORE__TRY(alcore__experiment_data_read(run, "pool", run->pool));
    if (run->domain->test.path) {
        ALCORE__TRY(alcore__experiment_new_pool(run->all->ctx, &run->test));
        ALCORE__TRY(alcore__experiment_data_read(run, "test", run->test));
    }
    if (!run->domain->target.path) return ALCORE_OK;
    ALCORE__TRY(alcore__experiment_new_pool(run->all->ctx, &run->target));
    return alcore__experiment_data_read(run, "target", run->target);
}

alcore_status alcore__experiment_labeled(const alcore__experiment_run *run, int64_t round,
                                         bool with_first, alcore_pool **out) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore__buffer path = {0};
    options.text_column = "src";
    options.reference_column = "tgt";
    alcore_status status = alcore__experiment_new_pool(run->all->ctx, out);
    if (status == ALCORE_OK && with_first)
        status = alcore__experiment_data_read(run, "labeled", *out);
    if (status == ALCORE_OK && round > 0) {
        status = alcore__experiment_file(run, round, "train.tsv", &path);
        if (status == ALCORE_OK) status = alcore_pool_read(*out, path.data, &options);
    }
    alcore__buffer_clear(run->all->ctx, &path);
    if (status != ALCORE_OK) {
        alcore_pool_unref(*out);
        *out = NULL;
    }
    return status;
}
