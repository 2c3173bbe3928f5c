# SPDX-License-Identifier: Apache-2.0
"""What the public headers declare, for the tests of symbols, sweeps and documents."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(ROOT, 'include')


def names():
    """Paths of all public headers as one includes them, version.h (generated) among them."""
    found = ['alcore/version.h']
    for folder in ('alcore', 'alcore/extra', 'alcore/sys'):
        found += [folder + '/' + name for name in os.listdir(os.path.join(INCLUDE, folder)) if name.endswith('.h')]
    return sorted(found)


def code(name):
    """Text of a header without its comments."""
    path = os.path.join(INCLUDE, name)
    with open(path if os.path.exists(path) else path + '.in', encoding='utf-8') as file:
        return re.sub(r'/\*.*?\*/', ' ', file.read(), flags=re.DOTALL)


def functions():
    """{exported function: its header}."""
    found = {}
    for name in names():
        for declaration in re.findall(r'^ALCORE_API\b([^;{]*)[;{]', code(name), flags=re.MULTILINE):
            found[re.search(r'\b(alcore_\w+)\s*\(', declaration).group(1)] = name
    return found


def size_first_structs():
    """Names of the structs that may grow at their end."""
    return sorted({match.group(1) for name in names()
                   for match in re.finditer(r'typedef struct (alcore_\w+) \{\s*size_t size;', code(name))})
