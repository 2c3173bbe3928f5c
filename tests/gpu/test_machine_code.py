#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What machine_code.py and kernel_elements.py count of machine code that is written here, by hand: two loops, one of them in
the other, with branches that exclude one another and code that a branch may skip."""
import os
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
sys.path[:0] = [os.path.join(ROOT, 'tests', 'tools'), os.path.join(ROOT, 'tests', 'gpu')]
from kernel_elements import AGAIN, ELEMENTS, UNCOUNTED, Part, family
from machine_code import Counts, instructions_of, loops_of
from tap import Tap

# As cuobjdump prints it: the address in a comment, a predicate, the name, the arguments, the bits.
CODE = '''
        /*0000*/                   MOV R1, c[0x0][0x28] ;           /* 0x00000a0000017a02 */
        /*0010*/                   LDG.E.64 R2, [R4.64] ;           /* 0x0000000404027981 */
        /*0020*/                   LDG.E R6, [R4.64] ;              /* 0x0000000404067981 */
        /*0030*/               @P0 BRA 0x60 ;                       /* 0x0000002000000947 */
        /*0040*/                   LDG.E.U16 R7, [R8.64] ;          /* 0x0000000408077981 */
        /*0050*/                   BRA 0x80 ;                       /* 0x0000002000007947 */
        /*0060*/                   LDG.E.128 R8, [R8.64] ;          /* 0x0000000408087981 */
        /*0070*/               @P1 F2F.F64.F32 R10, R9 ;            /* 0x00000009000a1310 */
        /*0080*/                   DFMA R2, R2, R2, R10 ;           /* 0x000000020202722b */
        /*0090*/                   MUFU.RSQ R3, R3 ;                /* 0x0000000300037308 */
        /*00a0*/              @!P2 BRA 0x80 ;                       /* 0xffffffd00000a947 */
        /*00b0*/                   STG.E.U16 [R4.64], R2 ;          /* 0x0000000204007986 */
        /*00c0*/                   CALL.REL.NOINC 0x110 ;           /* 0x0000004000007944 */
        /*00d0*/               @P3 BRA 0x20 ;                       /* 0xfffffff000003947 */
        /*00e0*/                   STG.E.64 [R4.64], R2 ;           /* 0x0000000204007986 */
        /*00f0*/                   EXIT ;                           /* 0x000000000000794d */
        /*0100*/                   BRA 0x100;                       /* 0xfffffff000007947 */
        /*0110*/                   MUFU.RCP64H R3, R3 ;             /* 0x0000000300037308 */
        /*0120*/                   RET.REL.NODEC R2 0x0 ;           /* 0xfffffe0002007950 */
'''


def main():
    tap = Tap()
    code = instructions_of(CODE)
    loops = loops_of(code)
    spans = [(loop.begin, loop.end, len(loop.inner)) for loop in loops]
    tap.check(len(code) == 19 and code[3].condition and not code[0].condition, 'instructions, and which have a condition')
    tap.check(spans == [(0x20, 0xd0, 1), (0x80, 0xa0, 0), (0, 0x120, 2)], 'loops, and the code without them', spans)
    # LDG.E, BRA, LDG.E.128, F2F under a condition, STG, CALL, BRA: the longer way, without what is
    # in the loop inside. The other way loads less, but has a branch more.
    tap.check(loops[0].round() == Counts(7, 4, 0, 0, 20, 2), 'the longer of two branches counts', loops[0].round())
    tap.check(loops[1].round() == Counts(3, 1, 1, 1, 0, 0), 'a loop inside', loops[1].round())
    tap.check(loops[2].round() == Counts(4, 1, 0, 0, 8, 8), 'a whole kernel ends before its subroutines', loops[2].round())

    tap.check(Part('DFMA').counts(loops[:-1]) == [3, 1, 1, 1, 0, 0], 'an element of the loop with the marker')
    tap.check(Part('DFMA', 2).counts(loops[:-1]) == [6, 2, 2, 2, 0, 0], 'an element of two markers')
    tap.check(Part('LDG', each=4, nested=True).counts(loops[:-1]) == [7 / 4, 1, 0, 0, 5, 0.5], 'four elements a round')
    tap.check(Part('LDG', lacking='STG', nested=True).counts(loops[:-1]) is None, 'a loop that has what it must not')
    tap.check(Part('DFMA', having='STG').counts(loops[:-1]) is None, 'a loop that has not what it must')

    kernels = {one.kernel for one in ELEMENTS}
    tap.check(not {family(name) for name in UNCOUNTED} & {family(name) for name in kernels},
              'no kernel is counted and among those that are not')
    unfair = [(one.kernel, one.element) for one in ELEMENTS if one.loaded is not AGAIN and not one.loaded and not one.stored]
    tap.check(unfair == [('hidden_join', 'pairs of lanes that are joined'), ('join_kernel', 'two neighbors, ordered')],
              'elements move bytes, but for those in registers and in shared memory', unfair)
    tap.finish()


if __name__ == '__main__':
    main()
