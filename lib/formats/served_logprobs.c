/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of log-probabilities in answers (served_logprobs.h). Seen in the answers of llama.cpp's
 * server (tests/served) and in the sources of vLLM (0.14 to 0.33) and SGLang (0.5.23). */
#include "formats/served_logprobs.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* Two log-probabilities of one class that were written from one number. */
#define EQUAL 1e-6

bool alcore__served_is(const char *key, size_t length, const char *name) {
    return strlen(name) == length && memcmp(key, name, length) == 0;
}

alcore_status alcore__served_fail_json(const alcore__line_reader *lines, const alcore__json *json) {
    const char *next = json->next;
    const bool constant = next < json->end && (*next == 'N' || *next == 'I'); /* as Python writes */
    return alcore__lines_fail(lines, "byte %lld of the line: %s%s",
                              (long long)(json->next - json->begin + 1),
                              json->error ? json->error : "a value of another kind is expected",
                              constant ? "; JSON has no NaN and no Infinity" : "");
}

/* ---- collecting ---- */

static alcore_status add_token(alcore__served_tokens *self, alcore_ctx *ctx, double logprob,
                               int64_t id) {
    ALCORE__TRY(alcore__grow(ctx, &self->token, &self->token_capacity, self->count + 2,
                             sizeof *self->token));
    self->token[self->count++] = (alcore__served_token){
        .logprob = logprob, .id = id, .begin = self->listed_count, .place = -1};
    self->has_ids &= id >= 0;
    return ALCORE_OK;
}

static alcore_status add_class(alcore__served_tokens *self, alcore_ctx *ctx, double logprob,
                               int64_t id) {
    ALCORE__TRY(alcore__grow(ctx, &self->listed, &self->listed_capacity, self->listed_count + 1,
                             sizeof *self->listed));
    self->listed[self->listed_count++] = (alcore__served_class){.logprob = logprob, .id = id};
    self->has_ids &= id >= 0;
    return ALCORE_OK;
}

static void begin(alcore__served_tokens *self) {
    self->count = self->listed_count = 0;
    self->has_ids = true;
    self->doubtful = -1;
}

static size_t classes_end(const alcore__served_tokens *self, size_t t) {
    return t + 1 < self->count ? self->token[t + 1].begin : self->listed_count;
}

/* Finds the token t among its classes: by ids, or as the class with its log-probability. */
static void find_place(alcore__served_tokens *self, size_t t) {
    alcore__served_token *token = &self->token[t];
    for (size_t i = token->begin; i < classes_end(self, t); i++) {
        const alcore__served_class *one = &self->listed[i];
        const bool same =
            token->id >= 0 && one->id >= 0
                ? token->id == one->id
                : fabs(one->logprob - token->logprob) <= EQUAL * fmax(1, fabs(token->logprob));
        if (!same) continue;
        token->place = (int64_t)(i - token->begin);
        return;
    }
}

/* Whether token t is among its classes and none of them is less likely or as likely. */
static bool is_least(const alcore__served_tokens *self, size_t t) {
    const alcore__served_token *token = &self->token[t];
    if (token->place < 0) return false;
    const size_t own = token->begin + (size_t)token->place;
    for (size_t i = token->begin; i < classes_end(self, t); i++)
        if (i != own && self->listed[i].logprob <= self->listed[own].logprob) return false;
    return true;
}

/* Leaves the token t out of its classes. */
static void leave_out(alcore__served_tokens *self, size_t t) {
    alcore__served_token *token = &self->token[t];
    self->listed[token->begin + (size_t)token->place].logprob = -(double)INFINITY;
    token->place = -1;
}

/* How many of the likeliest classes every list is known to have, where lists have the token itself
 * beside them: a list in which the token is not the least likely one has only likeliest classes.
 * clear: only lists in which no two classes can have become one. */
static size_t known_likeliest(const alcore__served_tokens *self, bool clear) {
    size_t most = 0;
    for (size_t t = 0; t < self->count; t++) {
        const size_t count = classes_end(self, t) - self->token[t].begin;
        const size_t sure = count - (count > 0 && is_least(self, t));
        if (sure > most && !(clear && self->token[t].blurred)) most = sure;
    }
    return most;
}

/* Leaves tokens out that may stand beside the likeliest classes of completions, and notes the first
 * token of whose classes one may be missing: of two classes with one text, as parts of a character
 * have, and in sentencepiece vocabularies a word with and without a space before it, servers keep
 * one. Lists that are shorter than those of other tokens tell of it, too. */
static void settle_added(alcore__served_tokens *self) {
    for (size_t t = 0; t < self->count; t++) find_place(self, t);
    const size_t likeliest = known_likeliest(self, false), sure = known_likeliest(self, true);
    for (size_t t = 0; t < self->count; t++) {
        const alcore__served_token *token = &self->token[t];
        const size_t count = classes_end(self, t) - token->begin;
        const bool least = is_least(self, t);
        const bool merged =
            token->blurred ? token->place < 0 || least || count != sure : count > 0 && count < sure;
        if (merged && self->doubtful < 0) self->doubtful = (int64_t)t;
        if (least && count > likeliest) leave_out(self, t);
    }
}

/* The same of chats: only a token that stands first may be in the place of a likelier class. */
static void settle_replaced(alcore__served_tokens *self) {
    for (size_t t = 0; t < self->count; t++) {
        find_place(self, t);
        if (self->token[t].place == 0 && is_least(self, t)) leave_out(self, t);
    }
}

/* ---- reading ---- */

/* Reads a number. False: none comes next, or it is none that a double holds. */
static bool read_number(alcore__json *json, double *out) {
    char *text;
    size_t length;
    return alcore__json_kind(json) == '0' && alcore__json_number(json, &text, &length) &&
           alcore__parse_double(text, length, out);
}

/* Reads an id, an integer from 0; *out is -1 where the value is something else. */
static bool read_id(alcore__json *json, int64_t *out) {
    char *text;
    size_t length;
    *out = -1;
    if (alcore__json_kind(json) != '0') return alcore__json_skip(json);
    if (!alcore__json_number(json, &text, &length)) return false;
    if (!alcore__parse_int(text, length, out) || *out < 0) *out = -1;
    return true;
}

/* An object of "content", or of its "top_logprobs". */
typedef struct described {
    double logprob;
    int64_t id;           /* -1: not given */
    bool known, null;     /* there is a log-probability; it is null */
    bool sampled;         /* there is a probability after sampling in its place */
    alcore__json classes; /* before "top_logprobs" */
    bool has_classes;
} described;

static alcore_status read_described(const alcore__line_reader *lines, alcore__json *json,
                                    described *out) {
    char *key;
    size_t length;
    *out = (described){.id = -1};
    if (!alcore__json_enter(json, '{')) return alcore__served_fail_json(lines, json);
    while (alcore__json_key(json, &key, &length)) {
        const char kind = alcore__json_kind(json);
        bool read = true;
        if (alcore__served_is(key, length, "logprob") && kind != 'n') {
            read = out->known = read_number(json, &out->logprob);
        } else if (alcore__served_is(key, length, "id")) {
            read = read_id(json, &out->id);
        } else {
            out->null |= alcore__served_is(key, length, "logprob");
            out->sampled |= alcore__served_is(key, length, "prob");
            if (alcore__served_is(key, length, "top_logprobs") && kind == '[') {
                out->classes = *json;
                out->has_classes = true;
            }
            read = alcore__json_skip(json);
        }
        if (!read) return alcore__served_fail_json(lines, json);
    }
    return json->error ? alcore__served_fail_json(lines, json) : ALCORE_OK;
}

/* The error of a token without a log-probability. */
static alcore_status no_logprob(const alcore__line_reader *lines, size_t number, bool sampled) {
    if (sampled)
        return alcore__lines_fail(lines,
                                  "token %zu has a probability after sampling (\"prob\"); ask "
                                  "without post_sampling_probs",
                                  number);
    return alcore__lines_fail(lines, "token %zu has no log-probability", number);
}

/* Reads the classes of a token of a chat. */
static alcore_status read_described_classes(alcore__served_tokens *self,
                                            const alcore__line_reader *lines, alcore__json json,
                                            size_t number) {
    described one;
    if (!alcore__json_enter(&json, '[')) return alcore__served_fail_json(lines, &json);
    while (alcore__json_item(&json)) {
        ALCORE__TRY(read_described(lines, &json, &one));
        if (!one.known) return no_logprob(lines, number, one.sampled);
        ALCORE__TRY(add_class(self, lines->ctx, one.logprob, one.id));
    }
    return json.error ? alcore__served_fail_json(lines, &json) : ALCORE_OK;
}

alcore_status alcore__served_read_content(alcore__served_tokens *tokens,
                                          const alcore__line_reader *lines, alcore__json value) {
    described one;
    begin(tokens);
    if (!alcore__json_enter(&value, '[')) return alcore__served_fail_json(lines, &value);
    for (size_t number = 0; alcore__json_item(&value); number++) {
        ALCORE__TRY(read_described(lines, &value, &one));
        if (one.null && number == 0) continue;
        if (!one.known) return no_logprob(lines, number, one.sampled);
        ALCORE__TRY(add_token(tokens, lines->ctx, one.logprob, one.id));
        if (one.has_classes)
            ALCORE__TRY(read_described_classes(tokens, lines, one.classes, number));
    }
    if (value.error) return alcore__served_fail_json(lines, &value);
    settle_replaced(tokens);
    return ALCORE_OK;
}

/* Whether the text of a class, as it stands in JSON, has U+FFFD: it is a part of a character. */
static bool is_blurred(const char *text, size_t length) {
    static const char *const spellings[] = {"\xEF\xBF\xBD", "\\ufffd", "\\uFFFD"};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (memmem(text, length, spellings[i], strlen(spellings[i]))) return true;
    return false;
}

/* Reads the classes of a token of a completion, {text: log-probability}, or skips a null. */
static alcore_status read_named_classes(alcore__served_tokens *self,
                                        const alcore__line_reader *lines, alcore__json *json,
                                        bool skip) {
    const char *key;
    size_t length;
    if (skip || alcore__json_kind(json) == 'n')
        return alcore__json_skip(json) ? ALCORE_OK : alcore__served_fail_json(lines, json);
    alcore__served_token *token = &self->token[self->count - 1];
    if (!alcore__json_enter(json, '{')) return alcore__served_fail_json(lines, json);
    while (alcore__json_skip_key(json, &key, &length)) {
        double logprob;
        token->blurred |= is_blurred(key, length);
        if (!read_number(json, &logprob)) return alcore__served_fail_json(lines, json);
        ALCORE__TRY(add_class(self, lines->ctx, logprob, -1));
    }
    return json->error ? alcore__served_fail_json(lines, json) : ALCORE_OK;
}

alcore_status alcore__served_read_lists(alcore__served_tokens *tokens,
                                        const alcore__line_reader *lines, alcore__json logprobs,
                                        const alcore__json *top) {
    alcore__json none = {0}, classes = top ? *top : none, first = classes;
    begin(tokens);
    if (top && alcore__json_enter(&first, '[') && !alcore__json_item(&first) && !first.error)
        top = NULL; /* as SGLang writes where none was asked for */
    if (!alcore__json_enter(&logprobs, '[')) return alcore__served_fail_json(lines, &logprobs);
    if (top && !alcore__json_enter(&classes, '[')) return alcore__served_fail_json(lines, &classes);
    size_t number = 0;
    for (; alcore__json_item(&logprobs); number++) {
        double logprob = 0;
        const bool null = alcore__json_kind(&logprobs) == 'n';
        if (null && number > 0) return no_logprob(lines, number, false);
        if (null ? !alcore__json_skip(&logprobs) : !read_number(&logprobs, &logprob))
            return alcore__served_fail_json(lines, &logprobs);
        if (!null) ALCORE__TRY(add_token(tokens, lines->ctx, logprob, -1));
        if (!top) continue;
        if (!alcore__json_item(&classes))
            return classes.error
                       ? alcore__served_fail_json(lines, &classes)
                       : alcore__lines_fail(
                             lines, "top_logprobs has %zu tokens, token_logprobs more", number);
        ALCORE__TRY(read_named_classes(tokens, lines, &classes, null));
    }
    if (logprobs.error) return alcore__served_fail_json(lines, &logprobs);
    if (top && alcore__json_item(&classes))
        return alcore__lines_fail(lines, "token_logprobs has %zu tokens, top_logprobs more",
                                  number);
    settle_added(tokens);
    return ALCORE_OK;
}

/* Reads a token of a prompt, {id: {"logprob": ...}}, of which the first class is the token. */
static alcore_status read_prompt_token(alcore__served_tokens *self,
                                       const alcore__line_reader *lines, alcore__json *json,
                                       size_t number) {
    char *key;
    size_t length;
    bool first = true;
    if (!alcore__json_enter(json, '{')) return alcore__served_fail_json(lines, json);
    for (; alcore__json_key(json, &key, &length); first = false) {
        int64_t id;
        described one;
        if (!alcore__parse_int(key, length, &id) || id < 0)
            return alcore__lines_fail(lines, "token %zu: \"%.*s\" is no id of a token", number,
                                      (int)(length < 40 ? length : 40), key);
        ALCORE__TRY(read_described(lines, json, &one));
        if (!one.known) return no_logprob(lines, number, one.sampled);
        if (first) ALCORE__TRY(add_token(self, lines->ctx, one.logprob, id));
        ALCORE__TRY(add_class(self, lines->ctx, one.logprob, id));
    }
    if (json->error) return alcore__served_fail_json(lines, json);
    return first ? no_logprob(lines, number, false) : ALCORE_OK;
}

alcore_status alcore__served_read_prompt(alcore__served_tokens *tokens,
                                         const alcore__line_reader *lines, alcore__json value) {
    begin(tokens);
    if (!alcore__json_enter(&value, '[')) return alcore__served_fail_json(lines, &value);
    for (size_t number = 0; alcore__json_item(&value); number++) {
        if (alcore__json_kind(&value) == 'n' && number > 0) return no_logprob(lines, number, false);
        if (alcore__json_kind(&value) != 'n')
            ALCORE__TRY(read_prompt_token(tokens, lines, &value, number));
        else if (!alcore__json_skip(&value))
            return alcore__served_fail_json(lines, &value);
    }
    if (value.error) return alcore__served_fail_json(lines, &value);
    settle_added(tokens);
    return ALCORE_OK;
}

void alcore__served_tokens_clear(alcore__served_tokens *tokens, alcore_ctx *ctx) {
    alcore__free(ctx, tokens->token);
    alcore__free(ctx, tokens->listed);
    *tokens = (alcore__served_tokens){0};
}
