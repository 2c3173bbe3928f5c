/* SPDX-License-Identifier: Apache-2.0 */
/* The annotation page: one file of HTML that works in a browser without a server (docs/tools.md).
 *
 * The page itself lies in page/, from which embed_page.py makes the parts before the title, behind
 * it, and behind what is asked. This is a script element of JSON, which no browser runs, and in
 * which "<" is an escape, so that no text can end the element. */
#include <math.h>
#include <string.h>

#include "extra/tool/page_form.h"
#include "extra/tool/page_parts.h"
#include "formats/escape.h"
#include "formats/json_text.h"

enum { POLL_ITEMS = 1024 };

/* A page that is being written. */
typedef struct page {
    alcore_ctx *ctx;
    alcore__writer *writer;
    alcore__json_out json; /* what was made and is not in the file yet */
    alcore__hash digest;   /* of what is asked so far */
} page;

/* The escape of a character that JSON allows and a script element, or a line of JavaScript, does
 * not; *bytes of it stand at text. NULL: it stays. */
static const char *escape_at(const char *text, size_t length, size_t *bytes) {
    *bytes = 1;
    if (*text == '<') return "\\u003c";
    *bytes = 3;
    if (length < 3 || memcmp(text, "\xE2\x80", 2) != 0) return NULL;
    return text[2] == '\xA8' ? "\\u2028" : text[2] == '\xA9' ? "\\u2029" : NULL;
}

/* Moves the JSON that was made into the file, with its escapes, and into the digest. */
static alcore_status flush(page *self) {
    const char *text = self->json.text.data;
    const size_t length = self->json.text.length;
    size_t plain = 0, bytes; /* text[plain .. i) is written as it stands */
    ALCORE__TRY(self->json.status);
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '<' && text[i] != '\xE2') continue;
        const char *escape = escape_at(text + i, length - i, &bytes);
        if (!escape) continue;
        ALCORE__TRY(alcore__writer_put(self->writer, text + plain, i - plain));
        ALCORE__TRY(alcore__writer_put(self->writer, escape, strlen(escape)));
        plain = i + bytes;
        i = plain - 1;
    }
    if (length == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__writer_put(self->writer, text + plain, length - plain));
    const alcore__hash both[] = {self->digest, alcore__hash128(text, length)};
    self->digest = alcore__hash128(both, sizeof both);
    self->json.text.length = 0;
    return ALCORE_OK;
}

static void put_string(page *self, const char *key, const char *text) {
    if (text) alcore__json_put_string(&self->json, key, text);
}

static void put_item(page *self, const alcore_tool_items *items, int64_t i) {
    const double score = alcore__tool_number(items->scores, i);
    alcore__json_put_raw(&self->json, NULL,
                         "\n"); /* a line each, for those who look into the file */
    self->json.separate = false;
    alcore__json_open(&self->json, NULL, '{');
    put_string(self, "id", items->ids[i]);
    alcore__json_put_text(&self->json, "text", items->texts[i], alcore__tool_text_length(items, i));
    put_string(self, "context", alcore__tool_entry(items->contexts, i));
    put_string(self, "draft", alcore__tool_entry(items->drafts, i));
    put_string(self, "reason", alcore__tool_entry(items->reasons, i));
    put_string(self, "group", alcore__tool_entry(items->groups, i));
    put_string(self, "language", alcore__tool_language(items, i));
    if (isfinite(score)) alcore__json_put_number(&self->json, "score", score);
    alcore__json_close(&self->json, '}');
}

/* Writes what is asked. Its last member is a digest of the others, by which the page knows its own
 * answers again in what the browser keeps. */
static alcore_status put_asked(page *self, const alcore_tool_items *items,
                               const alcore_tool_options *options) {
    char digest[ALCORE__HASH_TEXT_BYTES];
    alcore__json_open(&self->json, NULL, '{');
    put_string(self, "schema", "alcore-page-items-1");
    put_string(self, "batch", options->batch);
    put_string(self, "task", alcore__tool_task_name(options->task));
    put_string(self, "source", options->source_language);
    put_string(self, "target", options->target_language);
    alcore__json_open(&self->json, "labels", '[');
    for (int64_t i = 0; i < options->label_count; i++) put_string(self, NULL, options->labels[i]);
    alcore__json_close(&self->json, ']');
    alcore__json_open(&self->json, "items", '[');
    for (int64_t i = 0; i < items->count; i++) {
        if (i % POLL_ITEMS == 0) ALCORE__TRY(alcore__tick(self->ctx, "writing", i, items->count));
        put_item(self, items, i);
        ALCORE__TRY(flush(self));
    }
    alcore__json_close(&self->json, ']');
    ALCORE__TRY(flush(self));
    alcore__hash_print(self->digest, digest);
    put_string(self, "digest", digest);
    alcore__json_close(&self->json, '}');
    return flush(self);
}

static alcore_status put_page(page *self, const alcore_tool_items *items,
                              const alcore_tool_options *options) {
    alcore__buffer *title = &self->json.text;
    ALCORE__TRY(alcore__writer_put(self->writer, page_head, strlen(page_head)));
    ALCORE__TRY(alcore__xml_append(self->ctx, title, options->batch, strlen(options->batch)));
    ALCORE__TRY(alcore__writer_put(self->writer, title->data, title->length));
    title->length = 0;
    ALCORE__TRY(alcore__writer_put(self->writer, page_middle, strlen(page_middle)));
    ALCORE__TRY(put_asked(self, items, options));
    return alcore__writer_put(self->writer, page_tail, strlen(page_tail));
}

/* A tag with a space would be two. */
static alcore_status check_labels(const alcore_tool_options *options) {
    for (int64_t i = 0; options->task == ALCORE_TASK_TAGS && i < options->label_count; i++)
        if (strchr(options->labels[i], ' '))
            return alcore__fail(ALCORE_E_PARAM, "the tag \"%s\" has a space", options->labels[i]);
    return ALCORE_OK;
}

alcore_status alcore__page_write(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                                 const alcore_tool_options *options) {
    page self = {.ctx = ctx, .json = {.ctx = ctx}};
    ALCORE__TRY(check_labels(options));
    ALCORE__TRY(alcore__writer_open(ctx, path, &self.writer));
    alcore_status status = put_page(&self, items, options);
    alcore__buffer_clear(ctx, &self.json.text);
    if (status == ALCORE_OK) return alcore__writer_commit(self.writer);
    alcore__writer_abort(self.writer);
    return status;
}
