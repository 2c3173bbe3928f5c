/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of options and commands, a row for each. Parsing, help, the man page and completion
 * read them (options.h). */
#include "extra/tool/tool_choices.h"
#include "options.h"

#define PICKING (COMMAND_SELECT | COMMAND_CANDIDATES)
#define SCORED (COMMAND_SELECT | COMMAND_CANDIDATES | COMMAND_SCORE)
#define ANALYZED (COMMAND_ABLATE | COMMAND_RHO)
#define SELECTING (COMMAND_SELECT | COMMAND_COMPARE)
#define REQUESTED (SELECTING | COMMAND_ABLATE) /* they make a request and select by it */
#define ROUNDED (REQUESTED | COMMAND_PROJECT)  /* of project: of next */
#define UNCERTAIN (REQUESTED | COMMAND_SCORE)  /* they read ready columns of uncertainty */
#define POOL (SCORED | COMMAND_PHRASES | ANALYZED | COMMAND_COMPARE)
#define READS_POOL (POOL | COMMAND_COMPOSITION) /* rows are labeled or masked by POOL only */
#define ANNOTATING (COMMAND_MIX | COMMAND_ORACLE)
#define ALL_WORK (READS_POOL | COMMAND_LM | ANNOTATING)
#define TEST_SETS (ALL_WORK | COMMAND_EVAL | COMMAND_ALIGN | COMMAND_MODEL)

const option_info option_table[OPTION_TOTAL] = {
    [OPTION_STRATEGY] =
        {"strategy", 0, "NAME", false, ROUNDED,
         "the rule that chooses (default recommended: the one that this release "
         "recommends); `alcore strategies` lists them; of ablate one that has "
         "lambda or ratio, which the recommended one has not; of compare several "
         "with their parameters: NAME[:PARAM=VALUE]...,...; of project next that of "
         "the round, in place of the setting"},
    [OPTION_SCORER] = {"scorer", 0, "NAME", false, COMMAND_SCORE | COMMAND_RHO,
                       "the score (required; of rho by default nnll); `alcore scorers` lists them"},
    [OPTION_PARAM] = {"param", 'p', "NAME=VALUE", true,
                      COMMAND_SELECT | COMMAND_SCORE | COMMAND_PHRASES | COMMAND_ALIGN |
                          COMMAND_MIX | ANALYZED | COMMAND_PROJECT,
                      "a parameter of the strategy or scorer; of phrases max_n=4, smp_limit=N|inf, "
                      "exclude_labeled=0, letters=0; of align iterations=5, model=diagonal|ibm1, "
                      "vb=1, tension=off|gradient|public, p0=0.08, lambda=4, alpha=0.01; of mix "
                      "span=consistent|minmax|literal, unique=0, norm=0, k=4, subset=100000, "
                      "upsample_phrase=1; repeatable"},
    [OPTION_PLAN] = {"plan", 0, "FILE", false, COMMAND_SELECT,
                     "file of a labeling plan, for a strategy with the parameter file; "
                     "-p config=NAME names its configuration"},
    [OPTION_LIKE] = {"like", 0, "SELECTION", false, SELECTING,
                     "an earlier selection from POOL, for the strategy same-ratio, which picks as "
                     "many rows of each language"},
    [OPTION_BUDGET] = {"budget", 0, "N[i|w|c|u],...", false, ROUNDED,
                       "items (default), words, characters or units of the cost column (required); "
                       "several with a file each: --out sel-{budget}.tsv"},
    [OPTION_PRICE] = {"price", 0, "AMOUNT/UNIT", false, SELECTING,
                      "what labeling costs, such as 0.1773/w or 0.12EUR/c, for the summary and the "
                      "reports"},
    [OPTION_FILL] = {"fill", 0, "overshoot|stop|skip", false, ROUNDED,
                     "how the last items meet the budget (default overshoot)"},
    [OPTION_MASKS] =
        {"masks", 0, "auto|all|none|NAME,...", false, ROUNDED | COMMAND_CANDIDATES,
         "texts that are left out as not worth a translator's time: wordless, language, lengths, "
         "templates, near (default auto: all where the recommended strategy selects, else none)"},
    [OPTION_MAX_SIMILARITY] = {"max-similarity", 0, "S", false, ROUNDED,
                               "pass over a row whose cosine with a pick exceeds S (default off)"},
    [OPTION_FUZZY_MATCH] = {"fuzzy-match", 0, "PERCENT", false, REQUESTED,
                            "a row that a text of --labeled matches by so much, 50 to 100, counts "
                            "as translated (default off)"},
    [OPTION_TIE] = {"tie", 0, "index|random", false, ROUNDED,
                    "order of equal scores (default index: the earlier row first)"},
    [OPTION_NAN] = {"nan", 0, "error|exclude", false, ROUNDED,
                    "what a NaN or infinity does (default error: it names the row)"},
    [OPTION_SHARD] = {"shard", 0, "FIRST/ROWS", false, COMMAND_SELECT,
                      "POOL is a shard of rows that lie in several files, from number FIRST on, "
                      "from 0, of ROWS in all: does its next step (docs/distributed.md)"},
    [OPTION_DATASET] = {"dataset", 0, "NAME", false, COMMAND_SELECT,
                        "with --shard: what the data is called, such as its version; messages of "
                        "another one are refused"},
    [OPTION_MESSAGE] = {"message", 0, "FILE", true, COMMAND_SELECT,
                        "with --shard: what `alcore fold` wrote of an exchange that is over; "
                        "repeatable, in their order"},
    [OPTION_NEXT] = {"next", 0, "PATH", false, COMMAND_SELECT,
                     "with --shard: where the message of the next exchange goes, until the picks "
                     "are written to --out (required)"},
    [OPTION_COUNT] = {"count", 0, "N", false, COMMAND_CANDIDATES | COMMAND_MIX | COMMAND_PROJECT,
                      "candidates: rows to draw (required); mix and project train --mix: pairs of "
                      "each kind (default as many as "
                      "the phrases that the words of the selection would buy)"},
    [OPTION_STRICT] = {"strict", 0, NULL, false, COMMAND_SELECT | COMMAND_MIX,
                       "exit with 1 when the pool ends before the budget, or pairs are missing"},
    [OPTION_FORMAT] = {"format", 0, "text|tsv|csv|jsonl|conll|sgml|tmx", false,
                       COMMAND_PROJECT | ALL_WORK | COMMAND_ALIGN | COMMAND_MODEL,
                       "format of the texts, in place of the suffix"},
    [OPTION_TEXT_COLUMN] = {"text-column", 0, "NAME", false,
                            COMMAND_PROJECT | ALL_WORK | COMMAND_EVAL | COMMAND_PLOT |
                                COMMAND_ALIGN | COMMAND_MODEL,
                            "column of the text (default the first of text, source, src; of align "
                            "source)"},
    [OPTION_REFERENCE_COLUMN] =
        {"reference-column", 0, "NAME", false,
         COMMAND_PROJECT | COMMAND_CANDIDATES | COMMAND_ALIGN | ANNOTATING,
         "column of the references, of mix in --labeled (default the first of reference, target, "
         "translation; of align target)"},
    [OPTION_BAD_LINES] = {"bad-lines", 0, "error|mask", false,
                          COMMAND_PROJECT | ALL_WORK | COMMAND_MODEL,
                          "what a malformed line does (default error; mask: its row is never "
                          "selected)"},
    [OPTION_ESCAPES] =
        {"escapes", 0, "auto|on|off", false,
         COMMAND_PROJECT | ALL_WORK | COMMAND_EVAL | COMMAND_PLOT | COMMAND_ALIGN | COMMAND_MODEL,
         "whether \\t, \\n and \\\\ of TSV, CSV and text are a TAB, a line break and a "
         "backslash (default auto: in a TSV whose first line is one of alcore's)"},
    [OPTION_LANGUAGE] = {"language", 0, "TAG", false,
                         COMMAND_PROJECT | COMMAND_CANDIDATES | ANNOTATING,
                         "language of the rows of POOL that name none, and of the sources of a "
                         "translation memory"},
    [OPTION_SIDE] = {"side", 0, "NAME", false, TEST_SETS,
                     "of a test set in SGML or XML with several sides: src, ref or hyp; eval "
                     "overlap: src (default), tgt, or both of a .tsv, .csv or .jsonl"},
    [OPTION_TRANSLATOR] = {"translator", 0, "NAME", false, TEST_SETS,
                           "of a test set: the references of this translator"},
    [OPTION_SYSTEM] = {"system", 0, "NAME", false, TEST_SETS,
                       "of a test set: the output of this system"},
    [OPTION_DOMAIN] = {"domain", 0, "NAME", false, TEST_SETS,
                       "of a test set: only documents of this domain or genre"},
    [OPTION_DEDUP] = {"dedup", 0, "exact|normalized|none", false,
                      READS_POOL | COMMAND_EVAL | ANNOTATING,
                      "which texts count as repeats (default exact)"},
    [OPTION_LABELED] = {"labeled", 0, "FILE", true, READS_POOL | ANNOTATING,
                        "texts whose labels are known; of mix pairs of texts and references; of "
                        "oracle pairs that are aligned together with POOL; of composition a "
                        "translation memory, whose leverage is counted; repeatable"},
    [OPTION_TARGET] =
        {"target", 0, "FILE", true, SELECTING | ANALYZED | COMMAND_PLOT | COMMAND_COMPOSITION,
         "unlabeled texts of the target; with --strategy gold the labeled ones, which "
         "the picks come from in place of POOL; repeatable"},
    [OPTION_EXCLUDE] = {"exclude", 0, "FILE", true, POOL,
                        "rows and phrases taken out by id: an earlier selection or a list of ids; "
                        "rows count as bought for --masks and ngram-cover; repeatable"},
    [OPTION_EXCLUDE_TEXT] = {"exclude-text", 0, "FILE", true, POOL,
                             "rows and phrases taken out by text, as not wanted; repeatable"},
    [OPTION_ELIGIBLE] = {"eligible", 0, "FILE", false, POOL, "only the rows with these ids"},
    [OPTION_CANDIDATES] = {"candidates", 0, "FILE", false, UNCERTAIN,
                           "output of `alcore candidates`: ready columns have these rows only"},
    [OPTION_MIN_WORDS] = {"min-words", 0, "N", false, POOL, "mask rows with fewer words"},
    [OPTION_MAX_WORDS] = {"max-words", 0, "N", false, POOL, "mask rows with more words"},
    [OPTION_MIN_LETTERS] = {"min-letters", 0, "SHARE", false, POOL,
                            "mask rows with a lower share of letters among non-space characters"},
    [OPTION_SCORES] = {"scores", 0, "FILE", false, SELECTING | ANALYZED | COMMAND_COMPOSITION,
                       "ready scores: .npy, .txt (a number a line) or .tsv (id TAB number)"},
    [OPTION_SCORES_ARE] = {"scores-are", 0, "uncertainty|confidence|logprob", false, REQUESTED,
                           "what ready scores mean (default uncertainty)"},
    [OPTION_LOGPROBS] = {"logprobs", 0, "FILE", false, UNCERTAIN,
                         "token log-probabilities: .npy with --offsets, or .lp (id TAB lp lp ...)"},
    [OPTION_OFFSETS] = {"offsets", 0, "FILE.npy", false, UNCERTAIN,
                        "first token of each row, [rows + 1], for a FILE.npy with a value a token"},
    [OPTION_LOGPROB_BASE] = {"logprob-base", 0, "e|2|10", false, UNCERTAIN,
                             "base of the log-probabilities (default e)"},
    [OPTION_LOGPROBS_FORMAT] = {"logprobs-format", 0, "marian|fairseq|openai", false, UNCERTAIN,
                                "Marian's WordScores=, fairseq-generate's P- lines, or answers of "
                                "a server of OpenAI's protocol, JSON lines, of which --margins, "
                                "--confidences and --entropies are read too"},
    [OPTION_SERVED_VOCABULARY] =
        {"served-vocabulary", 0, "N", false, UNCERTAIN,
         "with --logprobs-format openai: tokens of the model's vocabulary; "
         "--entropies are then the upper bound in place of the lower one"},
    [OPTION_MARGINS] = {"margins", 0, "FILE", false, UNCERTAIN,
                        "difference of the two largest probabilities, a number a row as --scores, "
                        "or with --offsets a FILE.npy with one a token"},
    [OPTION_CONFIDENCES] = {"confidences", 0, "FILE", false, UNCERTAIN,
                            "largest probability, a number a row or a token as --margins"},
    [OPTION_ENTROPIES] = {"entropies", 0, "FILE", false, UNCERTAIN,
                          "entropy of the probabilities, a number a row or a token as --margins"},
    [OPTION_LOSSES] = {"losses", 0, "FILE.npy", false, SELECTING,
                       "losses of a masked language model, a number a token, with --offsets"},
    [OPTION_ROUNDTRIP] = {"roundtrip", 0, "FILE", false, SELECTING | COMMAND_SCORE,
                          "each row translated and translated back, by id or a line a row"},
    [OPTION_CONTEXT_COLUMN] = {"context-column", 0, "NAME", false, SELECTING | COMMAND_SCORE,
                               "column or key of POOL with the context of each question, for a "
                               "model of question answering"},
    [OPTION_PROBS] = {"probs", 0, "FILE.npy", false, UNCERTAIN,
                      "class probabilities [rows, classes]"},
    [OPTION_TOKEN_PROBS] = {"token-probs", 0, "FILE.npy", false, UNCERTAIN,
                            "class probabilities of each token [tokens, classes], with --offsets"},
    [OPTION_SAMPLE_PROBS] = {"sample-probs", 0, "FILE.npy", false, UNCERTAIN,
                             "class probabilities by several passes of a model, or several models "
                             "[samples, rows, classes]"},
    [OPTION_PROBS_ARE] = {"probs-are", 0, "probs|logprobs|logits|sigmoid|multilabel", false,
                          UNCERTAIN,
                          "what --probs, --token-probs, --sample-probs and --labeled-probs hold "
                          "(default probs); sigmoid: the "
                          "probability of the positive one of two classes; multilabel: those of "
                          "labels that do not exclude each other"},
    [OPTION_QA_START] = {"qa-start", 0, "FILE.npy", false, SELECTING | COMMAND_SCORE,
                         "probability that an answer begins at each token, with --offsets; for "
                         "the scorer sum-prob"},
    [OPTION_QA_END] = {"qa-end", 0, "FILE.npy", false, SELECTING | COMMAND_SCORE,
                       "probability that an answer ends at each token, with --offsets"},
    [OPTION_QA_WINDOWS] = {"qa-windows", 0, "FILE.npy", false, SELECTING | COMMAND_SCORE,
                           "number of tokens of each window of a long context, with "
                           "--qa-window-offsets; for -p windows=1"},
    [OPTION_QA_WINDOW_OFFSETS] = {"qa-window-offsets", 0, "FILE.npy", false,
                                  SELECTING | COMMAND_SCORE,
                                  "first window of each row, [rows + 1], for --qa-windows"},
    [OPTION_EMBEDDINGS] = {"embeddings", 0, "FILE.npy", false,
                           SELECTING | COMMAND_MIX | ANALYZED | COMMAND_PLOT | COMMAND_COMPOSITION,
                           "embeddings [rows, dims] of POOL"},
    [OPTION_LABELED_EMBEDDINGS] = {"labeled-embeddings", 0, "FILE.npy", false,
                                   REQUESTED | COMMAND_MIX, "embeddings of --labeled"},
    [OPTION_LABELED_PROBS] = {"labeled-probs", 0, "FILE.npy", false, REQUESTED,
                              "class probabilities [rows, classes] of --labeled, which hold what "
                              "--probs-are says; for the strategy contrastive"},
    [OPTION_TARGET_EMBEDDINGS] = {"target-embeddings", 0, "FILE.npy", false,
                                  SELECTING | ANALYZED | COMMAND_PLOT | COMMAND_COMPOSITION,
                                  "embeddings of --target"},
    [OPTION_MODEL] =
        {"model", 0, "ngram|FILE.arpa|DIR|COLUMN=DIR|FILE", true,
         SELECTING | COMMAND_SCORE | COMMAND_MIX | COMMAND_ALIGN | ANALYZED | COMMAND_PLOT |
             COMMAND_COMPOSITION | COMMAND_PROJECT,
         "where missing columns come from (default ngram); with COLUMN=, such as embeddings=DIR, "
         "where that column comes from (select, compare, ablate; repeatable); of project next a "
         "folder or ngram; of align the FILE of --save, which links the words in place of a "
         "training; of project train the folder that the torch engine fine-tunes, of project eval "
         "the model that is measured (default that of the round)"},
    [OPTION_CACHE] = {"cache", 0, "DIR", false, ROUNDED | COMMAND_RHO,
                      "folder where columns that models compute are kept for the next run"},
    [OPTION_CACHE_MAX_AGE] = {"cache-max-age", 0, "SECONDS", false, REQUESTED | COMMAND_RHO,
                              "compute again what --cache keeps and is older (default off)"},
    [OPTION_MAX_AGE] =
        {"max-age", 0, "ROUNDS", false, COMMAND_SELECT,
         "with --cache, use scores that a model had up to ROUNDS rounds ago where it "
         "was trained since (default 0)"},
    [OPTION_REFRESH_FACTOR] =
        {"refresh-factor", 0, "F", false, COMMAND_SELECT,
         "with --max-age, score the best rows again, F times the budget (default 3)"},
    [OPTION_ORDER] = {"order", 0, "N", false, COMMAND_LM,
                      "order of the n-gram model, 1 to 6 (default 4)"},
    [OPTION_DISCOUNTS] = {"discounts", 0, "D1,D2,D3,...", false, COMMAND_LM,
                          "lm train: discounts of adjusted counts 1, 2 and 3 or more of every "
                          "order, or those of order 1, then of order 2, ... (default estimated)"},
    [OPTION_LM] =
        {"lm", 0, "FILE.arpa", false, COMMAND_LM | COMMAND_MIX,
         "lm score: the model that scores (required); mix: the model that chooses where a "
         "phrase goes (default 4-grams of --pool)"},
    [OPTION_SEMI_MAXIMAL] = {"semi-maximal", 0, NULL, false, COMMAND_PHRASES,
                             "only phrases of which no longer one has more than half"},
    [OPTION_MIN_COUNT] = {"min-count", 0, "N", false, COMMAND_PHRASES,
                          "only phrases that occur at least N times (default 1)"},
    [OPTION_TOKENIZE] = {"tokenize", 0, "13a|intl|char|zh|none", false, COMMAND_EVAL,
                         "how bleu cuts a text into tokens (default 13a)"},
    [OPTION_SMOOTH] = {"smooth", 0, "exp|floor[=V]|add-k[=V]|none", false, COMMAND_EVAL,
                       "what bleu does with an order without a match (default exp)"},
    [OPTION_SENTENCE] =
        {"sentence", 0, NULL, false, COMMAND_EVAL,
         "bleu, chrf, ter: the value of each line; with --json beside the corpus's"},
    [OPTION_BOOTSTRAP] = {"bootstrap", 0, "N", false, COMMAND_EVAL,
                          "bleu, chrf, ter: a 95 % interval from N samples, drawn by --seed"},
    [OPTION_BASELINE] = {"baseline", 0, "FILE", false, COMMAND_EVAL,
                         "bleu, chrf, ter: translations of another system, which are compared with "
                         "HYP by a paired test"},
    [OPTION_PAIRED] = {"paired", 0, "bootstrap|randomization", false, COMMAND_EVAL,
                       "the paired test of --baseline (default bootstrap)"},
    [OPTION_SAMPLES] = {"samples", 0, "N", false, COMMAND_EVAL,
                        "samples of the test of --baseline (default: 1,000 of bootstrap, 10,000 of "
                        "randomization), drawn by --seed"},
    [OPTION_SCHEME] = {"scheme", 0, "default|iob2|iob1|ioe2|iobes|bilou", false, COMMAND_EVAL,
                       "f1: how tags mark spans (default: B, I, E and S, read as conlleval does)"},
    [OPTION_SYMMETRIZE] = {"symmetrize", 0, "NAME", false, COMMAND_ALIGN,
                           "how the links of both directions become one set: intersection, union, "
                           "grow-diag, grow-diag-final, grow-diag-final-and (default), forward, "
                           "reverse"},
    [OPTION_SAVE] = {"save", 0, "FILE", false, COMMAND_ALIGN,
                     "write the trained aligners to FILE.forward and FILE.reverse, for --model"},
    [OPTION_BY_WORD] = {"by-word", 0, NULL, false, COMMAND_EVAL,
                        "accuracy, macro-f1: each word of a line is a label"},
    [OPTION_CASED] = {"cased", 0, NULL, false, COMMAND_EVAL,
                      "ter: words that differ in case differ (default: lower case)"},
    [OPTION_SELECTED] = {"selected", 0, "FILE", true, COMMAND_EVAL,
                         "overlap: the selected data; repeatable"},
    [OPTION_OUTSIDE] = {"ood", 0, "FILE", true, COMMAND_EVAL,
                        "overlap, in-domain, word-accuracy: data outside the domain; repeatable"},
    [OPTION_TEST] =
        {"test", 0, "FILE", true, COMMAND_EVAL | COMMAND_ABLATE | COMMAND_COMPARE | COMMAND_PROJECT,
         "in-domain: the test set; ablate, compare: texts whose words the picks should cover; "
         "repeatable; project eval: texts and references that the model is measured on"},
    [OPTION_ORDERS] = {"orders", 'n', "N[-M]", false, COMMAND_EVAL,
                       "overlap: lengths of the n-grams (default 1-4)"},
    [OPTION_TARGET_COLUMN] = {"target-column", 0, "NAME", false, COMMAND_EVAL,
                              "overlap: column of the target side (default target)"},
    [OPTION_COMBINED] =
        {"combined", 0, "union|tagged", false, COMMAND_EVAL,
         "overlap --side both: equal words of both sides are one (default), or two"},
    [OPTION_UNIT] = {"unit", 0, "types|tokens", false, COMMAND_EVAL,
                     "overlap: distinct n-grams (default), or each by its occurrences in TEST"},
    [OPTION_MODE] =
        {"mode", 0, "coverage|precision|jaccard", false, COMMAND_EVAL,
         "overlap: shared n-grams over those of TEST (default), of the data, of either"},
    [OPTION_IDW] =
        {"idw", 0, "test|unseen", false, COMMAND_EVAL,
         "in-domain: words of the test set that --ood lacks (default), or any such word"},
    [OPTION_TRAIN] = {"train", 0, "FILE", true, COMMAND_EVAL,
                      "duplicates: texts that the test set should not have; repeatable"},
    [OPTION_KIND] = {"kind", 0, "NAME[+NAME]...", false, COMMAND_MIX,
                     "pairs that are mixed in: none (default), random, retrieved, switched, "
                     "contextualized, or several with + between them"},
    [OPTION_POOL] = {"pool", 0, "POOL", false, COMMAND_MIX,
                     "unlabeled sentences of the domain, from which --selection was made"},
    [OPTION_SELECTION] =
        {"selection", 0, "FILE", true, ANNOTATING | COMMAND_COMPOSITION,
         "what was selected: .tsv, .csv or .jsonl of `alcore select`, of composition "
         "also a list of ids; repeatable, of composition once for each round"},
    [OPTION_OTHER] = {"other", 0, "FILE", true, COMMAND_COMPOSITION,
                      "another selection from POOL, to be compared with; repeatable"},
    [OPTION_ANSWERS] =
        {"answers", 0, "FILE", true, COMMAND_MIX,
         "translations of the selection: id TAB text TAB translation, or with --tool "
         "what a tool exports; repeatable"},
    [OPTION_LINKS] =
        {"links", 0, "FILE", false, COMMAND_EVAL | ANNOTATING | REQUESTED,
         "a line of links a sentence, source-target: 0-0 1-2. word-accuracy: with the references "
         "(without it all pairs are in memory, to be aligned); "
         "mix: of --labeled; oracle: of POOL with its references (default: made here); "
         "huds-phrase: "
         "of POOL with the tokens of a translation, whose --logprobs are given"},
    [OPTION_BY] =
        {"by", 0, "id|line", false,
         COMMAND_PROJECT | SELECTING | COMMAND_SCORE | COMMAND_CANDIDATES | COMMAND_EVAL |
             COMMAND_ALIGN | COMMAND_MODEL | ANNOTATING,
         "what joins two files that belong together, such as texts and their references (default "
         "id where both have ids, else line)"},
    [OPTION_REFERENCES] =
        {"references", 0, "FILE", false, COMMAND_PROJECT | COMMAND_ORACLE | COMMAND_CANDIDATES,
         "translations of all rows of POOL, by id or a line a row (default: those in POOL)"},
    [OPTION_LABELED_REFERENCES] =
        {"labeled-references", 0, "FILE", true, ANNOTATING,
         "translations of all rows of --labeled, by id or a line a row (default: those in "
         "--labeled); "
         "given once for each --labeled"},
    [OPTION_DICT] = {"dict", 0, "FILE", false, COMMAND_ORACLE,
                     "answer from a dictionary: source TAB translation"},
    [OPTION_REQUESTS] = {"requests", 0, NULL, false, COMMAND_ORACLE,
                         "write the selection as requests to people, phrases with up to three "
                         "sentences"},
    [OPTION_TOOL] = {"tool", 0, "NAME", false, COMMAND_PROJECT | ANNOTATING,
                     "write the requests, or read --answers, as the file of an annotators' tool; "
                     "`alcore tools` lists them; of project export and import (required)"},
    [OPTION_DRAFTS] = {"drafts", 0, "FILE", false, COMMAND_SELECT | COMMAND_ORACLE,
                       "suggestions for the annotators of --tool, or of --out NAME.html: a .txt "
                       "with a line for each row of POOL, or texts with their translations"},
    [OPTION_TASK] = {"task", 0, ALCORE__CHOICES(ALCORE__TASK_LIST), false,
                     COMMAND_SELECT | ANNOTATING,
                     "what the annotators of --tool, or of --out NAME.html, are asked (default "
                     "translation)"},
    [OPTION_LABELS] = {"labels", 0, "NAME,...", false, COMMAND_SELECT | ANNOTATING,
                       "the labels of --task classes, spans or tags"},
    [OPTION_SPAN_UNIT] = {"span-unit", 0, ALCORE__CHOICES(ALCORE__SPAN_UNIT_LIST), false,
                          ANNOTATING | COMMAND_PROJECT,
                          "what the offsets of spans count in the file of --tool (default what the "
                          "tool counts; of project import the setting span_unit)"},
    [OPTION_BATCH] = {"batch", 0, "NAME", false, COMMAND_SELECT | COMMAND_ORACLE,
                      "name of the batch, which tools show, and --out NAME.html (default alcore)"},
    [OPTION_PARALLEL] = {"parallel", 0, "PREFIX", false, COMMAND_MIX,
                         "also write PREFIX.src and PREFIX.tgt"},
    [OPTION_WORDS] = {"words", 0, "N", false, COMMAND_EVAL, "cost: words to translate"},
    [OPTION_COST_MODEL] = {"cost-model", 0, "rate|linear|power", false, COMMAND_EVAL,
                           "cost: how the price follows from the words (default rate)"},
    [OPTION_RATE] = {"rate", 0, "USD", false, COMMAND_EVAL,
                     "cost: USD a word, of rate (default 0.1773)"},
    [OPTION_BLEU_GAIN] = {"bleu-gain", 0, "POINTS", false, COMMAND_EVAL,
                          "cost: BLEU gained over the base model, for the price of a point"},
    [OPTION_TYPES] = {"types", 0, "N", false, COMMAND_EVAL,
                      "cost: in-domain word types selected, for the price of one"},
    [OPTION_PATIENCE] = {"patience", 0, "ROUNDS", false, COMMAND_EVAL,
                         "plateau: rounds without an improvement that end a loop (default 3)"},
    [OPTION_LEAST_GAIN] = {"least-gain", 0, "G", false, COMMAND_EVAL,
                           "plateau: an improvement exceeds the best round by more (default 0)"},
    [OPTION_LOWER_IS_BETTER] = {"lower-is-better", 0, NULL, false, COMMAND_EVAL,
                                "plateau: the metric falls as models get better, as TER does"},
    [OPTION_THRESHOLD] = {"threshold", 0, "T", false, COMMAND_EVAL,
                          "uncertainty: what is low (required); agreement: the least mean of the "
                          "kappas (default 0.99)"},
    [OPTION_STATISTIC] = {"statistic", 0, "mean|max", false, COMMAND_EVAL,
                          "uncertainty: which number is compared (default mean)"},
    [OPTION_WINDOW] = {"window", 0, "K", false, COMMAND_EVAL,
                       "agreement: kappas whose mean counts, the last ones (default 3)"},
    [OPTION_EXIT_CODE] = {"exit-code", 0, NULL, false, COMMAND_EVAL,
                          "plateau, uncertainty, agreement: exit with 1 where the loop goes on"},
    [OPTION_X] = {"x", 0, "COLUMN", false, COMMAND_PLOT,
                  "curves, scatter: the column of the x axis (default words; of scatter u)"},
    [OPTION_Y] = {"y", 0, "COLUMN", false, COMMAND_PLOT,
                  "curves, scatter: the column of the y axis (default metric; of scatter d)"},
    [OPTION_EVENTS] = {"events", 0, NULL, false, COMMAND_EXPERIMENT,
                       "print each event as a line of JSON as it comes"},
    [OPTION_KEEP_GOING] = {"keep-going", 0, NULL, false, COMMAND_EXPERIMENT,
                           "after a run failed, do the others; the exit status is that of the "
                           "first failure"},
    [OPTION_BAND] = {"band", 0, "se|sd|none", false, COMMAND_PLOT,
                     "curves: what the band over seeds shows (default se)"},
    [OPTION_TITLE] = {"title", 0, "TEXT", false, COMMAND_PLOT, "the title of the picture"},
    [OPTION_FIRST] = {"first", 0, "N", false, COMMAND_PLOT,
                      "scatter: picks of each strategy and round that are drawn (default 10)"},
    [OPTION_TERMS] =
        {"terms", 0, "FILE.tsv", true, COMMAND_PLOT,
         "scatter: where u and d of the picks stand, by id, such as a selection of "
         "all rows by huds (default: in each FILE); given once, or once for each FILE"},
    [OPTION_LAMBDA] = {"lambda", 0, "A,B,...", false, COMMAND_ABLATE,
                       "weights of diversity (default 0,.1,.3,.5,.7,.9,1)"},
    [OPTION_RATIO] = {"ratio", 0, "A,B,...", false, COMMAND_ABLATE,
                      "shares of the budget that --strategy hybrid spends on sentences (default "
                      "0,.25,.5,.75,1)"},
    [OPTION_K] = {"k", 0, "A,B,...", false, COMMAND_RHO | COMMAND_COMPOSITION,
                  "numbers of neighbors, at most 8192 (default 1,2,4,... up to the rows); of "
                  "composition one number: how many nearest rows of a target count (default 10)"},
    [OPTION_TARGET_SCORES] = {"target-scores", 0, "FILE", false, COMMAND_RHO,
                              "uncertainties of --target, with --scores"},
    [OPTION_LAYER] = {"layer", 0, "N", false, COMMAND_MODEL,
                      "embed: the block whose output the embeddings are made of, from 1; 0: what "
                      "enters the first; -1: the last, the default"},
    [OPTION_POOLING] =
        {"pool", 0, "mean|cls|first-subword|pooler|max", false, COMMAND_MODEL,
         "embed: how the vectors of tokens become one (default what the folder says, else mean)"},
    [OPTION_NORMALIZE] = {"normalize", 0, NULL, false, COMMAND_MODEL,
                          "embed: vectors of length 1 (default what the folder says)"},
    [OPTION_TOKEN_OFFSETS] =
        {"offsets", 0, "[O.npy]", false, COMMAND_MODEL,
         "probs: the file of the first token of each line, [lines + 1], for a model of tokens; "
         "tokenize: the bytes of each token behind its id, id:begin-end"},
    [OPTION_BEAM] = {"beam", 0, "N", false, COMMAND_MODEL,
                     "translate: hypotheses that are kept, 1 to 64 (default what the folder says)"},
    [OPTION_BEST] = {"best", 0, "N", false, COMMAND_MODEL,
                     "translate: the N best outputs of each line, as a TSV with id, rank, score "
                     "and text (at most as many as --beam)"},
    [OPTION_DROPOUT] = {"dropout", 0, "SEED", false, COMMAND_MODEL,
                        "score: dropout stays on, drawn by SEED; the variance over passes with "
                        "several seeds tells how sure the model is"},
    [OPTION_TO] =
        {"to", 0, "LANGUAGE", false,
         COMMAND_MODEL | UNCERTAIN | COMMAND_RHO | ANNOTATING | COMMAND_PROJECT,
         "language of a model's outputs, such as de_DE (mBART), de (M2M100) or deu_Latn "
         "(NLLB); of model: translate, probs where the --prompt has {target_language}, and "
         "score, of whose TARGET it is the language; with --tool: of the translations"},
    [OPTION_DTYPE] = {"dtype", 0, "float32|bfloat16|float16|int8", false,
                      COMMAND_MODEL | SELECTING | COMMAND_SCORE | ANALYZED | COMMAND_PLOT |
                          COMMAND_COMPOSITION,
                      "number type in which a Hugging Face model multiplies (default float32 on "
                      "the CPU, where float16 is refused, and bfloat16 on other devices, where "
                      "int8 is)"},
    [OPTION_PROMPT] = {"prompt", 0, "TEXT", false,
                       COMMAND_MODEL | SELECTING | COMMAND_SCORE | ANALYZED | COMMAND_COMPOSITION,
                       "a text in front of every text that a Hugging Face model reads, such as "
                       "\"query: \"; an empty one leaves out the default prompt of the folder; "
                       "of a language model with {source}, {source_language}, {target_language} "
                       "and {target} in their places, a translator; with {text}, see --verbalizer"},
    [OPTION_PROMPT_NAME] = {"prompt-name", 0, "NAME", false,
                            COMMAND_MODEL | SELECTING | COMMAND_SCORE | ANALYZED |
                                COMMAND_COMPOSITION,
                            "the prompt of that name in the folder's "
                            "config_sentence_transformers.json, such as query"},
    [OPTION_VERBALIZER] = {"verbalizer", 0, "LABEL,LABEL[,...]", false,
                           COMMAND_MODEL | SELECTING | COMMAND_SCORE | ANALYZED |
                               COMMAND_COMPOSITION,
                           "labels of classes, words that a language model finds likely or not "
                           "behind a --prompt with {text}: gives it the column probs; spaces "
                           "count (\" no, yes\")"},
    [OPTION_CHAT] = {"chat", 0, "SYSTEM", false,
                     COMMAND_MODEL | SELECTING | COMMAND_SCORE | ANALYZED | COMMAND_COMPOSITION,
                     "the --prompt is the turn of a user in the chat template of a language "
                     "model's folder, behind a system turn with this text; an empty one: no "
                     "system turn"},
    [OPTION_MAX_LENGTH] = {"max-length", 0, "N", false, COMMAND_MODEL,
                           "translate: tokens of an output (default what the folder says)"},
    [OPTION_TOKEN_SCORES] = {"scores", 0, "FILE.lp", false, COMMAND_MODEL,
                             "translate: the log-probabilities of the tokens of the outputs"},
    [OPTION_VOCABULARY_SIZE] = {"size", 0, "N", false, COMMAND_MODEL,
                                "vocabulary: tokens, special ones included (default 8000)"},
    [OPTION_VOCABULARY_KIND] = {"kind", 0, "unigram|bpe", false, COMMAND_MODEL,
                                "vocabulary: how pieces are chosen (default unigram)"},
    [OPTION_COVERAGE] = {"coverage", 0, "SHARE", false, COMMAND_MODEL,
                         "vocabulary: characters that are tokens, 0.98 to 1 (default 0.9995)"},
    [OPTION_BYTE_FALLBACK] = {"byte-fallback", 0, NULL, false, COMMAND_MODEL,
                              "vocabulary: other characters become tokens of their bytes"},
    [OPTION_MAX_TEXTS] = {"max-texts", 0, "N", false, COMMAND_MODEL,
                          "vocabulary: train on N texts, drawn by --seed (default all)"},
    [OPTION_ANNOTATOR] = {"annotator", 0, "NAME", false, COMMAND_PROJECT,
                          "import: who answered, where the file does not say (default somebody "
                          "without a name, who counts as one more person)"},
    [OPTION_ROLE] = {"role", 0, "candidates|labeled|target|excluded", false, COMMAND_PROJECT,
                     "add: what the texts are (default candidates)"},
    [OPTION_WITH_LABELED] = {"with-labeled", 0, NULL, false, COMMAND_PROJECT,
                             "project train: the pairs that were there before are learned too"},
    [OPTION_MIX] = {"mix", 0, "NAME[+NAME]...", false, COMMAND_PROJECT,
                    "project train: pairs of the labeled files that are mixed in, as --kind of mix "
                    "has them, with --count and -p of mix"},
    [OPTION_METRICS] = {"metrics", 0, "NAME,...", false, COMMAND_PROJECT,
                        "project eval --test: chrf, bleu, ter, loss, accuracy, exact_match, f1, "
                        "span_f1, strict_span_f1 (default those that fit the model)"},
    [OPTION_OUT] = {"out", 0, "FILE", false,
                    COMMAND_PROJECT | ALL_WORK | COMMAND_EVAL | COMMAND_ALIGN | COMMAND_PLOT |
                        COMMAND_MODEL | COMMAND_FOLD,
                    "where the result goes, by its suffix (default -, standard output)"},
    [OPTION_REPORT] = {"report", 0, "FILE.md|.json|.html", false, COMMAND_SELECT,
                       "write a report of the selection"},
    [OPTION_HTML] = {"html", 0, "FILE.html", false, COMMAND_COMPARE,
                     "write a page with pictures, which loads nothing"},
    [OPTION_CONFIG] = {"config", 0, "FILE.json", false, COMMAND_SELECT,
                       "repeat the run of a JSON report; refuses changed inputs"},
    [OPTION_FORCE] = {"force", 0, NULL, false, COMMAND_SELECT, "with --config: changed inputs too"},
    [OPTION_SEED] = {"seed", 0, "N", false,
                     PICKING | COMMAND_COMPARE | COMMAND_EVAL | COMMAND_MIX | COMMAND_ABLATE |
                         COMMAND_MODEL | COMMAND_PROJECT,
                     "seed of the draws (default 0)"},
    [OPTION_ROUND] =
        {"round", 0, "N", false,
         COMMAND_PROJECT | PICKING | COMMAND_COMPARE | COMMAND_MIX | COMMAND_ABLATE,
         "round, from 1: seeds the draws (default 1); of project: next the round that is to be "
         "there afterwards, export the one whose items are written (default the last; all: those "
         "of all), metric and eval the one that was measured (default the last; 0: before the "
         "first)"},
    [OPTION_THREADS] = {"threads", 0, "N", false,
                        COMMAND_PROJECT | ALL_WORK | COMMAND_EVAL | COMMAND_ALIGN | COMMAND_PLOT |
                            COMMAND_EXPERIMENT | COMMAND_MODEL,
                        "threads; 0 = all the process may use (default)"},
    [OPTION_DEVICE] = {"device", 0, "auto|cpu|cuda[:N]", false,
                       ROUNDED | COMMAND_MIX | COMMAND_MODEL,
                       "where the arithmetic runs (default auto)"},
    [OPTION_QUIET] = {"quiet", 'q', NULL, false,
                      COMMAND_PROJECT | ALL_WORK | COMMAND_EVAL | COMMAND_ALIGN | COMMAND_PLOT |
                          COMMAND_EXPERIMENT | COMMAND_MODEL,
                      "no summary, no progress"},
    [OPTION_TORCH] = {"torch", 0, "[DIR|none]", false, COMMAND_DOCTOR,
                      "find a torch that models can run on, or try that of DIR"},
    [OPTION_WRITE] = {"write", 0, NULL, false, COMMAND_DOCTOR,
                      "with --torch: later runs use that torch; with --torch none: none any more"},
    [OPTION_JSON] =
        {"json", 0, NULL, false,
         COMMAND_PROJECT | SELECTING | COMMAND_STRATEGIES | COMMAND_SCORERS | COMMAND_TOOLS |
             COMMAND_DOCTOR | COMMAND_EVAL | COMMAND_ALIGN | COMMAND_SCORE | COMMAND_PHRASES |
             ANNOTATING | ANALYZED | COMMAND_COMPOSITION | COMMAND_CANDIDATES | COMMAND_LM |
             COMMAND_PLOT | COMMAND_EXPERIMENT | COMMAND_MODEL,
         "machine-readable output; of select, candidates, score, phrases, align, lm, plot, mix, "
         "oracle and model: when the result goes to a file"},
    [OPTION_HELP] = {"help", 'h', NULL, false, COMMAND_ALL, "this text"},
    [OPTION_VERSION] = {"version", 0, NULL, false, COMMAND_ALL, "the version"},
};

const command_info command_table[] = {
    {"select", COMMAND_SELECT, "POOL", 0, 1, "choose what to label next under a budget",
     "alcore select pool.txt --labeled labeled.tsv --budget 1000w --out picked.tsv"},
    {"candidates", COMMAND_CANDIDATES, "POOL", 1, 1, "write the rows to score elsewhere",
     "alcore candidates pool.txt --count 20000 --round 2 --out candidates.tsv"},
    {"score", COMMAND_SCORE, "POOL", 1, 1, "write one score per row",
     "alcore score pool.txt --scorer nnll --labeled labeled.tsv --out scores.tsv"},
    {"strategies", COMMAND_STRATEGIES, "[NAME]", 0, 1, "list the strategies, or one's parameters",
     "alcore strategies huds"},
    {"scorers", COMMAND_SCORERS, "[NAME]", 0, 1, "list the scorers, or one's parameters",
     "alcore scorers entropy"},
    {"doctor", COMMAND_DOCTOR, "", 0, 0, "what this build can do on this machine",
     "alcore doctor --torch --write"},
    {"lm", COMMAND_LM, "train|score TEXT", 2, 2,
     "train an n-gram language model, or score with one",
     "alcore lm train pool.txt --order 4 --out pool.arpa"},
    {"model", COMMAND_MODEL,
     "info|tokenize|embed|score|probs|translate DIR [TEXT [TARGET]] | vocabulary TEXT | train "
     "CONFIG.json | merge ADAPTER OUT",
     2, 4,
     "what a model folder is, and its answers to a file of texts; training of models and "
     "vocabularies; merging of adapters",
     "alcore model embed all-MiniLM-L6-v2 pool.txt --out embeddings.npy"},
    {"phrases", COMMAND_PHRASES, "POOL", 1, 1, "list the phrases of a pool with their counts",
     "alcore phrases pool.txt --labeled labeled.tsv --min-count 2 --out phrases.tsv"},
    {"align", COMMAND_ALIGN, "SOURCE TARGET|TSV", 1, 2,
     "link the words of sentences and their translations",
     "alcore align pairs.tsv --symmetrize grow-diag-final-and --out pairs.links"},
    {"oracle", COMMAND_ORACLE, "POOL", 1, 1,
     "translate a selection by references or a dictionary, or write requests",
     "alcore oracle pool.txt --selection picked.tsv --requests --out requests.tsv"},
    {"mix", COMMAND_MIX, "", 0, 0, "write the training set of a round",
     "alcore mix --kind none --labeled labeled.tsv --pool pool.txt --selection picked.tsv "
     "--answers answers.tsv --out train.tsv"},
    {"eval", COMMAND_EVAL, "METRIC FILE...", 1, MAX_OPERANDS,
     "measure translations, labels, spans, answers, overlap or numbers; whether a loop may end",
     "alcore eval bleu hypotheses.txt references.txt --bootstrap 1000"},
    {"ablate", COMMAND_ABLATE, "POOL", 1, 1,
     "select with several weights of diversity, or shares of sentences and phrases, from one "
     "scoring "
     "pass and compare the picks",
     "alcore ablate pool.txt --labeled labeled.tsv --budget 1000w --strategy huds --lambda "
     "0,0.5,1"},
    {"compare", COMMAND_COMPARE, "POOL", 1, 1,
     "say what several strategies would buy: cost, lengths, coverage, repeats, what they share",
     "alcore compare pool.txt --labeled labeled.tsv --budget 1000w --strategy "
     "recommended,huds:rescale=rank --test test.txt --html compared.html"},
    {"rho", COMMAND_RHO, "POOL", 1, 1,
     "correlate the uncertainty of a target with that of its neighbors",
     "alcore rho pool.tsv --target target.tsv --embeddings pool.npy --target-embeddings "
     "target.npy"},
    {"composition", COMMAND_COMPOSITION, "POOL", 1, 1,
     "say what selections consist of: languages, uncertainty, distance to a target, overlap",
     "alcore composition pool.txt --selection picked.tsv"},
    {"plot", COMMAND_PLOT, "curves|scatter|map FILE...", 2, MAX_OPERANDS,
     "draw learning curves, picks by two terms of their score, or a map of selections",
     "alcore plot curves metrics.tsv --out curves.svg"},
    {"project", COMMAND_PROJECT,
     "init|set|get|add|next|export|import|labeled|metric|train|eval|disagreements|status|report|"
     "log|verify|gc FOLDER [FILE|NAME=VALUE|COMMAND]...",
     2, MAX_OPERANDS,
     "keep the rounds of a labeling project: what was picked, sent out, answered and measured",
     "alcore project init work strategy=ngram-cover budget=1000w"},
    {"experiment", COMMAND_EXPERIMENT, "CONFIG.json FOLDER", 2, 2,
     "do what is left of an experiment: strategies x seeds x budgets x domains, round by round",
     "alcore experiment huds.json work"},
    {"fold", COMMAND_FOLD, "MESSAGE...", 1, MAX_OPERANDS,
     "make one message of those that all shards have written with `alcore select --shard`",
     "alcore fold shard-1.next shard-2.next --out texts.all"},
    {"tools", COMMAND_TOOLS, "[NAME]", 0, 1,
     "list the annotators' tools whose files are written and read", "alcore tools xliff"},
};
const int command_total = (int)(sizeof command_table / sizeof command_table[0]);
