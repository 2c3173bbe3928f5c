/* SPDX-License-Identifier: Apache-2.0 */
/* A model that runs in a loadable module: its state, and how texts reach the engine. Shared by
 * model_engine.c (columns of a pool), model_opened.c (texts as token ids), model_language.c (the
 * language of outputs), model_translate.c (outputs of a translation model) and model_answers.c
 * (question answering). */
#ifndef ALCORE__MODEL_ENGINE_H
#define ALCORE__MODEL_ENGINE_H

#include "model/folder_settings.h"
#include "model/model_internal.h"
#include "tokenizer/encoding.h"

/* Rows of a call of the engine: enough for it to group texts of similar length, few enough to keep
 * its memory per call small. */
enum { ALCORE__ENGINE_ROWS = 8192 };

/* What a model of question answering answered to some rows of a pool (model_answers.c). */
typedef struct alcore__answers {
    alcore__buffer origin;  /* that of the columns, by which they are told from others; owned */
    uint64_t fingerprint;   /* of the texts of the pool */
    int64_t row_count;      /* rows that were computed */
    int64_t *rows;          /* [row_count] pool rows, ascending; owned, as the arrays below */
    int64_t *windows;       /* [row_count] windows of each row */
    int64_t *positions;     /* [row_count] positions of all its windows */
    int64_t window_count;   /* of all rows */
    int64_t *counts;        /* [window_count] positions of each window */
    int64_t position_count; /* of all windows */
    float *values;          /* [position_count, 2] probability to be first and last of the answer */
    uint32_t taken;         /* bits: which columns were made of them */
} alcore__answers;

/* The labels of the classes of a language model (model_verbalizer.c). A struct of zeros has none.
 * It owns its arrays. */
typedef struct alcore__verbalizer {
    int64_t count;         /* labels, a class each */
    char *texts;           /* all of them, each with its NUL */
    const char **labels;   /* [count] into texts */
    alcore__tokens tokens; /* of each label, without special ones */
    int64_t longest;       /* tokens of the longest label */
} alcore__verbalizer;

/* The data of the handle, owned by it. */
typedef struct alcore__engine_model {
    alcore__model_table table;             /* of the handle; its engine is the name of this one */
    const alcore_sys_model_engine *engine; /* table of the module, valid until the process ends */
    alcore_sys_model *opened;              /* the engine's handle; NULL: not open */
    /* The folder whose weights are read where that of the model holds an adapter; owned; NULL: the
     * folder of the model. */
    char *base;
    alcore_sys_model_info info;  /* its strings belong to the engine */
    alcore_tokenizer *tokenizer; /* a reference; NULL: the engine reads texts itself, or the folder
                                    has no tokenizer */
    uint64_t tokenizer_hash;     /* of the tokenizer's files; 0 where the engine reads texts */
    alcore__folder_settings settings; /* what the folder says of texts and embeddings */
    /* What stands in front of texts, a view of the settings or of prompt_copy, which is owned;
     * NULL: nothing. prompt_given: the caller said so, else the folder. prompt_tokens: how many of
     * its tokens the pooling leaves out. */
    alcore__name prompt;
    char *prompt_copy;
    bool prompt_given;
    int64_t prompt_tokens;
    bool is_template;              /* the prompt has places (model_template.c) ... */
    bool reads_languages;          /* ... one of them for the language of a text */
    alcore__verbalizer verbalizer; /* the labels that stand behind such a prompt */
    bool in_turns;                 /* such a prompt is a turn of a chat (model_chat.c) ... */
    char *system;                  /* ... behind this system turn; owned; NULL: none */
    bool noted;                    /* alcore__engine_note_template() has logged it */
    bool noted_alone;              /* alcore__engine_note_alone() has */
    /* Of static models: tokens are those of tokenizer.json alone, without special ones. */
    bool is_static;
    int64_t most_points; /* texts are cut to that many code points first; 0: they are not */
    int64_t unknown;     /* id of tokens that are left out of the mean; -1: none is */
    char *version;       /* info.version and tokenizer_hash; owned */
    char *language;      /* of outputs and references; owned; NULL: what the folder says */
    bool dropout;        /* whether it stays on in scores of references and masked words */
    uint64_t dropout_seed;
    /* Of question answering: tokens of a window, of which neighbors share `stride` of the context;
     * and the answers whose columns were not all made yet, owned, or NULL. */
    int64_t window, stride;
    alcore__answers *answers;
} alcore__engine_model;

enum { ALCORE__LACKS_BYTES = 200 };

/* Whether the engine has the function of a call (one of ALCORE_SYS_MODEL_*), and the opened model
 * supports it. */
bool alcore__engine_has(const alcore__engine_model *data, uint32_t call);
/* What to say in an error of a column that the model cannot make: " (...)" with the architecture of
 * its folder, of which the engine has not the head, such as LlamaForSequenceClassification, or how
 * a language model makes it; else "". buffer holds it. */
const char *alcore__engine_lacks(const alcore_model *model, const char *column,
                                 char buffer[ALCORE__LACKS_BYTES]);

/* Makes a handle of a model that an engine runs, and its data, of which `opened` and what belongs
 * to it are filled by `open`; after a failure all of it is released. */
typedef alcore_status (*alcore__engine_opener)(alcore_ctx *ctx, const char *path, const char *route,
                                               const alcore_sys_model_options *options,
                                               alcore__engine_model *data);
/* route: that of alcore__folder_settings_read(). */
alcore_status alcore__model_make_engine(alcore_ctx *ctx, const alcore_sys_model_engine *engine,
                                        const char *path, const char *route,
                                        const alcore_sys_model_options *options,
                                        alcore__engine_opener open, alcore_model **out);

/* ---- texts as the engine takes them (model_opened.c) ---- */

/* Opens the tokenizer of the folder at path where the engine takes token ids. Called once
 * data->info is there. */
alcore_status alcore__engine_read_tokenizer(alcore_ctx *ctx, const char *path,
                                            alcore__engine_model *data);
/* Sets data->info to what the engine says now, and data->version: after opening, and whenever the
 * model has changed. */
alcore_status alcore__engine_update(alcore_ctx *ctx, alcore__engine_model *data);

/* The texts of one call. A struct of zeros holds none. */
typedef struct alcore__engine_texts {
    alcore_sys_model_texts passed; /* views of the texts and of tokens */
    alcore__tokens tokens;         /* owned; empty where the engine reads texts */
    const char **tags;             /* [passed.count] languages of targets; owned; NULL: none */
    char *joined;                  /* the texts with the prompt in front; owned; NULL: no prompt */
    const char **views;            /* [passed.count] into it; owned, as the next */
    size_t *lengths;               /* [passed.count] bytes */
    bool counts;    /* the caller's: whether cut is wanted without such prompts too */
    int64_t cut;    /* texts that were cut; in prompts with places always counted */
    int64_t failed; /* after a failure: 1 + the text that it is about; 0: none */
} alcore__engine_texts;

/* Cuts texts after the number of code points that a static model reads: read->lengths then points
 * at lengths of its own, out->lengths. */
alcore_status alcore__engine_cut_points(alcore_ctx *ctx, const alcore__engine_model *data,
                                        alcore__texts *read, alcore__engine_texts *out);
/* The number of bytes that the first `most` code points of a text have, or all that it has. */
size_t alcore__engine_points(const char *text, size_t length, int64_t most);

/* What texts are to the model. */
typedef enum alcore__text_role {
    ALCORE__TEXT_SOURCE,    /* read; a prompt that the caller gave stands in front */
    ALCORE__TEXT_EMBEDDED,  /* read, for embeddings; the folder's default prompt stands there too */
    ALCORE__TEXT_LABELED,   /* as a source, with room for a label of the verbalizer behind it */
    ALCORE__TEXT_CONTINUED, /* as a source that an output of the model follows */
    ALCORE__TEXT_LEARNED,   /* as a source in front of a target that is learned: it is not cut */
    ALCORE__TEXT_TARGET     /* outputs of a translation model, in the language of its outputs; those
                             * behind the prompt of a language model are not cut */
} alcore__text_role;

/* Tokens of a text that the model reads, those of the prompt included; 0: no limit. */
int64_t alcore__engine_limit(const alcore__engine_model *data, alcore__text_role role);
/* Tokens to which a text is cut that has more than these. */
int64_t alcore__engine_cut_limit(const alcore__engine_model *data, alcore__text_role role);
/* Sets *out to the texts of a batch of the pool, which are views: as they are or with the prompt,
 * and as token ids where the engine takes these, each cut to the longest input of the model. rooms:
 * [batch->count] tokens that a text in a prompt with places leaves to its target; NULL: none are
 * wanted. An error that is about one text names its row. */
alcore_status alcore__engine_encode(const alcore_model *model, const alcore_pool *pool,
                                    const alcore__model_batch *batch, alcore__text_role role,
                                    const int64_t *rooms, alcore__engine_texts *out);
void alcore__engine_texts_clear(alcore_ctx *ctx, alcore__engine_texts *texts);

/* Lists the references of the rows of a batch: texts and lengths (bytes) are [batch->count]. The
 * caller holds the read lock of the pool. ALCORE_E_MISSING names the first row without one. */
alcore_status alcore__engine_list_references(const alcore_pool *pool,
                                             const alcore__model_batch *batch, const char **texts,
                                             size_t *lengths);

/* Encodes the references of a batch as targets. *texts and *lengths are arrays that the caller
 * frees when the targets are no longer used, also after a failure. The caller holds the read lock
 * of the pool. ALCORE_E_MISSING names the first row without a reference. */
alcore_status alcore__engine_encode_references(const alcore_model *model, const alcore_pool *pool,
                                               const alcore__model_batch *batch,
                                               const char ***texts, size_t **lengths,
                                               alcore__engine_texts *out);

/* A copy of a language's name (NULL: none) for a column of the pool. */
alcore_status alcore__engine_copy_language(const alcore_pool *pool, const char *language,
                                           char **out);
/* Says of the column "logprobs" of a pool, which is locked for writing, that its tokens are those
 * of the references of the rows, or else of their texts, as outputs in a language (NULL: none was
 * named), a copy as above, which the column takes over. The column exists. */
void alcore__engine_note_targets(const alcore_model *model, alcore_pool *pool, char *language,
                                 bool of_references);

/* ---- prompts and limits (model_prompt.c, model_template.c, model_fit.c, model_cut.c) ---- */

/* Sets the prompt of a model whose tokenizer is open: the text, or that of the folder's prompt of
 * the name; both NULL: the default of the folder at path. ALCORE_E_PARAM lists the names. */
alcore_status alcore__engine_set_prompt(alcore_ctx *ctx, const char *path, const char *prompt,
                                        const char *name, alcore__engine_model *data);
/* The same for a model that was just opened, by the options of the call: it is released after a
 * failure. */
alcore_status alcore__engine_choose_prompt(alcore_ctx *ctx, const char *path,
                                           const alcore_model_options *options, alcore_model **out);
/* What stands in front of the texts that the model reads, for embeddings or for other calls; NULL:
 * nothing. */
const alcore__name *alcore__engine_prompt(const alcore__engine_model *data, bool embedded);
/* Logs, once, where the chat template of a language model's folder is not used. */
void alcore__engine_note_template(const alcore_model *model);
/* Logs, once, where texts are embedded without a prompt that has places. */
void alcore__engine_note_alone(const alcore_model *model);
/* Fills out->joined, out->views and out->lengths with the texts behind the prompt. */
alcore_status alcore__engine_join_prompt(alcore_ctx *ctx, const alcore__name *prompt,
                                         const alcore__texts *texts, alcore__engine_texts *out);
/* Looks for places in the prompt of a language model, and sets data->is_template. ALCORE_E_PARAM:
 * they are not as model_template.c has them. */
alcore_status alcore__template_check(alcore__engine_model *data);
/* Fills out->joined, out->views and out->lengths with the prompt around each text. languages:
 * [texts->count], or NULL. ALCORE_E_PARAM, ALCORE_E_MISSING: a language is not known. */
alcore_status alcore__template_fill(const alcore_model *model, const alcore__texts *texts,
                                    const char *const *languages, alcore__engine_texts *out);
/* Refuses pairs of a batch that a language model cannot read as a whole, of which it names the row.
 * Other models read each text alone. */
alcore_status alcore__engine_check_pairs(const alcore_model *model, const alcore_pool *pool,
                                         const alcore__model_batch *batch,
                                         const alcore_sys_model_texts *sources,
                                         const alcore_sys_model_texts *targets);
/* As alcore__template_fill(), and fills out->tokens, texts cut so that each fits with its prompt
 * (model_fit.c). rooms: as alcore__engine_encode() has them. ALCORE_E_PARAM: a prompt leaves its
 * text no room. */
alcore_status alcore__template_encode(const alcore_model *model, const alcore__texts *texts,
                                      const char *const *languages, alcore__text_role role,
                                      const int64_t *rooms, alcore__engine_texts *out);
/* Marks the tokens of the prompt in each text as left out of the pooling. */
void alcore__engine_leave_prompt_out(const alcore__engine_model *data, alcore__tokens *tokens);
/* Appends ", prompt ..." to the origin of a column, where there is one. */
alcore_status alcore__engine_describe_prompt(const alcore__engine_model *data, alcore_ctx *ctx,
                                             bool embedded, alcore__buffer *out);
/* Adds to out->cut those of the texts that were encoded, at most how->max_tokens of each, that have
 * more tokens. */
alcore_status alcore__engine_count_full(const alcore__engine_model *data, alcore_ctx *ctx,
                                        const alcore__texts *read, const alcore__encoding *how,
                                        alcore__engine_texts *out);
/* *out: how many of the texts for which a column is made have more tokens than the model reads. The
 * caller holds the read lock of the pool. */
alcore_status alcore__engine_count_cut(const alcore_model *model, const alcore_pool *pool,
                                       const char *column, const alcore__wanted *wanted,
                                       alcore__text_role role, int64_t *out);

/* ---- turns of a chat (model_chat.c) ---- */

/* alcore__model_table.set_chat of an engine. */
alcore_status alcore__engine_set_chat(alcore_model *model, bool on, const char *system);
/* Appends what the chat template makes of a text, the turn of the user. */
alcore_status alcore__chat_append(const alcore_model *model, const char *text, size_t length,
                                  alcore__buffer *out);
/* Appends to each target the token that the chat template writes behind an answer, where it ends
 * outputs and the target does not end with such a token: else the engine takes the first of
 * these. Of *tokens, ids and offsets are changed. */
alcore_status alcore__chat_end_targets(const alcore_model *model, alcore__tokens *tokens);
/* Appends ", chat template ..." to the origin of a column. */
alcore_status alcore__chat_describe(const alcore__engine_model *data, alcore_ctx *ctx,
                                    alcore__buffer *out);

/* ---- classes by labels behind a prompt (model_verbalizer.c) ---- */

/* alcore__model_table.set_verbalizer of an engine. */
alcore_status alcore__engine_set_verbalizer(alcore_model *model, const char *const *labels,
                                            int64_t count);
void alcore__verbalizer_clear(alcore_ctx *ctx, alcore__verbalizer *verbalizer);
/* Appends ", verbalizer ..." to the origin of a column. */
alcore_status alcore__verbalizer_describe(const alcore__engine_model *data, alcore_ctx *ctx,
                                          alcore__buffer *out);
/* Puts the probabilities [batch->count, labels] of a batch. sources: its texts in their prompts, as
 * the engine reads them. */
alcore_status alcore__verbalizer_run_batch(const alcore_model *model,
                                           const alcore__model_batch *batch,
                                           const alcore_sys_model_texts *sources,
                                           alcore_column_writer *writer);

/* ---- question answering (model_windows.c, model_answers.c) ---- */

/* Pairs of a question and its context as windows. A struct of zeros has none. It owns its arrays.
 */
typedef struct alcore__windows {
    int64_t count;    /* windows of all pairs */
    int64_t *first;   /* [pairs + 1] first window of each pair */
    int64_t *offsets; /* [count + 1] first token of each window */
    int64_t *starts;  /* [count + 1] first position of each: the tokens of contexts are counted */
    int64_t *begins;  /* [count] its first position, a number among the tokens of its context */
    int64_t *fronts;  /* [count] its tokens before the first position */
    int64_t *ids;     /* [offsets[count]] */
    int64_t *types;   /* likewise: 1 for tokens of a context */
    uint8_t *marks;   /* likewise: ALCORE_SYS_TOKEN_* */
    int64_t bad_row;  /* after a failure: the pair that it is about, where the caller set -1 */
} alcore__windows;

/* Cuts pairs, encoded with mark_second and not cut, into windows of at most `most` tokens, of which
 * neighbors share `stride` tokens of the context. *out is empty before; the caller clears it, also
 * after a failure. ALCORE_E_DATA: a question leaves no room for its context. */
alcore_status alcore__windows_cut(alcore_ctx *ctx, const alcore__tokens *pairs, int64_t most,
                                  int64_t stride, alcore__windows *out);
void alcore__windows_clear(alcore_ctx *ctx, alcore__windows *windows);

/* The column of contexts of a pool; ALCORE_E_MISSING: there is none. The caller holds a lock of the
 * pool. */
alcore_status alcore__answers_contexts(const alcore_model *model, const alcore_pool *pool,
                                       const alcore__column **out);
/* Sets data->window and data->stride from alcore_model_options; data->info is there. */
void alcore__engine_set_windows(alcore__engine_model *data, int64_t max_tokens, int64_t stride);
/* Makes a column of question answering, for alcore__model_table.run: the caller holds the model's
 * write lock and no lock of the pool. part: 0 starts, 1 ends, 2 numbers of positions of the
 * windows. The first of the three asks the callbacks and keeps all answers in the engine's data;
 * once each part was made of them they are freed. */
alcore_status alcore__engine_answer(alcore_model *model, alcore_pool *pool, const char *column,
                                    int32_t part, const alcore__wanted *wanted);
/* Appends to *out what such a column is made from, beside the model. The caller holds a lock of the
 * pool. */
alcore_status alcore__answers_describe(const alcore_model *model, const alcore_pool *pool,
                                       alcore__buffer *out);
void alcore__answers_free(alcore_ctx *ctx, alcore__answers *answers); /* NULL is allowed */

/* ---- training (lib/extra/training) and saving (model_save.c) ---- */

/* The data of a model that runs in a module; NULL: this one does not. */
const alcore__engine_model *alcore__engine_of(const alcore_model *model);
/* Whether the model is a language model of tokens: it scores texts, alone or behind others, and its
 * outputs continue them. */
bool alcore__is_language_model(const alcore__engine_model *data);
/* Whether the examples that the model learns from are texts with the number of a class: it has a
 * head over texts, and does not translate. */
bool alcore__classifies(const alcore__engine_model *data);
/* Whether they are texts with the classes of some of their tokens: it has a head over tokens. */
bool alcore__classifies_tokens(const alcore__engine_model *data);
/* Whether they are questions with contexts and answers: it has a head for answers. */
bool alcore__answers_questions(const alcore__engine_model *data);
/* Whether the model does what is trained: it translates, classifies texts or their tokens, or
 * answers questions. */
bool alcore__learns(const alcore__engine_model *data);
/* Whether the model can be trained: it does such a thing, and the engine trains it. */
bool alcore__engine_trains(const alcore__engine_model *data);
/* alcore__model_table.save of an engine. */
alcore_status alcore__engine_save(alcore_model *model, const char *path);

/* ---- the language of outputs (model_language.c) ---- */

/* ALCORE_E_UNSUPPORTED where the folder wants outputs to be searched for in a way that is not
 * computed here. */
alcore_status alcore__engine_check_outputs(const alcore_model *model);
/* Sets the language of how outputs are searched for: the one that is named, else that of the model;
 * neither: what the folder says. ALCORE_E_PARAM lists the languages that there are. *out keeps a
 * view of the name. */
alcore_status alcore__engine_find_language(const alcore_model *model, const char *language,
                                           alcore_sys_model_decoding *out);
/* alcore__model_table.set_language of an engine. */
alcore_status alcore__engine_set_language(alcore_model *model, const char *language);

/* ---- translation (model_translate.c) ---- */

/* alcore__model_table.translate of an engine. */
alcore_status alcore__engine_translate(alcore_model *model, alcore_pool *pool,
                                       const alcore__translating *wanted, alcore_pool *out);

#endif
