/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a chat template (chat_template.h), by recursive descent in Jinja's order of
 * binding, from loose to tight:
 *
 *     a if b else c,  or,  and,  not,  == != < <= > >= in,  + -,  ~,  // %,  -a
 *
 * and then what chat_expression.c reads. While chat->dead is above 0 an expression is passed over:
 * no value is looked at, so that the side of a choice that is not taken may name anything. */
#include <string.h>

#include "model/chat_template.h"

/* Expressions within expressions. */
enum { MOST_DEPTH = 60 };

/* An operator that no tag's end and no longer operator begins with. */
static bool take_operator(alcore__chat *chat, const char *text) {
    const size_t before = chat->at;
    if (!alcore__chat_take(chat, text)) return false;
    const char next = (chat->at < chat->program.length ? chat->program.text[chat->at] : '\0');
    const bool ends_tag = (*text == '-' || *text == '+') && (next == '%' || next == '}');
    if (!ends_tag && !(*text == '%' && next == '}')) return true;
    chat->at = before;
    return false;
}

static alcore_status read_unary(alcore__chat *chat, alcore__chat_value *value) {
    if (!take_operator(chat, "-")) return alcore__chat_postfix(chat, value);
    ALCORE__TRY(alcore__chat_postfix(chat, value));
    if (value->kind != ALCORE__CHAT_INTEGER && !chat->dead)
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "- of what is no number");
    value->number = -value->number;
    return ALCORE_OK;
}

/* left % right and left // right as Python has them. */
static alcore_status read_product(alcore__chat *chat, alcore__chat_value *value) {
    ALCORE__TRY(read_unary(chat, value));
    for (;;) {
        const bool whole = take_operator(chat, "//");
        if (!whole && !take_operator(chat, "%")) return ALCORE_OK;
        alcore__chat_value right;
        ALCORE__TRY(read_unary(chat, &right));
        if (chat->dead) continue;
        if (value->kind != ALCORE__CHAT_INTEGER || right.kind != ALCORE__CHAT_INTEGER ||
            right.number == 0)
            return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "%% or // of such values");
        int64_t quotient = value->number / right.number, rest = value->number % right.number;
        if (rest != 0 && (rest < 0) != (right.number < 0)) {
            rest += right.number;
            quotient--;
        }
        value->number = whole ? quotient : rest;
    }
}

/* Both texts as one. */
static alcore_status join(alcore__chat *chat, alcore__name left, alcore__name right,
                          alcore__chat_value *out) {
    const size_t length = left.length + right.length;
    char *text = alcore__arena_alloc(chat->ctx, &chat->arena, length + 1, 1);
    if (!text) return alcore__fail_memory(length + 1);
    memcpy(text, left.text, left.length);
    memcpy(text + left.length, right.text, right.length);
    text[length] = '\0';
    *out = alcore__chat_view(text, length);
    return ALCORE_OK;
}

static alcore_status read_joined(alcore__chat *chat, alcore__chat_value *value) {
    ALCORE__TRY(read_product(chat, value));
    while (alcore__chat_take(chat, "~")) {
        alcore__chat_value right;
        alcore__name texts[2];
        ALCORE__TRY(read_product(chat, &right));
        if (chat->dead) continue;
        ALCORE__TRY(alcore__chat_write(chat, value, &texts[0]));
        ALCORE__TRY(alcore__chat_write(chat, &right, &texts[1]));
        ALCORE__TRY(join(chat, texts[0], texts[1], value));
    }
    return ALCORE_OK;
}

static alcore_status read_sum(alcore__chat *chat, alcore__chat_value *value) {
    ALCORE__TRY(read_joined(chat, value));
    for (;;) {
        const bool plus = take_operator(chat, "+");
        if (!plus && !take_operator(chat, "-")) return ALCORE_OK;
        alcore__chat_value right;
        ALCORE__TRY(read_joined(chat, &right));
        if (chat->dead) continue;
        if (value->kind == ALCORE__CHAT_INTEGER && right.kind == ALCORE__CHAT_INTEGER)
            value->number += plus ? right.number : -right.number;
        else if (plus && value->kind == ALCORE__CHAT_TEXT && right.kind == ALCORE__CHAT_TEXT)
            ALCORE__TRY(join(chat, value->text, right.text, value));
        else
            return alcore__chat_fail(chat, ALCORE_E_DATA,
                                     "+ or - of values of which one is no text, or no number");
    }
}

/* Whether two values are the same; *known false: such values are not compared here. */
static bool same(const alcore__chat_value *a, const alcore__chat_value *b, bool *known) {
    const bool numbers = (a->kind == ALCORE__CHAT_INTEGER || a->kind == ALCORE__CHAT_BOOL) &&
                         (b->kind == ALCORE__CHAT_INTEGER || b->kind == ALCORE__CHAT_BOOL);
    *known = a->kind != b->kind || a->kind < ALCORE__CHAT_LIST;
    if (numbers) return a->number == b->number;
    if (a->kind != b->kind) return false;
    return a->kind != ALCORE__CHAT_TEXT ||
           (a->text.length == b->text.length &&
            memcmp(a->text.text, b->text.text, a->text.length) == 0);
}

/* Whether right has left: a text, an entry, a key. */
static alcore_status contains(alcore__chat *chat, const alcore__chat_value *left,
                              const alcore__chat_value *right, bool *out) {
    bool known = true;
    *out = false;
    if (right->kind == ALCORE__CHAT_LIST) {
        for (int64_t i = 0; i < right->number && !*out && known; i++)
            *out = same(left, &right->items[i], &known);
    } else if (left->kind == ALCORE__CHAT_TEXT && right->kind == ALCORE__CHAT_TEXT) {
        *out = left->text.length == 0 || memmem(right->text.text, right->text.length,
                                                left->text.text, left->text.length) != NULL;
    } else if (left->kind == ALCORE__CHAT_TEXT && right->kind == ALCORE__CHAT_DICT) {
        *out = alcore__chat_find(*right->entries, NULL, left->text) != NULL;
    } else {
        known = false;
    }
    return known ? ALCORE_OK : alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "'in' of such values");
}

/* One comparison: left OPERATOR right. */
static alcore_status compare(alcore__chat *chat, const char *how, const alcore__chat_value *left,
                             const alcore__chat_value *right, bool *out) {
    bool known = true;
    if (strstr(how, "in")) {
        ALCORE__TRY(contains(chat, left, right, out));
        *out = *out != (*how == 'n');
        return ALCORE_OK;
    }
    if (*how == '=' || *how == '!') {
        *out = same(left, right, &known) == (*how == '=');
    } else {
        known = left->kind == ALCORE__CHAT_INTEGER && right->kind == ALCORE__CHAT_INTEGER;
        *out = (how[1] == '=' && left->number == right->number) ||
               (*how == '<' ? left->number < right->number : left->number > right->number);
    }
    return known
               ? ALCORE_OK
               : alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "such values are not compared here");
}

static alcore_status read_comparison(alcore__chat *chat, alcore__chat_value *value) {
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    ALCORE__TRY(read_sum(chat, value));
    const char *how = NULL;
    for (size_t i = 0; i < sizeof operators / sizeof *operators && !how; i++)
        if (alcore__chat_take(chat, operators[i])) how = operators[i];
    const size_t before = chat->at;
    if (!how && alcore__chat_take_word(chat, "in")) how = "in";
    if (!how && alcore__chat_take_word(chat, "not")) {
        if (alcore__chat_take_word(chat, "in")) how = "not in";
        if (!how) chat->at = before;
    }
    if (!how) return ALCORE_OK;
    alcore__chat_value right;
    bool found = false;
    ALCORE__TRY(read_sum(chat, &right));
    if (!chat->dead) ALCORE__TRY(compare(chat, how, value, &right, &found));
    *value = alcore__chat_bool(found);
    return ALCORE_OK;
}

static alcore_status read_not(alcore__chat *chat, alcore__chat_value *value) {
    bool negated = false, any = false;
    for (; alcore__chat_take_word(chat, "not"); any = true) negated = !negated;
    ALCORE__TRY(read_comparison(chat, value));
    if (any) *value = alcore__chat_bool(alcore__chat_truth(value) != negated);
    return ALCORE_OK;
}

/* a and b: a where it is false, else b. */
static alcore_status read_and(alcore__chat *chat, alcore__chat_value *value) {
    ALCORE__TRY(read_not(chat, value));
    while (alcore__chat_take_word(chat, "and")) {
        alcore__chat_value right;
        const bool decided = !alcore__chat_truth(value);
        chat->dead += decided;
        ALCORE__TRY(read_not(chat, &right));
        chat->dead -= decided;
        if (!decided) *value = right;
    }
    return ALCORE_OK;
}

static alcore_status read_or(alcore__chat *chat, alcore__chat_value *value) {
    ALCORE__TRY(read_and(chat, value));
    while (alcore__chat_take_word(chat, "or")) {
        alcore__chat_value right;
        const bool decided = alcore__chat_truth(value);
        chat->dead += decided;
        ALCORE__TRY(read_and(chat, &right));
        chat->dead -= decided;
        if (!decided) *value = right;
    }
    return ALCORE_OK;
}

/* a if b else c. What stands before "if" is passed over first, since it is not looked at where b is
 * false. */
static alcore_status read_choice(alcore__chat *chat, alcore__chat_value *value) {
    const size_t begin = chat->at;
    alcore__chat_value passed;
    chat->dead++;
    const alcore_status status = read_or(chat, &passed);
    chat->dead--;
    if (status != ALCORE_OK) return status;
    const size_t behind = chat->at;
    const bool choice = alcore__chat_take_word(chat, "if");
    if (choice) ALCORE__TRY(read_or(chat, &passed));
    const bool taken = !choice || chat->dead || alcore__chat_truth(&passed);
    const size_t rest = choice ? chat->at : behind;
    *value = (alcore__chat_value){0};
    if (taken && !chat->dead) {
        chat->at = begin;
        ALCORE__TRY(read_or(chat, value));
    }
    chat->at = rest;
    if (!choice || !alcore__chat_take_word(chat, "else")) return ALCORE_OK;
    chat->dead += taken;
    const alcore_status other = alcore__chat_expression(chat, taken ? &passed : value);
    chat->dead -= taken;
    return other;
}

alcore_status alcore__chat_expression(alcore__chat *chat, alcore__chat_value *out) {
    if (++chat->depth > MOST_DEPTH)
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED, "an expression is too deep");
    const alcore_status status = read_choice(chat, out);
    chat->depth--;
    return status;
}
