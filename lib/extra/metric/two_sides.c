/* SPDX-License-Identifier: Apache-2.0 */
/* Gold and predicted texts (two_sides.h): how a message names a line, and the checks that labels
 * and spans share. */
#include "extra/metric/two_sides.h"

#include <string.h>

#define TICK_EVERY 4096 /* lines */

const char *const alcore__two_sides_names[2] = {"gold", "predicted"};
const alcore__text_files_rule alcore__two_sides_files = {2, 2, "gold and predicted", false, false};

const char *alcore__two_sides_line(const alcore__two_sides *sides, int64_t line, int side,
                                   char place[ALCORE__PLACE_BYTES]) {
    const alcore__text_block *block = sides->block;
    if (block)
        alcore__format(place, ALCORE__PLACE_BYTES, "%s %.400s:%lld", alcore__two_sides_names[side],
                       block->files->paths[side],
                       (long long)block->lines[side * block->count + line]);
    else
        alcore__format(place, ALCORE__PLACE_BYTES, "line %lld of %s", (long long)line + 1,
                       alcore__two_sides_names[side]);
    return place;
}

const char *alcore__two_sides_lines(const alcore__two_sides *sides, int64_t line,
                                    char place[ALCORE__PLACE_BYTES]) {
    char gold[ALCORE__PLACE_BYTES], predicted[ALCORE__PLACE_BYTES];
    if (sides->block)
        alcore__format(place, ALCORE__PLACE_BYTES, "%s, %s",
                       alcore__two_sides_line(sides, line, 0, gold),
                       alcore__two_sides_line(sides, line, 1, predicted));
    else
        alcore__format(place, ALCORE__PLACE_BYTES, "line %lld", (long long)line + 1);
    return place;
}

alcore__two_sides alcore__two_sides_of_block(const alcore__text_block *block) {
    return (alcore__two_sides){.texts = {block->texts, block->texts + block->count},
                               .lengths = {block->lengths, block->lengths + block->count},
                               .count = block->count,
                               .block = block};
}

alcore_status alcore__two_sides_tick(alcore_ctx *ctx, const char *stage,
                                     const alcore__two_sides *sides, int64_t line) {
    if (line % TICK_EVERY != 0) return ALCORE_OK;
    return sides->block ? alcore__tick(ctx, stage, sides->block->before + line, -1)
                        : alcore__tick(ctx, stage, line, sides->count);
}

alcore_status alcore__two_sides_check(const alcore__two_sides *sides, int64_t predicted_count) {
    const long long gold = sides->count, predicted = predicted_count;
    if (gold < 0 || predicted < 0) return alcore__fail(ALCORE_E_INVALID, "a count is negative");
    if (gold != predicted)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%lld gold lines, %lld predicted lines: line %lld of %s has no "
                            "counterpart",
                            gold, predicted, (gold < predicted ? gold : predicted) + 1,
                            alcore__two_sides_names[gold < predicted]);
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < gold; i++)
            if (!sides->texts[side] || !sides->texts[side][i])
                return alcore__fail(ALCORE_E_INVALID, "line %lld of %s is NULL", (long long)i + 1,
                                    alcore__two_sides_names[side]);
    return ALCORE_OK;
}

const char *alcore__two_sides_text(const alcore__two_sides *sides, int side, int64_t line,
                                   size_t *length) {
    const char *text = sides->texts[side][line];
    *length = sides->lengths[side] ? sides->lengths[side][line] : strlen(text);
    return text;
}
