/* SPDX-License-Identifier: Apache-2.0 */
/* The man pages, in the macros of man(7): one for each command, and alcore(1), which leads to them.
 * */
#include "man_page.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include <alcore/alcore.h>

enum { LINE_BYTES = 72 }; /* after which a text goes on in a new line, which roff joins again */

/* Prints a text with what roff would take for its own escaped: backslashes, hyphens (which would
 * become others in print), and a dot or an apostrophe in front of a line. limit: bytes of a line.
 * */
static void put_words(const char *text, int limit) {
    int column = 0;
    for (; *text; text++) {
        if (*text == ' ' && column + (int)strcspn(text + 1, " ") >= limit) {
            putchar('\n');
            column = 0;
            continue;
        }
        if (column == 0 && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '-' || *text == '\\')
            printf("\\%c", *text == '-' ? '-' : 'e');
        else
            putchar(*text);
        column++;
    }
}

static void put_text(const char *text) {
    put_words(text, LINE_BYTES);
}

/* A line with a text in a font: "B" or "I". */
static void put_line(const char *font, const char *text) {
    printf(".%s ", font);
    put_words(text, INT_MAX);
    putchar('\n');
}

static void put_section(const char *title) {
    printf(".SH %s\n", title);
}

static void put_title(const char *date, const char *command) {
    printf(".TH ALCORE%s", command ? "\\-" : "");
    for (const char *letter = command; letter && *letter; letter++) putchar(toupper(*letter));
    printf(" 1 %s \"alcore %s\" \"User Commands\"\n", date, alcore_version());
    put_section("NAME");
}

/* A tagged paragraph: the tag in bold, the text below it. */
static void put_item(const char *tag, const char *text) {
    puts(".TP");
    put_line("B", tag);
    put_text(text);
    putchar('\n');
}

/* "-p, --param NAME=VALUE", and what it does. */
static void put_option(const option_info *option) {
    puts(".TP");
    if (option->letter) printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    put_text(option->name);
    fputs("\\fR", stdout);
    if (option->argument) {
        fputs(" \\fI", stdout);
        put_words(option->argument, INT_MAX);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_text(option->help);
    puts(option->repeatable && !strstr(option->help, "repeatable") ? "; repeatable" : "");
}

/* The entries of a registry of the library, each with its summary. */
static void put_registry(const char *title, const char *(*name)(int64_t),
                         const char *(*summary)(const char *)) {
    put_section(title);
    for (int64_t i = 0; name(i); i++) put_item(name(i), summary(name(i)));
}

static void put_exit_status(void) {
    static const struct {
        const char *code, *text;
    } codes[] = {
        {"0", "done"},
        {"1",
         "done, but short of the budget or of pairs (--strict), or a loop goes on (--exit-code)"},
        {"2", "usage: an unknown option, or one that nothing here reads"},
        {"3", "bad input: the message names the file and the line"},
        {"4", "input or output failed"},
        {"5", "out of memory"},
        {"6", "a device, an engine or torch is missing"},
        {"130", "interrupted; results that are there are written, unless a second signal comes"},
    };
    put_section("EXIT STATUS");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        put_item(codes[i].code, codes[i].text);
}

static void command_page(const char *date, const command_info *command) {
    put_title(date, command->name);
    printf("alcore\\-%s \\- ", command->name);
    put_words(command->summary, LINE_BYTES - 24); /* behind the name */
    putchar('\n');
    put_section("SYNOPSIS");
    printf(".B alcore %s\n", command->name);
    if (command->operands[0]) put_line("I", command->operands);
    puts("[\\fIOPTION\\fR]...");
    put_section("OPTIONS");
    for (int i = 0; i < OPTION_TOTAL; i++)
        if (option_table[i].commands & command->bit) put_option(&option_table[i]);
    if (command->bit == COMMAND_SELECT)
        put_registry("STRATEGIES", alcore_strategy_builtin_name, alcore_strategy_builtin_summary);
    if (command->bit == COMMAND_SCORE)
        put_registry("SCORERS", alcore_scorer_builtin_name, alcore_scorer_builtin_summary);
    put_exit_status();
    put_section("EXAMPLE");
    printf(".nf\n");
    put_words(command->example, INT_MAX);
    printf("\n.fi\n");
    put_section("SEE ALSO");
    puts(".BR alcore (1)");
}

static void overview(const char *date) {
    put_title(date, NULL);
    puts("alcore \\- decide what to label next");
    put_section("SYNOPSIS");
    puts(".B alcore\n.I COMMAND\n[\\fIOPTION\\fR]...");
    put_section("DESCRIPTION");
    put_text(
        "Reads a pool of unlabeled text, scores it, and selects what is worth labeling under a "
        "budget. Files are text (one a line), TSV and CSV with a header, JSON lines, CoNLL, and "
        "the SGML and XML of test sets, also compressed (.gz, .xz, .zst); - is standard input.");
    putchar('\n');
    put_section("COMMANDS");
    for (int c = 0; c < command_total; c++) {
        char page[64];
        snprintf(page, sizeof page, "alcore-%s(1)", command_table[c].name);
        put_item(page, command_table[c].summary);
    }
    put_section("ENVIRONMENT");
    put_item("ALCORE_TORCH_LIBDIR", "the folder of libtorch that models run on; alcore-doctor(1)");
    put_item("ALCORE_MODULE_DIR",
             "a folder with engines, which is looked at before that of the library");
    put_section("FILES");
    put_item("$XDG_CONFIG_HOME/alcore/torch, ~/.config/alcore/torch",
             "the torch that alcore doctor --torch --write keeps");
    put_exit_status();
}

int man_page_print(const char *date, const char *command) {
    const command_info *found = NULL;
    for (int c = 0; command && c < command_total; c++)
        if (!strcmp(command_table[c].name, command)) found = &command_table[c];
    if (command && !found) return complain(EXIT_USAGE, "no command '%s'", command);
    if (found)
        command_page(date, found);
    else
        overview(date);
    return fflush(stdout) ? EXIT_IO : EXIT_DONE;
}
