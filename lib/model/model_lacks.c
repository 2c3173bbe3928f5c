/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of folders that are not computed: a folder of such a one opens for its embeddings, and the
 * error of a column that the head would make names it. A language model without one has
 * probabilities of classes by a verbalizer. */
#include <string.h>

#include "model/model_engine.h"

const char *alcore__engine_lacks(const alcore_model *model, const char *column,
                                 char buffer[ALCORE__LACKS_BYTES]) {
    static const char *const heads[] = {"ForSequenceClassification", "ForTokenClassification",
                                        "ForQuestionAnswering"};
    const alcore__engine_model *data = alcore__engine_of(model);
    buffer[0] = '\0';
    if (!data || (data->info.calls & (ALCORE_SYS_MODEL_CLASS_PROBS | ALCORE_SYS_MODEL_TOKEN_PROBS |
                                      ALCORE_SYS_MODEL_QA_PROBS)))
        return buffer;
    const alcore__name name = data->settings.architecture;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const size_t length = strlen(heads[i]);
        if (name.length >= length && name.length < 100 &&
            memcmp(name.text + name.length - length, heads[i], length) == 0)
            alcore__format(buffer, ALCORE__LACKS_BYTES,
                           " (the head of %.*s is not computed here, its embeddings are)",
                           (int)name.length, name.text);
    }
    if (!*buffer && strcmp(column, "probs") == 0 && alcore__is_language_model(data) &&
        alcore__engine_has(data, ALCORE_SYS_MODEL_TOKEN_LOGPROBS))
        alcore__format(buffer, ALCORE__LACKS_BYTES,
                       " (a language model has classes by a prompt with {text} and a verbalizer)");
    return buffer;
}
