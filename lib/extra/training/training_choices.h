/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a training's options in configurations, of the command and of experiments, and in
 * what both print. */
#ifndef ALCORE__TRAINING_CHOICES_H
#define ALCORE__TRAINING_CHOICES_H

#include "base/word_list.h"

/* From ALCORE_OPTIMIZER_ADAMW on. */
#define ALCORE__OPTIMIZER_LIST(FIRST, NEXT) FIRST("adamw") NEXT("adam")
/* From ALCORE_SCHEDULE_CONSTANT on. */
#define ALCORE__SCHEDULE_LIST(FIRST, NEXT)                                                         \
    FIRST("constant") NEXT("linear") NEXT("inverse_sqrt") NEXT("cosine")
/* From ALCORE_PRECISION_FLOAT32 on. */
#define ALCORE__PRECISION_LIST(FIRST, NEXT) FIRST("float32") NEXT("bfloat16") NEXT("float16")
/* From ALCORE_VALIDATE_LOSS on. */
#define ALCORE__VALIDATION_LIST(FIRST, NEXT)                                                       \
    FIRST("loss")                                                                                  \
    NEXT("bleu")                                                                                   \
    NEXT("accuracy") NEXT("exact_match") NEXT("f1") NEXT("span_f1") NEXT("strict_span_f1")

#endif
