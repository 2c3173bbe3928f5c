/* SPDX-License-Identifier: Apache-2.0 */
/* Looking up the keys of a model's folder in the table (folder_keys.h). */
#include "model/folder_keys.h"

#include <string.h>

#include "base/number.h"
#include "formats/json_keys.h"

enum { OBEYED, NO_EFFECT, REFUSED };

typedef struct row {
    int32_t files;
    const char *families, *key; /* families: model types between spaces; "": all */
    int32_t verdict;
    const char *accepted, *note;
} row;

#define CONFIG ALCORE__KEYS_CONFIG
#define GENERATION ALCORE__KEYS_GENERATION
#define TOKENIZER ALCORE__KEYS_TOKENIZER
#define SENTENCE ALCORE__KEYS_SENTENCE
#define PROMPTS ALCORE__KEYS_PROMPTS
#define MODULES ALCORE__KEYS_MODULES
#define POOLING ALCORE__KEYS_POOLING
#define NORMALIZE ALCORE__KEYS_NORMALIZE
#define DENSE ALCORE__KEYS_DENSE
#define LAYER_NORM ALCORE__KEYS_LAYER_NORM
#define DROPOUT ALCORE__KEYS_DROPOUT
#define CNN ALCORE__KEYS_CNN
#define WEIGHTED_LAYERS ALCORE__KEYS_WEIGHTED_LAYERS
#define ROUTER ALCORE__KEYS_ROUTER
#define ROUTES ALCORE__KEYS_ROUTES
#define ALL ""
#define BERTS "bert roberta xlm-roberta rembert camembert xlm-roberta-xl mpnet electra albert"
#define ROTARIES "modernbert eurobert nomic_bert"
#define NEWER ROTARIES " deberta-v2"
#define ENCODERS BERTS " distilbert " NEWER
#define THEIRS "bart mbart marian m2m_100"
#define BARTS THEIRS " alcore_transformer"
#define T5S "t5 mt5"
#define SEQ2SEQ BARTS " " T5S
#define LANGUAGE "llama mistral qwen2 qwen3 gemma3_text"
#define OUTPUTS SEQ2SEQ " " LANGUAGE
#define NATIVE ENCODERS " " THEIRS " " T5S " " LANGUAGE
#define KEY(...) {__VA_ARGS__},

static const row rows[] = {
#include "model/folder_key_rows.h"
};
enum { ROWS = (int)(sizeof rows / sizeof *rows) };

/* Files in which an unknown key is an error. */
enum {
    STRICT = SENTENCE | PROMPTS | MODULES | POOLING | NORMALIZE | DENSE | LAYER_NORM | DROPOUT |
             CNN | WEIGHTED_LAYERS | ROUTER | ROUTES
};

/* ---- finding the row ---- */

/* Whether a list of words, between single spaces, has a word. */
static bool has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0) return true;
    return false;
}

static bool fits(const row *one, int32_t file, const char *model_type) {
    return (one->files & file) && (!*one->families || has_word(one->families, model_type));
}

/* The row of a key; NULL: there is none. */
static const row *find_row(int32_t file, const char *model_type, const char *key, size_t length) {
    for (int32_t i = 0; i < ROWS; i++)
        if (fits(&rows[i], file, model_type) && strlen(rows[i].key) == length &&
            memcmp(rows[i].key, key, length) == 0)
            return &rows[i];
    return NULL;
}

bool alcore__folder_keys_knows(const char *model_type) {
    return has_word(ENCODERS " " OUTPUTS, model_type);
}

/* Whether a key is one of the outputs, in the folder of a model that has none: older folders have
 * such keys in the config.json of encoders too, where they say nothing. */
static bool is_of_outputs(int32_t file, const char *model_type, const char *key, size_t length) {
    return (file & (CONFIG | GENERATION)) && has_word(ENCODERS, model_type) &&
           find_row(GENERATION, "bart", key, length);
}

/* ---- values ---- */

/* A text as JSON that was written without spaces: whether *a and *b, of a value [ends], are equal,
 * in which white space outside of strings does not count. */
static bool same_text(const char *a, const char *a_end, const char *b, const char *b_end) {
    bool in_string = false;
    for (;;) {
        while (!in_string && a < a_end && strchr(" \t\r\n", *a)) a++;
        while (!in_string && b < b_end && strchr(" \t\r\n", *b)) b++;
        if (a == a_end || b == b_end) return a == a_end && b == b_end;
        if (*a != *b) return false;
        if (*a == '"') in_string = !in_string;
        a++, b++;
    }
}

/* Whether two JSON values are the same; numbers may be written differently. */
static bool same_value(const char *a, const char *a_end, const char *b, const char *b_end) {
    double x, y;
    if (alcore__parse_double(a, (size_t)(a_end - a), &x) &&
        alcore__parse_double(b, (size_t)(b_end - b), &y))
        return x == y;
    return same_text(a, a_end, b, b_end);
}

/* Whether a value, of which text [length] is the JSON, is null or one of those of the row. */
static bool is_accepted(const row *one, const char *text, size_t length) {
    const char *end = text + length, *at = one->accepted;
    if (length == 4 && memcmp(text, "null", 4) == 0) return true;
    while (*at) {
        const char *stop = at + strcspn(at, "|");
        if (same_value(text, end, at, stop)) return true;
        at = *stop ? stop + 1 : stop;
    }
    return false;
}

/* ---- what is found ---- */

/* *out: a copy of a text in the arena of the report. */
static alcore_status keep(alcore_ctx *ctx, alcore__key_report *report, const alcore__buffer *text,
                          const char **out) {
    return alcore__arena_text(ctx, &report->arena, text->data, text->length, out);
}

static alcore_status add_warning(alcore_ctx *ctx, alcore__key_report *report,
                                 const alcore__buffer *text) {
    ALCORE__TRY(alcore__grow(ctx, &report->warnings, &report->warning_capacity,
                             report->warning_count + 1, sizeof *report->warnings));
    ALCORE__TRY(keep(ctx, report, text, &report->warnings[report->warning_count]));
    report->warning_count++;
    return ALCORE_OK;
}

/* The name of a file at a path that begins with that of the folder. */
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A key that the table has not. */
static alcore_status report_unknown(const alcore__part *object, int32_t file, const char *key,
                                    size_t length, alcore__key_report *report) {
    const int shown = length > 80 ? 80 : (int)length;
    alcore__buffer text = {0};
    if (file & STRICT)
        return alcore__part_fail(object, ALCORE_E_UNSUPPORTED,
                                 "the key '%.*s' is not known, so that what it asks for would be "
                                 "left undone; take it out if it has no effect",
                                 shown, key);
    alcore_status status =
        alcore__buffer_format(object->ctx, &text, "%s: the key '%.*s' is not known and not obeyed",
                              file_name(object->path), shown, key);
    if (status == ALCORE_OK) status = add_warning(object->ctx, report, &text);
    alcore__buffer_clear(object->ctx, &text);
    return status;
}

/* Appends what is wrong with a key that is refused. */
static alcore_status describe_refused(const alcore__part *object, const row *one, const char *value,
                                      size_t length, alcore__buffer *out) {
    const int shown = length > 80 ? 80 : (int)length;
    return alcore__buffer_format(object->ctx, out, "%s is %.*s%s, %s%s%s%s%s", one->key, shown,
                                 value, length > 80 ? "..." : "",
                                 *one->accepted ? "and what is computed here is that of "
                                                : "which is not supported",
                                 one->accepted, *one->note ? ": " : "", one->note, "");
}

/* A key that is refused, unless its value is one without an effect. */
static alcore_status report_refused(const alcore__part *object, const row *one, const char *value,
                                    size_t length, alcore__key_report *report) {
    alcore__buffer text = {0};
    if (is_accepted(one, value, length)) return ALCORE_OK;
    alcore_status status = ALCORE_OK;
    const bool outputs = (one->files & GENERATION) != 0;
    if (outputs)
        status = alcore__buffer_format(object->ctx, &text, "%s: ", file_name(object->path));
    if (status == ALCORE_OK) status = describe_refused(object, one, value, length, &text);
    if (status == ALCORE_OK && outputs && !report->no_outputs)
        status = keep(object->ctx, report, &text, &report->no_outputs);
    if (status == ALCORE_OK && !outputs)
        status = alcore__part_fail(object, ALCORE_E_UNSUPPORTED, "%s", text.data);
    alcore__buffer_clear(object->ctx, &text);
    return status;
}

/* ---- walking ---- */

/* Looks up one key, and moves the cursor of *object behind its value. */
static alcore_status check_key(alcore__part *object, int32_t file, const char *model_type,
                               const char *key, size_t length, alcore__key_report *report) {
    (void)alcore__json_kind(&object->value);
    const char *value = object->value.next;
    if (!alcore__json_skip(&object->value)) return alcore__part_leave(object);
    const row *found = find_row(file, model_type, key, length);
    if (!found)
        return is_of_outputs(file, model_type, key, length)
                   ? ALCORE_OK
                   : report_unknown(object, file, key, length, report);
    if (found->verdict != REFUSED) return ALCORE_OK;
    return report_refused(object, found, value, (size_t)(object->value.next - value), report);
}

static alcore_status check_all(alcore__part *object, int32_t file, const char *model_type,
                               alcore__json_keys *seen, alcore__key_report *report) {
    const char *key;
    size_t length;
    alcore__part_enter_object(object);
    while (alcore__json_skip_key(&object->value, &key, &length)) {
        ALCORE__TRY(alcore__json_keys_add(object->ctx, seen, key, length));
        ALCORE__TRY(check_key(object, file, model_type, key, length, report));
    }
    ALCORE__TRY(alcore__part_leave(object));
    if (alcore__json_keys_repeat(seen))
        return alcore__part_fail(object, ALCORE_E_DATA, "a key stands twice in one object");
    return ALCORE_OK;
}

alcore_status alcore__folder_keys_check(const alcore__part *object, int32_t file,
                                        const char *model_type, alcore__key_report *report) {
    alcore__json_keys seen = {0};
    alcore__part walked = *object;
    const alcore_status status = check_all(&walked, file, model_type, &seen, report);
    alcore__json_keys_clear(object->ctx, &seen);
    return status;
}

void alcore__key_report_clear(alcore_ctx *ctx, alcore__key_report *report) {
    alcore__arena_clear(ctx, &report->arena);
    alcore__free(ctx, (void *)report->warnings);
    *report = (alcore__key_report){0};
}
