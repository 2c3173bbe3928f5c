#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of the first values of structs, by which alcore_struct_begin() and alcore_extra_struct_begin() begin a
struct in a language without macros, from the headers: every size-first struct that has an _INIT macro, in the table of its tier.

    struct_images.py          writes both tables
    struct_images.py --check  says which differ from the headers; exit status 1 when one does"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import headers  # noqa: E402

NOTE = """/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tests/tools/struct_images.py from the public headers; do not edit.
 * The structs of %s and what their _INIT macros make. */
%s
#define IMAGE(type, initial) {#type, sizeof(type), &(const type)initial}

const alcore__struct_image %s[] = {
"""
TABLES = {
    os.path.join('lib', 'select', 'struct_images.c'):
        ('alcore/alcore.h', '#include "select/struct_images.h"\n\n#include "alcore/alcore.h"\n', 'alcore__struct_images', False),
    os.path.join('lib', 'extra', 'structs', 'extra_struct_images.c'):
        ('alcore/extra.h', '#include "extra/structs/extra_struct_images.h"\n\n#include "alcore/extra.h"\n',
         'alcore__extra_struct_images', True),
}


def structs(extra):
    """(struct, macro) of a tier, in the order of the headers."""
    for name in headers.names():
        if name.startswith('alcore/sys/') or name.startswith('alcore/extra/') != extra:
            continue
        text = headers.code(name)
        for struct in re.findall(r'typedef struct (alcore_\w+) \{\s*size_t size;', text):
            macro = struct.upper() + '_INIT'
            if re.search(r'#define %s\b' % macro, text):
                yield struct, macro


def main(arguments):
    stale = []
    for path, (title, includes, table, extra) in TABLES.items():
        text = NOTE % (title, includes, table)
        text += ''.join('    IMAGE(%s, %s),\n' % pair for pair in structs(extra)) + '    {NULL, 0, NULL}};\n'
        path = os.path.join(headers.ROOT, path)
        found = open(path, encoding='utf-8').read() if os.path.exists(path) else ''
        if found != text:
            stale.append(path)
            if arguments != ['--check']:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
    for path in stale:
        print('%s: made from the headers' % os.path.relpath(path, headers.ROOT))
    return 1 if stale and arguments == ['--check'] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
