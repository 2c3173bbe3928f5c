/* SPDX-License-Identifier: Apache-2.0 */
/* The words of tasks and of span units wherever a user writes or reads one: settings of projects,
 * options of the command, files and messages. */
#ifndef ALCORE__TOOL_CHOICES_H
#define ALCORE__TOOL_CHOICES_H

#include "base/word_list.h"

/* From ALCORE_TASK_TRANSLATION on. */
#define ALCORE__TASK_LIST(FIRST, NEXT)                                                             \
    FIRST("translation") NEXT("classes") NEXT("spans") NEXT("tags")
/* From ALCORE_SPAN_CODE_POINTS on. */
#define ALCORE__SPAN_UNIT_LIST(FIRST, NEXT) FIRST("code-points") NEXT("utf16") NEXT("bytes")

#endif
