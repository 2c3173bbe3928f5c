/* SPDX-License-Identifier: Apache-2.0 */
/* The command line's tables: commands and options. Parsing, help, the man page and shell completion
 * all read them. */
#ifndef ALCORE_CLI_OPTIONS_H
#define ALCORE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes: a contract with shell scripts. */
enum {
    EXIT_DONE = 0,
    EXIT_SHORT = 1,
    EXIT_GO_ON = 1, /* --exit-code: the stopping criterion does not hold */
    EXIT_USAGE = 2,
    EXIT_DATA = 3,
    EXIT_IO = 4,
    EXIT_MEMORY = 5,
    EXIT_MODULE = 6,
    EXIT_INTERRUPTED = 130
};

/* Commands, as bits, so that an option can name those it belongs to. */
enum {
    COMMAND_SELECT = 1,
    COMMAND_CANDIDATES = 2,
    COMMAND_SCORE = 4,
    COMMAND_STRATEGIES = 8,
    COMMAND_SCORERS = 16,
    COMMAND_DOCTOR = 32,
    COMMAND_LM = 64,
    COMMAND_PHRASES = 128,
    COMMAND_EVAL = 256,
    COMMAND_ALIGN = 512,
    COMMAND_ABLATE = 4096,
    COMMAND_RHO = 8192,
    COMMAND_PLOT = 16384,
    COMMAND_MIX = 1024,
    COMMAND_ORACLE = 2048,
    COMMAND_COMPOSITION = 32768,
    COMMAND_MODEL = 65536,
    COMMAND_COMPARE = 131072,
    COMMAND_PROJECT = 262144,
    COMMAND_EXPERIMENT = 524288,
    COMMAND_TOOLS = 1048576,
    COMMAND_FOLD = 2097152,
    COMMAND_ALL = 2 * COMMAND_FOLD - 1 /* the bits of all commands, of which this is the highest */
};

typedef enum option_id {
    OPTION_STRATEGY,
    OPTION_SCORER,
    OPTION_PARAM,
    OPTION_PLAN,
    OPTION_LIKE,
    OPTION_BUDGET,
    OPTION_PRICE,
    OPTION_FILL,
    OPTION_MASKS,
    OPTION_MAX_SIMILARITY,
    OPTION_FUZZY_MATCH,
    OPTION_TIE,
    OPTION_NAN,
    OPTION_SHARD,
    OPTION_DATASET,
    OPTION_MESSAGE,
    OPTION_NEXT,
    OPTION_COUNT,
    OPTION_STRICT,
    OPTION_FORMAT,
    OPTION_TEXT_COLUMN,
    OPTION_REFERENCE_COLUMN,
    OPTION_BAD_LINES,
    OPTION_ESCAPES,
    OPTION_LANGUAGE,
    OPTION_SIDE,
    OPTION_TRANSLATOR,
    OPTION_SYSTEM,
    OPTION_DOMAIN,
    OPTION_DEDUP,
    OPTION_LABELED,
    OPTION_TARGET,
    OPTION_EXCLUDE,
    OPTION_EXCLUDE_TEXT,
    OPTION_ELIGIBLE,
    OPTION_CANDIDATES,
    OPTION_MIN_WORDS,
    OPTION_MAX_WORDS,
    OPTION_MIN_LETTERS,
    OPTION_SCORES,
    OPTION_SCORES_ARE,
    OPTION_LOGPROBS,
    OPTION_OFFSETS,
    OPTION_LOGPROB_BASE,
    OPTION_LOGPROBS_FORMAT,
    OPTION_SERVED_VOCABULARY,
    OPTION_MARGINS,
    OPTION_CONFIDENCES,
    OPTION_ENTROPIES,
    OPTION_LOSSES,
    OPTION_ROUNDTRIP,
    OPTION_CONTEXT_COLUMN,
    OPTION_PROBS,
    OPTION_TOKEN_PROBS,
    OPTION_SAMPLE_PROBS,
    OPTION_PROBS_ARE,
    OPTION_QA_START,
    OPTION_QA_END,
    OPTION_QA_WINDOWS,
    OPTION_QA_WINDOW_OFFSETS,
    OPTION_EMBEDDINGS,
    OPTION_LABELED_EMBEDDINGS,
    OPTION_LABELED_PROBS,
    OPTION_TARGET_EMBEDDINGS,
    OPTION_MODEL,
    OPTION_CACHE,
    OPTION_CACHE_MAX_AGE,
    OPTION_MAX_AGE,
    OPTION_REFRESH_FACTOR,
    OPTION_ORDER,
    OPTION_DISCOUNTS,
    OPTION_LM,
    OPTION_SEMI_MAXIMAL,
    OPTION_MIN_COUNT,
    OPTION_TOKENIZE,
    OPTION_SMOOTH,
    OPTION_SENTENCE,
    OPTION_BOOTSTRAP,
    OPTION_BASELINE,
    OPTION_PAIRED,
    OPTION_SAMPLES,
    OPTION_SCHEME,
    OPTION_SYMMETRIZE,
    OPTION_SAVE,
    OPTION_BY_WORD,
    OPTION_CASED,
    OPTION_SELECTED,
    OPTION_OUTSIDE,
    OPTION_TEST,
    OPTION_ORDERS,
    OPTION_TARGET_COLUMN,
    OPTION_COMBINED,
    OPTION_UNIT,
    OPTION_MODE,
    OPTION_IDW,
    OPTION_LINKS,
    OPTION_TRAIN,
    OPTION_KIND,
    OPTION_POOL,
    OPTION_SELECTION,
    OPTION_OTHER,
    OPTION_ANSWERS,
    OPTION_BY,
    OPTION_REFERENCES,
    OPTION_LABELED_REFERENCES,
    OPTION_DICT,
    OPTION_REQUESTS,
    OPTION_PARALLEL,
    OPTION_TOOL,
    OPTION_DRAFTS,
    OPTION_TASK,
    OPTION_LABELS,
    OPTION_SPAN_UNIT,
    OPTION_BATCH,
    OPTION_WORDS,
    OPTION_COST_MODEL,
    OPTION_RATE,
    OPTION_BLEU_GAIN,
    OPTION_TYPES,
    OPTION_PATIENCE,
    OPTION_LEAST_GAIN,
    OPTION_LOWER_IS_BETTER,
    OPTION_THRESHOLD,
    OPTION_STATISTIC,
    OPTION_WINDOW,
    OPTION_EXIT_CODE,
    OPTION_X,
    OPTION_Y,
    OPTION_BAND,
    OPTION_EVENTS,
    OPTION_KEEP_GOING,
    OPTION_TITLE,
    OPTION_FIRST,
    OPTION_TERMS,
    OPTION_LAMBDA,
    OPTION_RATIO,
    OPTION_K,
    OPTION_TARGET_SCORES,
    OPTION_LAYER,
    OPTION_POOLING,
    OPTION_NORMALIZE,
    OPTION_TOKEN_OFFSETS,
    OPTION_BEAM,
    OPTION_BEST,
    OPTION_DROPOUT,
    OPTION_TO,
    OPTION_DTYPE,
    OPTION_PROMPT,
    OPTION_PROMPT_NAME,
    OPTION_VERBALIZER,
    OPTION_CHAT,
    OPTION_MAX_LENGTH,
    OPTION_TOKEN_SCORES,
    OPTION_VOCABULARY_SIZE,
    OPTION_VOCABULARY_KIND,
    OPTION_COVERAGE,
    OPTION_BYTE_FALLBACK,
    OPTION_MAX_TEXTS,
    OPTION_ANNOTATOR,
    OPTION_ROLE,
    OPTION_WITH_LABELED,
    OPTION_MIX,
    OPTION_METRICS,
    OPTION_OUT,
    OPTION_REPORT,
    OPTION_HTML,
    OPTION_CONFIG,
    OPTION_FORCE,
    OPTION_SEED,
    OPTION_ROUND,
    OPTION_THREADS,
    OPTION_DEVICE,
    OPTION_QUIET,
    OPTION_TORCH,
    OPTION_WRITE,
    OPTION_JSON,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_TOTAL
} option_id;

typedef struct option_info {
    const char *name;     /* without the dashes */
    char letter;          /* 0: none */
    const char *argument; /* NULL: a flag; in brackets: a value that may be left out, of "[O.npy]" a
                             word that ends in .npy, of others a word without a dash in front */
    bool repeatable;
    unsigned commands; /* COMMAND_* bits */
    const char *help;
} option_info;

typedef struct command_info {
    const char *name;
    unsigned bit;
    const char *operands; /* as in the usage line */
    int min_operands, max_operands;
    const char *summary;
    const char *example; /* a whole line, for the man page */
} command_info;

/* In option_table.c. */
extern const option_info option_table[OPTION_TOTAL];
extern const command_info command_table[];
extern const int command_total;

enum { MAX_OPERANDS = 16 };

/* The command line after parsing. */
typedef struct arguments {
    const command_info *command;
    int argc;
    char **argv; /* as given, for the record */
    const char *operands[MAX_OPERANDS];
    int operand_count;
    struct {
        option_id id;
        const char *value; /* NULL for flags */
    } * given;
    int given_count;
} arguments;

/* Parses argv[1..]; prints what is wrong and returns an exit code, or EXIT_DONE. */
int arguments_parse(int argc, char **argv, arguments *out);
void arguments_clear(arguments *args);
bool option_given(const arguments *args, option_id id);
/* The value of an option, or `otherwise` when it was not given. */
const char *option_value(const arguments *args, option_id id, const char *otherwise);
/* The n-th value of a repeatable option; NULL past the last. */
const char *option_repeat(const arguments *args, option_id id, int n);

/* Prints the usage of a command; of the program for NULL. */
void print_usage(FILE *stream, const command_info *command);

/* The name nearest to text among name_at(0), name_at(1), ... (NULL ends them); NULL when none is
 * near enough for "did you mean". */
const char *nearest_name(const char *text, const char *(*name_at)(int index, void *data),
                         void *data);

/* Prints "alcore: ..." on standard error and returns code. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
