/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the man page or the shell completion from the command line's own tables, at build time. */
#include <string.h>

#include <alcore/extra.h>

#include "options.h"

static void roff(const char *text) {
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
    }
}

static void man_page(void) {
    printf(".TH ALCORE 1 \"\" \"alcore %s\" \"User Commands\"\n.SH NAME\nalcore \\- decide what "
           "to label next\n.SH SYNOPSIS\n.B alcore\n.I COMMAND\n[\\fIOPTION\\fR]...\n",
           alcore_version());
    puts(".SH DESCRIPTION\nReads a pool of unlabeled text, scores it, and selects what is worth "
         "labeling under a budget.\nPOOL is a file or \\-: .txt (one text per line), .tsv (with a "
         "header line) or .jsonl, also as .gz, .xz and .zst.");
    for (int c = 0; c < command_total; c++) {
        const command_info *command = &command_table[c];
        printf(".SH ALCORE ");
        for (const char *letter = command->name; *letter; letter++)
            putchar(*letter >= 'a' && *letter <= 'z' ? *letter - 32 : *letter);
        printf("\n.B alcore %s\n.I ", command->name);
        roff(command->operands);
        printf("\n[\\fIOPTION\\fR]...\n.PP\n");
        roff(command->summary);
        puts(".");
        for (int i = 0; i < OPTION_TOTAL; i++) {
            const option_info *option = &option_table[i];
            if (!(option->commands & command->bit)) continue;
            fputs(".TP\n", stdout);
            if (option->letter) printf("\\fB\\-%c\\fR, ", option->letter);
            fputs("\\fB\\-\\-", stdout);
            roff(option->name);
            fputs("\\fR", stdout);
            if (option->argument) {
                fputs(" \\fI", stdout);
                roff(option->argument);
                fputs("\\fR", stdout);
            }
            putchar('\n');
            roff(option->help);
            putchar('\n');
        }
    }
    puts(".SH STRATEGIES");
    for (int32_t i = 0; alcore_strategy_builtin_name(i); i++) {
        fputs(".TP\n\\fB", stdout);
        roff(alcore_strategy_builtin_name(i));
        fputs("\\fR\n", stdout);
        roff(alcore_strategy_builtin_summary(alcore_strategy_builtin_name(i)));
        putchar('\n');
    }
    puts(".SH EXIT STATUS\n0 done; 1 done but short of the budget (\\-\\-strict); 2 usage; 3 bad "
         "input; 4 input or output failed; 5 out of memory; 6 device or module missing; 130 "
         "interrupted.");
}

/* "a|b|c" is a list of words to choose from; "N[i|w]" and "FILE.md|.json" are not. */
static bool is_choice(const char *argument) {
    return strchr(argument, '|') && !strchr(argument, '[') && !strchr(argument, '.');
}

static void bash_completion(void) {
    puts("# bash completion of alcore, generated from the command's own tables\n_alcore() {\n    "
         "local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n    COMPREPLY=()");
    puts("    case $prev in");
    for (int i = 0; i < OPTION_TOTAL; i++) {
        const option_info *option = &option_table[i];
        if (!option->argument) continue;
        if (i == OPTION_STRATEGY || i == OPTION_SCORER) {
            const char *(*name)(int64_t) =
                i == OPTION_STRATEGY ? alcore_strategy_builtin_name : alcore_scorer_builtin_name;
            printf("    --%s) COMPREPLY=($(compgen -W '", option->name);
            for (int32_t n = 0; name(n); n++) printf("%s%s", n ? " " : "", name(n));
            puts("' -- \"$cur\")); return;;");
        } else if (is_choice(option->argument)) {
            printf("    --%s) COMPREPLY=($(compgen -W '", option->name);
            for (const char *c = option->argument; *c; c++) putchar(*c == '|' ? ' ' : *c);
            puts("' -- \"$cur\")); return;;");
        }
    }
    puts("    esac\n    case ${COMP_WORDS[1]} in");
    for (int c = 0; c < command_total; c++) {
        printf("    %s) [[ $cur == -* ]] && COMPREPLY=($(compgen -W '", command_table[c].name);
        for (int i = 0; i < OPTION_TOTAL; i++)
            if (option_table[i].commands & command_table[c].bit)
                printf("--%s ", option_table[i].name);
        puts("' -- \"$cur\"));;");
    }
    fputs("    *) COMPREPLY=($(compgen -W '", stdout);
    for (int c = 0; c < command_total; c++) printf("%s ", command_table[c].name);
    puts("--help --version' -- \"$cur\"));;\n    esac\n    [[ ${#COMPREPLY[@]} -eq 0 && $cur != "
         "-* ]] && COMPREPLY=($(compgen -f -- \"$cur\"))\n    return 0\n}\ncomplete -o filenames "
         "-F _alcore alcore");
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "man"))
        man_page();
    else if (argc == 2 && !strcmp(argv[1], "bash"))
        bash_completion();
    else
        return complain(EXIT_USAGE, "usage: alcore-generate man|bash");
    return fflush(stdout) ? EXIT_IO : EXIT_DONE;
}
