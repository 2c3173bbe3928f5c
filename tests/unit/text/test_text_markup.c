/* SPDX-License-Identifier: Apache-2.0 */
/* Markup in texts: its letters count apart, and lines of it are told from prose. */
#include <string.h>

#include "check_suite.h"
#include "text/text_markup.h"
#include "text_cases.h"

static bool is_cut(const char *text) {
    return content_of(text).cut;
}

static const struct {
    const char *text;
    int letters, called;
} counted[] = {
    /* Templates and links of wikis. */
    {"Rome {{cite web|title=History of it}} fell", 31, 23},
    {"{{name}} items", 5, 0}, /* a placeholder has no letters */
    {"Old [[Category:Towns in Italy]] one", 26, 20},
    {"Old [[\xC3\x84ra:Rom]] one", 12, 6},
    {"Old [[File:a.jpg|thumb|The gate]] one", 26, 0}, /* it has a caption */
    {"Old [[Rome|the town]] one", 17, 0},
    {"Old [[Rome: the town]] one", 17, 0},
    {"{{ open", 4, 0},
    /* Commands of roff and TeX. */
    {"Read (\\fBthe\\-file\\fP) now", 16, 9}, /* \f is a placeholder */
    {"\\def\\text{of} it", 9, 7},
    {"a $\\alpha$ b", 7, 5},
    {"Open\\nThe end", 10, 0},
    {"\\nThe end\\tNow", 9, 0},
    {"C:\\Users\\me {x}\\share %A%\\local", 10, 0},
    {"\xC3\xA4\\fBb x", 4, 2}, /* pieces are of ASCII */
    /* Roles of reStructuredText, and keys of JSON. */
    {"See :class:`Pool` now", 15, 9},
    {"{\"id\": 3, \"name\": \"all of it\"}", 13, 6},
    {"He said \"no\" : `go`", 10, 0},
    {"http://a.org/b\":c x", 2, 1}, /* nor has one before a sign */
    {"", 0, 0},
};

START_TEST(letters_of_markup_count_apart) {
    const alcore__text_content content = content_of(counted[_i].text);
    ck_assert_msg(content.letters == counted[_i].letters && content.called == counted[_i].called,
                  "%s: %d, %d", counted[_i].text, (int)content.letters, (int)content.called);
}
END_TEST

/* Brackets close within 256 bytes. */
START_TEST(brackets_close_nearby) {
    char text[300] = "{{";
    memset(text + 2, 'x', 260);
    text[2] = ' '; /* or it is a placeholder */
    strcpy(text + 257, "}} of");
    ck_assert_int_eq(content_of(text).called, 254);
    strcpy(text + 257, "x}} of");
    ck_assert_int_eq(content_of(text).called, 0);
}
END_TEST

START_TEST(lines_of_markup_are_told_from_prose) {
    static const char *const lines[] = {"|- | a || b",
                                        " {| class=wikitable",
                                        "|+ Towns",
                                        "| birth_date = 1950",
                                        "| a | b |",
                                        ".PP",
                                        ".RS 4",
                                        ".IP \"name\" 4",
                                        ".BR \\-v",
                                        ".IX Item of it",
                                        ".if n .nh",
                                        ".\\\" a note",
                                        "'\\\" t",
                                        "<!DOCTYPE html>",
                                        "<?xml version=\"1.0\"?>",
                                        ">>> import os",
                                        ">>> from a import b",
                                        "#include <unistd.h> /* See NOTES */",
                                        "#define _GNU_SOURCE /* See NOTES */",
                                        "#define A 1",
                                        "Ann Lee <ann@example.org>",
                                        "2021 Ann Lee <a@b.org>, Bob Ray <b@c.org> 2022",
                                        "-- Ann Lee <a@b.org>  Tue, 09 Feb 2021",
                                        ".. _a-label:",
                                        ".. _Site: https://example.org/a",
                                        ".. method:: Pool.select(count)",
                                        ".. index:: single: pool; rows of it",
                                        ".. c:member:: int inspect",
                                        "def add(self, x): self.rows.append(x)",
                                        "class Pool(object): pass",
                                        "class Pool(): pass",
                                        "class Name(str): pass",
                                        "def add(self, x=(1, (2, 3))):",
                                        "login.defs\n",
                                        ".PP\n",
                                        "login.defs",
                                        "control.tar.xz",
                                        "my_x-2.rows",
                                        "* src/my-rows.cc:",
                                        "- rows.txt",
                                        "rows.txt:",
                                        "APT::Periodic::Update-Lists",
                                        "dc=example,dc=org",
                                        "comm=\"syslogd\""};
    static const char *const prose[] = {"| goes to the entry",
                                        "|",
                                        "a | b |",
                                        ".PP begins a paragraph",
                                        ".SH \"NAME\"",
                                        ".B bold",
                                        ".net is a domain",
                                        ".NET",
                                        ".if",
                                        ". . .",
                                        "...",
                                        "<!DOCTYPE html> Hello",
                                        ">>> Hello Ann",
                                        "#include <...> search starts here:",
                                        "#include <",
                                        "#include nested too deeply",
                                        "#define without a name",
                                        "#define ",
                                        "Write to Ann Lee <ann@example.org>",
                                        "Author: Ann Lee <ann@example.org>",
                                        "Mail <ann@example.org>",
                                        "Ann Lee <ann@example.org> Welcome",
                                        "Ann Lee",
                                        "Meet Ann @ Home",
                                        ".. note:: Rows stay where they are.",
                                        ".. versionchanged:: 3.2 Added the attribute",
                                        ".. method:: It picks rows.",
                                        ".. _see the note: it is long",
                                        ".. index: none",
                                        ".. and so on",
                                        ".. ",
                                        "..",
                                        ".. ::",
                                        ".. amethod:: x",
                                        "def a note (see above): more",
                                        "def (x):",
                                        "def add(self, x)",
                                        "class name(s) of it",
                                        "class name(s): what rows are called",
                                        "class file(5): where rows are",
                                        "def add(x) returns a sum (of two): see there",
                                        "class Foo(rows) has more (see below): rows",
                                        ".. method:: It picks rows.\n",
                                        "class name: rows",
                                        "class of 1999 (the last): more",
                                        "z.b.",
                                        "e.g",
                                        "End.",
                                        "End.Then",
                                        "end.x",
                                        "see login.defs",
                                        "and/or",
                                        "* rows",
                                        "a::b",
                                        "Rows::",
                                        "rows: read",
                                        "NAME=VALUE",
                                        "rows=",
                                        "=rows",
                                        "rows=3 of 4",
                                        "gr\xC3\xB6\xC3\x9F=3",
                                        "rows=\xC3\xA4",
                                        "$ specifies that a mark must follow",
                                        "rows.txt: read",
                                        ":",
                                        "rows",
                                        " ",
                                        ""};
    EXPECT_TOLD(is_markup, lines, prose);
}
END_TEST

START_TEST(synopses_are_told_from_prose) {
    static const char *const synopses[] = {"fsck.minix [options] device",
                                           "fsck.minix [Optionen] ger\xC3\xA4t",
                                           "mkfs [options] [-t type] [fs-options] device [size]",
                                           "rtcwake [options] [-d device] {-s seconds|-t time_t}",
                                           "od [\\,OPTION\\/]... [\\,FILE\\/]...",
                                           "cp [\\,OPTION\\/]... \\,-t DIRECTORY SOURCE\\/...",
                                           "hg view [-l LIMIT] [REVRANGE]",
                                           "thg rename [Quelle] [Ziel]",
                                           "wdctl [Optionen] [Ger\xC3\xA4t...]",
                                           "unalias [-a] name...",
                                           "echo [word...]...",
                                           "mirror [OPTS] [remote [local]]"};
    static const char *const prose[] = {"Floating IP Address [optional]",
                                        "speed [km/h]",
                                        "size [MB] free",
                                        "time [s] left over",
                                        "value [%d] [%d]",
                                        "no external ID [%s] by [%s]",
                                        "hostname [-v] display hostname",
                                        "delete [breakpoints] [range] - delete breakpoints",
                                        "away [message]: Set a message",
                                        "quit [message] [reason]: leave",
                                        "merge [options] Merge files",
                                        "merge [options] all of the files",
                                        "x direction [in multiples of the tick] [y]",
                                        "exists. [O]verwrite [r]ename",
                                        "use [the option",
                                        "a [b] c]",
                                        "[options] [file]",
                                        "Fsck [options] device",
                                        "only words"};
    EXPECT_TOLD(is_markup, synopses, prose);
}
END_TEST

START_TEST(declared_arguments_are_told_from_prose) {
    static const char *const declared[] = {"TCSBRK Argument: int arg",
                                           "TCSETS Argument: const struct termios\\~*argp",
                                           "IOCSBRK Argument : void",
                                           "Argument: unsigned long *n",
                                           "Type: pid_t",
                                           "Argument: double *value"};
    static const char *const prose[] = {"const correctness of int arguments",
                                        "Error: void where prohibited",
                                        "Error: virtual void",
                                        "Wrong number of bits: char",
                                        "Value:int",
                                        "Value: int.",
                                        "Value: struct",
                                        "Value: const",
                                        "Value: t",
                                        "Value: _t",
                                        "Value: long way home",
                                        "Line spacing: double",
                                        "Name: long text",
                                        "int arg",
                                        "no source file(s) specified"};
    EXPECT_TOLD(is_markup, declared, prose);
}
END_TEST

/* A part of a sentence ends in a comma, a salutation is shorter. */
START_TEST(parts_of_sentences_are_cut_off) {
    static const char *const cut[] = {"If the menu bar is enabled,",
                                      "by clicking on %s in the box, \n",
                                      "by clicking on it,\t\r\n",
                                      "a b c d,",
                                      "\xD8\xA7 \xD8\xA8 \xD8\xAA \xD8\xAB\xD8\x8C",
                                      "如果要打开这个文件的窗口、",
                                      "如果要打开这个文件的窗口，"};
    static const char *const whole[] = {
        "亲爱的全体同事们，", "Dear %s,",      "a b c,",    "",         ",",
        "1, 2, 3, 4,",        "a, b, c and d", "a b c d,.", "a b c d;", "\xBC\x8C"};
    EXPECT_TOLD(is_cut, cut, whole);
}
END_TEST

/* No byte behind a text is read, wherever it ends. */
START_TEST(texts_end_where_they_end) {
    static const char *const texts[] = {"{{a}} [[B:c]] \\fBx \"a\": :x:`y`",
                                        "| a_b = 1",
                                        ".IP \"x\" 4",
                                        "<!DOCTYPE html>",
                                        "-- A B <a@b.c> x",
                                        "a [\\,OPTION\\/]... {-b} c...",
                                        "a b: const struct c *d",
                                        "#include <a",
                                        "#define A"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t length = 0; length <= strlen(texts[i]); length++) {
            char *copy = malloc(length + 1);
            alcore__text_content content;
            memcpy(copy, texts[i], length);
            copy[length] = '\x7F'; /* no sign of markup */
            alcore__text_content_read(copy, length, NULL, NULL, &content);
            ck_assert_int_le(content.called, content.letters);
            free(copy);
        }
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("text_markup");
    tcase_add_loop_test(cases, letters_of_markup_count_apart, 0,
                        (int)(sizeof counted / sizeof *counted));
    tcase_add_test(cases, brackets_close_nearby);
    tcase_add_test(cases, lines_of_markup_are_told_from_prose);
    tcase_add_test(cases, synopses_are_told_from_prose);
    tcase_add_test(cases, declared_arguments_are_told_from_prose);
    tcase_add_test(cases, parts_of_sentences_are_cut_off);
    tcase_add_test(cases, texts_end_where_they_end);
    return check_suite_run("text/text_markup", cases);
}
