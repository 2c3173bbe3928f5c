/* SPDX-License-Identifier: Apache-2.0 */
/* From the files of the command line to pools, columns and a request.
 *
 * The pools come first, then the masks and the rows of --exclude, --eligible and --candidates, and
 * last the columns: those of --candidates have an entry for each of its rows, in their order. Every
 * function prints what is wrong and returns an exit code. */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

/* Reads a file with --format (POOL only), --text-column (other files may lack it) and --bad-lines
 * into a pool. options: what else is read of it, the references. */
static int read_file(const arguments *args, const char *path, bool is_pool,
                     alcore_read_options options, alcore_pool *pool) {
    const char *format = is_pool ? option_value(args, OPTION_FORMAT, NULL) : NULL;

    if (format) TRY(parse_format(format, &options.format));
    options.text_column = option_value(args, OPTION_TEXT_COLUMN, NULL);
    TRY(read_reading(args, &options));
    choose_side(args, path, is_pool, &options);
    alcore_status status = alcore_pool_read(pool, path, &options);
    /* The column is that of POOL. Another file, such as an earlier selection, may have its texts in
     * a column of the usual names; a file that is read in neither way fails as it did first. */
    if (!is_pool && options.text_column && status == ALCORE_E_DATA && strcmp(path, "-") != 0) {
        alcore_read_options usual = options;
        usual.text_column = NULL;
        status = alcore_pool_read(pool, path, &usual);
        if (status == ALCORE_E_DATA) status = alcore_pool_read(pool, path, &options);
    }
    return outcome(status);
}

int inputs_read_texts(const arguments *args, const char *path, bool is_pool, alcore_pool *pool) {
    const alcore_read_options options = ALCORE_READ_OPTIONS_INIT;

    return read_file(args, path, is_pool, options, pool);
}

int inputs_read_pairs(const arguments *args, const char *path, const char *references, bool is_pool,
                      alcore_pool *pool) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;

    options.references = references;
    if (references) TRY(option_join(args, &options.by));
    options.reference_column = option_value(args, OPTION_REFERENCE_COLUMN, NULL);
    options.language = option_value(args, OPTION_LANGUAGE, NULL);
    return read_file(args, path, is_pool, options, pool);
}

int option_join(const arguments *args, int32_t *out) {
    static const int32_t ways[] = {ALCORE_JOIN_ID, ALCORE_JOIN_LINE};
    int choice = 0;
    TRY(option_choice(args, OPTION_BY, "id|line", &choice));
    *out = option_given(args, OPTION_BY) ? ways[choice] : 0;
    return EXIT_DONE;
}

int check_join(const arguments *args, bool joined) {
    if (joined || !option_given(args, OPTION_BY)) return EXIT_DONE;
    return complain(EXIT_USAGE, "--by %s: there are no two files that belong together",
                    option_value(args, OPTION_BY, ""));
}

int inputs_join(const arguments *args, const alcore_pool *texts, const char *texts_path,
                const alcore_pool *partners, const char *partners_path, const int64_t *rows,
                int64_t row_count, int64_t **out, int64_t *count) {
    alcore_join_options options = ALCORE_JOIN_OPTIONS_INIT;
    *count = rows ? row_count : alcore_pool_row_count(texts);
    *out = malloc(((size_t)*count + 1) * sizeof **out);
    if (!*out) return complain(EXIT_MEMORY, "out of memory");
    TRY(option_join(args, &options.by));
    options.texts_name = texts_path;
    options.partners_name = partners_path;
    options.rows = rows;
    options.row_count = row_count;
    return outcome(alcore_pool_join(texts, partners, &options, *out));
}

void inputs_list_texts(const alcore_pool *pool, const char **texts, size_t *lengths) {
    const int64_t rows = alcore_pool_row_count(pool);
    for (int64_t row = 0; row < rows; row++)
        texts[row] = alcore_pool_text(pool, row, &lengths[row]);
}

/* The pool of a role: the files of a repeatable option, read one after the other, which may number
 * their texts alike; NULL when the option was not given. */
static int read_role(alcore_ctx *ctx, const arguments *args, option_id id, alcore_pool **out) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    if (!option_given(args, id)) return EXIT_DONE;
    options.repeated_ids = ALCORE_IDS_PER_CALL;
    TRY(outcome(alcore_pool_new(ctx, &options, out)));
    for (int i = 0; option_repeat(args, id, i); i++)
        TRY(inputs_read_texts(args, option_repeat(args, id, i), false, *out));
    return EXIT_DONE;
}

bool inputs_pick_from_target(const arguments *args) {
    return args->command->bit != COMMAND_COMPARE && option_given(args, OPTION_TARGET) &&
           !strcmp(option_value(args, OPTION_STRATEGY, ""), "gold");
}

/* Masks the rows of --exclude, --exclude-text, --eligible and the limits on words and letters. */
static int apply_masks(alcore_ctx *ctx, const arguments *args, const inputs *in) {
    alcore_filter filter = ALCORE_FILTER_INIT;
    const char *letters = option_value(args, OPTION_MIN_LETTERS, NULL);
    alcore_pool *pool = in->candidates;
    const char *path;
    int code;

    for (int i = 0; (path = option_repeat(args, OPTION_EXCLUDE, i)); i++)
        TRY(outcome(alcore_request_read_rows(in->request, ALCORE_ROWS_EXCLUDED, path)));
    if (option_given(args, OPTION_EXCLUDE_TEXT)) {
        alcore_pool *texts = NULL;
        code = read_role(ctx, args, OPTION_EXCLUDE_TEXT, &texts);
        /* The role masks phrases too; a scorer has no request and reads the states of rows. */
        if (code == EXIT_DONE)
            code = outcome(alcore_request_set_pool(in->request, ALCORE_ROLE_EXCLUDED, texts));
        if (code == EXIT_DONE)
            code = outcome(alcore_pool_mark_texts(pool, ALCORE_ROW_EXCLUDED, texts));
        alcore_pool_unref(texts);
        TRY(code);
    }
    if ((path = option_value(args, OPTION_ELIGIBLE, NULL)))
        TRY(outcome(alcore_request_read_rows(in->request, ALCORE_ROWS_ELIGIBLE, path)));
    TRY(option_integer(args, OPTION_MIN_WORDS, 0, INT64_MAX, &filter.min_words));
    TRY(option_integer(args, OPTION_MAX_WORDS, 1, INT64_MAX, &filter.max_words));
    if (letters) {
        if (!number_of(letters, &filter.min_letters) || filter.min_letters < 0.0 ||
            filter.min_letters > 1.0)
            return complain(EXIT_USAGE, "--min-letters %s: a share from 0 to 1 is needed", letters);
    }
    if (filter.min_words || filter.max_words || letters)
        TRY(outcome(alcore_pool_filter(pool, &filter)));
    return EXIT_DONE;
}

/* Reads a file of texts, of which each is kept, into a pool of its own. */
static int read_all_texts(alcore_ctx *ctx, const char *path, const alcore_read_options *reading,
                          alcore_pool **out) {
    alcore_pool_options plain = ALCORE_POOL_OPTIONS_INIT;
    plain.dedup = ALCORE_DEDUP_NONE;
    TRY(outcome(alcore_pool_new(ctx, &plain, out)));
    return outcome(alcore_pool_read(*out, path, reading));
}

/* Gives POOL a column of texts: entry i is that of row entries[i] of `texts` (NULL: row i;
 * -1: none). count: entries; options: the rows of POOL that they belong to. */
static int set_text_column(const inputs *in, const char *column, const alcore_pool *texts,
                           const int64_t *entries, int64_t count,
                           const alcore_column_options *options) {
    const char **list = malloc(((size_t)count + 1) * sizeof *list);
    size_t *lengths = malloc(((size_t)count + 1) * sizeof *lengths);
    int code = list && lengths ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
    for (int64_t i = 0; code == EXIT_DONE && i < count; i++)
        list[i] = alcore_pool_text(texts, entries ? entries[i] : i, &lengths[i]);
    if (code == EXIT_DONE)
        code = outcome(
            alcore_pool_set_text_column(in->candidates, column, list, lengths, count, options));
    free(list);
    free(lengths);
    return code;
}

/* The texts of --roundtrip, of which empty ones are texts too: a column of POOL, or of the rows of
 * --candidates, which options has. */
static int read_roundtrip(alcore_ctx *ctx, const arguments *args, const inputs *in,
                          const alcore_column_options *options) {
    const alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    const char *path = option_value(args, OPTION_ROUNDTRIP, NULL);
    alcore_pool *texts = NULL;
    int64_t *entries = NULL, count = 0;
    TRY(check_join(args, path || option_given(args, OPTION_REFERENCES)));
    if (!path) return EXIT_DONE;
    int code = read_all_texts(ctx, path, &reading, &texts);
    if (code == EXIT_DONE)
        code = inputs_join(args, in->candidates, args->operands[0], texts, path, options->rows,
                           options->row_count, &entries, &count);
    if (code == EXIT_DONE) code = set_text_column(in, "roundtrip", texts, entries, count, options);
    free(entries);
    alcore_pool_unref(texts);
    return code;
}

/* The texts of --context-column: a column of POOL, which is read once more. */
static int read_contexts(alcore_ctx *ctx, const arguments *args, const inputs *in) {
    const char *context = option_value(args, OPTION_CONTEXT_COLUMN, NULL);
    const char *path = args->operands[0], *format = option_value(args, OPTION_FORMAT, NULL);
    const alcore_column_options all = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *texts = NULL;

    if (!context) return EXIT_DONE;
    if (!strcmp(path, "-"))
        return complain(EXIT_USAGE, "--context-column reads POOL twice: it cannot be -");
    if (format) TRY(parse_format(format, &reading.format));
    TRY(read_reading(args, &reading));
    reading.text_column = context;
    int code = read_all_texts(ctx, path, &reading, &texts);
    if (code == EXIT_DONE)
        code = set_text_column(in, "qa_contexts", texts, NULL, alcore_pool_row_count(texts), &all);
    alcore_pool_unref(texts);
    return code;
}

/* *out: ALCORE_MEANS_* of --probs-are; an exit code. */
static int meaning_of_probs(const arguments *args, int32_t *out) {
    static const int32_t meanings[] = {ALCORE_MEANS_PROBS, ALCORE_MEANS_LOGPROBS,
                                       ALCORE_MEANS_LOGITS, ALCORE_MEANS_SIGMOID,
                                       ALCORE_MEANS_MULTILABEL};
    int choice = 0;
    TRY(option_choice(args, OPTION_PROBS_ARE, "probs|logprobs|logits|sigmoid|multilabel", &choice));
    *out = meanings[choice];
    return EXIT_DONE;
}

/* Gives the pool the columns with a number a row, or with --offsets a number a token. */
static int read_narrow_columns(const arguments *args, const inputs *in,
                               const alcore_column_options *options, bool *out_used) {
    static const struct {
        option_id id;
        const char *column;
    } columns[] = {{OPTION_MARGINS, "margins"},
                   {OPTION_CONFIDENCES, "confidences"},
                   {OPTION_ENTROPIES, "entropies"}};
    alcore_column_options of_tokens = *options;
    of_tokens.offsets = option_value(args, OPTION_OFFSETS, NULL);
    for (size_t i = 0; i < sizeof columns / sizeof *columns && !inputs_are_served(args); i++) {
        const char *path = option_value(args, columns[i].id, NULL);
        if (!path) continue;
        *out_used = true;
        TRY(outcome(alcore_pool_read_column(in->candidates, columns[i].column, path, &of_tokens)));
    }
    return EXIT_DONE;
}

/* Gives the pool the columns of arrays with a value a token, or a window, whose first of each row
 * an array of offsets tells. options: the rows that the entries belong to. --logprobs, which also
 * has forms that are text, is not among them. */
static int read_token_columns(const arguments *args, const inputs *in,
                              const alcore_column_options *options) {
    static const struct {
        option_id id, offsets;
        const char *column;
    } columns[] = {
        {OPTION_LOSSES, OPTION_OFFSETS, "mlm_losses"},
        {OPTION_TOKEN_PROBS, OPTION_OFFSETS, "token_probs"},
        {OPTION_QA_START, OPTION_OFFSETS, "qa_start"},
        {OPTION_QA_END, OPTION_OFFSETS, "qa_end"},
        {OPTION_QA_WINDOWS, OPTION_QA_WINDOW_OFFSETS, "qa_windows"},
    };
    bool used = option_given(args, OPTION_LOGPROBS);

    TRY(read_narrow_columns(args, in, options, &used));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const char *path = option_value(args, columns[i].id, NULL);
        alcore_column_options of_tokens = *options;
        if (!path) continue;
        used = used || columns[i].offsets == OPTION_OFFSETS;
        of_tokens.offsets = option_value(args, columns[i].offsets, NULL);
        if (!of_tokens.offsets)
            return complain(EXIT_USAGE, "--%s needs --%s FILE.npy",
                            option_table[columns[i].id].name,
                            option_table[columns[i].offsets].name);
        if (columns[i].id == OPTION_TOKEN_PROBS) TRY(meaning_of_probs(args, &of_tokens.meaning));
        TRY(outcome(alcore_pool_read_column(in->candidates, columns[i].column, path, &of_tokens)));
    }
    if (option_given(args, OPTION_QA_WINDOW_OFFSETS) && !option_given(args, OPTION_QA_WINDOWS))
        return complain(EXIT_USAGE, "--qa-window-offsets needs --qa-windows");
    if (used || !option_given(args, OPTION_OFFSETS)) return EXIT_DONE;
    return complain(EXIT_USAGE, "--offsets needs values of tokens, such as --logprobs%s",
                    option_given(args, OPTION_PROBS)
                        ? "; distributions of tokens are given by --token-probs"
                        : "");
}

/* Gives the pool the links of words and the tokens of their hypotheses, of which --logprobs are: a
 * line of the file for each entry of the columns. */
static int read_links(const arguments *args, const inputs *in,
                      const alcore_column_options *options) {
    const char *path = option_value(args, OPTION_LINKS, NULL);
    alcore_column_options links = *options;
    if (!path) return EXIT_DONE;
    if (!option_given(args, OPTION_LOGPROBS))
        return complain(EXIT_USAGE, "--links needs --logprobs: those of the linked tokens");
    links.format = "pharaoh";
    return outcome(alcore_pool_read_column(in->candidates, "links", path, &links));
}

/* Gives the pool the class probabilities of its rows: a distribution each, or those of samples. */
static int read_probs(const arguments *args, const inputs *in,
                      const alcore_column_options *options) {
    static const struct {
        option_id id;
        const char *column;
    } columns[] = {{OPTION_PROBS, "probs"}, {OPTION_SAMPLE_PROBS, "sample_probs"}};
    bool used = option_given(args, OPTION_TOKEN_PROBS);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const char *path = option_value(args, columns[i].id, NULL);
        alcore_column_options with_meaning = *options;
        if (!path) continue;
        used = true;
        TRY(meaning_of_probs(args, &with_meaning.meaning));
        TRY(outcome(
            alcore_pool_read_column(in->candidates, columns[i].column, path, &with_meaning)));
    }
    if (used || !option_given(args, OPTION_PROBS_ARE)) return EXIT_DONE;
    return complain(EXIT_USAGE, "--probs-are needs --probs, --token-probs or --sample-probs");
}

/* Gives the labeled pool the class probabilities of its rows. */
static int read_labeled_probs(const arguments *args, const inputs *in) {
    const char *path = option_value(args, OPTION_LABELED_PROBS, NULL);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    if (!path) return EXIT_DONE;
    if (!in->labeled) return complain(EXIT_USAGE, "--labeled-probs needs --labeled");
    TRY(meaning_of_probs(args, &options.meaning));
    return outcome(alcore_pool_read_column(in->labeled, "probs", path, &options));
}

/* Gives the pools the ready columns. rows [count] are those of --candidates, which the entries of
 * the columns belong to; NULL: all rows. */
static int read_columns(alcore_ctx *ctx, const arguments *args, const inputs *in,
                        const int64_t *rows, int64_t count) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    const char *path;
    int choice;

    options.rows = rows;
    options.row_count = count;
    if ((path = option_value(args, OPTION_SCORES, NULL))) {
        static const int32_t meanings[] = {ALCORE_MEANS_UNCERTAINTY, ALCORE_MEANS_CONFIDENCE,
                                           ALCORE_MEANS_LOGPROB};
        alcore_column_options with_meaning = options;
        choice = 0;
        TRY(option_choice(args, OPTION_SCORES_ARE, "uncertainty|confidence|logprob", &choice));
        with_meaning.meaning = meanings[choice];
        TRY(outcome(alcore_pool_read_column(in->candidates, "scores", path, &with_meaning)));
    } else if (option_given(args, OPTION_SCORES_ARE)) {
        return complain(EXIT_USAGE, "--scores-are needs --scores");
    }
    choice = 0;
    TRY(option_choice(args, OPTION_LOGPROBS_FORMAT, "marian|fairseq|openai", &choice));
    if (inputs_are_served(args)) {
        TRY(inputs_read_served(args, in, rows, count));
    } else if (option_given(args, OPTION_SERVED_VOCABULARY)) {
        return complain(EXIT_USAGE, "--served-vocabulary needs --logprobs-format openai");
    } else if ((path = option_value(args, OPTION_LOGPROBS, NULL))) {
        static const double bases[] = {ALCORE_UNSET, 2.0, 10.0};
        alcore_column_options with_meaning = options;
        choice = 0;
        TRY(option_choice(args, OPTION_LOGPROB_BASE, "e|2|10", &choice));
        with_meaning.log_base = bases[choice];
        with_meaning.offsets = option_value(args, OPTION_OFFSETS, NULL);
        with_meaning.format = option_value(args, OPTION_LOGPROBS_FORMAT, NULL);
        TRY(outcome(alcore_pool_read_column(in->candidates, "logprobs", path, &with_meaning)));
    } else if (option_given(args, OPTION_LOGPROB_BASE) ||
               option_given(args, OPTION_LOGPROBS_FORMAT)) {
        return complain(EXIT_USAGE, "--%s needs --logprobs",
                        option_given(args, OPTION_LOGPROB_BASE) ? "logprob-base"
                                                                : "logprobs-format");
    }
    TRY(read_links(args, in, &options));
    TRY(read_token_columns(args, in, &options));
    TRY(read_roundtrip(ctx, args, in, &options));
    TRY(read_contexts(ctx, args, in));
    TRY(read_probs(args, in, &options));
    if ((path = option_value(args, OPTION_EMBEDDINGS, NULL)))
        TRY(outcome(alcore_pool_read_column(in->candidates, "embeddings", path, &options)));
    if ((path = option_value(args, OPTION_LABELED_EMBEDDINGS, NULL))) {
        if (!in->labeled) return complain(EXIT_USAGE, "--labeled-embeddings needs --labeled");
        TRY(outcome(alcore_pool_read_column(in->labeled, "embeddings", path, NULL)));
    }
    TRY(read_labeled_probs(args, in));
    if ((path = option_value(args, OPTION_TARGET_EMBEDDINGS, NULL))) {
        if (!in->target) return complain(EXIT_USAGE, "--target-embeddings needs --target");
        TRY(outcome(alcore_pool_read_column(in->target, "embeddings", path, NULL)));
    }
    return EXIT_DONE;
}

/* The options that give columns, and how the request names these: in another role than the
 * candidates with the role before the name. */
static const struct {
    option_id id;
    const char *column;
} column_options[] = {{OPTION_SCORES, "scores"},
                      {OPTION_LOGPROBS, "logprobs"},
                      {OPTION_LINKS, "links"},
                      {OPTION_MARGINS, "margins"},
                      {OPTION_CONFIDENCES, "confidences"},
                      {OPTION_ENTROPIES, "entropies"},
                      {OPTION_LOSSES, "mlm_losses"},
                      {OPTION_ROUNDTRIP, "roundtrip"},
                      {OPTION_CONTEXT_COLUMN, "qa_contexts"},
                      {OPTION_PROBS, "probs"},
                      {OPTION_TOKEN_PROBS, "token_probs"},
                      {OPTION_SAMPLE_PROBS, "sample_probs"},
                      {OPTION_QA_START, "qa_start"},
                      {OPTION_QA_END, "qa_end"},
                      {OPTION_QA_WINDOWS, "qa_windows"},
                      {OPTION_EMBEDDINGS, "embeddings"},
                      {OPTION_LABELED_EMBEDDINGS, "labeled.embeddings"},
                      {OPTION_LABELED_PROBS, "labeled.probs"},
                      {OPTION_TARGET_EMBEDDINGS, "target.embeddings"}};
enum { COLUMN_OPTIONS = sizeof column_options / sizeof column_options[0] };

bool inputs_are_named(const arguments *args) {
    for (int i = 0; i < COLUMN_OPTIONS; i++)
        if (option_given(args, column_options[i].id)) return true;
    return option_given(args, OPTION_MODEL);
}

/* Tells the request which columns the command line gives, and whether a model: one that nothing
 * reads is an error. */
static int name_given(const arguments *args, const inputs *in) {
    char names[512] = "";
    if (option_given(args, OPTION_MODEL)) strcpy(names, "model");
    for (int i = 0; i < COLUMN_OPTIONS; i++) {
        const size_t used = strlen(names);
        const char *name = column_options[i].column;
        if (!option_given(args, column_options[i].id)) continue;
        if (inputs_pick_from_target(args) && column_options[i].id == OPTION_TARGET_EMBEDDINGS)
            name = "embeddings"; /* the target's rows are the candidates */
        snprintf(names + used, sizeof names - used, "%s%s", used ? "," : "", name);
    }
    return outcome(alcore_request_set(in->request, "given", names));
}

/* Whether the command line gives the column of a name, of that length. */
static bool gives_column(const arguments *args, const char *name, size_t length) {
    for (int i = 0; i < COLUMN_OPTIONS; i++)
        if (strlen(column_options[i].column) == length &&
            !strncmp(column_options[i].column, name, length))
            return option_given(args, column_options[i].id);
    return false;
}

/* Whether the scorer reads the column: it is the first alternative of a need that is given. Sets
 * *missing where a need has none that is given, which a model then makes. */
static bool scorer_reads(const arguments *args, const alcore_scorer *scorer, const char *column,
                         bool *missing) {
    const char *need;
    bool found = false;
    for (int64_t n = 0; (need = alcore_scorer_needs(scorer, n)) != NULL; n++) {
        bool given = false;
        for (const char *word = need; *word && !given;) {
            const size_t length = strcspn(word, "|");
            given = gives_column(args, word, length);
            found |= given && strlen(column) == length && !strncmp(column, word, length);
            word += length + (word[length] == '|');
        }
        *missing |= !given;
    }
    return found;
}

int inputs_check_model(const arguments *args, const alcore_model *model) {
    static const option_id of_model[] = {OPTION_MODEL,       OPTION_DTYPE,      OPTION_PROMPT,
                                         OPTION_PROMPT_NAME, OPTION_VERBALIZER, OPTION_CHAT,
                                         OPTION_TO,          OPTION_CACHE};
    for (size_t i = 0; !model && i < sizeof of_model / sizeof *of_model; i++)
        if (option_given(args, of_model[i]))
            return complain(EXIT_USAGE, "--%s is not read: no column is missing that a model makes",
                            option_table[of_model[i]].name);
    return EXIT_DONE;
}

int inputs_check_scorer(const arguments *args, const alcore_scorer *scorer) {
    bool missing = false;
    scorer_reads(args, scorer, "", &missing);
    for (int i = 0; i < COLUMN_OPTIONS; i++) {
        const char *column = column_options[i].column;
        const bool contexts = column_options[i].id == OPTION_CONTEXT_COLUMN;
        if (!option_given(args, column_options[i].id)) continue;
        /* The contexts of questions are read by the model that answers them. */
        if (contexts ? missing : scorer_reads(args, scorer, column, &missing)) continue;
        return complain(EXIT_USAGE, "--%s is not read: the scorer %s reads %s%s",
                        option_table[column_options[i].id].name,
                        option_value(args, OPTION_SCORER, ""), alcore_scorer_needs(scorer, 0),
                        alcore_scorer_needs(scorer, 1) ? " and others" : "");
    }
    if (option_given(args, OPTION_MODEL) && !missing)
        return complain(EXIT_USAGE,
                        "--model is not read: the columns that the scorer %s reads are "
                        "given",
                        option_value(args, OPTION_SCORER, ""));
    return EXIT_DONE;
}

/* The ready columns where the picks come from --target: embeddings of its rows, for
 * --max-similarity. Those of POOL, which is not read, are refused. */
static int read_target_columns(const arguments *args, const inputs *in) {
    static const option_id of_pool[] = {
        OPTION_SCORES,        OPTION_LOGPROBS,    OPTION_LOSSES,       OPTION_ROUNDTRIP,
        OPTION_PROBS,         OPTION_TOKEN_PROBS, OPTION_SAMPLE_PROBS, OPTION_EMBEDDINGS,
        OPTION_CANDIDATES,    OPTION_MARGINS,     OPTION_CONFIDENCES,  OPTION_ENTROPIES,
        OPTION_CONTEXT_COLUMN};
    const char *path = option_value(args, OPTION_TARGET_EMBEDDINGS, NULL);

    for (size_t i = 0; i < sizeof of_pool / sizeof of_pool[0]; i++) {
        if (option_given(args, of_pool[i]))
            return complain(EXIT_USAGE,
                            "--%s is about the rows of POOL, but --strategy gold with --target "
                            "picks from the target",
                            option_table[of_pool[i]].name);
    }
    if (!path) return EXIT_DONE;
    return outcome(alcore_pool_read_column(in->candidates, "embeddings", path, NULL));
}

/* The rows of --candidates, [*count] in the order of the file, which become the eligible rows of
 * the request. *rows is a view of the request's list. */
static int read_candidates(const arguments *args, const inputs *in, const int64_t **rows,
                           int64_t *count) {
    const char *path = option_value(args, OPTION_CANDIDATES, NULL);
    alcore_tensor list;

    if (!path) return EXIT_DONE;
    if (option_given(args, OPTION_ELIGIBLE))
        return complain(EXIT_USAGE, "--candidates and --eligible exclude each other");
    TRY(outcome(alcore_request_read_rows(in->request, ALCORE_ROWS_ELIGIBLE, path)));
    TRY(outcome(alcore_request_get_rows(in->request, ALCORE_ROWS_ELIGIBLE, &list)));
    *rows = list.data;
    *count = list.shape[0];
    return EXIT_DONE;
}

/* Reads the texts that are selected from: POOL, or the files of --target one after the other. */
static int read_candidate_texts(const arguments *args, bool from_target, alcore_pool *pool) {
    if (!from_target)
        return inputs_read_pairs(args, args->operands[0],
                                 option_value(args, OPTION_REFERENCES, NULL), true, pool);
    if (!option_given(args, OPTION_QUIET))
        fprintf(stderr, "note: gold picks from --target; %s is not read\n", args->operands[0]);
    for (int i = 0; option_repeat(args, OPTION_TARGET, i); i++)
        TRY(inputs_read_texts(args, option_repeat(args, OPTION_TARGET, i), false, pool));
    return EXIT_DONE;
}

/* Reads the pools of all roles. */
static int read_pools(alcore_ctx *ctx, const arguments *args, inputs *out) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    const bool from_target = inputs_pick_from_target(args);
    const char *path = from_target ? option_repeat(args, OPTION_TARGET, 0) : args->operands[0];

    TRY(option_enum(args, OPTION_DEDUP, "exact|normalized|none", ALCORE_DEDUP_EXACT,
                    &options.dedup));
    TRY(outcome(alcore_pool_new(ctx, &options, &out->candidates)));
    TRY(read_candidate_texts(args, from_target, out->candidates));
    const int64_t rows = alcore_pool_row_count(out->candidates);
    const bool is_shard = option_given(args, OPTION_SHARD); /* the others may have rows */
    if (rows == 0 && !is_shard) return complain(EXIT_DATA, "%s: no row to select from", path);
    if (alcore_pool_state_count(out->candidates, ALCORE_ROW_EMPTY) == rows && !is_shard)
        return complain(EXIT_DATA, "%s: every row is empty", path);
    TRY(read_role(ctx, args, OPTION_LABELED, &out->labeled));
    return from_target ? EXIT_DONE : read_role(ctx, args, OPTION_TARGET, &out->target);
}

/* Turns the excluded and eligible rows of the request into states of the pool: a scorer has no
 * request and reads the states only. */
static int mark_rows(const inputs *in) {
    alcore_tensor list;
    int64_t total = alcore_pool_row_count(in->candidates), count = 0;
    unsigned char *eligible; /* [total] 1: the row is in the list */
    int64_t *others;         /* [count] the rows that are not */
    int code;

    if (alcore_request_get_rows(in->request, ALCORE_ROWS_EXCLUDED, &list) == ALCORE_OK)
        TRY(outcome(
            alcore_pool_mark(in->candidates, ALCORE_ROW_EXCLUDED, list.data, list.shape[0])));
    if (alcore_request_get_rows(in->request, ALCORE_ROWS_ELIGIBLE, &list) != ALCORE_OK)
        return EXIT_DONE;
    eligible = calloc((size_t)total + 1, 1);
    others = malloc(((size_t)total + 1) * sizeof *others);
    if (eligible && others) {
        for (int64_t i = 0; i < list.shape[0]; i++) eligible[((const int64_t *)list.data)[i]] = 1;
        for (int64_t row = 0; row < total; row++)
            if (!eligible[row]) others[count++] = row;
        code = outcome(alcore_pool_mark(in->candidates, ALCORE_ROW_INELIGIBLE, others, count));
    } else {
        code = complain(EXIT_MEMORY, "out of memory");
    }
    free(others);
    free(eligible);
    return code;
}

int inputs_read(alcore_ctx *ctx, const arguments *args, inputs *out) {
    const int64_t *rows = NULL;
    int64_t count = 0;

    memset(out, 0, sizeof *out);
    TRY(read_pools(ctx, args, out));
    TRY(outcome(alcore_request_new(ctx, &out->request)));
    TRY(outcome(alcore_request_set_pool(out->request, ALCORE_ROLE_CANDIDATES, out->candidates)));
    TRY(outcome(alcore_request_set_pool(out->request, ALCORE_ROLE_LABELED, out->labeled)));
    TRY(outcome(alcore_request_set_pool(out->request, ALCORE_ROLE_TARGET, out->target)));
    TRY(apply_masks(ctx, args, out));
    TRY(name_given(args, out));
    if (inputs_pick_from_target(args)) {
        TRY(mark_rows(out));
        return read_target_columns(args, out);
    }
    TRY(read_candidates(args, out, &rows, &count));
    TRY(mark_rows(out));
    return read_columns(ctx, args, out, rows, count);
}

void inputs_release(inputs *in) {
    alcore_request_unref(in->request);
    alcore_pool_unref(in->candidates);
    alcore_pool_unref(in->labeled);
    alcore_pool_unref(in->target);
    memset(in, 0, sizeof *in);
}

int inputs_list_scores(const alcore_pool *pool, double **out) {
    const int64_t rows = alcore_pool_row_count(pool);
    int64_t *all = malloc(((size_t)rows + 1) * sizeof *all), shape[1] = {rows};
    alcore_tensor tensor;
    *out = malloc(((size_t)rows + 1) * sizeof **out);
    if (!all || !*out) {
        free(all);
        return complain(EXIT_MEMORY, "out of memory");
    }
    for (int64_t i = 0; i < rows; i++) all[i] = i;
    alcore_status status = alcore_tensor_init(&tensor, *out, ALCORE_FLOAT64, shape, 1);
    if (status == ALCORE_OK)
        status = alcore_pool_get_column_rows(pool, "scores", all, rows, &tensor);
    free(all);
    return outcome(status);
}
