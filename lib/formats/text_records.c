/* SPDX-License-Identifier: Apache-2.0 */
/* Records as one text per line (docs/formats.md): nothing but \n separates, and a line is the text
 * as it stands, but for escapes that the options ask for. */
#include "formats/escape.h"
#include "formats/record_format.h"

/* line of the format: every line, also an empty one, is a record. */
static alcore_status read_line(void *state, const alcore_read_options *options,
                               const alcore__line_reader *lines, char *text, size_t length,
                               alcore__record *record, bool *out_skip) {
    (void)state, (void)lines, (void)out_skip;
    const bool decode = options && options->escapes == ALCORE_ESCAPES_ON;
    record->text = text;
    record->text_length = decode ? alcore__tsv_unescape(text, length) : length;
    return ALCORE_OK;
}

const alcore__record_format alcore__text_format = {
    .name = "text", .state_bytes = 1, .line = read_line};
