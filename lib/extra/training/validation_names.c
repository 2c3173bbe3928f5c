/* SPDX-License-Identifier: Apache-2.0 */
#include "extra/training/folder_model.h"
#include "extra/training/training_choices.h"

const char *const alcore__validation_names[ALCORE__VALIDATIONS] =
    ALCORE__WORDS(ALCORE__VALIDATION_LIST);

const char *alcore__validation_name(int32_t metric) {
    return alcore__validation_names[metric ? metric - ALCORE_VALIDATE_LOSS : 0];
}
