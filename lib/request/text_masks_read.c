/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the texts that are masked and those that mask them, a block of rows a task.
 *
 * alcore__text_content_read(text, length, words, &content) counts what is in a text: its tokens;
 * its words, of these the unspaced ones (letters of a script without spaces, each of which is a
 * word); the letters of its words, a syllable as two, and those of them that stand in calls of
 * source code or markup; the characters that are no white space, both without placeholders and
 * variables; whether it is a line of markup, a synopsis or a declared argument, or has brackets of
 * a table's cells; pattern, a hash of its words in their order, 0 where it has none; and
 * named_pattern, the same with all names alike. `words` gets the hashes of the words in their
 * order; NULL: they are not wanted. */
#include "request/text_masks_internal.h"
#include "text/text_content.h"
#include "text/text_ngrams.h"

/* Letters among the characters of a text that has words enough; and the same of a text with calls
 * of source code or markup, whose letters are counted outside of them: a sentence that names a
 * function has more, the declaration of one has fewer. */
#define WORD_SHARE 0.4
#define PROSE_SHARE (1.0 / 3)

/* At most so many bytes of tokens are kept of a pool: those of about a million interface texts. The
 * strategy reads the texts beyond them once more, so that memory does not grow with the pool. */
enum { KEPT_BYTES = 128 << 20 };

/* Memory of a worker. */
typedef struct scratch {
    uint64_t *words; /* [capacity] hashes of the words of a text, owned */
    size_t capacity;
} scratch;

/* What the tasks share. */
typedef struct read_loop {
    alcore_ctx *ctx;
    const alcore_pool *pool;
    alcore__read_texts *out;
    alcore__kept_tokens *tokens; /* NULL: not wanted */
    scratch *workers;            /* [threads], owned; NULL where near texts are not wanted */
} read_loop;

/* Whether the mask "wordless" holds; fewer than two letters are not a word that is translated, and
 * a text with brackets of cells is cut out of a table, across its cells, and a line of markup has
 * none either; a text that is cut off is no whole sentence. */
static bool is_wordless(const alcore__text_content *content) {
    const double letters = (double)content->letters, called = (double)content->called;
    const double characters = (double)content->characters;
    return content->letters < 2 || content->markup || content->cut ||
           letters < WORD_SHARE * characters ||
           (content->called > 0 && letters - called < PROSE_SHARE * characters);
}

/* Keeps by what near texts of a row are found, behind what the rows before it in the block have.
 * words [content->words]: hashes of its words. Texts of too few words keep nothing, so that those
 * that are listed have a word or more. */
static alcore_status keep_near(const read_loop *loop, int64_t row, const uint64_t *words,
                               const alcore__text_content *content) {
    alcore__text_near *near = &loop->out->near[row];
    alcore__parts_block *block = &loop->out->parts[row / ALCORE_BLOCK_ROWS];
    if (alcore__text_content_spaced(content) < ALCORE__NEAR_SHORTEST) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(loop->ctx, &block->parts, &block->capacity,
                             block->count + (size_t)alcore__near_most(content->words),
                             sizeof *block->parts));
    near->first = block->count;
    near->count = alcore__near_list(words, content->words, block->parts + block->count);
    near->unspaced = content->unspaced * 2 >= content->words;
    alcore__texts_read_outline(loop->out, row);
    alcore__near_keys(words, content->words, near->keys);
    block->count += (size_t)near->count;
    return ALCORE_OK;
}

/* Texts whose bytes tell that they are Latin are not read once more. */
static alcore__text_scripts scripts_of(const char *text, size_t length,
                                       const alcore__text_content *content) {
    const uint8_t script = content->words > 0 ? ALCORE__SCRIPT_LATIN : ALCORE__SCRIPT_NONE;
    if (!alcore__text_is_latin(text, length)) return alcore__text_scripts_read(text, length);
    return (alcore__text_scripts){.first = script};
}

/* Counts what is in a text, and keeps as many of its tokens as alcore__text_ngrams() would read. */
static alcore_status read_content(const read_loop *loop, int64_t row, const char *text,
                                  size_t length, uint64_t *words, alcore__text_content *out) {
    alcore__token_room room;
    if (!loop->tokens) {
        alcore__text_content_read(text, length, words, NULL, out);
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__kept_tokens_begin(loop->ctx, loop->tokens, row,
                                          alcore__text_tokens_most(text, length), &room));
    alcore__text_content_read(text, length, words, &room, out);
    alcore__kept_tokens_end(loop->tokens, row, &room,
                            out->tokens < room.most ? out->tokens : room.most);
    return ALCORE_OK;
}

/* Reads the text of a row, for all masks. worker: NULL where near texts are not wanted, for which
 * alone the words are kept. A text has at most `length` words, as each has a byte or more. */
static alcore_status read_row(const read_loop *loop, int64_t row, scratch *worker) {
    alcore__text_content content;
    size_t length;
    const char *text = alcore_pool_text(loop->pool, row, &length);
    if (worker)
        ALCORE__TRY(alcore__grow(loop->ctx, &worker->words, &worker->capacity, length,
                                 sizeof *worker->words));
    ALCORE__TRY(read_content(loop, row, text, length, worker ? worker->words : NULL, &content));
    loop->out->facts[row] = (alcore__text_facts){.pattern = content.pattern,
                                                 .named_pattern = content.named_pattern,
                                                 .tokens = (uint32_t)content.tokens,
                                                 .wordless = is_wordless(&content),
                                                 .scripts = scripts_of(text, length, &content)};
    return worker ? keep_near(loop, row, worker->words, &content) : ALCORE_OK;
}

/* Task `index` of alcore__parallel(): reads the rows of a block. No other task has them, nor the
 * parts of the block, nor at the same time the memory of this worker. */
static alcore_status read_block(void *data, int64_t index, int32_t worker) {
    const read_loop *loop = data;
    const int64_t first = index * ALCORE_BLOCK_ROWS;
    const int64_t rows = loop->out->rows;
    const int64_t end = first + ALCORE_BLOCK_ROWS < rows ? first + ALCORE_BLOCK_ROWS : rows;
    for (int64_t row = first; row < end; row++) {
        if (loop->out->mask[row])
            ALCORE__TRY(read_row(loop, row, loop->workers ? &loop->workers[worker] : NULL));
        else if (loop->tokens)
            alcore__kept_tokens_end(loop->tokens, row, NULL /* it was not begun */, 0);
    }
    if (loop->tokens) ALCORE__TRY(alcore__kept_tokens_close(loop->ctx, loop->tokens, index));
    if (!loop->workers) return ALCORE_OK;
    alcore__parts_block *block = &loop->out->parts[index];
    return alcore__trim(loop->ctx, &block->parts, block->count, sizeof *block->parts);
}

/* The words of the workers are freed here, the arrays of *out by the caller. */
alcore_status alcore__texts_read(alcore_ctx *ctx, const alcore_pool *pool, const uint8_t *mask,
                                 int64_t rows, bool near, alcore__kept_tokens *tokens,
                                 alcore__read_texts *out) {
    const int32_t threads = alcore_ctx_threads(ctx);
    read_loop loop = {.ctx = ctx, .pool = pool, .out = out, .tokens = tokens};
    *out = (alcore__read_texts){
        .mask = mask, .rows = rows, .blocks = (rows + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS};
    if (tokens) ALCORE__TRY(alcore__kept_tokens_new(ctx, rows, KEPT_BYTES, tokens));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof *out->facts, &out->facts));
    if (near) {
        ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof *out->near, &out->near));
        ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof *out->outlines, &out->outlines));
        ALCORE__TRY(alcore__new_array(ctx, (size_t)out->blocks, sizeof *out->parts, &out->parts));
        ALCORE__TRY(alcore__new_array(ctx, (size_t)threads, sizeof *loop.workers, &loop.workers));
    }
    const alcore_status status = alcore__parallel(ctx, "masks", out->blocks, read_block, &loop);
    for (int32_t i = 0; near && i < threads; i++) alcore__free(ctx, loop.workers[i].words);
    alcore__free(ctx, loop.workers);
    return status;
}

void alcore__texts_read_clear(alcore_ctx *ctx, alcore__read_texts *texts) {
    for (int64_t i = 0; texts->parts && i < texts->blocks; i++)
        alcore__free(ctx, texts->parts[i].parts);
    alcore__free(ctx, texts->parts);
    alcore__free(ctx, texts->outlines);
    alcore__free(ctx, texts->near);
    alcore__free(ctx, texts->facts);
    *texts = (alcore__read_texts){0};
}

alcore__near_parts alcore__texts_read_parts(const alcore__read_texts *texts, int64_t row) {
    const alcore__text_near *near = &texts->near[row];
    return (alcore__near_parts){.parts = texts->parts[row / ALCORE_BLOCK_ROWS].parts + near->first,
                                .count = near->count,
                                .unspaced = near->unspaced};
}

void alcore__texts_read_outline(alcore__read_texts *texts, int64_t row) {
    const alcore__near_parts parts = alcore__texts_read_parts(texts, row);
    texts->outlines[row] = alcore__near_outline(&parts);
}
