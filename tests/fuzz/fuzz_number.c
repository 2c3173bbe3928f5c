/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers against the C library's (the program runs in the "C" locale), and there and back. */
#include <math.h>

#include "base/number.h"
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    double value, again;
    int64_t integer;
    char copy[1024], text[32];
    alcore__parse_int((const char *)data, bytes, &integer);
    if (!alcore__parse_double((const char *)data, bytes, &value)) return 0;
    fuzz_accepted++;
    FUZZ_CHECK(bytes < sizeof copy);
    memcpy(copy, data, bytes);
    copy[bytes] = 0;
    char *end;
    double expected = strtod(copy, &end);
    FUZZ_CHECK(end == copy + bytes);
    FUZZ_CHECK(isnan(value) ? isnan(expected) : memcmp(&value, &expected, sizeof value) == 0);
    size_t length = alcore__print_double(value, text);
    FUZZ_CHECK(length < sizeof text && alcore__parse_double(text, length, &again));
    FUZZ_CHECK(isnan(value) ? isnan(again) : memcmp(&value, &again, sizeof value) == 0);
    return 0;
}
