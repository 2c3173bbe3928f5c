#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Defects that the tests of the front ends must see: what `alcore eval` makes of its files and options, exit codes, models and
embeddings of `alcore select`, and the check of options in Lua. Each is put into a copy of one source file, which is compiled and
linked into the program or module; a mutant counts as killed only when the case named for it fails. In TAP.

Of all mutants it is checked that their texts stand in the sources, and that the default tier has the tests that kill them. They are
compiled and run with $ALCORE_TEST_FULL, or with names.

  front_mutants.py SOURCE BUILD [NAME]..."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from tap import Tap  # noqa: E402
from killers import command_of, default_commands  # noqa: E402

EVAL, OPTIONS = 'tests/cli/test_eval.py', 'tests/cli/test_command_options.py'
BAD_INPUT, MODEL = 'tests/cli/test_bad_input.py', 'tests/cli/test_model.py'
LUA = 'tests/bindings/lua/test_alcore.lua'
FIELDS, VALUES = 'bindings/lua/lua_fields.c', 'bindings/lua/lua_values.c'
UNKNOWN = 'an option that a function does not know is refused, with the nearest name'
TYPES = 'the value of an option has the type of the option'
TRANSLATIONS, LABELS = 'bindings/cli/eval_translations.c', 'bindings/cli/eval_labels.c'
FILES = 'bindings/cli/eval_command.c'  # whose evaluation_files() tells metrics where their texts are
WALK = 'every_option_of_eval_changes_something'


# name: (file, text that stands there once, what takes its place, test, case that must fail)
MUTANTS = {
    'bleu takes the references for hypotheses':
        (FILES, 'files.paths = self->args->operands + 1;', 'static const char *turned[2];\n    turned[0] = self->args->operands[2];\n'
         '    turned[1] = self->args->operands[1];\n    files.paths = turned;', EVAL, 'bleu_is_that_of_the_vectors'),
    'length-ratio prints the words of the references as those of the hypotheses':
        ('bindings/cli/eval_overlap.c',
         'add_integer(self, "hypothesis_words", score.hypothesis_words);\n    add_integer(self, "reference_words", score.reference_words);',
         'add_integer(self, "hypothesis_words", score.reference_words);\n    add_integer(self, "reference_words", score.hypothesis_words);',
         EVAL, 'the_sides_are_not_exchanged'),
    'f1 takes the predicted tags for the gold ones':
        (LABELS, 'add_integer(self, "gold_spans", score.gold_spans);\n    add_integer(self, "predicted_spans", score.predicted_spans);',
         'add_integer(self, "gold_spans", score.predicted_spans);\n    add_integer(self, "predicted_spans", score.gold_spans);', EVAL,
         'the_sides_are_not_exchanged'),
    'chrf++ counts no words':
        (TRANSLATIONS, 'options.word_order = !strcmp(name, "chrf++") ? 2 : 0;', 'options.word_order = 0;', EVAL,
         'the_other_metrics_are_those_of_the_vectors'),
    'macro-f1 prints the accuracy':
        (LABELS, 'add_number(self, "macro-f1", score.macro_f1);', 'add_number(self, "macro-f1", score.accuracy);', EVAL,
         'the_other_metrics_are_those_of_the_vectors'),
    '--smooth is not heeded':
        (TRANSLATIONS, 'options->smoothing = smoothing;', 'options->smoothing = ALCORE_BLEU_SMOOTH_EXP;', EVAL, 'smoothing_has_a_value'),
    'the value of --smooth is not heeded':
        (TRANSLATIONS, 'number_of(text + length + 1, &options->smoothing_value)', '(options->smoothing_value = 1.0)', EVAL, 'smoothing_has_a_value'),
    '--tokenize is not heeded':
        (TRANSLATIONS, '&options.tokenizer));', '&(int32_t){0}));', EVAL, 'bleu_is_that_of_the_vectors'),
    '--bootstrap has one seed':
        (TRANSLATIONS, '*seed = (uint64_t)given;', '*seed = 0;', OPTIONS, WALK),
    '--bootstrap draws no samples':
        (TRANSLATIONS, 'TRY(option_integer(self->args, OPTION_BOOTSTRAP, 1, 1000000, resamples));', '*resamples = 0;', OPTIONS, WALK),
    '--cased is not heeded':
        (TRANSLATIONS, 'options.case_sensitive = option_given(self->args, OPTION_CASED);', 'options.case_sensitive = 0;', OPTIONS, WALK),
    '--scheme is not heeded':
        (LABELS, '&options.scheme));', '&(int32_t){0}));', EVAL,
         'the_sides_are_not_exchanged'),
    '--text-column is not heeded':
        (FILES, 'options->text_column = option_value(self->args, OPTION_TEXT_COLUMN, NULL);', '', EVAL, 'columns_are_read'),
    'out of memory has the exit code of bad data':
        ('bindings/cli/terminal.c', 'case ALCORE_E_NOMEM:\n        return EXIT_MEMORY;', 'case ALCORE_E_NOMEM:\n        return EXIT_DATA;',
         BAD_INPUT, 'too_little_memory'),
    'a file that is not there has the exit code of bad data':
        ('bindings/cli/terminal.c', '        return EXIT_IO;\n', '        return EXIT_DATA;\n', BAD_INPUT, 'no_such_file'),
    '--model of a column is the model of all columns':
        ('bindings/cli/input_models.c', 'alcore_request_set_column_model(in->request, column, model)',
         'alcore_request_set_model(in->request, model)', MODEL, 'a_model_for_each_column'),
    'the first --model is taken where there are two':
        ('bindings/cli/input_models.c', '        if (*out)\n            return complain(EXIT_USAGE, "--model was given twice;', '        if (0)\n'
         '            return complain(EXIT_USAGE, "--model was given twice;', MODEL, 'a_model_for_each_column'),
    '--labeled-embeddings are not read':
        ('bindings/cli/inputs.c', 'TRY(outcome(alcore_pool_read_column(in->labeled, "embeddings", path, NULL)));', '', OPTIONS,
         'every_option_of_select_changes_something'),
    'Lua takes unknown options':
        (FIELDS, 'if (!known) refuse_field(L, function, name, members, others);', '', LUA, UNKNOWN),
    'Lua names no near option':
        (FIELDS, 'if (nearest)\n', 'if (0)\n', LUA, UNKNOWN),
    'Lua takes options without a name':
        (FIELDS, 'if (lua_type(L, -2) != LUA_TSTRING)\n', 'if (lua_type(L, -2) != LUA_TSTRING) { lua_pop(L, 1); continue; }\n        if (0)\n',
         LUA, UNKNOWN),
    'Lua takes any value for a table of options':
        (FIELDS, 'luaL_checktype(L, index, LUA_TTABLE);', 'if (!lua_istable(L, index)) return 0;', LUA, TYPES),
    'Lua takes strings for numbers of options':
        (VALUES, 'luaL_error(L, "%s: a number expected, got %s", field, luaL_typename(L, -1));', 'return 0;', LUA, TYPES),
    'Lua takes numbers for strings of options':
        (VALUES, 'luaL_error(L, "%s: a string expected, got %s", field, luaL_typename(L, -1));', 'return NULL;', LUA, TYPES),
    'Lua takes anything for integers of options':
        (VALUES, 'luaL_error(L, "%s: an integer expected, got %s", what, luaL_typename(L, index));', 'return 0;', LUA, TYPES),
}


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)


def compile_mutant(source, build, folder, path, text, target):
    """Object file of the text in the place of a source file, and the name of the object that it replaces in the target."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        entries = [entry for entry in json.load(file) if entry['output'].startswith(target + '.p/') and
                   os.path.realpath(os.path.join(entry['directory'], entry['file'])) == os.path.realpath(os.path.join(source, path))]
    (entry,) = entries
    changed, made = os.path.join(folder, os.path.basename(path)), os.path.join(folder, 'mutant.o')
    with open(changed, 'w', encoding='utf-8') as file:
        file.write(text)
    words = [word for word in shlex.split(entry['command']) if word != '-Werror']  # it may leave something unused
    words[words.index('-o') + 1] = made
    words[words.index(entry['file'])] = changed
    done = run(words + ['-I' + os.path.dirname(os.path.realpath(os.path.join(source, path)))], cwd=entry['directory'])
    return (made, entry['output']) if done.returncode == 0 else (None, done.stdout)


def link(build, folder, target, made, replaced):
    """The program or module with the object in the place of another."""
    command = run(['ninja', '-C', build, '-t', 'commands', '-s', target]).stdout.splitlines()[-1]
    words = shlex.split(command[command.index(']') + 1:] if command.startswith('[') else command)
    output = os.path.join(folder, os.path.basename(target))
    words[words.index('-o') + 1] = output
    done = run([made if word == replaced else word for word in words], cwd=build)
    return (output, '') if done.returncode == 0 else (None, done.stdout)


def failing_cases(source, build, program, test):
    """Names of the cases that fail, and what the test said."""
    environment = dict(os.environ, ALCORE=program, LD_LIBRARY_PATH=os.path.join(build, 'lib'),
                       NULL_MODEL_MODULE=os.path.join(build, 'tests/unit/model/module'))
    if test == LUA:
        runner = os.path.join(source, 'tests/bindings/lua/run_lua.sh')
        command = [runner, 'lua5.4', os.path.dirname(program), os.path.join(source, test), '@']
    else:
        command = [sys.executable, os.path.join(source, test)]
    done = run(command, env=environment, timeout=300)
    failed = set(re.findall(r'^not ok \d+ (?:- )?(.+)$', done.stdout, re.M))
    return failed if failed or done.returncode == 0 else {'exit code %d' % done.returncode}, done.stdout


def misplaced(source, name):
    """Why a mutant cannot be made: its text does not stand in the source exactly once; empty when it does."""
    path, old = MUTANTS[name][:2]
    with open(os.path.join(source, path), encoding='utf-8') as file:
        count = file.read().count(old)
    return '' if count == 1 else '%s, %s: the text stands there %d times, not once: %s' % (name, path, count, old)


def judge(source, build, name):
    """Why a mutant lives; empty for one that was killed."""
    path, old, new, test, case = MUTANTS[name]
    target = 'bindings/lua/alcore-lua5.4.so' if test == LUA else 'bindings/cli/alcore'
    with open(os.path.join(source, path), encoding='utf-8') as file:
        text = file.read()
    with tempfile.TemporaryDirectory(prefix='alcore-mutant-') as folder:
        made, replaced = compile_mutant(source, build, folder, path, text.replace(old, new), target)
        linked, said = link(build, folder, target, made, replaced) if made else (None, replaced)
        if not linked:
            return said
        failed, said = failing_cases(source, build, linked, test)
    if os.environ.get('FRONT_MUTANTS_SHOW'):
        print('#   ' + ', '.join(sorted(failed)))
    return '' if case in failed else '%s passed; failed: %s\n%s' % (case, ', '.join(sorted(failed)) or 'nothing', said[-600:])


def main():
    source, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    chosen = [name for name in MUTANTS if not sys.argv[3:] or name in sys.argv[3:]]
    if not sys.argv[3:] and not os.environ.get('ALCORE_TEST_FULL'):
        chosen = []
    killers = {mutant[3] for mutant in MUTANTS.values()}
    if not shutil.which('lua5.4') or not os.path.exists(os.path.join(build, 'bindings/lua/alcore-lua5.4.so')):
        chosen = [name for name in chosen if MUTANTS[name][3] != LUA]
        killers.discard(LUA)
    tap = Tap()
    lost = [why for why in (misplaced(source, name) for name in MUTANTS) if why]
    tap.check(not lost, 'the texts of all %d mutants stand in the sources; %d of them are run' % (len(MUTANTS), len(chosen)),
              '\n'.join(lost))
    commands = default_commands(build)
    idle = sorted(test for test in killers if not command_of(commands, os.path.join(source, test)))
    tap.check(not idle, 'the %d tests that kill them are in the default tier' % len(killers), '\n'.join(idle))
    for name in chosen:
        why = misplaced(source, name) or judge(source, build, name)
        tap.check(not why, name, why)
    tap.finish()


if __name__ == '__main__':
    main()
