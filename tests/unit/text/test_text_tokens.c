/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens and placeholders of texts, what texts have to translate, and their n-grams. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "text/text_ngrams.h"
#include "text/text_tokens.h"
#include "text_cases.h"

#define HINDI "\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\xA8\xE0\xA5\x8D\xE0\xA4\xA6\xE0\xA5\x80"

/* The tokens of a text with blanks between: words as they stand, a number as N, a placeholder as
 * <...>, a sign after '. */
static const char *tokens_of(const char *text) {
    static char out[512];
    alcore__token_reader reader = {.text = text, .length = strlen(text)};
    out[0] = '\0';
    while (alcore__token_next(&reader)) {
        const int length = (int)(reader.next - reader.begin);
        const char *forms[] = {[ALCORE__TOKEN_WORD] = "%s%.*s",
                               [ALCORE__TOKEN_NUMBER] = "%sN",
                               [ALCORE__TOKEN_PLACEHOLDER] = "%s<%.*s>",
                               [ALCORE__TOKEN_SIGN] = "%s'%.*s"};
        const size_t end = strlen(out);
        snprintf(out + end, sizeof out - end, forms[reader.kind], end ? " " : "", length,
                 text + reader.begin);
    }
    return out;
}

static const struct {
    const char *text, *tokens;
} texts[] = {
    {"", ""},
    {" \t\n", ""},
    {"Close the dialog.", "Close the dialog '."},
    {"Page 12 of 3,450", "Page N of N ', N"},
    {"don't stop", "don '' t stop"},
    {"utf8 x86_64", "utf8 x86_64"},
    {"_File Sa_ve E&xit R & D", "File Sa_ve E&xit R '& D"},
    {"r\xC3\xA9sum\xC3\xA9 \xCE\xA3\xCE\xB1", "r\xC3\xA9sum\xC3\xA9 \xCE\xA3\xCE\xB1"},
    /* conversions; a percentage is none */
    {"%s: %-8.3f of %1$d, %(name)s", "<%s> ': <%-8.3f> of <%1$d> ', <%(name)s>"},
    {"%lu%% %%(x) %1 of %2", "<%lu> <%%> <%%> '( x ') <%1> of <%2>"},
    {"5 % of all", "N '% of all"},
    {"%{count} %<n>s", "<%{count}> <%<n>s>"},
    {"{0} {name:.2f} {{x}} ${HOME} #{y} $HOME {a b}",
     "<{0}> <{name:.2f}> <{{x}}> <${HOME}> <#{y}> <$HOME> '{ a b '}"},
    {"costs $5", "costs '$ N"},
    {"<b>bold</b><br/> a < b > c", "<<b>> bold <</b>> <<br/>> a '< b '> c"},
    {"&amp; &#160; &applet; AT&T; x", "<&amp;> <&#160;> <&applet;> AT&T '; x"},
    {"see https://a.org/x?y=1, or a.b@c.org.", "see <https://a.org/x?y=1> ', or <a.b@c.org> '."},
    {"use --name=x -v (--all) well-known", "use <--name=x> <-v> '( <--all> ') well '- known"},
    {"/usr/bin/x ./y ~/z C:\\d a/b/c.h and/or /",
     "</usr/bin/x> <./y> <~/z> <C:\\d> <a/b/c.h> and '/ or '/"},
    {"line\\n\\x20end", "line <\\n> <\\x20> end"},
    {"\\textbf Domain\\texts \\nOpen", "'\\ textbf Domain '\\ texts <\\n> Open"},
    {"und -gruppen, he/she/they a/b/c/d", "und '- gruppen ', he '/ she '/ they <a/b/c/d>"},
    {"10%-Anteil 100%ig %systemd %APPDATA% %lu%%",
     "N '% '- Anteil N '% ig '% systemd <%APPDATA%> <%lu> <%%>"},
    {"a <b and c> d <a href=x>", "a '< b and c '> d <<a href=x>>"},
    {"d&eacute;tails &lt;b&gt;Bold", "d <&eacute;> tails <&lt;> b <&gt;> Bold"},
    {"[a](http://x.org),[b](http://y.org/)",
     "'[ a '] '( <http://x.org> ') ', '[ b '] '( <http://y.org/> ')"},
    {"/usr/bin\xE7\x9B\xAE http://a.org\xE3\x80\x82",
     "</usr/bin> \xE7\x9B\xAE <http://a.org> '\xE3\x80\x82"},
    {"\xE8\xAF\xB7"
     "a@b.org",
     "\xE8\xAF\xB7 <a@b.org>"},
    {"co\xC2\xADop", "co\xC2\xADop"},
    /* keys behind a label of other letters */
    {"\xE5\x88\x97(_M): \xE5\x88\x97 (&9) (~b)...",
     "\xE5\x88\x97 <(_M)> ': \xE5\x88\x97 <(&9)> <(~b)> '. '. '."},
    {"URL(&U) read(&x) (_) (M) (_ab) (*b) (_M", "URL <(&U)> read '( x ') '( ') '( M ') '( ab ') "
                                                "'( '* b ') '( M"},
    {"@PACKAGE@ me @ home", "<@PACKAGE@> me '@ home"},
    /* a script without spaces: a letter with its marks is a word */
    {"\xE0\xB8\x97\xE0\xB8\xB5\xE0\xB9\x88 a", "\xE0\xB8\x97\xE0\xB8\xB5\xE0\xB9\x88 a"},
    {"\xE4\xB8\xAD\xE6\x96\x87", "\xE4\xB8\xAD \xE6\x96\x87"},
    {HINDI, HINDI},
    /* malformed bytes are signs */
    {"a\xFF"
     "b",
     "a '\xFF b"},
    {"a\xB5"
     "bcdefgh",
     "a '\xB5 bcdefgh"},
};

START_TEST(text_is_cut_into_tokens) {
    ck_assert_str_eq(tokens_of(texts[_i].text), texts[_i].tokens);
}
END_TEST

static uint64_t hash_of(const char *token) {
    alcore__token_reader reader = {.text = token, .length = strlen(token)};
    ck_assert(alcore__token_next(&reader));
    return reader.hash;
}

START_TEST(case_digits_and_kind_of_placeholder_do_not_count) {
    ck_assert_uint_eq(hash_of("File"), hash_of("_fIlE"));
    ck_assert_uint_eq(hash_of("19"), hash_of("20"));
    ck_assert_uint_ne(hash_of("19"), hash_of("200"));
    ck_assert_uint_eq(hash_of("utf8"), hash_of("UTF9"));
    ck_assert_uint_eq(hash_of("%s"), hash_of("{name}"));
    ck_assert_uint_eq(hash_of("co\xC2\xADop"), hash_of("coop"));
    ck_assert_uint_eq(hash_of("\xCE\xA3\xCE\xA3"), hash_of("\xCF\x83\xCF\x82")); /* sigmas */
    ck_assert_uint_ne(hash_of("file"), hash_of("files"));
    ck_assert_uint_eq(hash_of("\xC3\x84hre"), hash_of("\xC3\xA4hre")); /* Ä */
}
END_TEST

/* The hash of the first token of a prefix of a text. */
static uint64_t hash_of_first(const char *text, size_t length) {
    char *copy = malloc(length); /* so that a sanitizer sees what is read behind it */
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, length);
    alcore__token_reader reader = {.text = copy, .length = length};
    ck_assert(alcore__token_next(&reader));
    free(copy);
    return reader.hash;
}

/* A word is the same wherever it stands and whatever was passed over in it, and no two of the words
 * that are told apart by one of their characters, or by where they end, are equal. */
START_TEST(hashes_are_those_of_the_characters_that_count) {
    enum { LONGEST = 30 };
    const char *plain = "abcdefgh0jklmnopqrstuvwx0zabcd", *other = "AbCdEfGh7jKlMnOpQrStUvWx9zAbCd";
    char text[2 * LONGEST + 32];
    uint64_t hashes[LONGEST + 1];
    for (int n = 1; n <= LONGEST; n++) {
        hashes[n] = hash_of_first(plain, (size_t)n);
        for (int m = 1; m < n; m++) ck_assert_uint_ne(hashes[n], hashes[m]);
        ck_assert_uint_eq(hash_of_first(other, (size_t)n), hashes[n]);
        const int length = snprintf(text, sizeof text, "%.*s behind it", n, other);
        ck_assert_uint_eq(hash_of_first(text, (size_t)length), hashes[n]);
        for (int at = 0; at < n; at++) {
            snprintf(text, sizeof text, "%.*s_%.*s.", at, plain, n - at, plain + at);
            ck_assert_uint_eq(hash_of(text), hashes[n]);
            if (plain[at] != '0')
                snprintf(text, sizeof text, "%.*s&%.*s", at, plain, n - at, plain + at);
            ck_assert_uint_eq(hash_of(text), hashes[n]);
            snprintf(text, sizeof text, "%.*s", n, plain);
            text[at] = text[at] == 'k' ? 'j' : 'k';
            if (plain[at] != 'k') ck_assert_uint_ne(hash_of(text), hashes[n]);
            snprintf(text, sizeof text, "%.*s\xC3\xA9%.*s", at, plain, n - at, plain + at);
            ck_assert_uint_ne(hash_of(text), hashes[n]);
        }
    }
}
END_TEST

/* What marks an address may stand anywhere in a text; before and behind it are words. */
START_TEST(addresses_are_found_at_every_offset) {
    char text[160], expected[256];
    for (int before = 0; before < 40; before++) {
        for (int name = 1; name < 40; name += 3) {
            snprintf(text, sizeof text, "%.*s %.*s@b.org, www.c.de no www x", before,
                     "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop", name,
                     "qwertyuiopasdfghjklzxcvbnmqwertyuiopasdfg");
            snprintf(expected, sizeof expected, "%.*s%s<%.*s@b.org> ', <www.c.de> no www x", before,
                     "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop", before ? " " : "", name,
                     "qwertyuiopasdfghjklzxcvbnmqwertyuiopasdfg");
            ck_assert_str_eq(tokens_of(text), expected);
        }
    }
}
END_TEST

START_TEST(content_counts_and_recognizes_templates) {
    const alcore__text_content content = content_of("Read %d of 12 files.");
    ck_assert_int_eq(content.words, 3);
    ck_assert_int_eq(content.tokens, 6);
    ck_assert_int_eq(content.letters, 11);
    ck_assert_int_eq(content.characters, 14);
    /* Marks belong to letters: Hindi would have few without. */
    ck_assert_int_eq(content_of(HINDI).letters, 6);
    ck_assert_int_eq(content_of(HINDI).characters, 6);
    /* A syllable counts as two letters: Hangul, Ethiopic, a script without spaces. */
    ck_assert_int_eq(content_of("\xED\x8C\x8C\xEC\x9D\xBC a").letters, 5);
    ck_assert_int_eq(content_of("\xE1\x88\xB0\xE1\x88\x8B\xE1\x88\x9D").letters, 6);
    ck_assert_int_eq(content_of("\xE4\xB8\xAD\xE6\x96\x87").letters, 4);
    ck_assert_int_eq(content_of("\xE0\xB8\x97\xE0\xB8\xB5\xE0\xB9\x88").letters, 4); /* marks: 1 */
    ck_assert_int_eq(content_of("_x &y & %s\xC2\xA0\xC3\xA4\t/a/b \xFF\xE4\xB8\xAD.").characters,
                     9);
    ck_assert_uint_eq(content.pattern, content_of("read {n} of 7 files:").pattern);
    ck_assert_uint_ne(content.pattern, content_of("read {n} of 7 file").pattern);
    ck_assert_uint_ne(content.pattern, content_of("files of read").pattern);
    ck_assert_uint_eq(content_of("%s: 12 - /a/b").pattern, 0);
    ck_assert_uint_eq(content_of("").pattern, 0);
    /* Labels with keys of other letters are one template. */
    ck_assert_uint_eq(content_of("\xE5\x88\x97(_M)").pattern,
                      content_of("\xE5\x88\x97(&C):").pattern);
}
END_TEST

/* Marks of direction and joiners are no characters, between and within tokens. */
START_TEST(content_has_no_format_characters) {
    ck_assert_int_eq(content_of("\xE2\x80\x8F\x31\xE2\x81\xAD\x35 a").characters, 3);
    ck_assert_int_eq(content_of("_a_b &c").characters, 6);
}
END_TEST

/* The rules of a heading, above and below it, count neither. */
START_TEST(content_has_no_rules_of_headings) {
    ck_assert_int_eq(content_of("The ast module ======================").characters, 12);
    ck_assert_int_eq(content_of(" ~~~~ Exceptions ^^^^\n").characters, 10);
    ck_assert_int_eq(content_of("~~~~~").characters, 0);
    ck_assert_int_eq(content_of("== a ==").characters, 5);
    ck_assert_int_eq(content_of("**** a**** b").characters, 6);
    ck_assert_int_eq(content_of("==== | a | ====").characters, 11);
    ck_assert_int_eq(content_of("---- a ####").characters, 9);
    ck_assert_int_eq(content_of("a ....").characters, 5);
    ck_assert_int_eq(content_of("%%%% a %%%%").characters, 1);
}
END_TEST

/* What is called in source code, with its arguments, counts apart; plurals, notes and pages of the
 * manual in brackets are no calls. */
START_TEST(content_counts_calls_of_source_code) {
    char text[400] = "f(a, ";
    ck_assert_int_eq(content_of("int unlink(const char *pathname);").letters, 26);
    ck_assert_int_eq(content_of("int unlink(const char *pathname);").called, 23);
    ck_assert_int_eq(content_of("getpw() and get_euid()").called, 12);
    ck_assert_int_eq(content_of("min(abs(x), y) of z").called, 8);
    ck_assert_int_eq(content_of("close(int fd);").called, 10);
    ck_assert_int_eq(content_of("open(O_RDONLY) print(end=\"\")").called, 19);
    static const char *const prose[] = {"Delete file(s);",
                                        "see fcntl(2)",
                                        "OK(_O) URL(_U)",
                                        "Colleague(s)",
                                        "Article 6(1, 2);",
                                        "price (all, net)",
                                        "close(int fd) again",
                                        "f(a, b",
                                        "f a, b)",
                                        "\xED\x8C\x8C\xEC\x9D\xBC(a, b)",
                                        "(a, b)",
                                        ""};
    for (size_t i = 0; i < sizeof prose / sizeof *prose; i++)
        ck_assert_msg(content_of(prose[i]).called == 0, "%s", prose[i]);
    /* Arguments end within 256 bytes. */
    memset(text + 5, 'x', 250);
    strcpy(text + 255, ")");
    ck_assert_int_eq(content_of(text).called, 252);
    strcpy(text + 255, "xx)");
    ck_assert_int_eq(content_of(text).called, 0);
}
END_TEST

/* Variables add neither letters nor characters, as placeholders do not. */
START_TEST(content_has_no_variables) {
    ck_assert_int_eq(content_of("$(ARG1) %PRODUCTNAME %OS2_X and $(a_b)").letters, 3);
    ck_assert_int_eq(content_of("$(ARG1) %PRODUCTNAME %OS2_X and $(a_b)").characters, 3);
    ck_assert_int_eq(content_of("$(ARG1) %PRODUCTNAME %OS2_X and $(a_b)").words, 5);
    ck_assert_int_eq(content_of("$(ARG 1) $() $(ab").letters, 5);
    ck_assert_int_eq(content_of("100%BHI %BH %BHIa").letters, 9);
    ck_assert_int_eq(content_of("100%BHI %BH %BHIa").characters, 15);
    ck_assert_int_eq(content_of("%2BH $ 5 %").characters, 5);
}
END_TEST

/* Cells of a table in a manual page have brackets of their own, which stand alone. */
START_TEST(content_has_cells_of_tables) {
    static const char *const tables[] = {
        "T{ getpw() T} MT-Safe",   "for black T}", "T{", "a\tT}\nb", "hh:mm T}:T{",
        "is ignored T} RTA:int:T{"};
    static const char *const others[] = {
        "set T{x} of T}s", "AT{ T{, T( }T", "map<T> {", "T", "x:T[ a", ""};
    EXPECT_TOLD(is_markup, tables, others);
}
END_TEST

enum { MOST = 256, SLOTS = 512 };

static int64_t ngrams_of(const char *text, int64_t orders, uint64_t out[MOST]) {
    uint64_t seen[SLOTS] = {0};
    int64_t tokens, expected = 0;
    const size_t length = strlen(text);
    alcore__token_reader reader = {.text = text, .length = length};
    uint64_t hashes[MOST], again[MOST];
    char words[MOST / 8] = {0};
    ck_assert_int_le(alcore__text_ngrams_slots(alcore__text_tokens_most(text, length), orders),
                     SLOTS);
    const int64_t count = alcore__text_ngrams(text, length, orders, out, seen, &tokens);
    for (; alcore__token_next(&reader); expected++) {
        hashes[expected] = reader.hash;
        if (reader.kind == ALCORE__TOKEN_WORD)
            words[expected / 8] = (char)(words[expected / 8] | 1 << expected % 8);
    }
    ck_assert_int_eq(tokens, expected);
    /* Those of the tokens alone are the same. */
    ck_assert_int_eq(alcore__tokens_ngrams(words, (char *)hashes, tokens, orders, again, seen),
                     count);
    ck_assert_mem_eq(again, out, (size_t)count * sizeof *out);
    for (int i = 0; i < SLOTS; i++) ck_assert_uint_eq(seen[i], 0);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < i; j++) ck_assert_uint_ne(out[i], out[j]);
    return count;
}

static bool has(const uint64_t *hashes, int64_t count, uint64_t hash) {
    for (int64_t i = 0; i < count; i++)
        if (hashes[i] == hash) return true;
    return false;
}

START_TEST(ngrams_are_distinct_and_have_a_word) {
    uint64_t a[MOST], b[MOST];
    ck_assert_int_eq(ngrams_of("a b a b", 1, a), 2);
    ck_assert_int_eq(ngrams_of("a b a b", 2, a), 4);  /* a, b, a b, b a */
    ck_assert_int_eq(ngrams_of("a b a b", 3, a), 6);  /* a b a, b a b */
    ck_assert_int_eq(ngrams_of("a b a b", 8, a), 7);  /* a b a b */
    ck_assert_int_eq(ngrams_of("1 2 , %s", 3, a), 0); /* no word */
    ck_assert_int_eq(ngrams_of("1 a 2", 3, a), 4);    /* a, 1 a, a 2, 1 a 2 */
    ck_assert_int_eq(ngrams_of("", 3, a), 0);
    /* The n-grams of a part of a text are n-grams of the text, and the others are not. */
    const int64_t few = ngrams_of("the open file", 3, a),
                  many = ngrams_of("close the open file", 3, b);
    ck_assert_int_eq(few, 6);
    ck_assert_int_eq(many, 9);
    for (int64_t i = 0; i < few; i++) ck_assert(has(b, many, a[i]));
    ck_assert_int_eq(ngrams_of("file open the", 3, a), 6);
    int common = 0;
    for (int64_t i = 0; i < 6; i++) common += has(b, many, a[i]);
    ck_assert_int_eq(common, 3); /* the words alone */
}
END_TEST

static int64_t count_tokens(const char *text, size_t length) {
    alcore__token_reader reader = {.text = text, .length = length};
    int64_t count = 0;
    while (alcore__token_next(&reader)) count++;
    return count;
}

/* The bound is what it says byte by byte, wherever a text begins and ends, and no text of
 * well-formed characters has more tokens. */
START_TEST(tokens_are_bounded) {
    static const char *const pieces[] = {"word",
                                         "a",
                                         "7",
                                         " ",
                                         ".",
                                         "_",
                                         "%d",
                                         "%1",
                                         "/a/b",
                                         "&",
                                         "-v",
                                         "\xC3\xA4",
                                         "\xE4\xB8\xAD",
                                         "\xE0\xB8\x97",
                                         "\\n",
                                         "{0}"};
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    for (int trial = 0; trial < 3000; trial++) {
        char text[256] = "";
        int64_t most = 0;
        for (uint64_t left = alcore__rng_below(&rng, 40); left > 0; left--)
            strcat(text, pieces[alcore__rng_below(&rng, sizeof pieces / sizeof *pieces)]);
        const size_t length = strlen(text);
        for (size_t i = 0; i < length; i++) {
            const unsigned char c = (unsigned char)text[i],
                                before = i ? (unsigned char)text[i - 1] : ' ';
            const bool inside = c < 0x80 && isalnum(c) && before < 0x80 && isalnum(before);
            most += c != ' ' && (c & 0xC0) != 0x80 && !inside;
        }
        char *copy = malloc(length + 1); /* so that a sanitizer sees what is read behind it */
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, text, length);
        ck_assert_int_eq(alcore__text_tokens_most(copy, length), most);
        ck_assert_int_le(count_tokens(copy, length), most);
        free(copy);
    }
}
END_TEST

/* Bytes that continue no character are tokens that the bound does not count. */
START_TEST(malformed_text_has_no_more_ngrams_than_the_bound) {
    uint64_t out[MOST], seen[SLOTS] = {0};
    int64_t tokens;
    const char *text = "a\x80\x80\x80\x80 b";
    ck_assert_int_eq(count_tokens(text, 7), 6);
    ck_assert_int_eq(alcore__text_tokens_most(text, 7), 2);
    ck_assert_int_eq(alcore__text_ngrams(text, 7, 3, out, seen, &tokens), 2); /* a, a \x80 */
    ck_assert_int_eq(tokens, 2);
}
END_TEST

/* Every comma may stand before an address: no part of the text is read again for each. */
START_TEST(texts_without_white_space_take_no_longer) {
    enum { BYTES = 4 << 20 };
    char *text = malloc(BYTES);
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < BYTES; i++) text[i] = "a=b,"[i % 4];
    ck_assert_int_eq(count_tokens(text, BYTES), BYTES);
    free(text);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("text_tokens");
    tcase_add_loop_test(cases, text_is_cut_into_tokens, 0, sizeof texts / sizeof *texts);
    tcase_add_test(cases, case_digits_and_kind_of_placeholder_do_not_count);
    tcase_add_test(cases, hashes_are_those_of_the_characters_that_count);
    tcase_add_test(cases, addresses_are_found_at_every_offset);
    tcase_add_test(cases, content_counts_and_recognizes_templates);
    tcase_add_test(cases, content_counts_calls_of_source_code);
    tcase_add_test(cases, content_has_no_variables);
    tcase_add_test(cases, content_has_cells_of_tables);
    tcase_add_test(cases, content_has_no_format_characters);
    tcase_add_test(cases, content_has_no_rules_of_headings);
    tcase_add_test(cases, ngrams_are_distinct_and_have_a_word);
    tcase_add_test(cases, tokens_are_bounded);
    tcase_add_test(cases, malformed_text_has_no_more_ngrams_than_the_bound);
    tcase_add_test(cases, texts_without_white_space_take_no_longer);
    return check_suite_run("text/text_tokens", cases);
}
