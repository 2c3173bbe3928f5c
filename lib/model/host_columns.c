/* SPDX-License-Identifier: Apache-2.0 */
/* What the columns of a host's model are, by their names and by what its function `describe`
 * says. */
#include <string.h>

#include "model/model_host.h"
#include "pool/column_names.h"

alcore_model_column alcore__host_describe_column(const alcore_model *model, const char *column) {
    const alcore_model_host *host = &alcore__host_data(model)->host;
    const alcore__column_name *known = alcore__column_name_find(column);
    alcore_model_column out = ALCORE_MODEL_COLUMN_INIT;
    out.shape = !known                                     ? ALCORE_COLUMN_SCALAR
                : known->shape == ALCORE__COLUMN_ANY_SHAPE ? ALCORE_COLUMN_RAGGED
                                                           : known->shape;
    out.meaning = 0; /* what its name says */
    if (host->describe) host->describe(host->user, column, &out);
    return out;
}

alcore_status alcore__host_check_column(const alcore_model *model, const char *column) {
    const alcore_model_column said = alcore__host_describe_column(model, column);
    ALCORE__TRY(alcore__struct_reserved(said.reserved, "alcore_model_column"));
    if (said.per_word == 0 || (said.per_word == 1 && strcmp(column, "logprobs") == 0))
        return ALCORE_OK;
    return alcore__fail(
        ALCORE_E_INVALID,
        "model %s describes the column \"%s\" with per_word %d; 0 is expected, or 1 "
        "of \"logprobs\"",
        model->name, column, said.per_word);
}
