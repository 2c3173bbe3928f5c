/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of inference servers (served_answers.h). A line is scanned once as a whole, which finds
 * the members that matter, and these are read from where they stand. */
#include "formats/served_answers.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "formats/served_logprobs.h"

#define MAX_DEPTH 64 /* of nested objects and arrays in a line */

/* A member of an object, if it is there and not null. */
typedef struct member {
    const char *name;
    alcore__json value; /* before it */
    char kind;          /* of alcore__json_kind(); 0: it is not there */
} member;

/* A reading. */
typedef struct answers {
    alcore__served_sink sink;
    void *user;
    alcore__served_tokens tokens;
    double *numbers; /* workspace: [tokens], then [tokens, k] */
    int64_t *ids;    /* workspace: the same */
    size_t number_capacity, id_capacity;
    int64_t count; /* answers so far */
    bool numbered; /* answers are told by their place in the file; else by what they say */
} answers;

/* Finds the members [count] of the object that comes next, which is read to its end. */
static alcore_status find_members(const alcore__line_reader *lines, alcore__json *json,
                                  member *members, size_t count) {
    char *key;
    size_t length;
    if (!alcore__json_enter(json, '{')) return alcore__served_fail_json(lines, json);
    while (alcore__json_key(json, &key, &length)) {
        const char kind = alcore__json_kind(json);
        for (size_t i = 0; i < count; i++) {
            if (!alcore__served_is(key, length, members[i].name)) continue;
            if (members[i].kind)
                return alcore__lines_fail(lines, "the key \"%s\" stands twice", members[i].name);
            members[i].value = *json;
            members[i].kind = kind == 'n' ? 0 : kind;
        }
        if (!alcore__json_skip(json)) return alcore__served_fail_json(lines, json);
    }
    return json->error ? alcore__served_fail_json(lines, json) : ALCORE_OK;
}

/* Fails with what the server said of its error: a text, an object with a "message", or neither. */
static alcore_status server_error(const alcore__line_reader *lines, member error, int64_t status) {
    member message = {.name = "message"};
    char *text = NULL, code[32] = "";
    size_t length = 0;
    if (error.kind == '{') {
        ALCORE__TRY(find_members(lines, &error.value, &message, 1));
        error = message;
    }
    if (error.kind == '"' && !alcore__json_string(&error.value, &text, &length))
        return alcore__served_fail_json(lines, &error.value);
    if (status > 0) alcore__format(code, sizeof code, " with %lld", (long long)status);
    return alcore__lines_fail(lines, "the server answered%s%s%.*s", code,
                              text ? ": " : ", an error", (int)(length < 300 ? length : 300),
                              text ? text : "");
}

/* Reads an integer; anything else is an error that names the key. */
static alcore_status read_integer(const alcore__line_reader *lines, member *from, int64_t *out) {
    char *text = NULL;
    size_t length = 0;
    if (from->kind != '0' || !alcore__json_number(&from->value, &text, &length) ||
        !alcore__parse_int(text, length, out))
        return alcore__lines_fail(lines, "\"%s\" must be an integer", from->name);
    return ALCORE_OK;
}

/* Which row an answer is of: its custom_id, its index, or its place among the answers. */
static alcore_status read_name(answers *self, const alcore__line_reader *lines, member *id,
                               member *index, alcore__served_answer *out) {
    const bool named = id->kind || index->kind;
    out->number = -1;
    if (self->count > 0 && named == self->numbered)
        return alcore__lines_fail(lines, named ? "a custom_id or index, which the answers before "
                                                 "do not have"
                                               : "no custom_id or index, which the answers before "
                                                 "have");
    self->numbered = !named;
    if (!named) {
        out->number = self->count;
        return ALCORE_OK;
    }
    if (id->kind == '"') {
        char *text = NULL;
        if (!alcore__json_string(&id->value, &text, &out->id_length))
            return alcore__served_fail_json(lines, &id->value);
        out->id = text;
        return out->id_length > 0 ? ALCORE_OK : alcore__lines_fail(lines, "custom_id is empty");
    }
    if (id->kind) return alcore__lines_fail(lines, "\"custom_id\" must be a string");
    ALCORE__TRY(read_integer(lines, index, &out->number));
    return out->number >= 0 ? ALCORE_OK : alcore__lines_fail(lines, "\"index\" is negative");
}

/* The members of a choice, and where each stands in the array. */
enum { CHOICE_INDEX, CHOICE_LOGPROBS, CHOICE_PROMPT, CHOICE_DELTA, CHOICE_MEMBERS };

/* Finds the first choice: the one whose index is 0, or that says none. Several choices are the
 * outputs of one text, or those of several texts in one request, which only a name can tell. */
static alcore_status find_choice(const alcore__line_reader *lines, alcore__json choices,
                                 bool numbered, member found[CHOICE_MEMBERS]) {
    static const member names[CHOICE_MEMBERS] = {
        {.name = "index"}, {.name = "logprobs"}, {.name = "prompt_logprobs"}, {.name = "delta"}};
    int64_t count = 0, matches = 0;
    if (!alcore__json_enter(&choices, '[')) return alcore__served_fail_json(lines, &choices);
    for (; alcore__json_item(&choices); count++) {
        member one[CHOICE_MEMBERS];
        int64_t index = 0;
        memcpy(one, names, sizeof one);
        ALCORE__TRY(find_members(lines, &choices, one, CHOICE_MEMBERS));
        if (one[CHOICE_INDEX].kind) ALCORE__TRY(read_integer(lines, &one[CHOICE_INDEX], &index));
        if (index != 0) continue;
        memcpy(found, one, sizeof one);
        matches++;
    }
    if (choices.error) return alcore__served_fail_json(lines, &choices);
    if (matches != 1)
        return alcore__lines_fail(lines, "%lld choices with index 0, and 1 is expected",
                                  (long long)matches);
    if (count > 1 && numbered)
        return alcore__lines_fail(lines,
                                  "%lld choices, and which rows they are of is not said; ask for "
                                  "one text a request, or write \"custom_id\" or \"index\" beside "
                                  "\"response\", of which the first choice counts",
                                  (long long)count);
    return ALCORE_OK;
}

/* Reads the log-probabilities of a choice: those of what was made, with echo those of the prompt
 * too, or where there are none those of the prompt alone. */
static alcore_status read_choice(answers *self, const alcore__line_reader *lines, member *choice,
                                 member *prompt) {
    enum { CONTENT, LOGPROBS, TOP, MEMBERS };
    member lists[MEMBERS] = {
        {.name = "content"}, {.name = "token_logprobs"}, {.name = "top_logprobs"}};
    member *of_prompt = choice[CHOICE_PROMPT].kind ? &choice[CHOICE_PROMPT] : prompt;
    if (choice[CHOICE_DELTA].kind)
        return alcore__lines_fail(lines, "a part of a streamed answer; ask without \"stream\"");
    if (choice[CHOICE_LOGPROBS].kind == '{')
        ALCORE__TRY(find_members(lines, &choice[CHOICE_LOGPROBS].value, lists, MEMBERS));
    if (lists[CONTENT].kind)
        return alcore__served_read_content(&self->tokens, lines, lists[CONTENT].value);
    if (lists[LOGPROBS].kind)
        return alcore__served_read_lists(&self->tokens, lines, lists[LOGPROBS].value,
                                         lists[TOP].kind ? &lists[TOP].value : NULL);
    if (of_prompt->kind) return alcore__served_read_prompt(&self->tokens, lines, of_prompt->value);
    return alcore__lines_fail(lines, "no log-probabilities; ask with \"logprobs\" (of chats true, "
                                     "with \"top_logprobs\")");
}

/* The arrays of an answer may have 64 times as many cells as classes are listed, and always 65,536.
 * Servers list the same number of classes for each token, give or take the token itself, so that
 * only a hostile file needs more. */
enum { PADDING = 64, FREE_CELLS = 65536 };

/* Puts what the tokens say into the arrays of the answer: the classes of each token, padded to
 * those of the token with most. */
static alcore_status fill_answer(answers *self, const alcore__line_reader *lines,
                                 alcore__served_answer *out) {
    const alcore__served_tokens *tokens = &self->tokens;
    alcore_ctx *ctx = lines->ctx;
    size_t k = 0;
    for (size_t t = 0; t < tokens->count; t++) {
        const size_t end =
            t + 1 < tokens->count ? tokens->token[t + 1].begin : tokens->listed_count;
        if (end - tokens->token[t].begin > k) k = end - tokens->token[t].begin;
    }
    if (k > 0 && tokens->count > (SIZE_MAX / sizeof *self->numbers - tokens->count) / k)
        return alcore__fail_memory(SIZE_MAX);
    if (tokens->count * k > FREE_CELLS && tokens->count * k / PADDING > tokens->listed_count)
        return alcore__lines_fail(lines,
                                  "%zu tokens have %zu likeliest tokens in all, and one of them "
                                  "has %zu: the lists are too uneven",
                                  tokens->count, tokens->listed_count, k);
    const size_t cells = tokens->count * k, total = tokens->count + cells;
    ALCORE__TRY(alcore__grow(ctx, &self->numbers, &self->number_capacity, total + 1,
                             sizeof *self->numbers));
    ALCORE__TRY(alcore__grow(ctx, &self->ids, &self->id_capacity, total + 1, sizeof *self->ids));
    double *top = self->numbers + tokens->count;
    int64_t *top_ids = self->ids + tokens->count;
    for (size_t i = 0; i < cells; i++) {
        top[i] = -(double)INFINITY;
        top_ids[i] = -1;
    }
    for (size_t t = 0; t < tokens->count; t++) {
        const alcore__served_token *token = &tokens->token[t];
        const size_t end =
            t + 1 < tokens->count ? tokens->token[t + 1].begin : tokens->listed_count;
        self->numbers[t] = token->logprob;
        self->ids[t] = token->id;
        for (size_t i = token->begin; i < end; i++) {
            top[t * k + i - token->begin] = tokens->listed[i].logprob;
            top_ids[t * k + i - token->begin] = tokens->listed[i].id;
        }
    }
    out->tokens = (int64_t)tokens->count;
    out->k = (int64_t)k;
    out->logprobs = self->numbers;
    out->top = top;
    out->ids = tokens->has_ids && k > 0 ? self->ids : NULL;
    out->top_ids = tokens->has_ids && k > 0 ? top_ids : NULL;
    out->doubtful = tokens->doubtful;
    return ALCORE_OK;
}

/* The members of what a server answered, of a line, and of the "response" of a line. */
enum { FAILURE, CHOICES, PROMPT, MESSAGE, META, ANSWER_MEMBERS };
enum {
    LINE_ID,
    LINE_INDEX,
    LINE_RESPONSE,
    LINE_ANSWER,
    LINE_MEMBERS = LINE_ANSWER + ANSWER_MEMBERS
};
enum { BODY_STATUS, BODY_BODY, BODY_ANSWER, BODY_MEMBERS = BODY_ANSWER + ANSWER_MEMBERS };
static const member answer_names[ANSWER_MEMBERS] = {{.name = "error"},
                                                    {.name = "choices"},
                                                    {.name = "prompt_logprobs"},
                                                    {.name = "message"},
                                                    {.name = "meta_info"}};

/* Finds what a server answered: in the line itself, in its "response", or in the "body" of that. A
 * failure of the server is an error. */
static alcore_status find_answer(const alcore__line_reader *lines, member line[LINE_MEMBERS],
                                 member answer[ANSWER_MEMBERS]) {
    member body[BODY_MEMBERS] = {{.name = "status_code"}, {.name = "body"}};
    int64_t status = 0;
    memcpy(body + BODY_ANSWER, answer_names, sizeof answer_names);
    memcpy(answer, line + LINE_ANSWER, sizeof answer_names);
    if (answer[FAILURE].kind) return server_error(lines, answer[FAILURE], 0);
    if (line[LINE_RESPONSE].kind != '{') return ALCORE_OK;
    ALCORE__TRY(find_members(lines, &line[LINE_RESPONSE].value, body, BODY_MEMBERS));
    if (body[BODY_STATUS].kind) ALCORE__TRY(read_integer(lines, &body[BODY_STATUS], &status));
    memcpy(answer, body + BODY_ANSWER, sizeof answer_names);
    if (body[BODY_BODY].kind == '{') {
        memcpy(answer, answer_names, sizeof answer_names);
        ALCORE__TRY(find_members(lines, &body[BODY_BODY].value, answer, ANSWER_MEMBERS));
    }
    if (answer[FAILURE].kind || (status != 0 && status != 200))
        return server_error(lines, answer[answer[FAILURE].kind ? FAILURE : MESSAGE], status);
    return ALCORE_OK;
}

/* The error of an answer without choices: that of SGLang, whose errors are no member of the answer,
 * and its own form, of which the choices are not read. */
static alcore_status no_choices(const alcore__line_reader *lines, const member *answer) {
    if (answer[MESSAGE].kind == '"') return server_error(lines, answer[MESSAGE], 0);
    if (answer[META].kind)
        return alcore__lines_fail(
            lines, "\"meta_info\" is of SGLang's /generate, which is not read; ask "
                   "/v1/completions, of a text with \"echo\": true, \"logprobs\": k");
    return alcore__lines_fail(lines, "no \"choices\": this is no answer of a server of OpenAI's "
                                     "protocol");
}

/* alcore__line_sink: reads an answer and hands it on; blank lines say nothing. */
static alcore_status read_line(void *user, const alcore__line_reader *lines, char *text,
                               size_t length) {
    answers *self = user;
    alcore__served_answer answer = {.line = lines->line};
    member line[LINE_MEMBERS] = {{.name = "custom_id"}, {.name = "index"}, {.name = "response"}};
    member found[ANSWER_MEMBERS], choice[CHOICE_MEMBERS];
    alcore__json json;
    if (length == 0) return ALCORE_OK;
    memcpy(line + LINE_ANSWER, answer_names, sizeof answer_names);
    alcore__json_begin(&json, text, length, MAX_DEPTH);
    json.passes_nul = true; /* it is the text of a token */
    if (length >= 5 && memcmp(text, "data:", 5) == 0)
        return alcore__lines_fail(lines, "a part of a streamed answer; ask without \"stream\"");
    ALCORE__TRY(find_members(lines, &json, line, LINE_MEMBERS));
    if (!alcore__json_end(&json)) return alcore__served_fail_json(lines, &json);
    ALCORE__TRY(find_answer(lines, line, found));
    if (found[CHOICES].kind != '[') return no_choices(lines, found);
    ALCORE__TRY(read_name(self, lines, &line[LINE_ID], &line[LINE_INDEX], &answer));
    ALCORE__TRY(find_choice(lines, found[CHOICES].value, self->numbered, choice));
    ALCORE__TRY(read_choice(self, lines, choice, &found[PROMPT]));
    ALCORE__TRY(fill_answer(self, lines, &answer));
    self->count++;
    return self->sink(self->user, &answer);
}

alcore_status alcore__served_read(alcore_ctx *ctx, const char *path, alcore__served_sink sink,
                                  void *user) {
    alcore__line_reader lines;
    answers self = {.sink = sink, .user = user};
    ALCORE__TRY(alcore__lines_open(&lines, ctx, path, 0));
    const alcore_status status = alcore__lines_each(&lines, read_line, &self);
    alcore__served_tokens_clear(&self.tokens, ctx);
    alcore__free(ctx, self.numbers);
    alcore__free(ctx, self.ids);
    alcore__lines_close(&lines);
    return status;
}
