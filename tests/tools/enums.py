# SPDX-License-Identifier: Apache-2.0
"""The enums of the public headers, for the test of their values, the walk through all calls that take one (tests/abi/enum_walk.c)
and the table of docs/abi.md."""
import re
import sys

import headers

#: Flag words: several of their bits may be set at once.
FLAGS = {'alcore_hint_kind', 'alcore_overlap_role', 'alcore_row_state', 'alcore_selection_flag', 'alcore_token_mark'}
#: Enums with the values of DLPack, which are those of members of alcore_tensor and of nothing else.
DLPACK = {'alcore_dtype_code', 'alcore_device_type'}


class Enum:
    """One enum: its tag (None: it has none), its header, and [(name, value)]."""

    def __init__(self, tag, header, values):
        self.tag, self.header, self.values = tag, header, values

    def block(self):
        """Where its values are, in words."""
        numbers = [value for _, value in self.values]
        if self.tag == 'alcore_status_code':
            return '0 and below'
        if self.tag in DLPACK:
            return "DLPack's"
        if self.tag in FLAGS:
            return 'bits %d to %d' % (min(numbers).bit_length() - 1, max(numbers).bit_length() - 1)
        if max(numbers) < 100:
            return 'below 100'
        return '%d' % (numbers[0] // 100 * 100)


def read():
    """All enums of the headers but those of alcore/sys/."""
    found = []
    for name in headers.names():
        if name.startswith('alcore/sys/'):
            continue
        for tag, body in re.findall(r'\benum\b\s*(\w*)\s*\{(.*?)\}', headers.code(name), re.DOTALL):
            values = [(constant, int(number, 0)) for constant, number in re.findall(r'(ALCORE_\w+)\s*=\s*(-?\w+)', body)]
            found.append(Enum(tag or None, name, values))
    return found


def prefix(enum):
    """What the names of an enum have in common, such as ALCORE_ROLE_; the names themselves where that is nothing."""
    names = [name for name, _ in enum.values]
    common = names[0]
    for name in names:
        while not name.startswith(common):
            common = common[:-1]
    return common[:common.rfind('_') + 1]


def table():
    """The rows of docs/abi.md."""
    rows = ['| enum | header | values |', '|---|---|---|']
    for enum in sorted(read(), key=lambda enum: (enum.header.startswith('alcore/extra/'), enum.values[0][1])):
        rows.append('| `%s` | `%s` | %s |' % (enum.tag, enum.header, enum.block()))
    return '\n'.join(rows) + '\n'


def values_header():
    """A C header with every value: VALUE(tag, name)."""
    lines = ['/* SPDX-License-Identifier: Apache-2.0 */', '/* Made by tests/tools/enums.py from the public headers. */']
    lines += ['VALUE(%s, %s)' % (enum.tag, name) for enum in read() for name, _ in enum.values]
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    if sys.argv[1:2] == ['--values']:
        with open(sys.argv[2], 'w', encoding='utf-8') as file:
            file.write(values_header())
    else:
        sys.stdout.write(table())
