/* SPDX-License-Identifier: Apache-2.0 */
/* Reader and writer of Pharaoh's notation (pharaoh.h). The links of a line are appended to the
 * array of all links; if they did not come in order, they are sorted by the key source << 32 |
 * target and equal ones dropped. Cost: one pass over the bytes. */
#include "formats/pharaoh.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "formats/line_reader.h"
#include "text/radix_sort.h"
#include "text/words.h"

static const char STAGE_WRITE[] = "writing links";
/* Sentence pairs between two polls of cancellation. */
enum { POLL_PAIRS = 4096 };
/* Characters of a wrong link that an error text repeats. */
enum { SHOWN = 40 };

/* The state of one reading. */
struct alcore__pharaoh_reader {
    alcore_ctx *ctx;
    alcore__line_reader lines;
    alcore__links links; /* owned; complete up to pair links.pairs - 1 */
    size_t begin_capacity,
        link_capacity;    /* entries that links.begin and links.link have memory for */
    alcore__keyed *keys;  /* [keys_capacity] links of one line that is sorted */
    alcore__keyed *spare; /* [spare_capacity] second array of the radix sort */
    size_t keys_capacity, spare_capacity;
};
typedef alcore__pharaoh_reader reader;

/* Reads a word position: decimal digits only, below ALCORE__LINK_POSITIONS. */
static bool read_position(const char *text, size_t length, uint32_t *out) {
    uint64_t value;
    if (length == 0 || text[0] < '0' || text[0] > '9') return false;
    if (!alcore__parse_uint(text, length, &value) || value >= ALCORE__LINK_POSITIONS) return false;
    *out = (uint32_t)value;
    return true;
}

/* What is known about a word that is no link, for its error text. */
static const char *wrong_link(const char *word, size_t length) {
    if (memchr(word, '?', length)) return "; possible links, i?j, are not read: leave them out";
    if (memmem(word, length, "\xC2\xA0", 2))
        return "; it has a no-break space (U+00A0): separate links by spaces";
    if (length > 0 && (*word == '#' || memmem(word, length, "({", 2)))
        return "; GIZA++'s own files are not read: its tools giza2bal and symal make links of them";
    return "";
}

/* Reads one link, "i-j". */
static alcore_status read_link(const reader *r, const char *word, size_t length,
                               alcore__link *out) {
    const char *dash = memchr(word, '-', length);
    const size_t before = dash ? (size_t)(dash - word) : 0;
    if (dash && read_position(word, before, &out->source) &&
        read_position(dash + 1, length - before - 1, &out->target))
        return ALCORE_OK;
    return alcore__lines_fail(&r->lines,
                              "'%.*s' is not a link: write source-target as two word positions "
                              "from 0 to %" PRIu32 ", such as 0-1%s",
                              length < SHOWN ? (int)length : SHOWN, word,
                              ALCORE__LINK_POSITIONS - 1, wrong_link(word, length));
}

/* Links compare by (source, target) as these keys do. */
static uint64_t sort_key(alcore__link link) {
    return (uint64_t)link.source << 32 | link.target;
}

/* Sorts links [*count], those of one line, and drops those that are there twice; *count becomes the
 * number of links left. */
static alcore_status sort_links(reader *r, alcore__link *links, size_t *count) {
    ALCORE__TRY(alcore__grow(r->ctx, &r->keys, &r->keys_capacity, *count, sizeof *r->keys));
    ALCORE__TRY(alcore__grow(r->ctx, &r->spare, &r->spare_capacity, *count, sizeof *r->spare));
    for (size_t i = 0; i < *count; i++) r->keys[i] = (alcore__keyed){sort_key(links[i]), 0};
    ALCORE__TRY(alcore__radix_sort(r->ctx, r->keys, r->spare, *count));
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (i == 0 || r->keys[i].key != r->keys[i - 1].key)
            links[kept++] =
                (alcore__link){(uint32_t)(r->keys[i].key >> 32), (uint32_t)r->keys[i].key};
    *count = kept;
    return ALCORE_OK;
}

/* Reads the links of one sentence pair, which becomes the last pair of r->links: link[begin[pairs]]
 * up to the one before the new begin[pairs + 1]. Lines whose links ascend, as tools write them, are
 * not sorted. */
static alcore_status read_line(reader *r, const char *text, size_t length) {
    alcore__links *out = &r->links;
    ALCORE__TRY(alcore__grow(r->ctx, &out->begin, &r->begin_capacity, (size_t)out->pairs + 2,
                             sizeof *out->begin));
    const size_t first = (size_t)out->begin[out->pairs];
    const char *next = text, *end = text + length, *word;
    size_t bytes, count = 0;
    bool sorted = true;
    while (alcore__word_next(&next, end, &word, &bytes)) {
        alcore__link link;
        ALCORE__TRY(read_link(r, word, bytes, &link));
        ALCORE__TRY(alcore__grow(r->ctx, &out->link, &r->link_capacity, first + count + 1,
                                 sizeof *out->link));
        sorted = sorted && (count == 0 || sort_key(out->link[first + count - 1]) < sort_key(link));
        out->link[first + count++] = link;
    }
    if (!sorted) ALCORE__TRY(sort_links(r, out->link + first, &count));
    out->begin[++out->pairs] = (int64_t)(first + count);
    return ALCORE_OK;
}

/* The next line of the file; *text is NULL at its end. */
static alcore_status next_line(reader *r, char **text, size_t *length) {
    ALCORE__TRY(alcore__lines_next(&r->lines, text, length));
    for (bool more = true; more && !*text;) {
        ALCORE__TRY(alcore__lines_fill(&r->lines, &more));
        if (more) ALCORE__TRY(alcore__lines_next(&r->lines, text, length));
    }
    return ALCORE_OK;
}

/* Replaces r->links by those of the next `pairs` lines, of fewer at the end of the file. */
static alcore_status read_pairs(reader *r, int64_t pairs) {
    r->links.before += r->links.pairs;
    r->links.pairs = 0;
    ALCORE__TRY(
        alcore__grow(r->ctx, &r->links.begin, &r->begin_capacity, 1, sizeof *r->links.begin));
    r->links.begin[0] = 0;
    while (r->links.pairs < pairs) {
        char *text;
        size_t length;
        ALCORE__TRY(next_line(r, &text, &length));
        if (!text) break;
        ALCORE__TRY(read_line(r, text, length));
    }
    return ALCORE_OK;
}

/* Fails unless the lines that were read are the whole file. */
alcore_status alcore__pharaoh_end(reader *r) {
    char *text;
    size_t length;
    ALCORE__TRY(next_line(r, &text, &length));
    if (text)
        return alcore__lines_fail(&r->lines, "there are only %" PRId64 " sentence pairs",
                                  r->links.before + r->links.pairs);
    alcore__lines_report(&r->lines);
    return ALCORE_OK;
}

/* Reads all lines of the file. Fails unless there are `pairs` of them; -1: any number is right. */
static alcore_status read_all(reader *r, int64_t pairs) {
    ALCORE__TRY(read_pairs(r, pairs < 0 ? INT64_MAX : pairs));
    ALCORE__TRY(alcore__pharaoh_end(r));
    if (r->links.pairs < pairs)
        return alcore__fail(ALCORE_E_DATA,
                            "'%s' has %" PRId64 " lines, but there are %" PRId64
                            " sentence pairs: each pair needs a line, an empty one without links",
                            r->lines.path, r->links.pairs, pairs);
    return ALCORE_OK;
}

/* The reader copies the path, which names the file in messages about its links. */
alcore_status alcore__pharaoh_open(alcore_ctx *ctx, const char *path, reader **out) {
    reader *r;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *r, &r));
    r->ctx = ctx;
    r->links.path = alcore__strndup(ctx, path, strlen(path));
    alcore_status status = r->links.path ? ALCORE_OK : alcore__fail_memory(strlen(path) + 1);
    if (status == ALCORE_OK) status = alcore__lines_open(&r->lines, ctx, r->links.path, 0);
    if (status == ALCORE_OK)
        *out = r;
    else
        alcore__pharaoh_close(r);
    return status;
}

alcore_status alcore__pharaoh_next(reader *r, int64_t pairs, const alcore__links **out) {
    *out = &r->links;
    ALCORE__TRY(read_pairs(r, pairs));
    if (r->links.pairs == pairs) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "'%s' has %" PRId64 " lines, but there are more sentence pairs: each pair "
                        "needs a line, an empty one without links",
                        r->lines.path, r->links.before + r->links.pairs);
}

void alcore__pharaoh_close(reader *r) {
    if (!r) return;
    alcore__lines_close(&r->lines);
    alcore__links_clear(r->ctx, &r->links);
    alcore__free(r->ctx, r->keys);
    alcore__free(r->ctx, r->spare);
    alcore__free(r->ctx, r);
}

/* Reads all links of a file into *out, with its path; *out is empty after a failure. */
alcore_status alcore__pharaoh_read(alcore_ctx *ctx, const char *path, int64_t pairs,
                                   alcore__links *out) {
    reader *r;
    *out = (alcore__links){0};
    ALCORE__TRY(alcore__pharaoh_open(ctx, path, &r));
    const alcore_status status = read_all(r, pairs);
    if (status == ALCORE_OK) {
        *out = r->links;
        r->links = (alcore__links){0};
    }
    alcore__pharaoh_close(r);
    return status;
}

/* Writes the line of one sentence pair. */
static alcore_status write_pair(alcore__writer *writer, const alcore__links *links, int64_t pair) {
    for (int64_t i = links->begin[pair]; i < links->begin[pair + 1]; i++) {
        char text[32];
        const int length = alcore__format(text, sizeof text, "%s%" PRIu32 "-%" PRIu32,
                                          i > links->begin[pair] ? " " : "", links->link[i].source,
                                          links->link[i].target);
        ALCORE__TRY(alcore__writer_put(writer, text, (size_t)length));
    }
    return alcore__writer_put(writer, "\n", 1);
}

/* Writes one line per sentence pair to path, which appears whole or not at all. */
alcore_status alcore__pharaoh_write(alcore_ctx *ctx, const char *path, const alcore__links *links) {
    alcore__writer *writer;
    ALCORE__TRY(alcore__writer_open(ctx, path, &writer));
    for (int64_t pair = 0; pair < links->pairs; pair++) {
        alcore_status status = ALCORE_OK;
        if (pair % POLL_PAIRS == 0) status = alcore__tick(ctx, STAGE_WRITE, pair, links->pairs);
        if (status == ALCORE_OK) status = write_pair(writer, links, pair);
        if (status != ALCORE_OK) {
            alcore__writer_abort(writer);
            return status;
        }
    }
    return alcore__writer_commit(writer);
}
