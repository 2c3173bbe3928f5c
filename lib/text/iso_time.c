/* SPDX-License-Identifier: Apache-2.0 */
/* Times of ISO 8601 (iso_time.h). Own code reads them, as strptime() depends on the locale and
 * knows no fraction and no zone with a colon. */
#include "text/iso_time.h"

#include <time.h>

/* Reads exactly `digits` digits and moves the text behind them; -1: there are fewer. */
static int number(const char **text, int digits) {
    int value = 0;
    for (; digits > 0; digits--, (*text)++) {
        if (**text < '0' || **text > '9') return -1;
        value = 10 * value + (**text - '0');
    }
    return value;
}

static bool skip(const char **text, char letter) {
    if (**text != letter) return false;
    (*text)++;
    return true;
}

/* Days since 1970 of a date of the Gregorian calendar (H. Hinnant, days_from_civil). */
static int64_t days_of(int64_t year, int month, int day) {
    year -= month <= 2;
    const int64_t era = year / 400, in_era = year - era * 400;
    const int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

/* Seconds and their fraction, where there are some; basic: no colon stands before them. */
static bool seconds_of(const char **text, bool basic, double *out) {
    *out = 0;
    if (basic ? **text < '0' || **text > '9' : !skip(text, ':')) return true;
    const int whole = number(text, 2);
    if (whole < 0 || whole > 60) return false;
    *out = whole;
    if (!skip(text, '.')) return true;
    double unit = 0.1;
    for (; **text >= '0' && **text <= '9'; (*text)++, unit /= 10) *out += unit * (**text - '0');
    return true;
}

/* Seconds by which the zone is ahead of UTC; the text ends behind it. */
static bool zone_of(const char *text, double *out) {
    *out = 0;
    if (!*text) return true;
    if (skip(&text, 'Z')) return !*text;
    const int sign = *text == '+' ? 1 : *text == '-' ? -1 : 0;
    if (!sign) return false;
    text++;
    const int hours = number(&text, 2);
    (void)skip(&text, ':');
    const int minutes = *text ? number(&text, 2) : 0;
    *out = sign * (hours * 3600.0 + minutes * 60.0);
    return hours >= 0 && minutes >= 0 && !*text;
}

bool alcore__iso_time_read(const char *text, double *out) {
    double seconds, zone;
    if (!text) return false;
    const int year = number(&text, 4);
    if (year < 0) return false;
    const bool basic = !skip(&text, '-');
    const int month = number(&text, 2);
    if (month < 1 || month > 12 || (!basic && !skip(&text, '-'))) return false;
    const int day = number(&text, 2);
    if (day < 1 || day > 31 || !(skip(&text, 'T') || skip(&text, ' '))) return false;
    const int hour = number(&text, 2);
    if (hour < 0 || hour > 24 || (!basic && !skip(&text, ':'))) return false;
    const int minute = number(&text, 2);
    if (minute < 0 || minute > 59 || !seconds_of(&text, basic, &seconds) || !zone_of(text, &zone))
        return false;
    *out = (double)days_of(year, month, day) * 86400.0 + hour * 3600.0 + minute * 60.0 + seconds -
           zone;
    return true;
}

bool alcore__iso_time_print(int64_t seconds, char out[ALCORE__ISO_TIME_BYTES]) {
    const time_t moment = (time_t)seconds;
    struct tm parts;
    const bool good = gmtime_r(&moment, &parts) && parts.tm_year >= -1900 &&
                      parts.tm_year <= 8099 &&
                      strftime(out, ALCORE__ISO_TIME_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0;
    if (!good) out[0] = '\0';
    return good;
}
