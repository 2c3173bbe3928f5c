# SPDX-License-Identifier: Apache-2.0
"""Loops of a kernel's machine code (SASS, as cuobjdump prints it), and what a round of one does.

A round is counted along its longest way, for each count on its own: of two branches that exclude one another the larger one,
and what a branch may skip as if it never did. A subroutine counts as the instruction that calls it."""
import re
from collections import namedtuple

# address: in bytes; condition: whether a predicate may leave the instruction out; name: with its
# modifiers, LDG.E.64; arguments: the rest of the line.
Instruction = namedtuple('Instruction', 'address condition name arguments')
Counts = namedtuple('Counts', 'instructions branches float64 special loaded stored')

LINE = re.compile(r'^\s+/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)([^;]*);', re.M)
FLOAT64 = re.compile(r'D(ADD|MUL|FMA|SETP|MNMX|SET)\b|[FI]2[FI]\.\S*F64|F2F\.F64|MUFU\.\w*64H?')
BRANCH = re.compile(r'BRA|BRX|CALL|RET|BSYNC|BREAK|EXIT')
WIDTHS = {'U8': 1, 'S8': 1, 'U16': 2, 'S16': 2, '64': 8, '128': 16}


def instructions_of(text):
    """The instructions of a kernel in the order of their addresses."""
    return [Instruction(int(address, 16), bool(condition), name, arguments)
            for address, condition, name, arguments in LINE.findall(text)]


def bytes_of(name):
    """What an instruction on memory loads or stores for a thread."""
    return next((WIDTHS[part] for part in name.split('.') if part in WIDTHS), 4)


def target_of(one):
    """Where a jump goes to, or None."""
    found = re.search(r'0x([0-9a-f]+)', one.arguments) if one.name.startswith('BRA') else None
    return int(found.group(1), 16) if found else None


def counts_of(one):
    """What an instruction adds to each count. A conditional operation in float64 is for zero, subnormal and infinite numbers
    and is not counted."""
    return Counts(1, bool(BRANCH.match(one.name)), not one.condition and bool(FLOAT64.match(one.name)),
                  one.name.startswith('MUFU'), bytes_of(one.name) if re.match(r'LDG(STS)?(\.|$)', one.name) else 0,
                  bytes_of(one.name) if re.match(r'STG(\.|$)', one.name) else 0)


class Loop:
    """A part of the code that jumps back to its beginning, without the loops inside it; or all of a kernel without its
    loops."""

    def __init__(self, code, begin, end, inner):
        self.begin, self.end, self.inner = begin, end, inner
        self.code = [one for one in code if begin <= one.address <= end]
        self.own = [one for one in self.code if not any(b <= one.address <= e for b, e in inner)]

    def number_of(self, beginning):
        """How many instructions have a name that begins so."""
        return sum(one.name.startswith(beginning) for one in self.own)

    def round(self):
        """Counts of the longest way from the beginning to the end. Jumps back lead to an end, or around a loop inside."""
        own = {one.address for one in self.own}
        numbers = {one.address: number for number, one in enumerate(self.code)}
        ways = [Counts(*[0] * len(Counts._fields))] * (len(self.code) + 1)
        for number in range(len(self.code) - 1, -1, -1):
            one = self.code[number]
            next_ones = []
            target = target_of(one)
            sure = not one.condition and not re.search(r'\bU?P\d', one.arguments) and '.DIV' not in one.name
            inside = one.address not in own  # a loop inside is left at its end
            if target is not None and target > one.address and target in numbers:
                next_ones.append(numbers[target])
            if inside or not (sure and re.match(r'BRA|BRX|EXIT|RET', one.name)):
                next_ones.append(number + 1)
            longest = [max((way[k] for way in (ways[n] for n in next_ones)), default=0) for k in range(len(Counts._fields))]
            added = Counts(*[0] * len(Counts._fields)) if inside else counts_of(one)
            ways[number] = Counts(*(a + b for a, b in zip(added, longest)))
        return ways[0]


def loops_of(code):
    """The loops of a kernel, and last the whole kernel without them, up to the first subroutine behind it."""
    ends = {}
    for one in code:
        target = target_of(one)
        if target is not None and target < one.address:
            ends[target] = max(one.address, ends.get(target, 0))
    ranges = sorted(ends.items())
    nested = lambda begin, end: [(b, e) for b, e in ranges if (b, e) != (begin, end) and begin <= b and e <= end]
    loops = [Loop(code, begin, end, nested(begin, end)) for begin, end in ranges]
    last = max((one.address for one in code), default=0)
    return loops + [Loop(code, 0, last, ranges)]
