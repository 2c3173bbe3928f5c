/* SPDX-License-Identifier: Apache-2.0 */
/* Columns from the answers of inference servers: each form that a server writes of one model gives
 * what all of its logits give, and bounds of the entropy. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "column_rows.h"
#include "memory_host.h"
#include "options_with.h"

enum { TOKENS = 6, CLASSES = 40, K = 5, COLUMNS = 5, ROWS = 3 };

static memory_host host;
static alcore_pool *pool;

static void set_up(void) {
    static const char records[] = "id\ttext\nr1\tone\nr2\ttwo\nr3\tthree\n";
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    memory_host_open(&host);
    memory_host_file(&host, records, sizeof records - 1);
    options.format = ALCORE_FORMAT_TSV;
    ck_assert_ok(alcore_pool_new(host.ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_read(pool, "pool.tsv", &options));
    ck_assert_int_eq(alcore_pool_row_count(pool), ROWS);
}

static void tear_down(void) {
    alcore_pool_unref(pool);
    ck_assert_uint_eq(memory_host_close(&host), 0);
}

/* ---- columns ---- */

static const char *const names[COLUMNS] = {"nnll", "logprobs", "margins", "confidences",
                                           "entropies"};

/* Writers of the columns of which `which` has the bit, under names that begin with `prefix`. */
typedef struct writing {
    alcore_column_writer *writers[COLUMNS];
    alcore_logits_writers out;
} writing;

static void open_writers(writing *self, const char *prefix, unsigned which) {
    alcore_column_writer **const members[COLUMNS] = {&self->out.nnll, &self->out.logprobs,
                                                     &self->out.margins, &self->out.confidences,
                                                     &self->out.entropies};
    *self = (writing){.out = ALCORE_LOGITS_WRITERS_INIT};
    for (int i = 0; i < COLUMNS; i++) {
        char name[32];
        if (!(which & 1U << i)) continue;
        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        ck_assert_ok(alcore_column_writer_new(pool, name,
                                              i == 0 ? ALCORE_COLUMN_SCALAR : ALCORE_COLUMN_RAGGED,
                                              NULL, &self->writers[i]));
        *members[i] = self->writers[i];
    }
}

static void close_writers(writing *self, alcore_status status) {
    for (int i = 0; i < COLUMNS; i++) {
        if (!self->writers[i]) continue;
        if (status == ALCORE_OK)
            ck_assert_ok(alcore_column_writer_finish(self->writers[i], ALCORE_MISSING_MASK));
        alcore_column_writer_unref(self->writers[i]);
    }
}

enum { ALL = 31, NNLL = 1, LOGPROBS = 2, MARGINS = 4, CONFIDENCES = 8, ENTROPIES = 16 };

/* Reads a file of answers. */
static alcore_status read_answers(const char *text, const char *prefix, unsigned which,
                                  const alcore_served_options *options) {
    writing self;
    open_writers(&self, prefix, which);
    memory_host_file(&host, text, strlen(text));
    const alcore_status status = alcore_served_read(pool, "a.jsonl", options, &self.out);
    close_writers(&self, status);
    return status;
}

static void refuse(const char *text, unsigned which, alcore_status code, const char *words) {
    ck_assert_fails(read_answers(text, "", which, NULL), code, words);
}

/* The tokens of a row in a column; their number. */
static int64_t tokens_of(const char *prefix, const char *name, int64_t row, double out[TOKENS]) {
    char full[32];
    int64_t offsets[2] = {0, 0}, two[1] = {2}, count[1];
    alcore_tensor begins, values;
    snprintf(full, sizeof full, "%s%s", prefix, name);
    ck_assert_ok(alcore_tensor_init(&begins, offsets, ALCORE_INT64, two, 1));
    ck_assert_ok(alcore_pool_get_column_tokens(pool, full, &row, 1, offsets, NULL));
    ck_assert_int_le(offsets[1], TOKENS);
    count[0] = offsets[1];
    ck_assert_ok(alcore_tensor_init(&values, out, ALCORE_FLOAT64, count, 1));
    ck_assert_ok(alcore_pool_get_column_tokens(pool, full, &row, 1, offsets, &values));
    return offsets[1];
}

static double number_of(const char *name, int64_t row) {
    double out = 0;
    ck_assert_ok(test_column_rows(pool, name, &row, 1, &out));
    return out;
}

/* ---- a model, and what servers say of it ---- */

typedef struct server {
    double logits[TOKENS][CLASSES], logprobs[TOKENS][CLASSES];
    int64_t chosen[TOKENS];
    int sorted[TOKENS][CLASSES]; /* the likeliest class first */
} server;

/* The tokens are in turn the first, second, fifth and thirtieth of the likeliest classes. */
static void make(server *s) {
    static const int ranks[] = {0, 1, 4, 29};
    uint64_t state = 5;
    for (int t = 0; t < TOKENS; t++) {
        double sum = 0;
        for (int c = 0; c < CLASSES; c++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            s->logits[t][c] = 6 * (double)(state >> 40) * 0x1p-24;
            sum += exp(s->logits[t][c]);
            int place = c;
            for (; place > 0 && s->logits[t][s->sorted[t][place - 1]] < s->logits[t][c]; place--)
                s->sorted[t][place] = s->sorted[t][place - 1];
            s->sorted[t][place] = c;
        }
        for (int c = 0; c < CLASSES; c++) s->logprobs[t][c] = s->logits[t][c] - log(sum);
        s->chosen[t] = s->sorted[t][ranks[t % 4]];
    }
}

/* The classes that a server lists for token t, in its order: the k likeliest ones. own_first: the
 * token stands before them, even where it is none of them; most: so many are listed at most. */
static int list_classes(const server *s, int t, int k, bool own_first, int most, int *out) {
    int count = 0;
    if (own_first) out[count++] = (int)s->chosen[t];
    for (int i = 0; i < k; i++)
        if (!own_first || s->sorted[t][i] != s->chosen[t]) out[count++] = s->sorted[t][i];
    return count < most ? count : most;
}

/* The text of an answer in one of the forms. */
typedef void (*form)(const server *s, int k, char *out);

static char *print_class(char *out, const server *s, int t, int c, bool ids) {
    return out + sprintf(out, "{%s%.*d%s\"token\":\"t\",\"bytes\":[116],\"logprob\":%.17g}",
                         ids ? "\"id\":" : "", ids ? 1 : 0, ids ? c : 0, ids ? "," : "",
                         s->logprobs[t][c]);
}

static void print_chat(const server *s, int k, bool ids, bool own_first, char *out) {
    out += sprintf(out, "{\"choices\":[{\"index\":0,\"logprobs\":{\"content\":[");
    for (int t = 0; t < TOKENS; t++) {
        int list[CLASSES + 1];
        const int count = list_classes(s, t, k, own_first, k, list);
        out += sprintf(out, "%s", t ? "," : "");
        out = print_class(out, s, t, (int)s->chosen[t], ids) - 1;
        out += sprintf(out, ",\"top_logprobs\":[");
        for (int i = 0; i < count; i++) {
            out += sprintf(out, "%s", i ? "," : "");
            out = print_class(out, s, t, list[i], ids);
        }
        out += sprintf(out, "]}");
    }
    sprintf(out, "],\"refusal\":null}}]}\n");
}

static void openai_chat(const server *s, int k, char *out) {
    print_chat(s, k, false, false, out);
}
static void llama_chat(const server *s, int k, char *out) {
    print_chat(s, k, true, false, out);
}
static void vllm_chat(const server *s, int k, char *out) {
    print_chat(s, k, false, true, out);
}

/* A completion: `added`: the token is listed where it is none of the likeliest, too. */
static void print_completion(const server *s, int k, bool own_first, bool added, char *out) {
    out += sprintf(out, "{\"choices\":[{\"logprobs\":{\"top_logprobs\":[null");
    for (int t = 0; t < TOKENS; t++) {
        int list[CLASSES + 1];
        int count = list_classes(s, t, k, own_first, CLASSES, list);
        bool among = own_first;
        for (int i = 0; i < count; i++) among |= list[i] == (int)s->chosen[t];
        if (added && !among) list[count++] = (int)s->chosen[t];
        for (int i = 0; i < count; i++)
            out +=
                sprintf(out, "%s\"t%d\":%.17g", i ? "," : ",{", list[i], s->logprobs[t][list[i]]);
        out += sprintf(out, "}");
    }
    out += sprintf(out, "],\"text_offset\":[],\"token_logprobs\":[null");
    for (int t = 0; t < TOKENS; t++) out += sprintf(out, ",%.17g", s->logprobs[t][s->chosen[t]]);
    sprintf(out, "]}}]}\n");
}

static void openai_completion(const server *s, int k, char *out) {
    print_completion(s, k, false, true, out);
}
static void vllm_completion(const server *s, int k, char *out) {
    print_completion(s, k, true, true, out);
}
static void sglang_completion(const server *s, int k, char *out) {
    print_completion(s, k, false, false, out);
}

static void vllm_prompt(const server *s, int k, char *out) {
    out += sprintf(out, "{\"choices\":[{\"logprobs\":null,\"prompt_logprobs\":[null");
    for (int t = 0; t < TOKENS; t++) {
        int list[CLASSES + 1];
        const int count = list_classes(s, t, k, true, CLASSES, list);
        for (int i = 0; i < count; i++)
            out += sprintf(out, "%s\"%d\":{\"logprob\":%.17g,\"rank\":1,\"decoded_token\":\"x\"}",
                           i ? "," : ",{", list[i], s->logprobs[t][list[i]]);
        out += sprintf(out, "}");
    }
    sprintf(out, "]}]}\n");
}

static const form forms[] = {openai_chat,     llama_chat,        vllm_chat,  openai_completion,
                             vllm_completion, sglang_completion, vllm_prompt};
enum { FORMS = sizeof forms / sizeof *forms };

/* Puts what the logits themselves give under names that begin with "all-". */
static void put_logits(const server *s) {
    writing self;
    alcore_logits logits = ALCORE_LOGITS_INIT;
    alcore_tensor values, labels;
    int64_t shape[2] = {TOKENS, CLASSES}, length = TOKENS, row = 0;
    server copy = *s;
    ck_assert_ok(alcore_tensor_init(&values, copy.logits, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_tensor_init(&labels, copy.chosen, ALCORE_INT64, shape, 1));
    logits.logits = &values;
    logits.labels = &labels;
    logits.lengths = &length;
    logits.length_count = 1;
    open_writers(&self, "all-", ALL);
    ck_assert_ok(alcore_logits_put(host.ctx, &logits, &row, 1, -100, &self.out));
    close_writers(&self, ALCORE_OK);
}

static void same_tokens(const char *name, double tolerance) {
    double given[TOKENS], all[TOKENS];
    ck_assert_int_eq(tokens_of("", name, 0, given), TOKENS);
    ck_assert_int_eq(tokens_of("all-", name, 0, all), TOKENS);
    for (int t = 0; t < TOKENS; t++)
        ck_assert_msg(fabs(given[t] - all[t]) <= tolerance, "%s of token %d: %g and %g", name, t,
                      given[t], all[t]);
}

START_TEST(every_form_gives_what_all_logits_give) {
    static char text[1 << 20];
    server s;
    double all[TOKENS], bound[TOKENS];
    make(&s);
    put_logits(&s);
    ck_assert_int_eq(tokens_of("all-", "entropies", 0, all), TOKENS);
    for (int f = 0; f < FORMS; f++) {
        forms[f](&s, K, text);
        ck_assert_ok(read_answers(text, "", ALL, NULL));
        same_tokens("logprobs", 1e-6);
        same_tokens("margins", 1e-6);
        same_tokens("confidences", 1e-6);
        ck_assert_double_eq_tol(number_of("nnll", 0), number_of("all-nnll", 0), 1e-6);
        ck_assert_int_eq(tokens_of("", "entropies", 0, bound), TOKENS);
        for (int t = 0; t < TOKENS; t++) ck_assert_double_lt(bound[t], all[t]);
        ck_assert_ok(read_answers(
            text, "", ENTROPIES,
            OPTIONS_WITH(alcore_served_options, .classes = CLASSES, .rest = ALCORE_REST_UNIFORM)));
        ck_assert_int_eq(tokens_of("", "entropies", 0, bound), TOKENS);
        for (int t = 0; t < TOKENS; t++) ck_assert_double_gt(bound[t], all[t]);
    }
}
END_TEST

START_TEST(a_list_of_all_classes_gives_the_entropy) {
    static char text[1 << 20];
    server s;
    double all[TOKENS], given[TOKENS];
    make(&s);
    put_logits(&s);
    llama_chat(&s, CLASSES, text);
    ck_assert_ok(read_answers(text, "", ENTROPIES, NULL));
    tokens_of("all-", "entropies", 0, all);
    tokens_of("", "entropies", 0, given);
    for (int t = 0; t < TOKENS; t++) ck_assert_double_eq_tol(given[t], all[t], 1e-5);
}
END_TEST

/* With one likeliest class the second is not known, wherever the token itself is listed. */
START_TEST(a_margin_needs_two) {
    static char text[1 << 20];
    server s;
    make(&s);
    for (int f = 0; f < FORMS; f++) {
        forms[f](&s, 1, text);
        ck_assert_int_eq(read_answers(text, "", MARGINS, NULL), ALCORE_E_DATA);
        forms[f](&s, 2, text);
        if (forms[f] != vllm_chat) {
            ck_assert_ok(read_answers(text, "", MARGINS, NULL));
            put_logits(&s);
            same_tokens("margins", 1e-6);
        } else { /* the second of two stands in the place of the token */
            refuse(text, MARGINS, ALCORE_E_DATA, "a margin needs the two likeliest classes");
        }
    }
}
END_TEST

#define CONTENT(logprob)                                                                           \
    "{\"choices\":[{\"logprobs\":{\"content\":[{\"token\":\"a\",\"logprob\":" logprob "}]}}]}"
#define NAMED(id, logprob)                                                                         \
    "{\"id\":\"batch_1\",\"custom_id\":\"" id                                                      \
    "\",\"response\":{\"status_code\":200,\"request_id\":\"x\",\"body\":" CONTENT(                 \
        logprob) "},\"error\":null}\n"

static void expect_first(int64_t row, double expected) {
    double found[TOKENS];
    ck_assert_int_eq(tokens_of("", "logprobs", row, found), 1);
    ck_assert_double_eq_tol(found[0], expected, 1e-6);
}

START_TEST(rows_by_name_or_place) {
    ck_assert_ok(read_answers(NAMED("r3", "-1.5") "\n" NAMED("r1", "-0.5"), "", LOGPROBS, NULL));
    expect_first(2, -1.5);
    expect_first(0, -0.5);
    ck_assert_ok(read_answers(CONTENT("-1") "\n" CONTENT("-2") "\r\n", "", LOGPROBS, NULL));
    expect_first(0, -1);
    expect_first(1, -2);
    ck_assert_ok(read_answers("{\"index\":1,\"response\":" CONTENT("-3") "}", "", LOGPROBS, NULL));
    expect_first(1, -3);
    const int64_t rows[] = {2, 0};
    const alcore_served_options options = {.size = sizeof options, .rows = rows, .row_count = 2};
    ck_assert_ok(read_answers(CONTENT("-1") "\n" CONTENT("-2"), "", LOGPROBS, &options));
    expect_first(2, -1);
    expect_first(0, -2);
    ck_assert_fails(
        read_answers(CONTENT("-1") "\n" CONTENT("-2") "\n" CONTENT("-3"), "", LOGPROBS, &options),
        ALCORE_E_SHAPE, "a.jsonl:3: expected 2 answers, found number 2");
    refuse(NAMED("r3", "-1") NAMED("r3", "-2"), NNLL, ALCORE_E_DATA,
           "a.jsonl:2: row 2 is given a second time");
    refuse(NAMED("r9", "-1"), NNLL, ALCORE_E_NOT_FOUND, "a.jsonl:1: ");
    refuse(NAMED("r1", "-1") CONTENT("-1"), NNLL, ALCORE_E_DATA,
           "a.jsonl:2: no custom_id or index, which the answers before have");
    refuse(CONTENT("-1") "\n" NAMED("r1", "-1"), NNLL, ALCORE_E_DATA, "a.jsonl:2: a custom_id");
    refuse("{\"index\":-1,\"response\":" CONTENT("-3") "}", NNLL, ALCORE_E_DATA, "is negative");
    refuse("{\"custom_id\":5,\"response\":" CONTENT("-3") "}", NNLL, ALCORE_E_DATA,
           "\"custom_id\" must be a string");
}
END_TEST

START_TEST(the_first_of_several_choices) {
#define TWO                                                                                        \
    "{\"choices\":[{\"index\":1,\"logprobs\":{\"token_logprobs\":[-7]}},{\"index\":0,"             \
    "\"logprobs\":{\"token_logprobs\":[-2]}}]}"
    ck_assert_ok(read_answers("{\"custom_id\":\"r2\",\"response\":" TWO "}", "", LOGPROBS, NULL));
    expect_first(1, -2);
    refuse(TWO, NNLL, ALCORE_E_DATA, "2 choices, and which rows they are of is not said");
    refuse("{\"choices\":[]}", NNLL, ALCORE_E_DATA, "0 choices with index 0");
}
END_TEST

START_TEST(what_a_server_did_not_say) {
    refuse("{\"choices\":[{\"text\":\"a\",\"logprobs\":null}]}", NNLL, ALCORE_E_DATA,
           "a.jsonl:1: no log-probabilities; ask with \"logprobs\"");
    refuse(CONTENT("-1"), MARGINS, ALCORE_E_DATA, "a.jsonl:1: the likeliest tokens are not listed");
    refuse("data: {\"choices\":[]}", NNLL, ALCORE_E_DATA, "a part of a streamed answer");
    refuse("{\"choices\":[{\"delta\":{},\"index\":0}]}", NNLL, ALCORE_E_DATA,
           "a part of a streamed answer");
    refuse("{\"error\":{\"message\":\"too long\",\"code\":400}}", NNLL, ALCORE_E_DATA,
           "a.jsonl:1: the server answered: too long");
    refuse("{\"custom_id\":\"r1\",\"response\":{\"status_code\":429,\"body\":{\"error\":{"
           "\"message\":\"slow\"}}}}",
           NNLL, ALCORE_E_DATA, "the server answered with 429: slow");
    refuse("{\"custom_id\":\"r1\",\"response\":{\"status_code\":500,\"body\":null}}", NNLL,
           ALCORE_E_DATA, "the server answered with 500, an error");
    refuse("{\"a\":1}", NNLL, ALCORE_E_DATA, "no \"choices\"");
    refuse("{\"choices\":[{\"logprobs\":{\"content\":[{\"prob\":0.5,\"top_probs\":[]}]}}]}", NNLL,
           ALCORE_E_DATA, "token 0 has a probability after sampling");
    refuse("{\"choices\":[{\"logprobs\":{\"token_logprobs\":[null,-1,null]}}]}", NNLL,
           ALCORE_E_DATA, "token 2 has no log-probability");
    refuse("{\"choices\":[{\"logprobs\":{\"token_logprobs\":[-1,-1],\"top_logprobs\":[{}]}}]}",
           NNLL, ALCORE_E_DATA, "top_logprobs has 1 tokens, token_logprobs more");
    refuse("{\"choices\":[{\"logprobs\":{\"token_logprobs\":[],\"top_logprobs\":[null]}}]}", NNLL,
           ALCORE_E_DATA, "token_logprobs has 0 tokens, top_logprobs more");
    refuse("{\"choices\":[{\"prompt_logprobs\":[null,{\"a\":{\"logprob\":-1}}]}]}", NNLL,
           ALCORE_E_DATA, "token 1: \"a\" is no id of a token");
    refuse("{\"choices\":[{\"prompt_logprobs\":[null,{}]}]}", NNLL, ALCORE_E_DATA,
           "token 1 has no log-probability");
}
END_TEST

START_TEST(what_is_no_answer) {
    refuse("[1]", NNLL, ALCORE_E_DATA, "a.jsonl:1: byte 1 of the line: an object is expected");
    refuse("{\"choices\":[{\"logprobs\":{\"content\":[{\"logprob\":NaN}]}}]}", NNLL, ALCORE_E_DATA,
           "a.jsonl:1: byte 48 of the line: a value is expected; JSON has no NaN");
    refuse(CONTENT("-1") "x", NNLL, ALCORE_E_DATA,
           "a.jsonl:1: byte 68 of the line: something follows the value");
    refuse(CONTENT("\"-1\""), NNLL, ALCORE_E_DATA, "a value of another kind is expected");
    refuse("{\"choices\":[{\"logprobs\":{}}],\"choices\":[]}", NNLL, ALCORE_E_DATA,
           "the key \"choices\" stands twice");
    refuse(CONTENT("0.5"), NNLL, ALCORE_E_DATA, "a.jsonl:1: row 0, token 0");
    refuse(CONTENT("1e999"), NNLL, ALCORE_E_DATA, "byte 65 of the line");
    ck_assert_ok(read_answers("", "", ALL, NULL));
    ck_assert_ok(read_answers("{\"choices\":[{\"logprobs\":{\"content\":[]}}]}", "", ALL, NULL));
    ck_assert(isnan(number_of("nnll", 0)));
}
END_TEST

/* Of a line of 1 MB arrays of 10,000 tokens by 10,000 classes would be made. */
START_TEST(lists_that_are_too_uneven) {
    enum { MANY = 10000, BYTES = 80 };
    char *line = malloc((size_t)MANY * 2 * BYTES);
    int at = sprintf(line, "{\"choices\": [{\"logprobs\": {\"content\": [");
    for (int t = 0; t < MANY; t++) {
        at += sprintf(line + at, "%s{\"token\": \"a\", \"logprob\": -1, \"top_logprobs\": [",
                      t ? ", " : "");
        for (int i = 0; i < (t ? 1 : MANY); i++)
            at += sprintf(line + at, "%s{\"token\": \"%d\", \"logprob\": -20}", i ? ", " : "", i);
        at += sprintf(line + at, "]}");
    }
    sprintf(line + at, "]}}]}\n");
    refuse(line, NNLL, ALCORE_E_DATA, "10000 tokens have 19999 likeliest tokens in all");
    free(line);
}
END_TEST

/* vLLM and SGLang name the classes of completions by their texts, and keep one of those with the
 * same text: the likeliest one may be missing. */
START_TEST(texts_that_two_classes_may_share) {
#define BLURRED(more)                                                                              \
    "{\"choices\":[{\"logprobs\":{\"token_logprobs\":[-0.5,-0.4],\"top_logprobs\":[{\"a\":-0.5,"   \
    "\"b\":-2,\"c\":-3},{\"d\":-0.4,\"\\ufffd\":-3" more "}]}}]}"
    refuse(BLURRED(""), MARGINS, ALCORE_E_DATA,
           "a.jsonl:1: token 1: two of its likeliest tokens may have become one");
    refuse(BLURRED(""), CONFIDENCES, ALCORE_E_DATA, "return_tokens_as_token_ids");
    ck_assert_ok(read_answers(BLURRED(""), "", NNLL | LOGPROBS | ENTROPIES, NULL));
    ck_assert_ok(read_answers(BLURRED(",\"e\":-4"), "", MARGINS, NULL));
}
END_TEST

/* "the" with and without a space before it, as SGLang names both, in the second list; the first one
 * has 3 and the token, as vLLM lists it. */
START_TEST(lists_that_are_shorter_than_others) {
#define SHORTER(second)                                                                            \
    "{\"choices\":[{\"logprobs\":{\"text_offset\":[-1,-1,-1],\"tokens\":[\"a\",\"the\",\"b\"],"    \
    "\"token_logprobs\":[null,-0.5,-4],\"top_logprobs\":[null," second                             \
    ",{\"c\":-1,\"d\":-1.5,\"e\":-3,\"b\":-4}]}}]}"
    refuse(SHORTER("{\"the\":-0.5,\"a\":-2}"), MARGINS, ALCORE_E_DATA,
           "token 0: two of its likeliest tokens may have become one, as they are named by their");
    ck_assert_ok(read_answers(SHORTER("{\"the\":-0.5,\"a\":-2}"), "", LOGPROBS, NULL));
    double found[TOKENS];
    ck_assert_int_eq(tokens_of("", "logprobs", 0, found), 2);
    ck_assert_double_eq(found[0], -0.5);
    ck_assert_ok(read_answers(SHORTER("{\"the\":-0.5,\"a\":-2,\"an\":-3}"), "", MARGINS, NULL));
}
END_TEST

/* What vLLM of November 2026 writes where "packed_top_logprobs" is asked for. */
START_TEST(packed_lists_have_tokens_alone) {
    static const char line[] =
        "{\"id\":\"cmpl-0\",\"object\":\"text_completion\",\"created\":0,\"model\":\"m\","
        "\"choices\":[{\"index\":0,\"text\":\" hot\",\"logprobs\":{\"text_offset\":[0,10],"
        "\"token_logprobs\":[-0.5,-9999.0],\"tokens\":[\"token_id:5\",\"token_id:70\"],"
        "\"top_logprobs\":null,\"packed_top_logprobs\":{\"shape\":[2,1],\"token_ids_dtype\":\"<"
        "i4\","
        "\"logprobs_dtype\":\"<f4\",\"token_ids_b64\":\"BQAAAAYAAAA=\",\"logprobs_b64\":"
        "\"AAAAvwAAAL8=\"}},\"finish_reason\":\"length\",\"stop_reason\":null,"
        "\"prompt_logprobs\":null}],\"usage\":{\"prompt_tokens\":1}}";
    ck_assert_ok(read_answers(line, "", LOGPROBS, NULL));
    double found[TOKENS];
    ck_assert_int_eq(tokens_of("", "logprobs", 0, found), 2);
    ck_assert_double_eq(found[0], -0.5);
    refuse(line, MARGINS, ALCORE_E_DATA, "without \"packed_top_logprobs\"");
    refuse(line, ENTROPIES, ALCORE_E_DATA, "the likeliest tokens are not listed");
}
END_TEST

/* The members of answers as the classes of vLLM 0.33.0 and SGLang 0.5.23 write them, where no other
 * tokens than the text's were asked for. */
START_TEST(answers_without_other_tokens) {
    static const struct {
        const char *line;
        double first;
        int64_t tokens;
    } answers[] = {
        /* SGLang, completions with "logprobs": 0. */
        {"{\"id\":\"a\",\"object\":\"text_completion\",\"created\":0,\"model\":\"m\",\"choices\":[{"
         "\"index\":0,\"text\":\" "
         "hot\",\"logprobs\":{\"text_offset\":[-1,-1],\"token_logprobs\":[-0.5,"
         "-2.0],\"tokens\":[\" hot\",\".\"],\"top_logprobs\":[]},\"finish_reason\":\"length\","
         "\"matched_stop\":null,\"hidden_states\":null}],\"usage\":{\"prompt_tokens\":1},"
         "\"metadata\":{"
         "\"weight_version\":\"default\"}}",
         -0.5, 2},
        /* SGLang, chats with "logprobs": true. */
        {"{\"id\":\"a\",\"object\":\"chat.completion\",\"created\":0,\"model\":\"m\",\"choices\":[{"
         "\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\" "
         "hot\",\"reasoning_content\":null,"
         "\"tool_calls\":null},\"logprobs\":{\"content\":[{\"token\":\" hot\",\"bytes\":[32],"
         "\"logprob\":-0.25,\"top_logprobs\":[]}]},\"finish_reason\":\"stop\",\"matched_stop\":2}]"
         "}",
         -0.25, 1},
        /* vLLM, chats; the second token has no log-probability, for which -9999 stands. */
        {"{\"id\":\"a\",\"object\":\"chat.completion\",\"created\":0,\"model\":\"m\",\"choices\":[{"
         "\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\" "
         "hot.\",\"reasoning\":null},"
         "\"logprobs\":{\"content\":[{\"token\":\" hot\",\"logprob\":-0.75,\"bytes\":[32],"
         "\"top_logprobs\":[]},{\"token\":\".\",\"logprob\":-9999.0,\"bytes\":null,\"top_"
         "logprobs\":[]}]},"
         "\"finish_reason\":\"stop\",\"stop_reason\":null,\"token_ids\":null,\"routed_experts\":"
         "null}],"
         "\"service_tier\":null,\"prompt_logprobs\":null,\"prompt_token_ids\":null}",
         -0.75, 2},
        /* vLLM, chats with "prompt_logprobs": 0. */
        {"{\"id\":\"a\",\"object\":\"chat.completion\",\"created\":0,\"model\":\"m\",\"choices\":[{"
         "\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,"
         "\"finish_reason\":\"length\"}],\"prompt_logprobs\":[null,{\"70\":{\"logprob\":-1.5,"
         "\"rank\":3,"
         "\"decoded_token\":\" "
         "hot\"}},{\"5\":{\"logprob\":-9999.0,\"rank\":null,\"decoded_token\":null}}]}",
         -1.5, 2}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        double found[TOKENS];
        ck_assert_ok(read_answers(answers[i].line, "", LOGPROBS, NULL));
        ck_assert_int_eq(tokens_of("", "logprobs", 0, found), answers[i].tokens);
        ck_assert_double_eq(found[0], answers[i].first);
        refuse(answers[i].line, MARGINS, ALCORE_E_DATA,
               i < 3 ? "the likeliest tokens are not listed" : "no likeliest class is given");
    }
}
END_TEST

/* What SGLang 0.5.23 answers beside OpenAI's protocol: errors that are no member of the answer, and
 * its own form. */
START_TEST(answers_of_sglang_alone) {
#define FAILED                                                                                     \
    "{\"object\":\"error\",\"message\":\"The input (9 tokens) is too long\","                      \
    "\"type\":\"BadRequestError\",\"param\":null,\"code\":400}"
    refuse(FAILED, NNLL, ALCORE_E_DATA,
           "a.jsonl:1: the server answered: The input (9 tokens) is too long");
    refuse("{\"custom_id\":\"r1\",\"response\":{\"status_code\":400,\"body\":" FAILED "}}", NNLL,
           ALCORE_E_DATA, "the server answered with 400: The input (9 tokens) is too long");
    refuse("{\"text\":\" hot\",\"output_ids\":[70],\"meta_info\":{\"id\":\"a\",\"prompt_tokens\":2,"
           "\"input_token_logprobs\":[[null,5,null],[-1.5,70,null]],\"output_token_logprobs\":[["
           "-0.5,70,\" hot\"]],\"input_top_logprobs\":[null,[[-0.5,71,null]]]}}",
           NNLL, ALCORE_E_DATA, "\"meta_info\" is of SGLang's /generate, which is not read");
}
END_TEST

/* llama.cpp's server lists the token of the byte 0 as "\u0000". */
START_TEST(a_token_may_be_a_nul) {
    ck_assert_ok(
        read_answers("{\"choices\":[{\"logprobs\":{\"content\":[{\"token\":\"\\u0000\","
                     "\"logprob\":-1}]}}]}\n{\"choices\":[{\"text\":\"\\u0000\",\"logprobs\":{"
                     "\"token_logprobs\":[-2],\"top_logprobs\":[{\"\\u0000\":-2}]}}]}",
                     "", LOGPROBS, NULL));
    expect_first(0, -1);
    expect_first(1, -2);
    refuse("{\"custom_id\":\"\\u0000\",\"response\":" CONTENT("-1") "}", NNLL, ALCORE_E_DATA,
           "\\u0000 stands for a NUL");
}
END_TEST

START_TEST(options_are_checked) {
    writing self;
    ck_assert_fails(read_answers("", "", ENTROPIES,
                                 OPTIONS_WITH(alcore_served_options, .rest = ALCORE_REST_UNIFORM)),
                    ALCORE_E_PARAM, "needs the number of classes");
    ck_assert_fails(read_answers("", "", NNLL, OPTIONS_WITH(alcore_served_options, .rest = 7)),
                    ALCORE_E_PARAM, "rest is 7");
    ck_assert_fails(read_answers("", "", NNLL, OPTIONS_WITH(alcore_served_options, .reserved = 1)),
                    ALCORE_E_STRUCT_NEWER, "reserved");
    ck_assert_fails(read_answers("", "", NNLL, OPTIONS_WITH(alcore_served_options, .row_count = 1)),
                    ALCORE_E_INVALID, "1 rows");
    const int64_t row = 9;
    ck_assert_fails(read_answers("", "", NNLL,
                                 OPTIONS_WITH(alcore_served_options, .rows = &row, .row_count = 1)),
                    ALCORE_E_NOT_FOUND, "9");
    open_writers(&self, "", NNLL);
    ck_assert_int_eq(alcore_served_read(NULL, "a.jsonl", NULL, &self.out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_served_read(pool, NULL, NULL, &self.out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_served_read(pool, "a.jsonl", NULL, NULL), ALCORE_E_INVALID);
    close_writers(&self, ALCORE_E_INVALID);
}
END_TEST

START_TEST(every_allocation_may_fail) {
    static char text[1 << 20];
    server s;
    alcore_status status = ALCORE_E_NOMEM;
    make(&s);
    llama_chat(&s, K, text);
    for (int64_t k = 0; status != ALCORE_OK; k++) {
        writing self;
        open_writers(&self, "", ALL);
        memory_host_file(&host, text, strlen(text));
        host.fail_from = host.calls + k;
        status = alcore_served_read(pool, "a.jsonl", NULL, &self.out);
        host.fail_from = -1;
        close_writers(&self, ALCORE_E_NOMEM);
        ck_assert(status == ALCORE_OK || status == ALCORE_E_NOMEM);
        ck_assert_int_lt(k, 1000);
    }
}
END_TEST

CHECK_SUITE_WITH("served", set_up, tear_down, every_form_gives_what_all_logits_give,
                 a_list_of_all_classes_gives_the_entropy, a_margin_needs_two, rows_by_name_or_place,
                 the_first_of_several_choices, what_a_server_did_not_say, what_is_no_answer,
                 lists_that_are_too_uneven, lists_that_are_shorter_than_others,
                 packed_lists_have_tokens_alone, answers_without_other_tokens,
                 answers_of_sglang_alone, texts_that_two_classes_may_share, a_token_may_be_a_nul,
                 options_are_checked, every_allocation_may_fail);
