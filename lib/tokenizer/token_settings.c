/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the "model" object of a tokenizer.json (token_settings.h). The large values, "vocab" and
 * "merges", are skipped first and read once the settings are known. */
#include "tokenizer/token_settings.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

alcore_status alcore__token_json_fail(const alcore__json *json, const char *path, const char *key,
                                      const char *what) {
    return alcore__fail(ALCORE_E_DATA, "%s: %s: %s (byte %lld)", path, key,
                        json->error ? json->error : what, (long long)(json->next - json->begin));
}

/* Moves over null; false when something else comes next, and after an error, which the next read
 * reports. */
static bool skip_null(alcore__json *json) {
    return alcore__json_kind(json) == 'n' && alcore__json_skip(json);
}

/* The functions read_text(), read_flag() and read_count() read the value of a setting. null leaves
 * *out as it was, but is false for a flag. path, key: for messages. */
static alcore_status read_text(alcore__json *json, const char *path, const char *key,
                               alcore__json_text *out) {
    char *text;
    if (skip_null(json)) return ALCORE_OK;
    if (!alcore__json_string(json, &text, &out->length))
        return alcore__token_json_fail(json, path, key, NULL);
    out->text = text;
    return ALCORE_OK;
}

static alcore_status read_flag(alcore__json *json, const char *path, const char *key, bool *out) {
    const char kind = alcore__json_kind(json);
    if (kind != 't' && kind != 'f' && kind != 'n')
        return alcore__token_json_fail(json, path, key, "true or false is expected");
    if (!alcore__json_skip(json)) return alcore__token_json_fail(json, path, key, NULL);
    *out = kind == 't';
    return ALCORE_OK;
}

/* Reads an integer of 0 or more. */
static alcore_status read_count(alcore__json *json, const char *path, const char *key,
                                int64_t *out) {
    char *text;
    size_t length;
    if (skip_null(json)) return ALCORE_OK;
    if (!alcore__json_number(json, &text, &length))
        return alcore__token_json_fail(json, path, key, NULL);
    if (!alcore__parse_int(text, length, out) || *out < 0)
        return alcore__token_json_fail(json, path, key, "an integer of 0 or more is expected");
    return ALCORE_OK;
}

/* Skips a large value: *out is a cursor before it, *has whether it is not null. */
static alcore_status note_value(alcore__json *json, const char *path, const char *key, bool *has,
                                alcore__json *out) {
    *out = *json;
    *has = alcore__json_kind(json) != 'n';
    return alcore__json_skip(json) ? ALCORE_OK : alcore__token_json_fail(json, path, key, NULL);
}

/* "dropout": merges that are left out at random are refused, as ids must be the same in every run.
 */
static alcore_status read_dropout(alcore__json *json, const char *path, const char *key) {
    char *text;
    size_t length;
    double dropout;
    if (skip_null(json)) return ALCORE_OK;
    if (!alcore__json_number(json, &text, &length))
        return alcore__token_json_fail(json, path, key, NULL);
    if (alcore__parse_double(text, length, &dropout) && dropout == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "%s: %s: merges that are dropped at random are not supported; set it to "
                        "null",
                        path, key);
}

/* Reads the value of one key. One that is not known is refused, unless its value is null. */
static alcore_status read_setting(alcore__json *json, const char *key, size_t length,
                                  alcore__token_settings *out) {
    const char *path = out->path;
#define KEY(name) (length == sizeof(name) - 1 && memcmp(key, name, sizeof(name) - 1) == 0)
    if (KEY("type")) return read_text(json, path, "model.type", &out->type);
    if (KEY("unk_token")) return read_text(json, path, "model.unk_token", &out->unknown);
    if (KEY("unk_id")) return read_count(json, path, "model.unk_id", &out->unknown_id);
    if (KEY("continuing_subword_prefix"))
        return read_text(json, path, "model.continuing_subword_prefix", &out->prefix);
    if (KEY("end_of_word_suffix"))
        return read_text(json, path, "model.end_of_word_suffix", &out->suffix);
    if (KEY("max_input_chars_per_word"))
        return read_count(json, path, "model.max_input_chars_per_word", &out->max_chars);
    if (KEY("fuse_unk")) return read_flag(json, path, "model.fuse_unk", &out->fuse_unknown);
    if (KEY("byte_fallback"))
        return read_flag(json, path, "model.byte_fallback", &out->byte_fallback);
    if (KEY("ignore_merges"))
        return read_flag(json, path, "model.ignore_merges", &out->ignore_merges);
    if (KEY("dropout")) return read_dropout(json, path, "model.dropout");
    if (KEY("vocab")) return note_value(json, path, "model.vocab", &out->has_vocab, &out->vocab);
    if (KEY("merges"))
        return note_value(json, path, "model.merges", &out->has_merges, &out->merges);
#undef KEY
    if (skip_null(json)) return ALCORE_OK;
    if (json->error) return alcore__token_json_fail(json, path, "model", NULL);
    return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: model.%.*s is not known (byte %lld)", path,
                        (int)(length < 100 ? length : 100), key,
                        (long long)(json->next - json->begin));
}

/* Reads all keys of the object; "vocab" must be there. */
alcore_status alcore__token_settings_read(alcore__json *json, const char *path,
                                          alcore__token_settings *out) {
    char *key;
    size_t length;
    *out = (alcore__token_settings){.path = path, .unknown_id = -1, .max_chars = -1};
    if (!alcore__json_enter(json, '{')) return alcore__token_json_fail(json, path, "model", NULL);
    while (alcore__json_key(json, &key, &length)) ALCORE__TRY(read_setting(json, key, length, out));
    if (json->error) return alcore__token_json_fail(json, path, "model", NULL);
    if (!out->has_vocab) return alcore__fail(ALCORE_E_DATA, "%s: the model has no vocab", path);
    return ALCORE_OK;
}

/* Appends an entry, text [length] at `location`; the caller sets its id. Asks for cancellation now
 * and then, as vocabularies have 250,000 entries and more. */
static alcore_status add_entry(alcore_ctx *ctx, alcore__token_entries *out, const char *text,
                               size_t length, int64_t location) {
    ALCORE__TRY(
        alcore__grow(ctx, &out->entry, &out->entry_capacity, out->count + 1, sizeof *out->entry));
    out->entry[out->count++] = (alcore__token_entry){text, length, 0, location};
    return (out->count & 4095) == 0 ? alcore__tick(ctx, NULL, 0, -1) : ALCORE_OK;
}

/* Reads {text: id, ...}. The location of an entry is the byte of the JSON at which its text begins.
 */
alcore_status alcore__token_entries_read_ids(alcore_ctx *ctx, alcore__json *json, const char *path,
                                             const char *key, alcore__token_entries *out) {
    char *text, *number;
    size_t length, number_length;
    if (!alcore__json_enter(json, '{')) return alcore__token_json_fail(json, path, key, NULL);
    while (alcore__json_key(json, &text, &length)) {
        ALCORE__TRY(add_entry(ctx, out, text, length, text - json->begin));
        if (!alcore__json_number(json, &number, &number_length))
            return alcore__token_json_fail(json, path, key, NULL);
        if (!alcore__parse_int(number, number_length, &out->entry[out->count - 1].id))
            return alcore__token_json_fail(json, path, key, "an id is an integer");
    }
    return json->error ? alcore__token_json_fail(json, path, key, NULL) : ALCORE_OK;
}

/* 10^n, rounded correctly; n is 0 to 308. */
static double power_of_ten(int64_t n) {
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (n < (int64_t)(sizeof exact / sizeof *exact)) return exact[n];
    char text[8];
    double power = 0;
    const int length = alcore__format(text, sizeof text, "1e%lld", (long long)n);
    (void)alcore__parse_double(text, (size_t)length, &power);
    return power;
}

/* The value of a number of JSON, text [length], as serde_json, by which `tokenizers` reads scores,
 * computes it: the digits as an integer of 64 bits, without those that no longer fit (`full`),
 * converted to double, then multiplied with or divided by a power of ten. That is within 1 ulp of
 * the nearest double, but not always it, and a tie between two ways to cut a word is decided by the
 * last bit. The scanner checked the grammar. exponent: of ten, by which `digits` is multiplied; a
 * digit of the fraction lowers it, a digit that is left out raises it. 308 is the greatest power of
 * ten of a double, so larger exponents take several steps. `written`, the exponent of the file,
 * stops growing at six digits, before it could overflow. */
static double read_score(const char *text, size_t length) {
    uint64_t digits = 0;
    int64_t exponent = 0, written = 0;
    bool fraction = false, full = false, negative = false, down = false;
    size_t i = 0;
    if (text[0] == '-') negative = true, i = 1;
    for (; i < length && (text[i] | 0x20) != 'e'; i++) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        const uint64_t digit = (uint64_t)(text[i] - '0');
        full = full || digits > (UINT64_MAX - digit) / 10;
        if (!full) digits = digits * 10 + digit;
        exponent += (full ? 1 : 0) - (fraction ? 1 : 0);
    }
    if (i < length) {
        i++;
        if (text[i] == '-') down = true;
        if (text[i] == '-' || text[i] == '+') i++;
        for (; i < length; i++)
            if (written < 100000) written = written * 10 + (text[i] - '0');
    }
    exponent += down ? -written : written;
    double value = (double)digits;
    for (; exponent < -308 && value != 0; exponent += 308) value /= 1e308;
    for (; exponent > 308 && value != 0 && !isinf(value); exponent -= 308) value *= 1e308;
    if (exponent < 0)
        value /= power_of_ten(-exponent);
    else if (exponent > 0 && value != 0)
        value *= power_of_ten(exponent);
    return negative ? -value : value;
}

/* Reads [[text, score], ...]; the id of an entry is its index, its location the byte of the JSON at
 * which its text begins. The second alcore__json_item() of a pair moves to the score, the third
 * must find its end. */
alcore_status alcore__token_entries_read_scores(alcore_ctx *ctx, alcore__json *json,
                                                const char *path, const char *key,
                                                alcore__token_entries *out) {
    char *text, *number;
    size_t length, number_length;
    if (!alcore__json_enter(json, '[')) return alcore__token_json_fail(json, path, key, NULL);
    while (alcore__json_item(json)) {
        if (!alcore__json_enter(json, '[') || !alcore__json_item(json) ||
            !alcore__json_string(json, &text, &length) || !alcore__json_item(json) ||
            !alcore__json_number(json, &number, &number_length) || alcore__json_item(json) ||
            json->error)
            return alcore__token_json_fail(json, path, key, "[text, score] is expected");
        ALCORE__TRY(add_entry(ctx, out, text, length, text - json->begin));
        ALCORE__TRY(
            alcore__grow(ctx, &out->score, &out->score_capacity, out->count, sizeof *out->score));
        out->entry[out->count - 1].id = (int64_t)out->count - 1;
        const double score = read_score(number, number_length);
        if (!isfinite(score))
            return alcore__token_json_fail(json, path, key, "a score is too large");
        out->score[out->count - 1] = score;
    }
    return json->error ? alcore__token_json_fail(json, path, key, NULL) : ALCORE_OK;
}

void alcore__token_entries_clear(alcore_ctx *ctx, alcore__token_entries *entries) {
    alcore__free(ctx, entries->entry);
    alcore__free(ctx, entries->score);
    *entries = (alcore__token_entries){0};
}
