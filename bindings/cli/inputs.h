/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the pools and columns whose files are named on the command line. */
#ifndef ALCORE_CLI_INPUTS_H
#define ALCORE_CLI_INPUTS_H

#include "terminal.h"

/* What was read: the pools by role, NULL where no file was named, and a request that has them and
 * the rows of --exclude, --eligible and --candidates. */
typedef struct inputs {
    alcore_pool *candidates, *labeled, *target;
    alcore_request *request;
} inputs;

/* Reads POOL, --labeled, --target, the masks and the ready columns. Where the picks come from
 * --target, its texts are the candidates and POOL is not read. Prints what is wrong; returns an
 * exit code. inputs_release() is called in any case. */
int inputs_read(alcore_ctx *ctx, const arguments *args, inputs *out);
void inputs_release(inputs *in);

/* Whether the picks come from the labeled target pool of --target: with --strategy gold. */
bool inputs_pick_from_target(const arguments *args);

/* Whether the command line gives a column or a model: then the n-gram model stands in for none. */
bool inputs_are_named(const arguments *args);

/* Opens the --model, of which there may be one; an exit code. Without one it is the built-in n-gram
 * model where the command line gives no column either, which a note says, else NULL. */
int inputs_model(alcore_ctx *ctx, const arguments *args, const inputs *in, alcore_model **out);
/* Opens every --model and gives them to the request: one for all columns, and those of
 * --model COLUMN=DIR. */
int inputs_set_models(alcore_ctx *ctx, const arguments *args, const inputs *in);

/* The same, where *model is still NULL. */
int inputs_open_model(alcore_ctx *ctx, const arguments *args, const inputs *in,
                      alcore_model **model);
/* Refuses the options of a model where none was opened, as everything was given; exit code 2. */
int inputs_check_model(const arguments *args, const alcore_model *model);

/* Refuses a column, or a model, of the command line that the scorer with its parameters does not
 * read; exit code 2. */
int inputs_check_scorer(const arguments *args, const alcore_scorer *scorer);

/* Gives a pool that has no embeddings those of the model, which is opened when it is first needed.
 */
int inputs_embed(alcore_ctx *ctx, const arguments *args, const inputs *in, alcore_model **model,
                 alcore_pool *pool);

/* The scores of all rows of a pool as an array [rows], which the caller frees; NaN where a row has
 * none. */
int inputs_list_scores(const alcore_pool *pool, double **out);

/* Whether log-probabilities are the answers of an inference server, and reads the columns of those:
 * rows [count] are those of --candidates, NULL: all rows (input_served.c). */
bool inputs_are_served(const arguments *args);
int inputs_read_served(const arguments *args, const inputs *in, const int64_t *rows, int64_t count);

/* The rows of POOL that a file of ids or an earlier selection names (selection_rows.c): [*count],
 * in the order of the file, which the caller frees, also after a failure. A phrase stands for the
 * row where it occurs first; how many do is printed, but for --quiet. */
int inputs_read_selection(alcore_ctx *ctx, const arguments *args, const inputs *in,
                          const char *path, int64_t **rows, int64_t *count);

/* Sets the options and the models of the request but no strategy; those and the strategy
 * (select_command.c). */
int fill_options(const arguments *args, alcore_ctx *ctx, const inputs *in);
int fill_request(const arguments *args, alcore_ctx *ctx, const inputs *in);

/* Whether the suffix of a path, without one of compression, is that of a test set. */
bool is_test_set(const char *path);
/* Sets the choice of --side, --translator, --system and --domain (test_set_options.c) for a file
 * and options->references; files that are not POOL, and no test sets, have no use for it. */
void choose_side(const arguments *args, const char *path, bool is_pool,
                 alcore_read_options *options);
/* The same for one of the two files of texts and their translations. */
void choose_pair(const arguments *args, const char *path, const char *other, bool is_target,
                 alcore_read_options *options);

/* Reads the files of --test as the test set of an overlap with n-grams of up to max_order words
 * (test_set_options.c); *out, which the caller releases, stays NULL without them. */
int inputs_read_test(const arguments *args, alcore_ctx *ctx, int32_t max_order,
                     alcore_overlap **out);

/* Reads one file of texts with --format (POOL only) and --text-column. */
int inputs_read_texts(const arguments *args, const char *path, bool is_pool, alcore_pool *pool);
/* The same with --language and with references: those of a second file, one for each text; NULL:
 * those in the file itself, in --reference-column where that is given. */
int inputs_read_pairs(const arguments *args, const char *path, const char *references, bool is_pool,
                      alcore_pool *pool);

/* ALCORE_JOIN_* of --by; an exit code. */
int option_join(const arguments *args, int32_t *out);
/* Refuses --by where nothing is joined: joined says whether there are two files. */
int check_join(const arguments *args, bool joined);
/* Finds the row of partners that belongs to each row of texts (alcore_pool_join()), by --by: an
 * array [*count] that the caller frees, also after a failure. rows [row_count]: the rows of texts
 * that are asked about; NULL: all. Both paths are for messages. */
int inputs_join(const arguments *args, const alcore_pool *texts, const char *texts_path,
                const alcore_pool *partners, const char *partners_path, const int64_t *rows,
                int64_t row_count, int64_t **out, int64_t *count);

/* Lists the texts of all rows: texts and lengths (bytes) are [rows], pointers into the pool. */
void inputs_list_texts(const alcore_pool *pool, const char **texts, size_t *lengths);

/* A whole text, or the first length bytes of one, as a number of the library's grammar that is
 * finite; as an integer. False where it is none; *out is then untouched. */
bool number_of(const char *text, double *out);
bool part_number(const char *text, size_t length, double *out);
bool integer_of(const char *text, int64_t *out);
bool part_integer(const char *text, size_t length, int64_t *out);
/* Parses an integer option within bounds. */
int option_integer(const arguments *args, option_id id, int64_t low, int64_t high, int64_t *out);
/* Refuses a second value of an option that only other commands repeat. */
int option_once(const arguments *args, option_id id);
/* Index of text among the words of "a|b|c"; -1 when it is none of them. */
int choice_of(const char *text, const char *choices);
/* Parses an option that is one of the words of "a|b|c": its index among them. */
int option_choice(const arguments *args, option_id id, const char *choices, int *out);
/* The same where the choices are the consecutive values of an enum of the library, from `first`. */
int option_enum(const arguments *args, option_id id, const char *choices, int32_t first,
                int32_t *out);

/* Whether a file has columns, by its suffix before that of a compression: 't' TSV or CSV, 'j'
 * JSONL; 0: it has none. */
char table_of_path(const char *path);
/* Refuses a path whose suffix is none of ".a|.b", before the work is done. */
int option_suffix(const arguments *args, option_id id, const char *suffixes);
/* Refuses no --budget, and several, which a comparison of selections has no place for. */
int option_one_budget(const arguments *args, const char *command);
/* Sets what --escapes and --bad-lines say of every file that is read; an exit code. */
int read_reading(const arguments *args, alcore_read_options *options);
/* ALCORE_FORMAT_* of a --format value; an exit code. */
int parse_format(const char *text, int32_t *out);

/* Sets what --device, --dtype and --prompt or --prompt-name say in the options of a Hugging Face
 * folder; an exit code. */
int read_folder_options(const arguments *args, alcore_model_options *options);
/* Sets the chat of --chat and the labels of --verbalizer, where they are given; an exit code. */
int set_prompting(const arguments *args, alcore_model *model);
/* Writes "FOLDER/NAME" into path; an exit code. */
int join_path(const char *folder, const char *name, char path[4096]);

#endif
