/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of a chat template (chat_template.h): texts, {{ }}, {% if %}, {% for %} and
 * {% set %}. A run goes through the program once; of a branch that is not taken tags alone are
 * looked at, and the body of a loop is run again from its first byte for each entry. A variable
 * that is set in a loop ends with its turn, as in Jinja. */
#include "model/chat_template.h"

#include <string.h>

/* Blocks within blocks. */
enum { MOST_DEPTH = 40 };

/* ---- texts between tags ---- */

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether nothing but blanks stands between the beginning of the line and byte `at`; *out: the
 * first byte of the line. */
static bool begins_line(const alcore__chat *chat, size_t at, size_t *out) {
    while (at > 0 && is_blank(chat->program.text[at - 1]) && chat->program.text[at - 1] != '\n')
        at--;
    *out = at;
    return at == 0 || chat->program.text[at - 1] == '\n';
}

/* Writes the text up to the next tag, and moves behind the two characters that begin it, and its
 * sign; *kind: '{', '%' or '#', 0 at the end of the program. */
static alcore_status pass_text(alcore__chat *chat, char *kind) {
    const char *program = chat->program.text;
    const size_t begin = chat->at;
    size_t end = begin, line;
    *kind = '\0';
    for (; end + 1 < chat->program.length; end++)
        if (program[end] == '{' && strchr("{%#", program[end + 1])) {
            *kind = program[end + 1];
            break;
        }
    if (!*kind) end = chat->program.length;
    chat->at = *kind ? end + 2 : end;
    const char sign = *kind && chat->at < chat->program.length ? program[chat->at] : '\0';
    if (*kind && (sign == '-' || sign == '+')) chat->at++;
    if (sign == '-' && *kind)
        while (end > begin && is_blank(program[end - 1])) end--;
    else if (*kind && *kind != '{' && sign != '+' && begins_line(chat, end, &line))
        end = line > begin ? line : begin;
    if (chat->dead) return ALCORE_OK;
    return alcore__buffer_append(chat->ctx, chat->out, program + begin, end - begin);
}

/* Moves behind the end of a tag, which stands there, "}}" or "%}" with or without a sign, and the
 * blanks that it takes away. */
static alcore_status end_tag(alcore__chat *chat, const char *end) {
    const char *program = chat->program.text;
    alcore__chat_space(chat);
    const bool strips = chat->at < chat->program.length && program[chat->at] == '-';
    const bool keeps = chat->at < chat->program.length && program[chat->at] == '+';
    if (strips || keeps) chat->at++;
    if (chat->program.length - chat->at < 2 || memcmp(program + chat->at, end, 2) != 0) {
        const size_t left = chat->program.length - chat->at;
        if (left < 2 || program[chat->at] == '{' || program[chat->at] == '}')
            return alcore__chat_fail(chat, ALCORE_E_DATA, "\"%s\" is missing", end);
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "\"%.*s\" is not read here",
                                 left > 20 ? 20 : (int)left, program + chat->at);
    }
    chat->at += 2;
    if (strips)
        while (chat->at < chat->program.length && is_blank(program[chat->at])) chat->at++;
    else if (*end != '}' && !keeps && chat->at < chat->program.length && program[chat->at] == '\n')
        chat->at++;
    return ALCORE_OK;
}

/* Says of what begins at byte `begin` that its end is missing. */
static alcore_status fail_open(alcore__chat *chat, size_t begin, const char *what) {
    chat->at = begin;
    return alcore__chat_fail(chat, ALCORE_E_DATA, "%s", what);
}

/* Moves to the end of a tag that is not run: to "%}" or "}}" outside of quotes, or its sign. */
static alcore_status skip_tag(alcore__chat *chat, const char *end) {
    const size_t begin = chat->at;
    char quote = '\0';
    for (; chat->at + 1 < chat->program.length; chat->at++) {
        const char *here = chat->program.text + chat->at;
        if (quote && *here == '\\') {
            chat->at++;
        } else if (quote) {
            if (*here == quote) quote = '\0';
        } else if (*here == '"' || *here == '\'') {
            quote = *here;
        } else if (here[0] == end[0] && here[1] == end[1]) {
            if (chat->at > 0 && (here[-1] == '-' || here[-1] == '+')) chat->at--;
            return ALCORE_OK;
        }
    }
    return fail_open(chat, begin, *end == '}' ? "\"}}\" is missing" : "\"%}\" is missing");
}

static alcore_status skip_comment(alcore__chat *chat) {
    const size_t begin = chat->at;
    while (chat->at + 1 < chat->program.length &&
           memcmp(chat->program.text + chat->at, "#}", 2) != 0)
        chat->at++;
    if (chat->program.length - chat->at < 2)
        return fail_open(chat, begin, "a comment does not end");
    if (chat->program.text[chat->at - 1] == '-') chat->at--;
    return end_tag(chat, "#}");
}

/* ---- statements ---- */

static alcore_status run_block(alcore__chat *chat, alcore__name *ended);

/* {{ expression }} */
static alcore_status write_expression(alcore__chat *chat) {
    alcore__chat_value value;
    alcore__name text;
    if (chat->dead) {
        ALCORE__TRY(skip_tag(chat, "}}"));
        return end_tag(chat, "}}");
    }
    ALCORE__TRY(alcore__chat_expression(chat, &value));
    ALCORE__TRY(alcore__chat_write(chat, &value, &text));
    ALCORE__TRY(alcore__buffer_append(chat->ctx, chat->out, text.text, text.length));
    return end_tag(chat, "}}");
}

/* set NAME = expression, or set NAME.MEMBER = expression of a namespace. */
static alcore_status run_set(alcore__chat *chat) {
    alcore__chat_value value;
    alcore__name member = {0};
    const alcore__name name = alcore__chat_name(chat);
    if (alcore__chat_take(chat, ".")) member = alcore__chat_name(chat);
    if (!name.length || !alcore__chat_take(chat, "="))
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "set of a block is not read here");
    ALCORE__TRY(alcore__chat_expression(chat, &value));
    alcore__chat_entry **list = &chat->variables;
    alcore__chat_entry *found;
    const alcore__chat_entry *end = chat->scope;
    if (member.length) {
        found = alcore__chat_find(chat->variables, NULL, name);
        if (!found || found->value.kind != ALCORE__CHAT_DICT)
            return alcore__chat_fail(chat, ALCORE_E_DATA, "%.*s is no namespace", (int)name.length,
                                     name.text);
        list = found->value.entries;
        end = NULL;
    }
    found = alcore__chat_find(*list, end, member.length ? member : name);
    if (!found) return alcore__chat_put(chat, list, member.length ? member : name, &value);
    found->value = value;
    return ALCORE_OK;
}

/* Behind the word "if": its branches, up to endif. */
static alcore_status run_if(alcore__chat *chat) {
    const size_t begin = chat->at;
    bool done = chat->dead > 0; /* a branch was taken, or none is to be */
    bool otherwise = false;
    alcore__name ended = {"if", 2};
    while (!alcore__name_is(ended, "endif")) {
        bool taken = !done;
        if (alcore__name_is(ended, "else")) {
            otherwise = true;
        } else if (done || otherwise) {
            ALCORE__TRY(skip_tag(chat, "%}"));
        } else {
            alcore__chat_value value;
            ALCORE__TRY(alcore__chat_expression(chat, &value));
            taken = alcore__chat_truth(&value);
        }
        ALCORE__TRY(end_tag(chat, "%}"));
        done |= taken;
        chat->dead += !taken;
        ALCORE__TRY(run_block(chat, &ended));
        chat->dead -= !taken;
        if (!alcore__name_is(ended, "endif") && !alcore__name_is(ended, "else") &&
            !alcore__name_is(ended, "elif"))
            return fail_open(chat, begin, "an if without endif");
    }
    return ALCORE_OK;
}

/* What `loop` is in turn i of a list. */
static alcore_status put_loop(alcore__chat *chat, const alcore__chat_value *list, int64_t i) {
    alcore__chat_value loop;
    const struct {
        const char *name;
        alcore__chat_value value;
    } members[] = {
        {"index", alcore__chat_integer(i + 1)},
        {"index0", alcore__chat_integer(i)},
        {"revindex", alcore__chat_integer(list->number - i)},
        {"revindex0", alcore__chat_integer(list->number - i - 1)},
        {"length", alcore__chat_integer(list->number)},
        {"first", alcore__chat_bool(i == 0)},
        {"last", alcore__chat_bool(i == list->number - 1)},
        {"previtem", i > 0 ? list->items[i - 1] : (alcore__chat_value){0}},
        {"nextitem", i < list->number - 1 ? list->items[i + 1] : (alcore__chat_value){0}}};
    ALCORE__TRY(alcore__chat_dict(chat, &loop));
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        ALCORE__TRY(alcore__chat_put(chat, loop.entries,
                                     (alcore__name){members[k].name, strlen(members[k].name)},
                                     &members[k].value));
    return alcore__chat_put(chat, &chat->variables, (alcore__name){"loop", 4}, &loop);
}

/* One turn of a loop, from its first byte on. */
static alcore_status run_turn(alcore__chat *chat, alcore__name name, const alcore__chat_value *list,
                              int64_t i, alcore__name *ended) {
    alcore__chat_entry *variables = chat->variables, *scope = chat->scope;
    chat->scope = variables;
    ALCORE__TRY(put_loop(chat, list, i));
    ALCORE__TRY(alcore__chat_put(chat, &chat->variables, name, &list->items[i]));
    ALCORE__TRY(run_block(chat, ended));
    chat->variables = variables;
    chat->scope = scope;
    return ALCORE_OK;
}

/* Behind the word "for": NAME in expression, the body and endfor. */
static alcore_status run_for(alcore__chat *chat) {
    const size_t begin = chat->at;
    alcore__chat_value list = {0};
    alcore__name name = {0}, ended = {0};
    if (chat->dead) {
        ALCORE__TRY(skip_tag(chat, "%}"));
    } else {
        name = alcore__chat_name(chat);
        if (!name.length || !alcore__chat_take_word(chat, "in"))
            return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED,
                                     "a loop over several names is not read here");
        ALCORE__TRY(alcore__chat_expression(chat, &list));
        if (list.kind != ALCORE__CHAT_LIST)
            return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED,
                                     "a loop over what is no list is not read here");
    }
    ALCORE__TRY(end_tag(chat, "%}"));
    const size_t body = chat->at;
    for (int64_t i = 0; i < list.number; i++) {
        chat->at = body;
        ALCORE__TRY(run_turn(chat, name, &list, i, &ended));
    }
    if (list.number == 0) {
        chat->dead++;
        ALCORE__TRY(run_block(chat, &ended));
        chat->dead--;
    }
    if (alcore__name_is(ended, "endfor")) return ALCORE_OK;
    if (alcore__name_is(ended, "else"))
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "a for with else is not read here");
    return fail_open(chat, begin, "a for without endfor");
}

/* Runs a statement whose keyword was read. */
static alcore_status run_statement(alcore__chat *chat, alcore__name word) {
    if (alcore__name_is(word, "if")) {
        ALCORE__TRY(run_if(chat));
    } else if (alcore__name_is(word, "for")) {
        ALCORE__TRY(run_for(chat));
    } else if (alcore__name_is(word, "set") && !chat->dead) {
        ALCORE__TRY(run_set(chat));
    } else if (alcore__name_is(word, "set")) {
        ALCORE__TRY(skip_tag(chat, "%}"));
    } else {
        if (word.length == 0 && chat->at >= chat->program.length)
            return alcore__chat_fail(chat, ALCORE_E_DATA, "\"%%}\" is missing");
        return alcore__chat_fail(
            chat, ALCORE_E_UNSUPPORTED, "the statement '%.*s' is not read here",
            word.length > 40 ? 40 : (int)word.length, word.text ? word.text : "");
    }
    return end_tag(chat, "%}");
}

/* Runs up to a tag that ends or divides a block, behind whose keyword, *ended, it stops; at the end
 * of the program *ended is empty. */
static alcore_status run_block(alcore__chat *chat, alcore__name *ended) {
    static const char *const ends[] = {"endif", "else", "elif", "endfor"};
    char kind;
    if (++chat->depth > MOST_DEPTH)
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "blocks are too deep");
    for (;;) {
        ALCORE__TRY(pass_text(chat, &kind));
        if (kind == '{') {
            ALCORE__TRY(write_expression(chat));
            continue;
        }
        if (kind == '#') {
            ALCORE__TRY(skip_comment(chat));
            continue;
        }
        *ended = (alcore__name){"", 0};
        if (kind != '\0') *ended = alcore__chat_name(chat);
        bool found = kind == '\0';
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            found |= alcore__name_is(*ended, ends[i]);
        if (found) break;
        ALCORE__TRY(run_statement(chat, *ended));
    }
    chat->depth--;
    return ALCORE_OK;
}

/* ---- the call ---- */

/* Sets a variable of the whole run. */
static alcore_status put_global(alcore__chat *chat, const char *name, alcore__chat_value value) {
    return alcore__chat_put(chat, &chat->variables, (alcore__name){name, strlen(name)}, &value);
}

static alcore_status put_messages(alcore__chat *chat, const alcore__chat_message *messages,
                                  int64_t count) {
    alcore__chat_value *items = alcore__arena_alloc(
        chat->ctx, &chat->arena, (size_t)count * sizeof *items, _Alignof(alcore__chat_value));
    if (!items) return alcore__fail_memory((size_t)count * sizeof *items);
    for (int64_t i = 0; i < count; i++) {
        const alcore__chat_value role =
                                     alcore__chat_view(messages[i].role, strlen(messages[i].role)),
                                 text = alcore__chat_view(messages[i].text, messages[i].length);
        ALCORE__TRY(alcore__chat_dict(chat, &items[i]));
        ALCORE__TRY(alcore__chat_put(chat, items[i].entries, (alcore__name){"role", 4}, &role));
        ALCORE__TRY(alcore__chat_put(chat, items[i].entries, (alcore__name){"content", 7}, &text));
    }
    return put_global(
        chat, "messages",
        (alcore__chat_value){.kind = ALCORE__CHAT_LIST, .number = count, .items = items});
}

static alcore_status run(alcore__chat *chat, const alcore__chat_message *messages, int64_t count) {
    const char *word;
    alcore__name token;
    alcore__name ended;
    const alcore__chat_value none = {.kind = ALCORE__CHAT_NONE};
    ALCORE__TRY(put_messages(chat, messages, count));
    const bool answered = strcmp(messages[count - 1].role, "assistant") == 0;
    ALCORE__TRY(put_global(chat, "add_generation_prompt", alcore__chat_bool(!answered)));
    ALCORE__TRY(put_global(chat, "tools", none));
    ALCORE__TRY(put_global(chat, "documents", none));
    for (size_t i = 0; (word = alcore__chat_token_at(chat->tokens, i, &token)); i++)
        if (token.text)
            ALCORE__TRY(put_global(chat, word, alcore__chat_view(token.text, token.length)));
    ALCORE__TRY(run_block(chat, &ended));
    if (ended.length == 0) return ALCORE_OK;
    return alcore__chat_fail(chat, ALCORE_E_DATA, "%.*s without a beginning", (int)ended.length,
                             ended.text);
}

alcore_status alcore__chat_render(alcore_ctx *ctx, const char *path, alcore__name program,
                                  const alcore__chat_message *messages, int64_t count,
                                  const alcore__chat_tokens *tokens, alcore__buffer *out) {
    alcore__chat chat = {.expression = alcore__chat_expression,
                         .ctx = ctx,
                         .path = path,
                         .program = program,
                         .tokens = tokens,
                         .out = out};
    /* Jinja leaves out a line end at the end of a template. */
    if (program.length > 0 && program.text[program.length - 1] == '\n') chat.program.length--;
    const alcore_status status = run(&chat, messages, count);
    alcore__arena_clear(ctx, &chat.arena);
    return status;
}
