/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over the tokens of a text, as text_content.h names them. */
#include "text/text_content.h"

#include "base/rng.h"
#include "text/source_code.h"
#include "text/text_tokens.h"

void alcore__text_content_read(const char *text, size_t length, uint64_t *words,
                               alcore__text_content *out) {
    alcore__token_reader reader = {.text = text, .length = length};
    size_t variable_end = 0, call_end = 0; /* of the last ones */
    *out = (alcore__text_content){0};
    while (alcore__token_next(&reader)) {
        out->tokens++;
        if (reader.kind == ALCORE__TOKEN_SIGN) {
            const size_t end = alcore__source_variable(text, length, reader.begin);
            if (end > 0) out->characters -= (int64_t)(end - reader.begin); /* ASCII alone */
            if (end > 0) variable_end = end;
        }
        if (reader.kind != ALCORE__TOKEN_WORD) continue;
        if (words) words[out->words] = reader.hash;
        out->words++;
        out->unspaced += reader.unspaced;
        out->cells = out->cells || alcore__source_cell(text, length, reader.begin, reader.next);
        out->pattern = alcore__scramble(alcore__token_join(out->pattern, reader.hash));
        if (reader.begin < variable_end) continue;
        out->letters += reader.letters;
        if (reader.begin >= call_end)
            call_end = alcore__source_call(text, length, reader.begin, reader.next);
        if (reader.begin < call_end) out->called += reader.letters;
    }
    out->characters += reader.characters;
}
