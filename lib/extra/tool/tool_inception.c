/* SPDX-License-Identifier: Apache-2.0 */
/* INCEpTION: all items as the sentences of one document in its form WebAnno TSV 3.3, which has
 * their ids, for the layers of named entities and of parts of speech:
 *
 *     #FORMAT=WebAnno TSV 3.3
 *     #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value
 *
 *
 *     #Sentence.id=s:1
 *     #Text=Anna lives in Paris.
 *     1-1<TAB>0-4<TAB>Anna<TAB>_<TAB>
 *
 * Offsets are those of the document, in UTF-16 code units; a character lies between two sentences.
 * An annotation that is imported is one like any other: a draft is not written. */
#include "extra/tool/tool_inception.h"

#include <inttypes.h>
#include <string.h>

#include "extra/tool/span_units.h"
#include "extra/tool/tool_output.h"
#include "extra/tool/tool_words.h"
#include "text/words.h"

/* Puts a text of a comment: control characters and backslashes become escapes. A line feed ends the
 * line and begins another one, unless the prefix is "". */
static void put_text(alcore__tool_out *out, const char *prefix, const char *text, size_t length) {
    static const char names[] = "tfrb\\", meanings[] = "\t\f\r\b\\";
    alcore__tool_put(out, prefix);
    for (size_t i = 0; i < length; i++) {
        const char *meaning = strchr(meanings, text[i]);
        if (text[i] == '\n') {
            alcore__tool_put(out, *prefix ? "\n" : "\\n");
            alcore__tool_put(out, prefix);
            continue;
        }
        const bool control = (unsigned char)text[i] < 0x20;
        if (meaning || control) alcore__tool_put(out, "\\");
        alcore__tool_put_bytes(out, meaning ? names + (meaning - meanings) : text + i, 1);
    }
    alcore__tool_put(out, "\n");
}

/* Puts the words of the item, number-th sentence of the document, which begins at offset base. */
static void put_words(alcore__tool_out *out, alcore__tool_words words, int64_t number, int64_t base,
                      const alcore__span_text *units) {
    char row[96];
    for (int64_t word = 1; alcore__tool_words_next(&words); word++) {
        alcore__format(row, sizeof row, "%" PRId64 "-%" PRId64 "\t%" PRId64 "-%" PRId64 "\t",
                       number, word, base + alcore__span_text_units(units, words.first_point),
                       base + alcore__span_text_units(units, words.end_point));
        alcore__tool_put(out, row);
        alcore__tool_put_bytes(out, words.begin, (size_t)(words.next - words.begin));
        alcore__tool_put(out, "\t_\t\n");
    }
}

/* Puts a sentence; *base moves to where the next one begins. */
static alcore_status put_sentence(alcore__tool_out *out, const alcore_tool_items *items, int64_t i,
                                  const alcore_tool_options *options, alcore__span_text *units,
                                  int64_t *base) {
    const char *text = items->texts[i];
    const size_t length = alcore__tool_text_length(items, i);
    if (length == 0 || alcore__is_word_space(*text))
        return alcore__tool_fail_item(items, i,
                                      "a sentence of WebAnno TSV begins with a word, not with "
                                      "white space");
    ALCORE__TRY(alcore__span_text_begin(out->ctx, units, text, length, options->span_unit));
    alcore__tool_put(out, "\n#Sentence.id=");
    put_text(out, "", items->ids[i], strlen(items->ids[i]));
    put_text(out, "#Text=", text, length);
    put_words(out, alcore__tool_words_of(text, length, options->task == ALCORE_TASK_TAGS), i + 1,
              *base, units);
    *base += units->units + 1;
    return alcore__tool_out_flush(out, i, items->count);
}

static alcore_status write_document(alcore_ctx *ctx, const char *path,
                                    const alcore_tool_items *items,
                                    const alcore_tool_options *options) {
    alcore__tool_out out;
    alcore__span_text units = {0};
    int64_t base = 0;
    ALCORE__TRY(alcore__tool_out_open(&out, ctx, path));
    alcore__tool_put(&out, "#FORMAT=WebAnno TSV 3.3\n#T_SP=");
    alcore__tool_put(&out, options->task == ALCORE_TASK_TAGS ? ALCORE__INCEPTION_POS "|PosValue\n\n"
                                                             : ALCORE__INCEPTION_ENTITY
                               "|value\n\n");
    alcore_status status = alcore__tool_out_flush(&out, 0, items->count);
    for (int64_t i = 0; i < items->count && status == ALCORE_OK; i++)
        status = put_sentence(&out, items, i, options, &units, &base);
    alcore__span_text_clear(ctx, &units);
    return alcore__tool_out_close(&out, status);
}

const alcore__tool_form alcore__tool_inception = {.name = "inception",
                                                  .title = "INCEpTION (WebAnno TSV 3.3)",
                                                  .suffix = ".tsv",
                                                  .tasks = "spans tags",
                                                  .span_unit = ALCORE_SPAN_UTF16,
                                                  .write = write_document,
                                                  .read = alcore__tool_inception_read};
