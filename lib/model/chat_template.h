/* SPDX-License-Identifier: Apache-2.0 */
/* Chat templates: how the messages of a conversation become one text, as a folder's chat_template
 * says, a program in Jinja. The subset that is read here (docs/models.md) is what the templates of
 * Qwen2 to Qwen3, Llama 3, Mistral and Gemma need for turns of texts; anything else is refused by
 * its name and line, but only where it is reached: a branch for tools is never looked into.
 *
 * Blocks are cut as transformers has it, with trim_blocks and lstrip_blocks. A template is run as
 * it is read: chat_template.c runs statements, chat_expression.c computes expressions, chat_call.c
 * what is called in them. */
#ifndef ALCORE__CHAT_TEMPLATE_H
#define ALCORE__CHAT_TEMPLATE_H

#include "base/base.h"
#include "tokenizer/json_part.h"

/* A message. */
typedef struct alcore__chat_message {
    const char *role; /* "system", "user", "assistant" */
    const char *text;
    size_t length;
} alcore__chat_message;

/* The special tokens that a template may name; NULL: the folder has none, which is undefined there;
 * ALCORE__CHAT_NOT_NAMED: it does not say, and a template that asks is refused, since the class of
 * the tokenizer may have one. */
typedef struct alcore__chat_tokens {
    alcore__name bos, eos, unk, pad;
} alcore__chat_tokens;
#define ALCORE__CHAT_NOT_NAMED ((alcore__name){NULL, 1})

/* Appends what the template makes of messages, with the beginning of an answer behind them unless
 * the last is an answer (add_generation_prompt). path: of the template's file, for messages.
 * ALCORE_E_UNSUPPORTED: it needs what is not read here; ALCORE_E_DATA: it is malformed, or raises
 * an exception. */
alcore_status alcore__chat_render(alcore_ctx *ctx, const char *path, alcore__name program,
                                  const alcore__chat_message *messages, int64_t count,
                                  const alcore__chat_tokens *tokens, alcore__buffer *out);

/* ---- shared by the files of the interpreter ---- */

typedef enum alcore__chat_kind {
    ALCORE__CHAT_UNDEFINED,
    ALCORE__CHAT_NONE,
    ALCORE__CHAT_BOOL,
    ALCORE__CHAT_INTEGER,
    ALCORE__CHAT_TEXT,
    ALCORE__CHAT_LIST,
    ALCORE__CHAT_DICT
} alcore__chat_kind;

struct alcore__chat_entry;

/* A value; what it points at lives in the arena of the run. */
typedef struct alcore__chat_value {
    alcore__chat_kind kind;
    int64_t number;                         /* of a bool or integer; entries of a list */
    alcore__name text;                      /* of a text */
    const struct alcore__chat_value *items; /* of a list */
    struct alcore__chat_entry **entries;    /* of a dict, shared by all that hold it: the first */
} alcore__chat_value;

/* An entry of a dict, or a variable. */
typedef struct alcore__chat_entry {
    alcore__name name;
    alcore__chat_value value;
    struct alcore__chat_entry *next;
} alcore__chat_entry;

/* A run of a template. */
typedef struct alcore__chat {
    alcore_ctx *ctx;
    /* alcore__chat_expression(), for values that hold expressions */
    alcore_status (*expression)(struct alcore__chat *chat, alcore__chat_value *out);
    const char *path;
    alcore__name program;
    size_t at;                     /* the byte that is read next */
    int dead;                      /* above 0: what is read is passed over */
    int depth;                     /* of expressions, and of blocks */
    alcore__chat_entry *variables; /* the last one that was set first */
    alcore__chat_entry *scope;     /* the variables from here on are of outer blocks */
    const alcore__chat_tokens *tokens;
    alcore__arena arena;
    alcore__buffer *out;
} alcore__chat;

/* Sets the error of the place that is read, "PATH: line N of the chat_template: ...". */
alcore_status alcore__chat_fail(const alcore__chat *chat, alcore_status status, const char *format,
                                ...) __attribute__((format(printf, 3, 4)));
/* The expression from chat->at on, which is moved behind it. */
alcore_status alcore__chat_expression(alcore__chat *chat, alcore__chat_value *out);
/* The same without operators: a value and what follows it. */
alcore_status alcore__chat_postfix(alcore__chat *chat, alcore__chat_value *out);
bool alcore__chat_truth(const alcore__chat_value *value);
/* A text that is a copy. */
alcore_status alcore__chat_text(alcore__chat *chat, const char *text, size_t length,
                                alcore__chat_value *out);
alcore__chat_value alcore__chat_view(const char *text, size_t length);
alcore__chat_value alcore__chat_integer(int64_t number);
alcore__chat_value alcore__chat_bool(bool truth);
/* The entry of a name in a list of entries, up to `end`; NULL: there is none. */
alcore__chat_entry *alcore__chat_find(alcore__chat_entry *first, const alcore__chat_entry *end,
                                      alcore__name name);
/* The name of special token i, and the token; NULL: there are no more. */
const char *alcore__chat_token_at(const alcore__chat_tokens *tokens, size_t i, alcore__name *out);
/* Refuses a name that is a special token which the folder does not name. */
alcore_status alcore__chat_check_token(const alcore__chat *chat, alcore__name name);
/* Puts an entry in front of a list. */
alcore_status alcore__chat_put(alcore__chat *chat, alcore__chat_entry **list, alcore__name name,
                               const alcore__chat_value *value);
/* A dict without entries. */
alcore_status alcore__chat_dict(alcore__chat *chat, alcore__chat_value *out);
/* The text that a value is written as; ALCORE_E_UNSUPPORTED: a list or dict. */
alcore_status alcore__chat_write(alcore__chat *chat, const alcore__chat_value *value,
                                 alcore__name *out);

/* Passes white space; whether the text stands there, which is then passed. A word ends where it
 * ends. */
void alcore__chat_space(alcore__chat *chat);
bool alcore__chat_take(alcore__chat *chat, const char *text);
bool alcore__chat_take_word(alcore__chat *chat, const char *word);
/* The name that stands there, which is passed; of length 0: none. */
alcore__name alcore__chat_name(alcore__chat *chat);

/* Arguments of a call, of which those with names are counted from 0. */
enum { ALCORE__CHAT_ARGUMENTS = 8 };
typedef struct alcore__chat_arguments {
    alcore__chat_value values[ALCORE__CHAT_ARGUMENTS];
    alcore__name names[ALCORE__CHAT_ARGUMENTS]; /* NULL text: by place */
    int count;
} alcore__chat_arguments;

/* value | name(arguments) */
alcore_status alcore__chat_filter(alcore__chat *chat, alcore__name name,
                                  const alcore__chat_arguments *arguments,
                                  alcore__chat_value *value);
/* value is name */
alcore_status alcore__chat_test(alcore__chat *chat, alcore__name name,
                                const alcore__chat_value *value, bool *out);
/* value.name(arguments) */
alcore_status alcore__chat_method(alcore__chat *chat, alcore__name name,
                                  const alcore__chat_arguments *arguments,
                                  alcore__chat_value *value);
/* name(arguments) */
alcore_status alcore__chat_function(alcore__chat *chat, alcore__name name,
                                    const alcore__chat_arguments *arguments,
                                    alcore__chat_value *out);

#endif
