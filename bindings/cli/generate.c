/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the man pages and the shell completion from the command line's own tables, at build time.
 * */
#include <string.h>

#include <alcore/extra.h>

#include "man_page.h"

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
            printf("    --%s) COMPREPLY=($(compgen -W '%s", option->name,
                   i == OPTION_STRATEGY ? "recommended " : "");
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

/* alcore-generate man DATE [COMMAND] | bash */
int main(int argc, char **argv) {
    if ((argc == 3 || argc == 4) && !strcmp(argv[1], "man"))
        return man_page_print(argv[2], argv[3]); /* argv[argc] is NULL */
    if (argc != 2 || strcmp(argv[1], "bash") != 0)
        return complain(EXIT_USAGE, "usage: alcore-generate man DATE [COMMAND] | bash");
    bash_completion();
    return fflush(stdout) ? EXIT_IO : EXIT_DONE;
}
