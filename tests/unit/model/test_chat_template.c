/* SPDX-License-Identifier: Apache-2.0 */
/* Chat templates: those of the folder chat, which are made after Qwen2, Qwen3, Llama 3, Mistral and
 * Gemma 3, give what transformers makes of them (chat/make_chat.py); what is not read is refused by
 * its name and line, and only where it is reached. */
#include "model/chat_template.h"
#include "model_folder.h"

#define CHAT STATIC_FIXTURES "/../../unit/model/chat"

/* The conversations of make_chat.py. */
#define SYSTEM                                                                                     \
    { "system", "  R\xc3\xa9pondez en un mot.\n", 0 }
#define USER                                                                                       \
    { "user", " A text\xe3\x80\x80with {braces} <b>&</b>\n ", 0 }
enum { CASES = 4, MOST = 4 };
static const struct {
    int64_t count;
    alcore__chat_message messages[MOST];
} cases[CASES] = {
    {1, {USER}},
    {2, {SYSTEM, USER}},
    {3, {{"user", "one", 0}, {"assistant", "\n<think>\nhm\n</think>\n\ntwo \n", 0}, USER}},
    {4,
     {SYSTEM,
      {"user",
       "\xc2\xa0"
       "eins\xe3\x80\x80",
       0},
      {"assistant", "zwei", 0},
      {"user", "", 0}}}};

/* The text of a file, which the caller frees. */
static char *text_of(const char *name) {
    char path[500];
    snprintf(path, sizeof path, "%s/%s", CHAT, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    char *text = calloc(1, 1 << 16);
    ck_assert_uint_lt(fread(text, 1, 1 << 16, file), 1 << 16);
    fclose(file);
    return text;
}

/* What a template makes of a case. */
static alcore_status render(alcore_ctx *ctx, const char *program, int which, alcore__buffer *out) {
    const alcore__chat_tokens tokens = {.bos = {"<s>", 3}, .eos = {"</s>", 4}};
    alcore__chat_message messages[MOST];
    for (int64_t i = 0; i < cases[which].count; i++) {
        messages[i] = cases[which].messages[i];
        messages[i].length = strlen(messages[i].text);
    }
    return alcore__chat_render(ctx, "file", (alcore__name){program, strlen(program)}, messages,
                               cases[which].count, &tokens, out);
}

START_TEST(templates_give_what_transformers_makes) {
    static const char *const names[] = {"qwen2", "qwen3", "llama3", "mistral", "gemma3", "plain"};
    alcore_ctx *ctx = null_context(NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int which = 0; which < CASES; which++) {
            char name[40];
            alcore__buffer out = {0};
            snprintf(name, sizeof name, "%s.jinja", names[i]);
            char *program = text_of(name);
            snprintf(name, sizeof name, "%s.%d.txt", names[i], which);
            char *expected = text_of(name);
            MUST(render(ctx, program, which, &out));
            ck_assert_msg(strcmp(out.data, expected) == 0, "%s:\n%s\nin place of\n%s", name,
                          out.data, expected);
            alcore__buffer_clear(ctx, &out);
            free(program);
            free(expected);
        }
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(what_is_not_read_is_refused_by_name) {
    static const struct {
        const char *program;
        alcore_status status;
        const char *word;
    } wrong[] = {
        {"a\n{{ messages | tojson }}", ALCORE_E_UNSUPPORTED,
         "file: line 2 of the chat_template: the "
         "filter 'tojson' is not read here"},
        {"{{ strftime_now('%Y') }}", ALCORE_E_UNSUPPORTED, "the function 'strftime_now'"},
        {"{% macro a() %}{% endmacro %}", ALCORE_E_UNSUPPORTED, "the statement 'macro'"},
        {"{{ 'a'.upper() }}", ALCORE_E_UNSUPPORTED, "the method 'upper'"},
        {"{{ 1 is even }}", ALCORE_E_UNSUPPORTED, "the test 'even'"},
        {"{{ {'a': 1} }}", ALCORE_E_UNSUPPORTED, "is not read here"},
        {"{{ messages }}", ALCORE_E_UNSUPPORTED, "a list or mapping"},
        {"{{ 'a' 'b' }}", ALCORE_E_UNSUPPORTED, "is not read here"},
        {"{% for a, b in messages %}{% endfor %}", ALCORE_E_UNSUPPORTED, "several names"},
        {"{% for m in messages %}{% else %}{% endfor %}", ALCORE_E_UNSUPPORTED, "with else"},
        {"{% for m in messages if m %}{% endfor %}", ALCORE_E_UNSUPPORTED, "is not read here"},
        {"{% set a %}b{% endset %}", ALCORE_E_UNSUPPORTED, "set of a block"},
        {"{{ raise_exception('no system') }}", ALCORE_E_DATA, "it raises \"no system\""},
        {"{{ nobody.name }}", ALCORE_E_DATA, "name of what is undefined"},
        {"{{ 'a' + 1 }}", ALCORE_E_DATA, "+ or -"},
        {"a\n{% if true %}\n", ALCORE_E_DATA,
         "file: line 2 of the chat_template: an if without endif"},
        {"{% if true %}a{% else %}\nb", ALCORE_E_DATA,
         "line 1 of the chat_template: an if without"},
        {"\n{% for m in messages %}\na", ALCORE_E_DATA,
         "line 2 of the chat_template: a for without endfor"},
        {"{% for m in messages %}\n{% if true %}{% endfor %}", ALCORE_E_DATA,
         "line 2 of the chat_template: an if without endif"},
        {"{% endif %}", ALCORE_E_DATA, "endif without a beginning"},
        {"{{ 'a", ALCORE_E_DATA, "a text does not end"},
        {"{{ a[", ALCORE_E_DATA, "an expression is missing"},
        {"{{ (1 ", ALCORE_E_DATA, "a bracket does not end"},
        {"{{ [1 ", ALCORE_E_DATA, "a list does not end"},
        {"\n{{ 1 }\nb {{ 2 }}", ALCORE_E_DATA, "line 2 of the chat_template: \"}}\" is missing"},
        {"{{ 1", ALCORE_E_DATA, "\"}}\" is missing"},
        {"{{ }}", ALCORE_E_DATA, "an expression is missing"},
        {"{% if true", ALCORE_E_DATA, "\"%}\" is missing"},
        {"{% if false %}\n{{ a", ALCORE_E_DATA, "line 2 of the chat_template: \"}}\" is missing"},
        {"{% if false %}\n{% set a", ALCORE_E_DATA, "line 2 of the chat_template: \"%}\" is"},
        {"{{ ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1", ALCORE_E_UNSUPPORTED,
         "too deep"},
        {"{{", ALCORE_E_DATA, "an expression is missing"},
        {"{%", ALCORE_E_DATA, "\"%}\" is missing"},
        {"a\n{# b\n", ALCORE_E_DATA, "line 2 of the chat_template: a comment does not end"}};
    alcore_ctx *ctx = null_context(NULL);
    bool unfinished = false; /* from here on */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        alcore__buffer out = {0};
        char program[300];
        ck_assert_int_eq(render(ctx, wrong[i].program, 1, &out), wrong[i].status);
        ck_assert_msg(strstr(alcore_last_error(), wrong[i].word), "%s", alcore_last_error());
        alcore__buffer_clear(ctx, &out);
        /* In a branch that is not taken nothing is looked at but tags. */
        unfinished |= strstr(wrong[i].word, "without") != NULL;
        if (unfinished) continue;
        snprintf(program, sizeof program, "{%% if false %%}%s{%% endif %%}{{ 1 if true else %s }}",
                 strncmp(wrong[i].program, "{%", 2) == 0 ? "" : wrong[i].program, "x()");
        MUST(render(ctx, program, 1, &out));
        ck_assert_str_eq(out.data, "1");
        alcore__buffer_clear(ctx, &out);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(failing_allocations_leave_nothing) {
    char *program = text_of("qwen3.jinja");
    int failures = 0;
    for (long long n = 1;; n++) {
        alcore_ctx *ctx = null_context(NULL);
        alcore__buffer out = {0};
        fault_arm(&fault, n, 0);
        const alcore_status status = render(ctx, program, 3, &out);
        const bool failed = fault.failures > 0;
        fault_arm(&fault, 0, 0);
        ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
        failures += failed;
        alcore__buffer_clear(ctx, &out);
        alcore_ctx_unref(ctx);
        ck_assert_int_eq(fault.live_bytes, 0);
        if (!failed) break;
    }
    ck_assert_int_gt(failures, 10);
    free(program);
}
END_TEST

CHECK_SUITE("chat template", templates_give_what_transformers_makes,
            what_is_not_read_is_refused_by_name, failing_allocations_leave_nothing);
