# SPDX-License-Identifier: Apache-2.0
"""What an element of each kernel is, where its machine code handles it, and the fewest bytes that it has to move."""
import re
from collections import namedtuple

from machine_code import Counts


class Part(namedtuple('Part', 'marker number each having lacking nested')):
    """A loop that handles an element. marker: how the names of some instructions begin, `number` of which belong to an
    element: arithmetic or stores, so that bytes loaded are counted against something else. each: a round has so many
    elements, in place of number. having, lacking: instructions that the loop has, or has not, separated by blanks. nested: the
    loop has others inside, which are not counted with it.
    Of the loops that fit, the one counts whose round has the most markers, and of those the shortest: not what is left over
    from a loop that was unrolled, and not a form that has more to do."""

    def __new__(cls, marker, number=1, each=None, having='', lacking='', nested=False):
        return super().__new__(cls, marker, number, each, having, lacking, nested)

    def fits(self, loop):
        """Whether a loop is such a one."""
        return (bool(loop.inner) == self.nested and loop.number_of(self.marker) > 0
                and all(loop.number_of(name) for name in self.having.split())
                and not any(loop.number_of(name) for name in self.lacking.split()))

    def counts(self, loops):
        """Counts of an element, or None where no loop fits."""
        found = [loop for loop in loops if self.fits(loop)]
        if not found:
            return None
        loop = max(found, key=lambda one: (one.number_of(self.marker), -len(one.own)))
        elements = self.each or loop.number_of(self.marker) / self.number
        return [count / elements for count in loop.round()]


# In the place of parts: what a thread does outside of loops, for the one element that it has. Where
# there are loops too, that is what a row or an item costs once, whatever its length.
THREAD = 'thread'
# In the place of the fewest bytes: they are not compared, as threads read the same numbers again,
# from the first-level cache, or as it is what a row costs once, or as one of two stores is left out
# by its predicate, of which both are counted.
AGAIN = None

Element = namedtuple('Element', 'kernel element parts loaded stored')

# Of kernels that exist for each type of components the one for bfloat16 (2) is counted. Bytes: 2 of
# a bfloat16, 4 of a float32, of an index or of a group, 8 of a double, 1 of a mask. Of kernels that
# compare a tile of pairs: the share of a pair in the tile's rows and others, such as 4 rows of 2
# bytes and 4 centroids of 8 for 16 pairs; on tensor cores 3: a stage copies 192 lines of 32
# components, 12,288 bytes, for 262,144 products, of which 64 are an element.
ELEMENTS = [Element(*of) for of in [
    ('logits_kernel<2, 0, 256>', 'logit: log-sum-exp, label, argmax', [Part('MUFU.EX2', each=32, having='LDG.E.128')], 2, 0),
    ('logits_kernel<2, 1, 256>', 'logit: the second largest too', [Part('MUFU.EX2', each=32, having='LDG.E.128')], 2, 0),
    ('logits_kernel<2, 2, 256>', 'logit: entropy too', [Part('MUFU.EX2', each=32, having='LDG.E.128')], 2, 0),
    ('logits_kernel<2, 3, 256>', 'logit: all of them', [Part('MUFU.EX2', each=32, having='LDG.E.128')], 2, 0),
    ('logits_kernel<3, 3, 256>', 'logit in float32: all of them', [Part('MUFU.EX2', each=16, having='LDG.E.128')], 4, 0),
    ('logits_kernel<2, 3, 256>', 'row, once', THREAD, AGAIN, 52),
    ('split_kernel<0>', 'logit, and the bias: log-sum-exp', [Part('MUFU.EX2', each=16)], 8, 0),
    ('split_kernel<3>', 'logit, and the bias: all of them', [Part('MUFU.EX2', each=16)], 8, 0),
    ('split_kernel<3>', 'split of a row, once', THREAD, AGAIN, 56),
    ('fused_kernel<2, 0>', '64 products on tensor cores', [Part('HMMA')], 3, 0),
    ('fused_kernel<2, 0>', 'logit, and the bias: log-sum-exp', [Part('MUFU.EX2', each=64, nested=True)], 3.5, 0),
    ('fused_kernel<2, 3>', '64 products on tensor cores', [Part('HMMA')], 3, 0),
    ('fused_kernel<2, 3>', 'logit, and the bias: all of them', [Part('MUFU.EX2', each=64, nested=True)], 3.5, 0),
    ('hidden_join', 'statistics of a split', [Part('LDG', each=1)], 56, 0),
    ('hidden_join', 'pairs of lanes that are joined', [Part('SHFL', each=1)], 0, 0),
    ('hidden_join', 'row, once', THREAD, AGAIN, 108),
    ('label_rows_kernel<int>', 'label, and the length of the item', THREAD, 12, 9),
    ('label_rows_kernel<long>', 'label, and the length of the item', THREAD, 16, 9),
    ('gather_kernel<half_entries, unsigned short>', 'component', [Part('STG.E.U16')], 2, 2),
    ('gather_kernel<rounded_entries<2>, float>', 'component', [Part('STG')], 2, 4),
    ('product_kernel', 'component, copied to a tile', [Part('STS')], 4, 0),
    ('product_kernel', 'product in float32', [Part('FFMA', nested=True)], AGAIN, 0),
    ('nnll_kernel<2>', 'log-probability of a token', [Part('DADD')], 2, 0),
    ('nnll_kernel<2>', 'item, once', THREAD, AGAIN, 8),
    ('each_row<2, widen_body>', 'component', [Part('STG', lacking='MUFU')], 2, 8),
    ('each_row<2, self_dots_body>', 'component', [Part('DFMA', lacking='MUFU')], 2, 0),
    ('each_row<2, self_dots_body>', 'row, once', THREAD, AGAIN, 8),
    ('each_row<2, norms_body>', 'component', [Part('DFMA', lacking='MUFU')], 2, 0),
    ('each_row<2, norms_body>', 'row, once', THREAD, AGAIN, 8),
    ('each_row<2, dots_body>', 'component, and of the vector', [Part('DADD', lacking='MUFU')], 10, 0),
    ('each_row<2, dots_body>', 'row, once', THREAD, AGAIN, 8),
    ('each_row<2, sq_dists_body>', 'component, and of the vector', [Part('DMUL', lacking='MUFU')], 10, 0),
    ('each_row<2, sq_dists_body>', 'row, once', THREAD, AGAIN, 8),
    ('finished_rows<2, group_cosine_body>', 'component, and of the centroid', [Part('DADD', lacking='MUFU')], 10, 0),
    ('finished_rows<2, group_cosine_body>', 'row, once', [Part('SHFL', each=1, nested=True)], AGAIN, 0),
    ('finished_rows<2, group_cosine_body>', '32 rows, once', THREAD, AGAIN, 8),
    ('finished_rows<2, idds_update_body>', 'component, and of the pick', [Part('DADD', lacking='MUFU')], 10, 0),
    ('finished_rows<2, idds_update_body>', 'row, once', [Part('SHFL', each=1, nested=True)], AGAIN, 0),
    ('finished_rows<2, idds_update_body>', '32 rows, once', THREAD, AGAIN, 24),
    ('each_row<2, min_sq_dists_body<1> >', 'component, and of the centroid', [Part('DMUL', lacking='MUFU')], 10, 0),
    ('each_row<2, min_sq_dists_body<4> >', 'component, and of 4 centroids', [Part('DMUL', 4, lacking='MUFU')], 34, 0),
    ('each_row<2, min_sq_dists_body<4> >', 'row, once', THREAD, AGAIN, 8),
    ('each_row<2, min_badge_body<1> >', 'component, and of the centroid', [Part('DADD', having='LDG.E.U16', lacking='MUFU')], 10, 0),
    ('each_row<2, min_badge_body<4> >', 'component, and of 4 centroids', [Part('DADD', 4, having='LDG.E.U16', lacking='MUFU')], 34, 0),
    ('each_row<2, min_badge_body<4> >', 'row, once', THREAD, AGAIN, 8),
    ('each_row<2, min_badge_body<1> >', 'the same of a unit row',
     [Part('DADD', having='LDG.E.U16 LDG.E.64 MUFU.RCP64H')], 10, 0),
    ('each_row<2, min_badge_body<4> >', 'the same of a unit row',
     [Part('DADD', 4, having='LDG.E.U16 LDG.E.64 MUFU.RCP64H')], 34, 0),
    ('finished_rows<2, convert_body>', 'component: norm, then half precision',
     [Part('DFMA', having='STS', lacking='MUFU STG'), Part('STG.E.U16', having='LDS')], 2, 2),
    ('finished_rows<2, convert_body>', 'row, once', [Part('SHFL', each=1, nested=True)], AGAIN, AGAIN),
    ('finished_rows<2, convert_body>', '32 rows, once', THREAD, AGAIN, 24),
    ('sums_kernel<2, false, 8>', "component, share of its row's number", [Part('DADD')], 2.5, 0),
    ('sums_kernel<2, true, 8>', "component, share of row's number, norm", [Part('DADD', each=64)], 3.5, 0),
    ('sums_kernel<2, false, 1>', 'component of a row, any address', [Part('DADD')], 6, 0),
    ('sums_kernel<2, true, 1>', 'component of a unit row, any address', [Part('DADD')], 14, 0),
    ('few_sums_kernel<2, false, 8>', 'component of a row that was found', [Part('DADD')], 2, 0),
    ('few_sums_kernel<2, true, 8>', 'component of such a row, norm', [Part('DADD', each=64)], 3, 0),
    ('few_sums_kernel<2, false, 8>', 'row, its group compared', [Part('VOTE')], 4, 0),
    ('few_sums_kernel<2, false, 1>', 'component of such a row, anywhere', [Part('DADD')], 2, 0),
    ('few_sums_kernel<2, true, 1>', 'component of such a unit row, anywhere', [Part('DADD')], 10, 0),
    ('each_row<2, class_tops_body>', 'probability of a class', [Part('LDG', each=8, having='DSETP', lacking='MUFU')], 2, 0),
    ('numbered_kernel<wide_unit>', '16 bytes of a row, and its number', THREAD, 24, AGAIN),
    ('update_min_kernel', 'weight', THREAD, 17, 8),
    ('total_kernel', 'weight', [Part('LDG', each=4, nested=True), Part('DADD')], 9, 0),
    ('run_totals_kernel', 'weight, and its running sum', [Part('LDG', each=4, nested=True), Part('DADD')], 9, 8),
    ('draw_rows_kernel', 'weight, and its running sum', [Part('DADD', having='LDG.E.U8')], 17, 0),
    ('arg_max_kernel', 'value', [Part('DSETP.NAN', having='LDG.E.U8')], 9, 0),
    ('idds_kernel', 'score of a row', THREAD, 25, 8),
    ('nearest_kernel<2, false>', 'component of a pair', [Part('DMUL')], 2.5, 0),
    ('nearest_kernel<2, true>', 'component of a pair, unit rows', [Part('DADD', 2, having='LDG.E.64')], 2.5, 0),
    ('values_kernel<false>', 'component of a pair of doubles', [Part('DMUL')], 4, 0),
    ('values_kernel<true>', 'component of a pair of doubles', [Part('DMUL')], 4, 0),
    ('margin_kernel', 'component of a pair of doubles', [Part('DMUL', lacking='MUFU')], 4, 0),
    ('distance_kernel', 'component of a pair of doubles', [Part('DMUL', lacking='MUFU')], 4, 0),
    ('best_filter<nearest_body>', '64 products on tensor cores', [Part('HMMA')], 3, 0),
    ('best_filter<margin_body>', '64 products on tensor cores', [Part('HMMA')], 3, 0),
    ('candidates_kernel', '64 products on tensor cores', [Part('HMMA')], 3, 0),
    ('bounds_kernel', '64 products on tensor cores', [Part('HMMA')], 3, 0),
    ('best_filter<nearest_body>', 'pair: its bounds are compared', [Part('BAR', each=64, having='LDGSTS', nested=True)], AGAIN, AGAIN),
    ('best_filter<margin_body>', 'pair: its bounds are compared', [Part('BAR', each=64, having='LDGSTS', nested=True)], AGAIN, AGAIN),
    ('bounds_kernel', 'pair: its distance is bounded', [Part('MUFU', each=64, having='LDGSTS', nested=True)], AGAIN, AGAIN),
    ('bounds_end', 'sums of a section', [Part('DADD', 2)], 16, 0),
    ('bounds_end', 'row and group, once', THREAD, AGAIN, 16),
    ('begin_kernel', 'item', THREAD, 24, 12),
    ('join_kernel', 'two neighbors, ordered', [Part('STS.128', 2, having='LDS.128 MUFU')], 0, 0),
    ('join_kernel', 'value; the sort is one of many', [Part('ATOMS', having='LDG', nested=True)], 9, 0),
    ('rerank_kernel', 'candidate that is kept', [Part('ATOMS', having='LDG')], 8, 0),
    ('rerank_kernel', 'component of a pair, computed again', [Part('DADD', 2, having='LDG.E.U16 LDG.E.64')], 10, 0),
    ('best_rerank<nearest_body>', 'component of a pair, computed again', [Part('DADD', 2, having='LDG.E.U16 LDG.E.64')], 10, 0),
    ('best_rerank<margin_body>', 'component of a pair, computed again', [Part('DADD', having='LDG.E.U16 LDG.E.64')], 10, 0),
]]

# Kernels without such a count, and why.
UNCOUNTED = {
    'arg_max_join': 'reads the results of at most 512 blocks',
    **{'numbered_kernel<unsigned %s>' % unit: 'as that of 16 bytes, for rows at multiples of fewer bytes'
       for unit in ('char', 'short', 'int')},
}

# The most operations of the unit for special functions (roots, reciprocals, powers of two) that an
# element takes. A pair of rows and targets takes one reciprocal root, of which both its distance
# and the error of that are made by multiplying.
MOST_SPECIAL = {('bounds_kernel', 'pair: its distance is bounded'): 1}


def family(kernel):
    """Kernels that differ in the type of components or in a size have the same one."""
    return re.sub(r'\d+', '#', kernel)


def element_counts(kernel_loops):
    """{(kernel, element): counts of an element} of {kernel: its loops, and last the code without them}; an element of which
    a loop is not there is left out."""
    found = {}
    for one in ELEMENTS:
        loops = kernel_loops.get(one.kernel)
        if not loops:
            continue
        parts = [loops[-1].round()] if one.parts == THREAD else [part.counts(loops[:-1]) for part in one.parts]
        if all(parts):
            found[one.kernel, one.element] = Counts(*map(sum, zip(*parts)))
    return found
