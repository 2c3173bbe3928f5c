/* SPDX-License-Identifier: Apache-2.0 */
/* The values and errors of a chat template (chat_template.h). */
#include <stdarg.h>
#include <string.h>

#include "model/chat_template.h"

alcore_status alcore__chat_fail(const alcore__chat *chat, alcore_status status, const char *format,
                                ...) {
    char what[200];
    long long line = 1;
    va_list arguments;
    va_start(arguments, format);
    alcore__format_v(what, sizeof what, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < chat->at && i < chat->program.length; i++)
        line += chat->program.text[i] == '\n';
    return alcore__fail(status, "%s: line %lld of the chat_template: %s", chat->path, line, what);
}

alcore__chat_value alcore__chat_view(const char *text, size_t length) {
    return (alcore__chat_value){.kind = ALCORE__CHAT_TEXT, .text = {text, length}};
}

alcore__chat_value alcore__chat_integer(int64_t number) {
    return (alcore__chat_value){.kind = ALCORE__CHAT_INTEGER, .number = number};
}

alcore__chat_value alcore__chat_bool(bool truth) {
    return (alcore__chat_value){.kind = ALCORE__CHAT_BOOL, .number = truth};
}

alcore_status alcore__chat_text(alcore__chat *chat, const char *text, size_t length,
                                alcore__chat_value *out) {
    const char *copy;
    ALCORE__TRY(alcore__arena_text(chat->ctx, &chat->arena, text, length, &copy));
    *out = alcore__chat_view(copy, length);
    return ALCORE_OK;
}

alcore__chat_entry *alcore__chat_find(alcore__chat_entry *first, const alcore__chat_entry *end,
                                      alcore__name name) {
    for (; first != end; first = first->next)
        if (first->name.length == name.length &&
            memcmp(first->name.text, name.text, name.length) == 0)
            return first;
    return NULL;
}

alcore_status alcore__chat_put(alcore__chat *chat, alcore__chat_entry **list, alcore__name name,
                               const alcore__chat_value *value) {
    alcore__chat_entry *entry =
        alcore__arena_alloc(chat->ctx, &chat->arena, sizeof *entry, _Alignof(alcore__chat_entry));
    if (!entry) return alcore__fail_memory(sizeof *entry);
    *entry = (alcore__chat_entry){name, *value, *list};
    *list = entry;
    return ALCORE_OK;
}

alcore_status alcore__chat_dict(alcore__chat *chat, alcore__chat_value *out) {
    alcore__chat_entry **first =
        alcore__arena_alloc(chat->ctx, &chat->arena, sizeof *first, _Alignof(void *));
    if (!first) return alcore__fail_memory(sizeof *first);
    *first = NULL;
    *out = (alcore__chat_value){.kind = ALCORE__CHAT_DICT, .entries = first};
    return ALCORE_OK;
}

bool alcore__chat_truth(const alcore__chat_value *value) {
    switch (value->kind) {
    case ALCORE__CHAT_BOOL:
    case ALCORE__CHAT_INTEGER:
    case ALCORE__CHAT_LIST:
        return value->number != 0;
    case ALCORE__CHAT_TEXT:
        return value->text.length > 0;
    case ALCORE__CHAT_DICT:
        return *value->entries != NULL;
    default:
        return false;
    }
}

alcore_status alcore__chat_write(alcore__chat *chat, const alcore__chat_value *value,
                                 alcore__name *out) {
    char digits[24];
    alcore__chat_value made;
    *out = (alcore__name){"", 0};
    switch (value->kind) {
    case ALCORE__CHAT_UNDEFINED:
        return ALCORE_OK;
    case ALCORE__CHAT_NONE:
        *out = (alcore__name){"None", 4};
        return ALCORE_OK;
    case ALCORE__CHAT_BOOL:
        *out = value->number ? (alcore__name){"True", 4} : (alcore__name){"False", 5};
        return ALCORE_OK;
    case ALCORE__CHAT_TEXT:
        *out = value->text;
        return ALCORE_OK;
    case ALCORE__CHAT_INTEGER:
        alcore__format(digits, sizeof digits, "%lld", (long long)value->number);
        ALCORE__TRY(alcore__chat_text(chat, digits, strlen(digits), &made));
        *out = made.text;
        return ALCORE_OK;
    default:
        return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED,
                                 "a list or mapping is written as a text");
    }
}

const char *alcore__chat_token_at(const alcore__chat_tokens *tokens, size_t i, alcore__name *out) {
    static const char *const names[] = {"bos_token", "eos_token", "unk_token", "pad_token"};
    const alcore__name all[] = {tokens->bos, tokens->eos, tokens->unk, tokens->pad};
    if (i == sizeof names / sizeof *names) return NULL;
    *out = all[i];
    return names[i];
}

alcore_status alcore__chat_check_token(const alcore__chat *chat, alcore__name name) {
    alcore__name token;
    const char *word;
    for (size_t i = 0; (word = alcore__chat_token_at(chat->tokens, i, &token)); i++)
        if (alcore__name_is(name, word) && !token.text && token.length > 0)
            return alcore__chat_fail(chat, ALCORE_E_UNSUPPORTED,
                                     "tokenizer_config.json does not say what %s is", word);
    return ALCORE_OK;
}
