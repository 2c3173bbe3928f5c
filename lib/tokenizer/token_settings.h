/* SPDX-License-Identifier: Apache-2.0 */
/* The "model" object of a tokenizer.json as it stands there: its settings, and where the vocabulary
 * and the merges are. The keys come in any order, so that all are looked at before one is used. */
#ifndef ALCORE__TOKEN_SETTINGS_H
#define ALCORE__TOKEN_SETTINGS_H

#include "base/base.h"
#include "formats/json_scan.h"
#include "tokenizer/token_table.h"

/* A text of the JSON, a view, not terminated; text NULL: the key is missing or null. */
typedef struct alcore__json_text {
    const char *text;
    size_t length; /* bytes */
} alcore__json_text;

typedef struct alcore__token_settings {
    const char *path;                 /* of the file, for messages */
    alcore__json_text type;           /* "WordPiece", "BPE", "Unigram", "WordLevel" */
    alcore__json_text unknown;        /* unk_token */
    alcore__json_text prefix, suffix; /* continuing_subword_prefix, end_of_word_suffix */
    int64_t unknown_id;               /* unk_id; -1: missing or null */
    int64_t max_chars;                /* max_input_chars_per_word; -1: missing */
    bool fuse_unknown;                /* fuse_unk */
    bool byte_fallback, ignore_merges;
    bool has_vocab, has_merges;
    alcore__json vocab, merges; /* cursors before these values, where they are there */
} alcore__token_settings;

/* Reads the object before which the cursor stands. A key that is not known is ALCORE_E_UNSUPPORTED
 * and named, unless its value is null; a value of the wrong kind is ALCORE_E_DATA. */
alcore_status alcore__token_settings_read(alcore__json *json, const char *path,
                                          alcore__token_settings *out);

/* Tokens that are read from a file. A struct of zeros has none. */
typedef struct alcore__token_entries {
    alcore__token_entry *entry; /* [count] owned; the texts are views of the JSON */
    double *score;              /* [count] owned; of Unigram only, else NULL */
    size_t count, entry_capacity, score_capacity;
} alcore__token_entries;
/* Reads {text: id, ...} at the cursor. key: its name for messages, such as "model.vocab". */
alcore_status alcore__token_entries_read_ids(alcore_ctx *ctx, alcore__json *json, const char *path,
                                             const char *key, alcore__token_entries *out);
/* Reads [[text, score], ...] at the cursor; the ids are 0, 1, ... */
alcore_status alcore__token_entries_read_scores(alcore_ctx *ctx, alcore__json *json,
                                                const char *path, const char *key,
                                                alcore__token_entries *out);
void alcore__token_entries_clear(alcore_ctx *ctx, alcore__token_entries *entries);

/* Fails with ALCORE_E_DATA "path: key: what (byte N)", N where the cursor stands; what NULL: what
 * the scanner found. */
alcore_status alcore__token_json_fail(const alcore__json *json, const char *path, const char *key,
                                      const char *what);

#endif
