/* SPDX-License-Identifier: Apache-2.0 */
/* The option "masks": which texts are left out as not worth a translator's time, and that each
 * counts once in provenance and summary. */
#include <jansson.h>

#include "request_test.h"

static const char *const TEXTS[] = {
    "Could not open the file %s",          /* 0 */
    "Could not open the file {name}.",     /* 1: template of 0 */
    "could not open the file 7",           /* 2: template of 0 */
    "%s: %d / %d",                         /* 3: wordless */
    "x = 12345678",                        /* 4: one letter */
    "(*.png) --all /usr/share/x 12,345 a", /* 5: hardly a letter is left */
    "Close this window",                   /* 6: template of a labeled text */
    "Save the picture",                    /* 7 */
    "Read the long text slowly aloud",     /* 8: near to a labeled text */
    "Reading the settings failed",         /* 9 */
};
enum { TEXT_COUNT = sizeof TEXTS / sizeof *TEXTS };

typedef struct world {
    alcore_ctx *ctx;
    alcore_pool *pool, *labeled;
} world;

/* The texts above and one of `length` words, row TEXT_COUNT. */
static world open_world(int length) {
    static const char *const labeled[] = {"CLOSE this window!",
                                          "Read the long text very slowly aloud"};
    world w;
    char *text = calloc((size_t)length, 8);
    const char *texts[] = {text};
    ck_assert_ok(alcore_ctx_new(NULL, &w.ctx));
    w.pool = pool_of(w.ctx, TEXTS, TEXT_COUNT);
    for (int i = 0; i < length; i++) strcat(text, "word ");
    ck_assert_ok(alcore_pool_add_texts(w.pool, texts, NULL, 1, NULL));
    free(text);
    w.labeled = pool_of(w.ctx, labeled, 2);
    return w;
}

static void close_world(world *w) {
    alcore_pool_unref(w->pool);
    alcore_pool_unref(w->labeled);
    alcore_ctx_unref(w->ctx);
}

static alcore_status select_masked(const world *w, const char *strategy, const char *masks,
                                   alcore_selection **out) {
    alcore_request *request = request_for(w->ctx, w->pool, strategy, "100");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, w->labeled));
    if (masks) ck_assert_ok(alcore_request_set(request, "masks", masks));
    const alcore_status status = alcore_select(request, out);
    alcore_request_unref(request);
    return status;
}

static const struct {
    const char *strategy, *masks;
    int wordless, lengths, templates, near;
    bool rows[TEXT_COUNT + 1]; /* that are left */
} trials[] = {
    {"random", NULL, 0, 0, 0, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"random", "none", 0, 0, 0, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"random", "wordless", 3, 0, 0, 0, {1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1}},
    {"random", "templates", 0, 0, 3, 0, {1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}},
    {"random", "lengths", 0, 1, 0, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}},
    {"random", "templates,wordless", 3, 0, 3, 0, {1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}},
    {"random", "near", 0, 0, 0, 3, {1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1}},
    {"random", "all", 3, 1, 3, 1, {1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0}},
};

static int masked_for(const alcore_selection *selection, const char *cause) {
    json_t *root = json_loads(alcore_selection_provenance(selection), 0, NULL);
    const json_t *count = json_object_get(json_object_get(root, "masked"), cause);
    ck_assert(json_is_integer(count));
    const int value = (int)json_integer_value(count);
    json_decref(root);
    return value;
}

START_TEST(masks_leave_out_what_they_name) {
    world w = open_world(200);
    alcore_selection *selection;
    int left = 0;
    ck_assert_ok(select_masked(&w, trials[_i].strategy, trials[_i].masks, &selection));
    for (int i = 0; i <= TEXT_COUNT; i++) left += trials[_i].rows[i];
    ck_assert_int_eq(alcore_selection_count(selection), left);
    for (int64_t i = 0; i < left; i++)
        ck_assert(trials[_i].rows[alcore_selection_rows(selection)[i]]);
    ck_assert_int_eq(masked_for(selection, "wordless"), trials[_i].wordless);
    ck_assert_int_eq(masked_for(selection, "length"), trials[_i].lengths);
    ck_assert_int_eq(masked_for(selection, "template"), trials[_i].templates);
    ck_assert_int_eq(masked_for(selection, "near"), trials[_i].near);
    alcore_selection_unref(selection);
    close_world(&w);
}
END_TEST

START_TEST(summary_counts_each_mask) {
    world w = open_world(200);
    alcore_selection *selection;
    ck_assert_ok(select_masked(&w, "random", "all", &selection));
    ck_assert_ptr_nonnull(strstr(
        alcore_selection_summary(selection),
        "rows read: 11; masked: 3 with hardly a word or cut off at a comma, 1 much shorter or "
        "longer than others, 3 with the words of another text but for names, 1 with nearly "
        "the words of another text\n"));
    alcore_selection_unref(selection);
    close_world(&w);
}
END_TEST

/* Where the rows end before the budget is spent, the summary names the masks that left out texts,
 * and a remedy lets them be bought. Rows that are left out for another reason are no mask's. */
START_TEST(a_short_selection_names_its_masks) {
    static const struct {
        const char *masks, *said;
    } shorts[] = {{"none", "11 of the pool could be selected\n"},
                  {"near", "8 of the pool could be selected; left out by masks: near 3\n"},
                  {"all", "3 of the pool could be selected; left out by masks: wordless 3, "
                          "lengths 1, templates 3, near 1\n"}};
    world w = open_world(200);
    alcore_selection *selection;
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    const bool masked = _i > 0;
    ck_assert_ok(select_masked(&w, "random", shorts[_i].masks, &selection));
    ck_assert_msg(strstr(alcore_selection_summary(selection), shorts[_i].said) != NULL, "%s",
                  alcore_selection_summary(selection));
    ck_assert_int_eq(alcore_selection_remedy(selection, 0, &remedy),
                     masked ? ALCORE_OK : ALCORE_E_NOT_FOUND);
    if (masked) ck_assert_str_eq(remedy.name, "masks");
    if (masked) ck_assert_str_eq(remedy.value, "none");
    alcore_selection_unref(selection);
    close_world(&w);
}
END_TEST

/* A budget that is spent needs no remedy, whatever was masked. */
START_TEST(a_spent_budget_names_no_masks) {
    world w = open_world(200);
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    alcore_request *request = request_for(w.ctx, w.pool, "random", "2");
    ck_assert_ok(alcore_request_set(request, "masks", "all"));
    alcore_selection *selection = selected(request);
    ck_assert_ptr_null(strstr(alcore_selection_summary(selection), "left out"));
    ck_assert_int_eq(alcore_selection_remedy(selection, 0, &remedy), ALCORE_E_NOT_FOUND);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    close_world(&w);
}
END_TEST

/* Few letters, source code, markup, and cells of a table are no words to translate, and a part of a
 * sentence is none; a sentence that names a function is one, and a script of syllables needs few
 * letters. */
START_TEST(texts_with_hardly_a_word_are_masked) {
    static const char *const texts[] = {
        "x",       /* one letter */
        "ab 1234", /* a third of its characters are letters */
        "int unlink(const char *pathname);",
        "[[deprecated]] int getpw(uid_t uid, char *buf);",
        "mlock(), mlock2(), and munlock()",
        "def read(self, count=1):",
        "%PRODUCTNAME %PRODUCTVERSION",
        "$(ARG1):",
        "Interface Attribute Value T{ getpw() T} Thread safety MT-Safe",
        "Siena. {{cite web|title=A history of Siena}}",
        "\\fBapt-get\\fR(8)",
        "| birth_date = unknown",
        "fsck.minix [options] device",
        "TCSBRK Argument: int arg",
        "If the menu bar is enabled,",
        "ab 123", /* two fifths are, and it is the first that is left */
        "%PRODUCTNAME %PRODUCTVERSION is new",
        "Equivalent to tcsendbreak(fd, arg).",
        "The memmove() function returns a pointer to dest.",
        "Delete file(s);",
        "Siena lies in Tuscany, in Italy. {{cite web|title=Siena}}",
        "The command \\fBapt-get\\fR reads it.",
        "60\xEC\xB4\x88",
        "\xEC\xB1\x84\xEB\x8F\x84(_U)...",
    };
    enum { COUNT = sizeof texts / sizeof *texts, MASKED = 15 };
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = pool_of(ctx, texts, COUNT);
    alcore_request *request = request_for(ctx, pool, "random", "100");
    ck_assert_ok(alcore_request_set(request, "masks", "wordless"));
    alcore_selection *selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), COUNT - MASKED);
    for (int64_t i = 0; i < COUNT - MASKED; i++)
        ck_assert_int_ge(alcore_selection_rows(selection)[i], MASKED);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Texts without a word have no length: they are no outliers, and they hide and make none. */
START_TEST(lengths_are_those_of_texts_with_words) {
    static const char *const texts[] = {
        "_",          "__",          "___",         "____",
        "_____",      "%s",          "...",         "hello big",
        "hello text", "hello world", "hello there", "a text of ten words that has more of them"};
    enum { COUNT = sizeof texts / sizeof *texts };
    alcore_ctx *ctx;
    alcore_selection *selection;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = pool_of(ctx, texts, COUNT);
    alcore_request *request = request_for(ctx, pool, "random", "100");
    ck_assert_ok(alcore_request_set(request, "masks", "lengths"));
    ck_assert_ok(alcore_select(request, &selection));
    ck_assert_int_eq(masked_for(selection, "length"), 1); /* the last one */
    ck_assert_int_eq(alcore_selection_count(selection), COUNT - 1);
    for (int64_t i = 0; i < COUNT - 1; i++)
        ck_assert_int_ne(alcore_selection_rows(selection)[i], COUNT - 1);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The fences lie three times the distance of the quartiles beyond them, of the logarithms, and not
 * nearer than half and twice a quartile. */
START_TEST(lengths_are_masked_beyond_the_outer_fences) {
    static const struct {
        int count;
        int words[12]; /* [count] of each text; the last two are masked */
    } pools[] = {{10, {4, 4, 4, 4, 4, 4, 7, 3, 9, 1}},
                 {12, {20, 20, 20, 20, 40, 40, 40, 40, 300, 3, 340, 2}},
                 {10, {66000, 66000, 66000, 66000, 66000, 66000, 131000, 34000, 133000, 32000}}};
    static char text[2 * 133000 + 1];
    const char *added = text;
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = pool_of(ctx, NULL, 0);
    for (int i = 0; i < pools[_i].count; i++) {
        for (int k = 0; k < pools[_i].words[i]; k++) memcpy(text + 2 * k, "a ", 3);
        text[0] = (char)('a' + i); /* no text repeats another */
        ck_assert_ok(alcore_pool_add_texts(pool, &added, NULL, 1, NULL));
    }
    alcore_request *request = request_for(ctx, pool, "random", "100");
    ck_assert_ok(alcore_request_set(request, "masks", "lengths"));
    alcore_selection *selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), pools[_i].count - 2);
    for (int64_t i = 0; i < pools[_i].count - 2; i++)
        ck_assert_int_lt(alcore_selection_rows(selection)[i], pools[_i].count - 2);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Of a strategy that buys phrases they mask the texts; the drawing of candidates obeys them too. */
START_TEST(masks_are_of_the_texts_of_phrases) {
    world w = open_world(3);
    alcore_tensor rows;
    alcore_request *request = request_for(w.ctx, w.pool, "ngf", "100");
    alcore_selection *selection;
    ck_assert_ok(alcore_request_set(request, "masks", " wordless , templates"));
    ck_assert_ok(alcore_select(request, &selection));
    ck_assert_ptr_nonnull(strstr(
        alcore_selection_summary(selection),
        "rows read: 11; masked: 3 with hardly a word or cut off at a comma, 2 with the words"));
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_request_candidates(request, 100, &rows));
    ck_assert_int_eq(rows.shape[0], 6);
    ck_assert_ok(alcore_request_set(request, "masks", "foo"));
    ck_assert_int_eq(alcore_select(request, &selection), ALCORE_E_PARAM);
    alcore_request_unref(request);
    close_world(&w);
}
END_TEST

/* Hosts score what is drawn for a strategy that they name, also where the request has none yet. */
START_TEST(candidates_are_drawn_with_masks_that_are_named) {
    static const struct {
        const char *strategy, *masks; /* NULL: not set */
        int64_t drawn;
    } draws[] = {{NULL, NULL, 11},
                 {"recommended", "auto", 11},
                 {"huds", NULL, 11},
                 {NULL, "all", 5},
                 {"huds", "wordless", 8}};
    world w = open_world(200);
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        alcore_tensor rows;
        alcore_request *request =
            request_for(w.ctx, w.pool, draws[i].strategy ? draws[i].strategy : "random", "1");
        if (!draws[i].strategy) ck_assert_ok(alcore_request_set_strategy(request, NULL));
        if (draws[i].masks) ck_assert_ok(alcore_request_set(request, "masks", draws[i].masks));
        ck_assert_ok(alcore_request_candidates(request, 100, &rows));
        ck_assert_int_eq(rows.shape[0], draws[i].drawn);
        alcore_request_unref(request);
    }
    close_world(&w);
}
END_TEST

/* ngram-cover with row 9 bought, with masks or among rows [9 and count more]: `count` rows of a
 * selection. */
static alcore_selection *cover_rows(const world *w, const char *masks, const int64_t *rows,
                                    int64_t count) {
    alcore_selection *selection;
    alcore_request *request = request_for(w->ctx, w->pool, "ngram-cover", "100");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, w->labeled));
    ck_assert_ok(alcore_request_set(request, "masks", masks));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, &(int64_t){9}, 1));
    if (rows) ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, rows, count + 1));
    ck_assert_ok(alcore_select(request, &selection));
    ck_assert_int_eq(alcore_selection_count(selection), count);
    alcore_request_unref(request);
    return selection;
}

/* The cover takes the tokens of texts that the masks have read from these, and reads others itself:
 * with masks it buys what it buys of the rows that they leave, for the same gains. Row 9 is read
 * once more. */
START_TEST(covers_are_the_same_of_texts_that_masks_have_read) {
    static const int64_t rows[] = {0, 3, 4, 5, 7, 8, 10, 9};
    enum { LEFT = sizeof rows / sizeof *rows - 1 };
    world w = open_world(200);
    alcore_selection *masked = cover_rows(&w, "templates", NULL, LEFT);
    alcore_selection *plain = cover_rows(&w, "none", rows, LEFT);
    ck_assert_mem_eq(alcore_selection_rows(masked), alcore_selection_rows(plain),
                     LEFT * sizeof *rows);
    ck_assert_mem_eq(alcore_selection_scores(masked), alcore_selection_scores(plain),
                     LEFT * sizeof(double));
    ck_assert(alcore_selection_scores(masked)[0] > 0.0);
    alcore_selection_unref(masked);
    alcore_selection_unref(plain);
    close_world(&w);
}
END_TEST

START_TEST(wrong_names_are_refused) {
    static const char *const wrong[] = {"", "wordles", "wordless,", ",all", "wordless templates",
                                        "1"};
    world w = open_world(3);
    alcore_selection *selection;
    ck_assert_int_eq(select_masked(&w, "random", wrong[_i], &selection), ALCORE_E_PARAM);
    ck_assert_ptr_null(selection);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "masks: "));
    close_world(&w);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("text_masks");
    tcase_add_loop_test(cases, masks_leave_out_what_they_name, 0, sizeof trials / sizeof *trials);
    tcase_add_test(cases, summary_counts_each_mask);
    tcase_add_loop_test(cases, a_short_selection_names_its_masks, 0, 3);
    tcase_add_test(cases, a_spent_budget_names_no_masks);
    tcase_add_test(cases, texts_with_hardly_a_word_are_masked);
    tcase_add_test(cases, lengths_are_those_of_texts_with_words);
    tcase_add_loop_test(cases, lengths_are_masked_beyond_the_outer_fences, 0, 3);
    tcase_add_test(cases, masks_are_of_the_texts_of_phrases);
    tcase_add_test(cases, candidates_are_drawn_with_masks_that_are_named);
    tcase_add_test(cases, covers_are_the_same_of_texts_that_masks_have_read);
    tcase_add_loop_test(cases, wrong_names_are_refused, 0, 6);
    return check_suite_run("request/text_masks", cases);
}
