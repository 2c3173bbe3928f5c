/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of words: which texts are one template, and what is a name by its form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "text/text_content.h"

/* The text lies in memory of its own, so that a sanitizer sees what is read behind it. */
static uint64_t pattern_of(const char *text) {
    alcore__text_content content;
    const size_t length = strlen(text);
    char *copy = malloc(length + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, length);
    alcore__text_content_read(copy, length, NULL, NULL, &content);
    free(copy);
    return content.named_pattern;
}

static const char *const templates[][2] = {
    {"ext4 (since Linux 3.8)", "XFS (since Linux 3.5)"},
    {"Save PDF", "Save HTML"},
    {"Uses GObject introspection", "Uses PyQt introspection"},
    {"Press CtrlAltDelete twice", "Press F1 twice"}, /* a capital behind eight letters */
    {"The fork() system call", "The ioctl() system call"},
    {"See write(2) for details.", "See fork(3) for details."},
    {"Set clone_new_user here", "Set CLONE_NEWNET here"},
    {"Call __main__ here", "Call XFS here"},
    {"Closing internationalization PDF", "Closing internationalization XFS"},
    {"PDF of it all, and more", "XFS of it all, and more"},
    {"Edit login.defs now", "Edit org.gnome.shell now"},
    {"Edit login.defs now", "Edit XFS now"},
    {"Edit XFS.conf now", "Edit XFS now"},
    {"The MS-DOS name", "The X11-GTK name"},
    {"Die PDF-Datei fehlt", "Die DjVu-Datei fehlt"},
    {"\xC3\x9C"
     "BER alles",
     "XML alles"},
    {"Closing MyOldApplicationWindow", "Closing A4ApplicationWindow"},
};

static const char *const others[][2] = {
    /* no word besides the names */
    {"PDF", "HTML"},
    {"FILE NOT FOUND", "DISK NOT FREE"},
    {"EACCES", "ENXIO"},
    {"fork()", "exec()"},
    {"login.defs", "fsck.minix"},
    /* not the form of a name */
    {"Das Haus brennt", "Das Auto brennt"},
    {"Analysis of Variance", "Location of Variance"},
    {"This will REMOVE it", "This will DESTROY it"},
    {"This will ENTFERNEN it", "This will \xC3\x84NDERN it"},
    {"Pre_ferences now", "Prop_erties now"},
    {"set file_name now", "set path_name now"},
    {"Delete file(s) now", "Delete path(s) now"},
    {"Call a (2) now", "Call b (2) now"},
    {"Call printf(3p) now", "Call fork(3p) now"},
    {"Call aa(2 now", "Call bb(2 now"},
    {"Call aa(12345678) now", "Call bb(12345678) now"},
    {"z.b. Haus", "d.h. Haus"},
    {"The end.The start", "The row.The start"},
    {"In 3D mode", "In 2ND mode"},
    {"\xD0\xA1\xD0\xA8\xD0\x90 here", "\xD0\x9E\xD0\x9E\xD0\x9E here"},
    /* names, and other words */
    {"Save PDF", "Open PDF"},
    {"Save PDF", "Save PDF HTML"},
    {"Save PDF", "Save it"},
    {"PDF save", "Save PDF"},
    {"Edit login.defs now", "Edit login defs now"},
    {"Edit login.defs now", "Edit login. defs now"},
};

START_TEST(names_are_parts_of_templates) {
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        ck_assert_msg(pattern_of(templates[i][0]) == pattern_of(templates[i][1]), "%s | %s",
                      templates[i][0], templates[i][1]);
}
END_TEST

START_TEST(other_texts_are_no_templates) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(pattern_of(others[i][0]) != pattern_of(others[i][1]), "%s | %s", others[i][0],
                      others[i][1]);
}
END_TEST

/* A name by its form is one wherever in a word its capital or digit stands, and whatever part of
 * the word is read at once. */
START_TEST(names_are_told_at_every_offset) {
    for (int length = 1; length < 30; length++) {
        char word[32], text[64];
        for (int at = -1; at < length; at++) {
            memset(word, 'a', (size_t)length);
            word[length] = '\0';
            if (at >= 0) word[at] = length % 2 ? 'B' : '7';
            snprintf(text, sizeof text, "Open %s%s", word, length % 3 ? " now or then" : "");
            const bool same =
                pattern_of(text) == pattern_of(length % 3 ? "Open XFS now or then" : "Open XFS");
            ck_assert_msg(same == (at > 0), "%s", text);
        }
    }
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("word_pattern");
    tcase_add_test(cases, names_are_parts_of_templates);
    tcase_add_test(cases, other_texts_are_no_templates);
    tcase_add_test(cases, names_are_told_at_every_offset);
    return check_suite_run("text/word_pattern", cases);
}
