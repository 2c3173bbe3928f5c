#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every prototype and every function pointer of the public headers keeps rules 2 and 3 at the top of alcore.h: the handle or
context first; arrays directly followed by their count; options behind the inputs; outputs last, named out, out_... or buffer;
int64_t for rows, counts, indices and dimensions. In TAP.

The kernel table (alcore/sys/kernel.h) has an order of its own, which that header states: it is checked for integers only."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import headers  # noqa: E402
from tap import Tap  # noqa: E402

OWN_ORDER = {
    'alcore_struct_begin': 'fills the struct that it is about, which comes first as a handle does',
    'alcore_extra_struct_begin': 'fills the struct that it is about, which comes first as a handle does',
    'alcore_tensor_init': 'fills the tensor that it is about, which comes first as a handle does; ndim counts the shape',
}
# What may be a 32-bit integer: enums, flags, and settings that are far below 2^31 by what they are.
SMALL = {
    'enums and sets of bits': 'abi type mode level dtype shape kind role scope states meaning ownership format bad_lines by repeated_ids dedup utf8 metric '
                              'band criterion tokenizer smoothing pooling *poolings normalize missing scheme test escapes class_values device what schedule calls direction model estimate tension side data definition kept norm optimizer precision rest device_type out_unit out_state task span_unit',
    'flags, 0 or 1': 'fallback in_file on_device semi_maximal beyond_limit unknown with_letters effective_order whitespace exact '
                     'equal_scales lower_is_better on stop takes_tokens sample dropout include_self unit zero_duplicates case_sensitive tagged unique words per_word recompute translates scores trains saves special without_special as_target byte_fallback stopped out_stop keep_going with_labeled show training evaluating',
    'settings': 'width height threads order max_order word_order layer beams best outputs iterations',
    'members of DLPack, which alcore_tensor repeats': 'id ndim lanes',
    'number of a thread': 'worker',
    'padding': 'reserved',
    'arrays of the kernel table, one entry a row or token, 4 bytes to halve their traffic': '*group *nearest *argmax',
}
NAMES = {name for names in SMALL.values() for name in names.split()}
BYTES = re.compile(r'(?:.*_)?(?:bytes|length|lengths|size)$')
COUNT = re.compile(r'(?:.*_)?(?:count|tokens|length|bytes)$')
INTEGERS = re.compile(r'\b(?:u?int(?:8|16|32)_t|unsigned|int|long|short|size_t)\b')


def split(text):
    """The declarations between the parentheses of a prototype; those of a function pointer stay whole."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text + ','):
        depth += (letter in '([') - (letter in ')]')
        if letter == ',' and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in (' '.join(part.split()) for part in parts) if part and part != 'void']


def closing(text, at):
    """Where the parenthesis that opens at `at` closes."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == '(') - (text[end] == ')')
        if depth == 0:
            return end
    raise SystemExit('a parenthesis is not closed: ' + text[at:at + 80])


def prototypes(text):
    """(name, [argument]) of each exported function, each type of a function and each function pointer in a struct."""
    for match in re.finditer(r'ALCORE_API\b[^;(]*?\b(alcore_\w+)\s*\(|\(\*(\w+)\)\s*\(', text):
        opening = match.end() - 1
        yield match.group(1) or match.group(2), split(text[opening + 1:closing(text, opening)])


def name_of(argument):
    found = re.search(r'\(\*(\w+)\)|(\w+)(?:\[\w*\])?$', argument)
    return found.group(1) or found.group(2)


def is_handle(argument):
    """An opaque handle: a pointer to a struct whose members no header shows."""
    match = re.match(r'(?:const )?(alcore_\w+) \*\w+$', argument)
    return bool(match) and match.group(1) in HANDLES


def is_output(argument):
    return bool(re.match(r'(?:out|buffer)(?:_\w+)?$', name_of(argument))) and ('*' in argument or '[' in argument)


def is_array(argument):
    """A borrowed array of plain values or handles: its length is an argument of its own."""
    return bool(re.match(r'(?:const (?:u?int\d+_t|double|float|size_t|char \*const|void)|alcore_\w+ \*const) \*\w+$', argument))


def order_faults(arguments):
    """What breaks rule 2 among the arguments of one function, in words."""
    faults = []
    names = [name_of(argument) for argument in arguments]
    inputs = [argument for argument in arguments if not is_output(argument)]
    if any(map(is_handle, inputs)) and not is_handle(arguments[0]) and names[0] != 'user':
        faults.append('a handle is not the first argument')
    # A setter takes a function of the caller with the pointer that it is called with, in this
    # order.
    if 'user' in names[1:] and names[names.index('user') - 1] not in ('progress', 'function'):
        faults.append('user is not the first argument')
    if any(re.match(r'(?:const )?alcore_ctx \*\w', argument) for argument in arguments[1:]):
        faults.append('the context is not the first argument')
    for before, argument in zip(arguments, arguments[1:]):
        capacity = name_of(before) == 'buffer' and COUNT.match(name_of(argument))
        if is_output(before) and not is_output(argument) and not capacity:
            faults.append('%s stands behind an output' % name_of(argument))
    for at, argument in enumerate(inputs):
        if re.match(r'const alcore_\w+_options \*', argument) and at + 1 < len(inputs):
            faults.append('%s stands behind the options' % name_of(inputs[at + 1]))
    at = 0
    while at < len(inputs):
        if not is_array(inputs[at]):
            at += 1
            continue
        while at < len(inputs) and is_array(inputs[at]):
            at += 1
        if at == len(inputs) or not re.match(r'(?:int64_t|size_t) ', inputs[at]) or not COUNT.match(name_of(inputs[at])):
            faults.append('%s is not directly followed by its count' % name_of(inputs[at - 1]))
    return faults


def integer_faults(declarations):
    """Integers narrower than int64_t whose name is not in SMALL, and size_t for what is no number of bytes."""
    for argument in declarations:
        found = INTEGERS.search(argument.split('(')[0])
        if not found:
            continue
        name = name_of(argument)
        pointer = '*' if '*' in argument and not is_output(argument) else ''
        if found.group(0) == 'size_t':
            if not BYTES.match(name):
                yield '%s is size_t: bytes only, int64_t otherwise' % name
        elif found.group(0) != 'uint8_t' and pointer + name not in NAMES:
            yield '%s is %s: int64_t, or name it in SMALL with a reason' % (name, found.group(0))


TEXT = {name: headers.code(name) for name in headers.names()}
STRUCTS = {match for text in TEXT.values() for match in re.findall(r'typedef struct (alcore_\w+) \{', text)}
HANDLES = {match for text in TEXT.values() for match in re.findall(r'typedef struct (alcore_\w+) \1;', text)} - STRUCTS


def check_itself(tap):
    """The rules find what they are for."""
    for arguments, fault in (
            ('alcore_pool *pool, const int64_t *rows, const alcore_tensor *values, int64_t count', 'rows is not'),
            ('int64_t k, alcore_pool *pool', 'a handle is not'),
            ('alcore_pool *pool, alcore_ctx *ctx', 'the context is not'),
            ('alcore_pool *pool, int64_t *out_first, int64_t row', 'row stands behind an output'),
            ('alcore_pool *pool, const alcore_lm_options *options, int64_t k', 'k stands behind the options')):
        faults = order_faults(split(arguments))
        tap.check(len(faults) == 1 and faults[0].startswith(fault), 'found: ' + fault, '\n'.join(faults))
    for declaration, count in (('int32_t index', 1), ('size_t rows', 1), ('int32_t role', 0), ('const int32_t *group', 0),
                               ('int32_t group', 1), ('size_t *out_length', 0), ('int64_t rows', 0)):
        tap.check(len(list(integer_faults([declaration]))) == count, '%s: %d faults' % (declaration, count))


def main():
    tap = Tap()
    check_itself(tap)
    used, functions = set(), 0
    for header, text in TEXT.items():
        faults = []
        for function, arguments in prototypes(text):
            functions += 1
            found = list(integer_faults(arguments))
            if header != 'alcore/sys/kernel.h' and function not in OWN_ORDER:
                found += order_faults(arguments)
            used |= {function} & set(OWN_ORDER)
            faults += ['%s: %s' % (function, fault) for fault in found]
        for struct, body in re.findall(r'typedef struct (\w+) \{(.*?)\n\}', text, re.S):
            members = [' '.join(member.split()) for member in body.split(';') if '(' not in member]
            faults += ['%s: %s' % (struct, fault) for fault in integer_faults(filter(None, members))]
        used |= {('*' if '*' in declaration and not is_output(declaration) else '') + name_of(declaration) for declaration in
                 re.findall(r'\bu?int(?:16|32)_t \*?\w+', text)}
        tap.check(not faults, '%s keeps the order of arguments and the kinds of integers' % header, '\n'.join(faults))
    tap.check(functions > 200 and len(HANDLES) >= 11, '%d functions and %d handles were read' % (functions, len(HANDLES)))
    unused = (NAMES | set(OWN_ORDER)) - used
    tap.check(not unused, 'every exception is still needed', ' '.join(sorted(unused)))
    tap.finish()


main()
