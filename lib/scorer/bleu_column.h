/* SPDX-License-Identifier: Apache-2.0 */
/* BLEU of round trips as a column of numbers, for shards, which exchange values of rows and not
 * their texts (lib/extra/job). */
#ifndef ALCORE__BLEU_COLUMN_H
#define ALCORE__BLEU_COLUMN_H

#include "pool/dataset.h"

/* Makes a float64 column "roundtrip" of the BLEU of each row of the mask, whose texts and round
 * trips the dataset has; a row without a round trip has NaN. Values are computed where they are
 * read. What the dataset borrows outlives the column, which is freed with alcore__column_free(). */
alcore_status alcore__bleu_column_new(alcore_ctx *ctx, const alcore__dataset *dataset,
                                      alcore__column **out);

#endif
