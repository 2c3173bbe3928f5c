/* SPDX-License-Identifier: Apache-2.0 */
#include "extra/training/folder_model.h"

const char *const alcore__validation_names[ALCORE__VALIDATIONS] = {
    "loss", "bleu", "accuracy", "exact_match", "f1", "span_f1", "strict_span_f1"};

const char *alcore__validation_name(int32_t metric) {
    return alcore__validation_names[metric ? metric - ALCORE_VALIDATE_LOSS : 0];
}
