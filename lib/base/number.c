/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and printing numbers without the host's locale (number.h). Most numbers in files have up
 * to 15 digits and a small exponent: those are read by one exact multiplication or division
 * (Clinger 1990), the others by the C library's strtod_l(). */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A decimal number: digits * 10^exponent, if exact. */
typedef struct decimal {
    uint64_t digits; /* the first 19 digits, without leading zeros, as an integer */
    int64_t exponent;
    bool negative;
    bool exact; /* every digit behind these is 0 */
} decimal;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Checks the grammar of number.h and fills *out; false when the text is no decimal number. A digit
 * that `digits` takes behind the point lowers the exponent, one that it drops before the point
 * raises it. The exponent of the text stops growing at 100,000, far beyond any double. */
static bool read_decimal(const char *text, const char *end, decimal *out) {
    decimal number = {0, 0, false, true};
    if (text < end && (*text == '-' || *text == '+')) number.negative = *text++ == '-';
    bool any = false, point = false;
    for (; text < end; text++) {
        if (*text == '.') {
            if (point) return false;
            point = true;
            continue;
        }
        if (!is_digit(*text)) break;
        any = true;
        if (number.digits < 1000000000000000000u) {
            number.digits = number.digits * 10 + (uint64_t)(*text - '0');
            number.exponent -= point;
        } else {
            number.exact = number.exact && *text == '0';
            number.exponent += !point;
        }
    }
    if (!any) return false;
    if (text < end && (*text == 'e' || *text == 'E')) {
        bool negative = false, digits = false;
        int64_t exponent = 0;
        if (++text < end && (*text == '-' || *text == '+')) negative = *text++ == '-';
        for (; text < end && is_digit(*text); text++) {
            digits = true;
            if (exponent < 100000) exponent = exponent * 10 + (*text - '0');
        }
        if (!digits) return false;
        number.exponent += negative ? -exponent : exponent;
    }
    *out = number;
    return text == end;
}

/* Reads nan, inf or infinity, in any case and with an optional sign. */
static bool read_name(const char *text, size_t length, double *out) {
    bool negative = length > 0 && *text == '-';
    if (length > 0 && (*text == '-' || *text == '+')) {
        text++;
        length--;
    }
    if (length == 3 && strncasecmp(text, "nan", 3) == 0) {
        *out = NAN;
        return true;
    }
    if ((length == 3 && strncasecmp(text, "inf", 3) == 0) ||
        (length == 8 && strncasecmp(text, "infinity", 8) == 0)) {
        *out = negative ? -INFINITY : INFINITY;
        return true;
    }
    return false;
}

/* Fast path: up to 53 bits of digits times or divided by a power of ten up to 10^22, all exact
 * doubles, so that the one operation rounds correctly. Otherwise nan and inf by name, and
 * strtod_l() on a terminated copy, at most 1,023 bytes. */
bool alcore__parse_double(const char *text, size_t length, double *out) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    char copy[1024];
    if (length == 0 || length >= sizeof copy) return false;
    decimal number;
    if (!read_decimal(text, text + length, &number)) return read_name(text, length, out);
    /* digits and the power of ten are exact doubles, so the operation rounds once, correctly. */
    if (number.exact && number.digits <= (1ull << 53) && number.exponent >= -22 &&
        number.exponent <= 22) {
        double value = (double)number.digits;
        value = number.exponent < 0 ? value / powers[-number.exponent]
                                    : value * powers[number.exponent];
        *out = number.negative ? -value : value;
        return true;
    }
    /* The hard cases are the C library's; its "C" locale is a constant there, so newlocale neither
     * allocates nor touches the process. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    double value = strtod_l(copy, NULL, plain);
    freelocale(plain);
    if (isinf(value)) return false;
    *out = value;
    return true;
}

/* Whether a text is digits with a comma among them and no point before it: 0,17 and 1,000, and
 * 1.234,5. */
static bool has_comma(const char *text, size_t length) {
    const char *comma = memchr(text, ',', length);
    return comma && comma > text && is_digit(comma[-1]) && comma + 1 < text + length &&
           is_digit(comma[1]);
}

/* Whether a sign that separates thousands stands between two digits: 1 000, and not 41.5 %. */
static bool has_separator(const char *text, size_t length) {
    static const char *const signs[] = {" ", "'", "_", "\xC2\xA0", "\xE2\x80\xAF"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t size = strlen(signs[i]);
        for (size_t at = 1; at + size < length; at++)
            if (is_digit(text[at - 1]) && memcmp(text + at, signs[i], size) == 0 &&
                is_digit(text[at + size]))
                return true;
    }
    return false;
}

const char *alcore__number_fault(const char *text, size_t length) {
    decimal number;
    double value;
    const size_t sign = length > 0 && (*text == '-' || *text == '+');
    if (length == 0) return "; it is empty";
    if (alcore__parse_double(text, length, &value)) return "";
    if (read_decimal(text, text + length, &number)) return "; it is too large";
    if (length > sign + 2 && text[sign] == '0' && (text[sign + 1] | 0x20) == 'x')
        return "; numbers are decimal, not hexadecimal";
    if (has_comma(text, length))
        return "; the decimal point is a point, as in 0.17, and thousands are not separated";
    if (*text == ' ' || text[length - 1] == ' ' || *text == '\t' || text[length - 1] == '\t')
        return "; there are spaces around it";
    return has_separator(text, length) ? "; thousands are not separated" : "";
}

/* The value is accumulated as a negative number, since INT64_MIN has no positive counterpart. */
bool alcore__parse_int(const char *text, size_t length, int64_t *out) {
    const char *end = text + length;
    bool negative = false;
    if (text < end && (*text == '-' || *text == '+')) negative = *text++ == '-';
    if (text == end) return false;
    int64_t value = 0; /* minus the digits so far */
    for (; text < end; text++) {
        if (!is_digit(*text) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *text - '0', &value))
            return false;
    }
    if (!negative && __builtin_sub_overflow((int64_t)0, value, &value)) return false;
    *out = value;
    return true;
}

/* Digits only; false when the value does not fit into 64 bits. */
bool alcore__parse_uint(const char *text, size_t length, uint64_t *out) {
    uint64_t value = 0;
    if (length == 0) return false;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}

/* Replaces the locale's decimal point, of however many bytes, by '.', in place; returns the new
 * length. */
static size_t plain_point(char *text) {
    char *out = text, *in = text;
    bool inside_point = false;
    for (; *in; in++) {
        bool kept = is_digit(*in) || *in == '-' || *in == '+' || *in == 'e';
        if (kept)
            *out++ = *in;
        else if (!inside_point)
            *out++ = '.';
        inside_point = !kept;
    }
    *out = 0;
    return (size_t)(out - text);
}

/* Tries 15, 16 and 17 digits (for a subnormal number from 1 on) until the text reads back as the
 * same double; every double reads back from 17. */
size_t alcore__print_double(double value, char out[32]) {
    if (isnan(value) || isinf(value)) {
        strcpy(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return strlen(out);
    }
    /* 15 digits survive any normal double, so trying fewer is needed below the normal range only.
     */
    int digits = value == 0 || fabs(value) >= 0x1p-1022 ? 15 : 1;
    char text[64]; /* 24 bytes and the locale's point */
    size_t length = 0;
    for (; digits <= 17; digits++) {
        double again;
        snprintf(text, sizeof text, "%.*g", digits, value);
        length = plain_point(text);
        if (alcore__parse_double(text, length, &again) && again == value) break;
    }
    memcpy(out, text, length + 1);
    return length;
}
