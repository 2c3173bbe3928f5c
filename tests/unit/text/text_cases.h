/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of what a text has to translate share. */
#ifndef TEXT_CASES_H
#define TEXT_CASES_H

#include <check.h>
#include <string.h>

#include "text/text_content.h"

static inline alcore__text_content content_of(const char *text) {
    alcore__text_content content;
    alcore__text_content_read(text, strlen(text), NULL, NULL, &content);
    return content;
}

static inline bool is_markup(const char *text) {
    return content_of(text).markup;
}

/* EXPECT_TOLD(is, told, others): each text of the array `told` is what `is` says, none of the array
 * `others` is. */
#define EXPECT_TOLD(is, told, others)                                                              \
    do {                                                                                           \
        expect_each(is, true, told, sizeof(told) / sizeof *(told));                                \
        expect_each(is, false, others, sizeof(others) / sizeof *(others));                         \
    } while (0)

static inline void expect_each(bool (*is)(const char *text), bool expected,
                               const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(is(texts[i]) == expected, "%s: %d expected", texts[i], expected);
}

#endif
