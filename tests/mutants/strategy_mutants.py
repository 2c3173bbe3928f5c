#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Defects that the tests of strategies must see: each is put into a copy of one source file, which is compiled and linked into the
program of the tests meant to find it. A mutant counts as killed only when the case named for it fails, while every other case that the
plain library passes is free to fail too; one that lives, dies elsewhere or does not compile fails. In TAP.

Of all mutants it is checked that their texts stand in the sources, their cases in those of the tests, and these tests in the default
tier. With $ALCORE_TEST_FULL each of them is compiled and run, and with names those.

  strategy_mutants.py SOURCE BUILD [NAME]..."""
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
from killers import command_of_source, default_commands  # noqa: E402

VECTORS = 'tests/unit/strategy/test_strategy_vectors'
TARGET = 'tests/unit/strategy/test_strategy_target'
FILL = 'tests/unit/strategy/test_strategy_fill'
BADGE = 'tests/unit/strategy/test_strategy_badge'
PROPERTIES = 'tests/property/test_strategy_properties'
TARGET_PROPERTIES = 'tests/property/test_strategy_target_properties'
DEMUX = 'tests/unit/strategy/test_strategy_demux'
LANGUAGES = 'tests/unit/strategy/test_strategy_languages'
BALANCE = 'tests/unit/strategy/test_strategy_balance'
SCORER = 'tests/unit/scorer/test_scorer'
MRS = 'tests/unit/strategy/test_strategy_mrs'
COVER = 'tests/unit/strategy/test_strategy_ngram_cover'
COVERS = 'tests/unit/strategy/test_strategy_covers'
CONTRASTIVE = 'tests/unit/strategy/test_strategy_contrastive'
RECOMMENDED = 'tests/unit/request/test_recommended'
NEAR = 'tests/unit/request/test_text_near'
NEAR_WORDS = 'tests/unit/text/test_near_words'
TEXT_MASKS = 'tests/unit/request/test_text_masks'
TEXT_LANGUAGES = 'tests/unit/request/test_text_languages'
COMPARISON = 'tests/unit/extra/analysis/test_comparison'
CLUSTERS = 'tests/unit/strategy/test_strategy_clusters'
ROUND_TRIP = 'tests/unit/strategy/test_strategy_round_trip'
BUDGETS = 'tests/unit/request/test_budgets'
SELECTION = 'tests/unit/selection/test_selection'
NARROW = 'tests/unit/scorer/test_narrow'
TABLES = 'tests/unit/pool/test_pool_write'
WANTED = 'tests/unit/request/test_wanted_rows'
MIX = 'tests/unit/extra/mix/test_mix_vectors'
TRAINING = 'tests/unit/extra/mix/test_training_set'
ANNOTATIONS = 'tests/unit/extra/annotation/test_annotations'
OVERLAP = 'tests/unit/extra/overlap/test_metric_overlap'
TER = 'tests/unit/extra/metric/test_metric_ter'

# On emulated devices.
COLUMNS = 'tests/emu/test_cuda_columns'
DEVICES = 'tests/emu/test_cuda_devices'
RESULTS = 'tests/emu/test_cuda_results'
LABELS = 'tests/emu/test_cuda_labels'
WRITERS = 'tests/emu/test_cuda_writers'
COPIES = 'tests/emu/test_cuda_copies'
MASKS = 'tests/emu/test_cuda_masks'
CLASSES = 'tests/emu/test_cuda_classes'

PHRASES = 'tests/unit/request/test_phrase_selection'
PHRASE_ROUNDS = 'tests/unit/request/test_phrase_rounds'
HYBRID = 'tests/unit/request/test_hybrid_selection'
HUDS_PHRASE = 'tests/unit/request/test_huds_phrase'

# name: (file, text that stands there once, what takes its place, its tests, case that must fail)
MUTANTS = {
    'HUDS weighs the terms the other way round':
        ('lib/strategy/rules/huds/huds.h', 'lambda * d + rest * u', 'rest * d + lambda * u', PROPERTIES,
         'huds_without_diversity_is_nnll'),
    'the first round of lambda_first lasts two rounds':
        ('lib/strategy/rules/huds/huds_score.c', 'run->input->round <= 1', 'run->input->round <= 2', VECTORS, 'lambda_schedule'),
    'HUDS takes 1 for the largest distance':
        ('lib/strategy/rules/huds/huds_needed.c', '2.0 /* the largest d */', '1.0 /* the largest d */', PROPERTIES,
         'huds_measures_what_picks_need'),
    'a smaller budget is not tried before rows are left out':
        ('lib/strategy/budget/fill.c', 'for (int32_t i = -1; i < fill->further_count && *out; i++)', 'for (int32_t i = -1; i < 0; i++)',
         PROPERTIES, 'huds_measures_what_picks_need'),
    'a stratum of min_stratum rows counts as small':
        ('lib/strategy/rules/huds/huds_score.c', 'state->counts[stratum[i]] < state->min_stratum', 'state->counts[stratum[i]] <= state->min_stratum',
         VECTORS, 'small_strata_use_the_global_centroid'),
    'a score on an edge falls into the lower stratum':
        ('lib/strategy/rules/huds/strata.h', 'floor(((score - low) / range) * n)', 'ceil(((score - low) / range) * n) - 1.0',
         VECTORS, 'strata'),
    'k-center does not measure from the labeled pool':
        ('lib/strategy/rules/kcenter.c', 'run->active[ALCORE__OVER_LABELED_ROWS].count + run->active[ALCORE__OVER_LABELED_POOL].count;',
         'run->active[ALCORE__OVER_LABELED_ROWS].count;', VECTORS, 'kcenter_measures_from_the_labeled_pool'),
    'IDDS takes alpha for granted':
        ('lib/strategy/rules/idds.c', '.alpha = state->alpha,', '.alpha = 0.67,', VECTORS, 'idds'),
    'IDDS counts the likeness of a row to itself':
        ('lib/strategy/rules/idds.c', 'state->include_self |= state->mode == MODE_PAPER;', 'state->include_self = true;', VECTORS, 'idds'),
    'IDDS never moves a pick to the labeled rows':
        ('lib/strategy/greedy/greedy_passes.c', 'if (greedy->bought && rule->update)', 'if (false)',
         VECTORS, 'idds'),
    'IDDS forgets the labeled pool':
        ('lib/strategy/rules/idds.c', '.source = ALCORE__OVER_LABELED_POOL,\n     .block = sum_block,\n     .partial = {.sums = ALCORE__SUMS(idds_state, sum_b)}',
         '.source = ALCORE__OVER_LABELED_POOL,\n     .block = sum_block,\n     .partial = {.sums = ALCORE__SUMS(idds_state, sum_a)}', VECTORS, 'idds'),
    'average-dist does not balance the languages':
        ('lib/strategy/rules/average_dist.c', 'alcore__target_groups_new(run, state->balanced,',
         'alcore__target_groups_new(run, false,', TARGET, 'average_distances'),
    'the centroid of the target rows is their sum':
        ('lib/strategy/rules/average_dist.c', 'state->centroids.values[i] /= state->target.rows[i / state->dims];', 'state->centroids.values[i] += 0;',
         TARGET_PROPERTIES, 'repeated_targets_change_nothing'),
    'a given k is halved':
        ('lib/strategy/rules/knn_uncertainty.c', 'state->automatic || k > state->k_max ? state->k_max : k', 'state->automatic || k > state->k_max ? state->k_max : k / 2 + 1',
         TARGET_PROPERTIES, 'all_rows_as_neighbors_are_uncertainty'),
    'c = 1 makes two budgets of candidates':
        ('lib/strategy/rules/uncertainty_members.c', 'limit = state->factor * run->input->fill.budget', 'limit = 2 * run->input->fill.budget',
         TARGET_PROPERTIES, 'as_many_candidates_as_picks_are_uncertainty'),
    'the share of a language is the whole budget':
        ('lib/strategy/rules/language_draws.c', 'run->input->fill.budget / (double)state->language_count', 'run->input->fill.budget',
         TARGET_PROPERTIES, 'egalitarian_counts_are_even'),
    'all rows of a language are bought where some are wanted':
        ('lib/strategy/rules/language_draws.c', 'count < rows_to_buy ? count : rows_to_buy', 'count', TARGET_PROPERTIES,
         'same_ratio_histograms_are_equal'),
    'the share of in-domain types is one of occurrences':
        ('lib/extra/overlap/overlap.c', 'percent(score.in_domain_types, score.types)', 'percent(score.in_domain_types, score.words)',
         OVERLAP, 'test_shares_of_table_5'),
    'the reason of a neighbor leaves out its target rows':
        ('lib/strategy/rules/knn_uncertainty.c', '.target_counts = "targets",', '', SELECTION, 'neighbors_of_a_target_are_told'),
    'a pick of MRS stays a candidate':
        ('lib/strategy/rules/mrs_rows.c', 'state->greedy.status[position] == ALCORE__GREEDY_PICKED;', 'false;', MRS,
         'iterative_mrs_is_the_plain_search'),
    'MRS does not search the lists again that had the pick':
        ('lib/strategy/rules/mrs.c', '== pick;\n        if (!has) continue;', '== pick;\n        if (true) continue;', MRS,
         'iterative_mrs_is_the_plain_search'),
    'MRS keeps a ratio whose own sum of cosines changed':
        ('lib/strategy/rules/mrs.c', 'if (half != rows.half[m] ||', 'if (', MRS, 'iterative_mrs_is_the_plain_search'),
    'the cover weighs an n-gram by all texts that have it':
        ('lib/strategy/rules/ngram_cover.c', 'pow((double)g->texts - 1,', 'pow((double)g->texts,', COVER, 'picks_are_those_of_the_formula'),
    'the cover takes labeled rows for texts of the labeled pool':
        ('lib/strategy/rules/ngram_cover.c', '.reduce = count_picked', '.reduce = count_labeled', COVER, 'bought_rows_are_picks'),
    'rows that earlier rounds bought are not known':
        ('lib/request/request_masks.c', 'masks->bought_rows[row] = 1;', 'masks->bought_rows[row] = 0;', NEAR, 'bought_rows_hide_near_texts'),
    'an excluded row counts as bought beside the labeled text that it is':
        ('lib/request/request_masks.c', '& others) != 0 || (known && known[row]))', '& others) != 0)', COVER, 'bought_rows_are_picks'),
    'a text is near to none that was listed first in its block':
        ('lib/request/text_near.c', 'if (number < from) continue;', 'if (number <= from) continue;', NEAR, 'many_texts_share_a_key'),
    'a text is near to none of the blocks before':
        ('lib/request/text_near.c', 'if (self->found[row - self->first])', 'if (false)', NEAR, 'many_texts_share_a_key'),
    'a key that two texts have counts as that of one':
        ('lib/request/text_near.c', '(1 + (*counter >> shift & 1)) << shift', 'UINT64_C(1) << shift', NEAR, 'first_of_near_texts_stays'),
    'a table of keys that grows forgets what it had':
        ('lib/request/text_near.c', 'larger.places[at] = *one;', 'larger.used--;', NEAR, 'a_table_that_grows_forgets_nothing'),
    'an outline tells texts apart whose parts differ by a fifth':
        ('lib/text/near_words.h', 'return more <= most &&', 'return more < most &&', NEAR_WORDS, 'outlines_of_near_texts'),
    'outlines of long texts tell them apart':
        ('lib/text/near_words.h', '== ALCORE__NEAR_MANY) return true;', '== ALCORE__NEAR_MANY) return false;', NEAR_WORDS, 'outlines_of_near_texts'),
    'a length of more than 16 bits is that of its lower ones':
        ('lib/request/text_lengths.c', 'found = found << HALF | next;', 'found = next;', TEXT_MASKS, 'lengths_are_masked_beyond_the_outer_fences'),
    'a block does not know under which keys it has listed texts':
        ('lib/request/text_near.c', 'self->recent[bit / 64] |= UINT64_C(1)', 'self->recent[bit / 64] |= UINT64_C(0)', NEAR, 'first_of_near_texts_stays'),
    'only the first key of a text tells whether its block has listed one like it':
        ('lib/request/text_near.c', 'if (is_shared(near, i) && self->recent[bit / 64] >> bit % 64 & 1) return true;',
         'if (is_shared(near, i)) return self->recent[bit / 64] >> bit % 64 & 1;', NEAR,
         'first_of_near_texts_stays'),
    'a text is listed under the last of its keys only':
        ('lib/request/text_near.c', 'if (under == LISTED) continue;', 'if (under == LISTED || i < ALCORE__NEAR_KEYS - 1) continue;', NEAR,
         'first_of_near_texts_stays'),
    'half of its texts make the script of a language':
        ('lib/request/text_languages.c', 'of->belong * 4 >= of->texts * 3', 'of->belong * 4 >= of->texts * 2', TEXT_LANGUAGES,
         'texts_of_another_script_are_masked'),
    'names in Latin are in another script':
        ('lib/request/text_languages.c', '(text->first == ALCORE__SCRIPT_LATIN && text->second == script)', 'text->second == text->first', TEXT_LANGUAGES,
         'texts_of_another_script_are_masked'),
    'an input that all strategies but the recommended one read is told of':
        ('lib/extra/analysis/comparison.c', 'if (named == 0) alcore__log_ignored', 'if (named >= 0) alcore__log_ignored', COMPARISON, 'a_model_of_some'),
    'a target is given to strategies of a comparison that do not read it':
        ('lib/extra/analysis/comparison.c', 'request->target = NULL;', 'request->target = target;', COMPARISON, 'targets_are_there'),
    'near-duplicates of a comparison are counted of the pool':
        ('lib/extra/analysis/comparison_measures.c', 'mask[alcore_selection_rows(one->picked)[i]] = 1;', 'mask[i] = 1;', COMPARISON,
         'measures_by_hand'),
    'quantiles of a comparison lie beyond the last number':
        ('lib/extra/analysis/text_measures.c', 'q * (double)(count - 1)', 'q * (double)count', COMPARISON, 'measures_by_hand'),
    'each strategy of a comparison shares all words with the others':
        ('lib/extra/analysis/comparison_measures.c', 'self->own[k], 1, true', 'self->own[i], 1, true', COMPARISON, 'what_each_two_share'),
    'a matrix of a comparison has the same row for all':
        ('lib/extra/analysis/comparison_document.c', '&values[i * count]', '&values[0 * count]', COMPARISON, 'what_each_two_share'),
    'the cover buys the same n-grams again and again':
        ('lib/strategy/rules/ngram_cover.c', 'pow((1.0 + before) / (2.0 + before), state->decay)', 'pow(1.0, state->decay)', COVER,
         'picks_are_those_of_the_formula'),
    'what counts more the first time is every n-gram':
        ('lib/strategy/rules/ngram_cover.c', 'return word && picked == 0', 'return picked == 0', COVER, 'picks_are_those_of_the_formula'),
    'the cover lets the language with the most frequent n-grams win':
        ('lib/strategy/rules/ngram_cover.c', 'input->language_count < 2)', 'input->language_count < 2000)', COVER, 'languages_are_level'),
    'typiclust turns to large clusters first, whether they have labeled rows or not':
        ('lib/strategy/rules/typiclust.c', 'if (x->labeled != y->labeled)', 'if (x->labeled > 999)', COVERS, 'typiclust_vector'),
    'typical rows are measured from rows that were picked, as the public code does not':
        ('lib/strategy/rules/typiclust.c', 'state->code ? free : NULL', 'NULL', COVERS, 'typiclust_vector'),
    'balls have their edges, which the paper leaves out':
        ('lib/strategy/rules/similarity_cover.c', 'values[i] < x ? 1.0 : 0.0', 'values[i] < 1.2 * x ? 1.0 : 0.0', COVERS, 'probcover_vector'),
    'bounds of gains fall too far':
        ('lib/strategy/rules/similarity_cover.c', 'cover->gains[chunk * CHUNK_ROWS + i] -= less;', 'cover->gains[chunk * CHUNK_ROWS + i] -= 2.0 * less;', COVERS,
         'picks_are_those_of_the_naive_cover'),
    'a row is one of its own neighbors':
        ('lib/strategy/rules/neighbor_cover.c', 'neighbors < count ? neighbors + 1 : count', 'neighbors < count ? neighbors : count', COVERS,
         'facility_location_vector'),
    'rows that are repeated lose themselves among their neighbors':
        ('lib/strategy/rules/neighbor_cover.c', 'near[0] = i;', 'near[0] = near[0] >= 0 ? near[0] : i;', COVERS, 'all_neighbors_are_all_pairs'),
    'contrastive measures the divergence the other way round':
        ('lib/strategy/rules/contrastive.c', 'sum += p[c] * (log_p[c] - log_q[c]);', 'sum += exp(log_q[c]) * (log_q[c] - log_p[c]);', CONTRASTIVE,
         'vectors'),
    'contrastive writes the labeled pool over the labeled rows':
        ('lib/strategy/rules/contrastive.c', 'is_other ? run->active', 'is_other && partial->start < 0 ? run->active', CONTRASTIVE, 'vectors'),
    'the pure ball is that of the wrong share':
        ('lib/strategy/rules/probcover.c', 'ceil(state->purity * (double)count)', 'ceil((1.0 - state->purity) * (double)count)', COVERS, 'probcover_vector'),
    'a strategy that is named has the masks of the recommended one':
        ('lib/request/text_masks.c', '(automatic && recommended)', 'automatic', RECOMMENDED, 'its_masks_are_its_own'),
    'a pool that has been bought is an error of the recommended strategy':
        ('lib/select/answering_rows.c', 'masks->by_cause[ALCORE__CAUSE_LABELED] > 0 ||', 'masks->by_cause[ALCORE__CAUSE_LABELED] > 9 ||', RECOMMENDED,
         'without_words_it_says_which_strategies_need_none'),
    'MRS draws other labeled rows each round':
        ('lib/strategy/rules/mrs.c', 'ALCORE__TAG_LSUB, 0, 0)', 'ALCORE__TAG_LSUB, (uint64_t)run->input->round, 0)', MRS,
         'the_sample_is_drawn_once_for_all_rounds'),
    'MRS reports labeled rows of the pool as rows of the labeled pool':
        ('lib/strategy/rules/mrs.c', 'state->own_rows += position < state->labeled_rows;', 'state->own_rows += 0;', MRS,
         'mrs_is_the_plain_search'),
    'half sums are divided by k where there are fewer neighbors':
        ('lib/search/margin_bound.c', 'sum / (2.0 * (double)found)', 'sum / (2.0 * (double)k)', MRS, 'mrs_is_the_plain_search'),
    'each cluster chooses only among all candidates once':
        ('lib/strategy/rules/cluster_picks.c', 'state->needs_new_lists = !complete;', 'state->needs_new_lists = false;', CLUSTERS,
         'repeated_rows_are_chosen_in_order'),
    'BERT-KM clusters the embeddings as they are':
        ('lib/strategy/rules/cluster_picks.c', 'true /* unit vectors */, NULL /* seeds are drawn */', 'false, NULL', CLUSTERS, 'bertkm_vector'),
    'ALPS draws the tokens of all texts alike':
        ('lib/strategy/rules/surprisal.c', 'alcore__hash64(id, strlen(id))', '0', CLUSTERS, 'tokens_of_a_text'),
    'ALPS rounds the number of tokens down':
        ('lib/strategy/rules/surprisal.c', '(double)count + 0.5)', '(double)count)', CLUSTERS, 'numbers_of_tokens'),
    'RTTL sums where the mean is asked for':
        ('lib/scorer/score_logprobs.c', 'else if (call->params->sums)', 'else', ROUND_TRIP, 'rttl_vector'),
    'the sum of RTTL has no floor':
        ('lib/scorer/score_logprobs.c', 'value < -100.0 ? -100.0 :', '', ROUND_TRIP, 'sums_have_the_floor_and_the_base'),
    'round-trip BLEU compares the text with itself':
        ('lib/scorer/score_rtt_bleu.c', 'back, back_length, text, length', 'text, length, text, length', ROUND_TRIP, 'rtt_bleu_is_sentence_bleu'),
    'BADGE begins with a uniform draw':
        ('lib/strategy/rules/badge_draws.c', '!state->first_uniform) return best', '!state->first_uniform + 1 == 0) return best', BADGE, 'vector'),
    'the least confidence of words is their margin':
        ('lib/scorer/class_distributions.c', 'if (measure.mode == MODE_LC) return stats->top1;', '', SCORER, 'token_scores'),
    'the entropy of words is their margin':
        ('lib/scorer/class_distributions.c', 'if (measure.mode == MODE_ENTROPY) return stats->entropy;', '', SCORER, 'token_scores'),
    'margins of words are never logarithmic':
        ('lib/scorer/class_distributions.c',
         'return measure.log_margin ? stats->log_top1 - stats->log_top2 : stats->top1 - stats->top2;',
         'return stats->top1 - stats->top2 + 0 * measure.log_margin;', SCORER, 'token_margins_of_logarithms'),
    'NSP is reported without its exponential':
        ('lib/scorer/score_logprobs.c', '1.0 - exp(0.0 - call->rank[i])', 'call->rank[i]', VECTORS, 'likelihoods'),
    'confidences are read as uncertainties':
        ('lib/scorer/score_logprobs.c', 'value = 1.0 - value;', 'value = value + 0.0;', VECTORS, 'meanings_of_scores'),
    'known phrases are bought':
        ('lib/strategy/rules/phrase_columns.c', 'rows[i].listed = !(excludes && numbers[i] != 0);', 'rows[i].listed = 1 | (excludes && numbers[i] != 0);',
         PHRASES, 'columns_by_hand'),
    'ngf-smp buys phrases that are not semi-maximal':
        ('lib/strategy/rules/phrase_columns.c', 'rows[i].listed &= numbers[i] != 0;', 'rows[i].listed |= numbers[i] != 0;', PHRASES,
         'texts_equal_their_phrases'),
    'types are drawn in the order of their frequency':
        ('lib/strategy/rules/phrases.c', 'if (!sorted) qsort(types, (size_t)listed, sizeof *types, compare_first_occurrences);',
         '(void)sorted;',
         PHRASES, 'texts_equal_their_phrases'),
    'rows of score 0 are bought':
        ('lib/strategy/budget/fill.c', 'run->outcome.positive ? 0.0 : (double)NAN', '(double)NAN', PHRASES, 'columns_by_hand'),
    'labeled rows of the pool are left out of the phrases':
        ('lib/select/request_phrases.c', ': masks->labeled_rows[row] ? ALCORE__PHRASE_LABELED\n', ': masks->labeled_rows[row] ? ALCORE__PHRASE_ABSENT\n',
         PHRASE_ROUNDS, 'labeled_rows_equal_a_new_pool'),
    'huds-phrase buys phrases inside each other':
        ('lib/strategy/rules/huds/huds_phrase.c', 'return found && (whole || found->whole);', 'return found && !found && (whole || found->whole);',
         HUDS_PHRASE, 'pruning'),
    'the occurrences of a phrase have no weight':
        ('lib/strategy/rules/huds/huds_phrase.c', 'pow(log(1.0 + (double)occ), state->gamma)', 'pow(log(1.0 + (double)occ), 0 * state->gamma)', HUDS_PHRASE,
         'vectors_of_rows_and_words'),
    'the uncertainty of a phrase is not divided by its words':
        ('lib/selection/phrase_measures.c', 'self->u[phrase] += sum / (double)length;', 'self->u[phrase] += sum;', HUDS_PHRASE,
         'vectors_of_rows_and_words'),
    'a hybrid counts the phrases of its sentences':
        ('lib/select/request_hybrid.c', 'self->shares.cover ? ALCORE_ROWS_LABELED : ALCORE_ROWS_EXCLUDED', 'self->shares.cover ? ALCORE_ROWS_EXCLUDED : ALCORE_ROWS_LABELED',
         HYBRID, 'parts_by_hand'),
    'an overshoot of sentences is always made up for':
        ('lib/select/request_hybrid.c', '(self->shares.carry ? alcore_selection_spent', '(true ? alcore_selection_spent', HYBRID, 'vectors'),
    'ties go to the later row':
        ('lib/strategy/budget/rank.c', 'return a->position < b->position;', 'return a->position > b->position;', VECTORS, 'topk'),
    'a random order of ties is that of the rows':
        ('lib/strategy/budget/rank.c', 'if (ties->random) {', 'if (false) {', VECTORS, 'topk'),
    'fill=stop goes on behind what does not fit':
        ('lib/strategy/budget/fill.c', 'if (!fits && run->input->fill.policy == ALCORE__FILL_STOP) {', 'if (false) {', FILL, 'policies'),
    'a row at the similarity limit is passed over':
        ('lib/strategy/budget/fill.c', 'cosine > run->input->fill.max_similarity', 'cosine >= run->input->fill.max_similarity', FILL,
         'similarity_at_the_limit_is_bought'),
    'many passes are not announced':
        ('lib/strategy/passes/outcome.c', 'if (passes <= MANY_PASSES || run->outcome.count == 0) return;', 'return;', FILL, 'many_passes_are_announced'),
    'every round draws the same candidates':
        ('lib/strategy/passes/candidate_draw.c', 'TAG_SUBSAMPLE, (uint64_t)round, 0)', 'TAG_SUBSAMPLE, 1, 0)', VECTORS, 'draws'),
    'sticky candidates are forgotten':
        ('lib/strategy/passes/candidate_draw.c', 'mask[i] && previous && previous[i] && kept < count', 'false', VECTORS, 'draws'),
    'k stops growing where the neighbors cost just the budget':
        ('lib/strategy/rules/knn_neighbors.c', 'cost > share ||', 'cost >= share ||', DEMUX,
         'knn_uncertainty_is_the_plain_search'),
    'a neighbor of several target rows is paid for several times':
        ('lib/strategy/rules/knn_neighbors.c', 'if (neighbor == ALCORE__LABELED_NEIGHBOR || mark[neighbor] == (int32_t)group + 1)',
         'if (neighbor == ALCORE__LABELED_NEIGHBOR)', DEMUX, 'knn_uncertainty_is_the_plain_search'),
    'of equally near candidates the later row is the neighbor':
        ('lib/search/neighbor_list.c', 'from_value[added - 1], from_row[added - 1]))', 'from_value[added - 1], 0))', DEMUX,
         'knn_uncertainty_is_the_plain_search'),
    'long lists are merged with the mask of other rows':
        ('lib/search/neighbor_list.c', 'mask ? mask + r : NULL', 'mask', DEMUX, 'k_may_exceed_the_lists_of_the_kernel'),
    'a given k may exceed k_max':
        ('lib/strategy/rules/knn_uncertainty.c', 'state->automatic || k > state->k_max ? state->k_max : k', 'state->automatic ? state->k_max : k', DEMUX,
         'k_has_limits'),
    'k may exceed the candidates':
        ('lib/strategy/rules/knn_uncertainty.c', 'if (state->k_limit > searched) state->k_limit = searched;', '(void)searched;', DEMUX,
         'k_has_limits'),
    'picks are explained by the place of a word of rescale among the choices':
        ('lib/strategy/budget/explain.c', 'alcore__rescale(run, run->rescale, copy)',
         'alcore__rescale(run, alcore__values_integer(run->values, "rescale"), copy)', HUDS_PHRASE, 'explained_as_rescaled'),
    'fill_short=none fills all the same':
        ('lib/strategy/rules/knn_buy.c', 'if (state->fill_short && !', 'if (!', DEMUX,
         'knn_uncertainty_vectors'),
    'the most uncertain are always four budgets':
        ('lib/strategy/rules/uncertainty_members.c', 'limit = state->factor * run->input->fill.budget', 'limit = 4 * run->input->fill.budget', DEMUX,
         'uncertainty_knn_is_the_plain_search'),
    'a visit does not prefer the more uncertain of equally near':
        ('lib/strategy/rules/uncertainty_buy.c', '!(gain > 0)', '!(gain < 0)', DEMUX,
         'uncertainty_knn_ties'),
    'cover=1 visits the first target row only':
        ('lib/strategy/rules/uncertainty_buy.c', 'state->groups.members[starts[group] + visit / state->groups.count % rows]',
         'state->groups.members[starts[group] + 0 * visit * rows]', DEMUX, 'uncertainty_knn_vectors'),
    'labeled rows push no neighbor out under mode=code':
        ('lib/strategy/rules/knn_uncertainty.c', 'if (state->searches_labeled) ALCORE__TRY(merge_labeled(run));', '', DEMUX,
         'knn_uncertainty_of_the_public_code'),
    'of equally near rows the labeled one comes first':
        ('lib/strategy/rules/knn_uncertainty.c', 'return candidate < labeled;', 'return candidate > labeled;', DEMUX,
         'knn_uncertainty_of_the_public_code'),
    'words without a margin count under mode=code':
        ('lib/scorer/score_classes.c', 'if (measures[t] != 0.0)', 'if (true)', SCORER, 'token_margins_of_the_public_code'),
    'IDDS subtracts the inner product of a row with itself under mode=code':
        ('lib/strategy/rules/idds.c', 'if (state->self_is_one) rows.self[i] = 1.0;', '', VECTORS, 'idds'),
    'the least confident window of a context counts':
        ('lib/scorer/score_sum_prob.c', 'sums[w] > largest', 'sums[w] < largest', SCORER, 'answers_in_windows'),
    'windows may leave positions of a row out':
        ('lib/scorer/score_sum_prob.c', 'if (left == 0) return ALCORE_OK;', 'if (left >= 0) return ALCORE_OK;', SCORER, 'windows_that_are_refused'),
    'each target language may spend the whole budget':
        ('lib/strategy/rules/knn_neighbors.c', 'run->input->fill.budget / (double)state->groups.count', 'run->input->fill.budget', BALANCE,
         'hybrids_are_the_plain_search'),
    'the first target language has all turns':
        ('lib/strategy/rules/target_groups.c', 'self->spent[a] < self->spent[b] || (self->spent[a] == self->spent[b] && a < b)', 'a < b', BALANCE, 'hybrids_are_the_plain_search'),
    'turns count rows in place of costs':
        ('lib/strategy/rules/target_groups.c', 'alcore__filler_cost(filler, position);', '1.0;', BALANCE, 'hybrids_are_the_plain_search'),
    'a row is bought once for each target language':
        ('lib/strategy/rules/target_groups.c', 'self->offered[position] = 1;', 'self->next[turn]++;', BALANCE,
         'hybrids_are_the_plain_search'),
    'masked rows of a language make it a target language':
        ('lib/strategy/rules/target_groups.c', 'language_group[l] ? (int32_t)groups->count++ : -1;', '(int32_t)groups->count++;', BALANCE,
         'hybrids_are_the_plain_search'),
    'prox=mean pools the languages':
        ('lib/strategy/rules/target_groups.c', 'total += sums[g] / groups->rows[g];', 'total += sums[g];', BALANCE,
         'hybrids_are_the_plain_search'),
    'visits stay with one target language':
        ('lib/strategy/rules/uncertainty_buy.c', 'int64_t group = visit % state->groups.count;', 'int64_t group = 0 * visit;', BALANCE,
         'uncertainty_knn_vectors'),
    'the first language may have the whole budget':
        ('lib/strategy/rules/language_draws.c', 'run->input->fill.budget / (double)state->language_count', 'run->input->fill.budget', LANGUAGES,
         'egalitarian_vector'),
    'the rest is drawn by the generator of the first language':
        ('lib/strategy/rules/language_draws.c', '(uint64_t)state->language_count, &count', '0, &count', LANGUAGES,
         'egalitarian_vector'),
    'same-ratio draws as plan does':
        ('lib/strategy/rules/language_draws.c', 'buy_counts(run, ALCORE__TAG_SAME_RATIO,', 'buy_counts(run, ALCORE__TAG_PLAN,', LANGUAGES,
         'same_ratio_vector'),
    'every round follows the first list of the plan':
        ('lib/strategy/rules/language_draws.c', 'round < run->input->round && strchr', 'round < 1 && strchr', LANGUAGES,
         'plan_vector'),
    'the rounds of a plan do not add up':
        ('lib/strategy/rules/language_draws.c', 'return rows / rounds + round * rest', 'return rows / rounds + 0 * rest', LANGUAGES,
         'rounds_add_up_to_the_plan'),
    'what rounding leaves goes to the smallest remainders':
        ('lib/strategy/rules/language_draws.c', 'remainder[l] = exact - state->rows_to_buy[l]', 'remainder[l] = state->rows_to_buy[l] - exact', LANGUAGES,
         'plan_takes_what_there_is'),
    'a line for every round goes before that of the round':
        ('lib/formats/plan_file.c', '(every && search->exact)', '(every && false)', LANGUAGES,
         'plan_files'),
    'gold draws as random does':
        ('lib/strategy/rules/random.c', 'draw_all(run, ALCORE__TAG_GOLD,', 'draw_all(run, ALCORE__TAG_RANDOM,', LANGUAGES,
         'gold_vector'),
    'choices that depend on the budget are offered again':
        ('lib/strategy/budget/spend.c', 'run->def->rows_depend_on_budget || run->budget_decides', 'run->budget_decides', DEMUX,
         'several_budgets_are_runs_of_their_own'),
    'choices under fill=skip are offered again':
        ('lib/strategy/budget/spend.c', '(run->input->fill.policy == ALCORE__FILL_SKIP ||', '(', BUDGETS,
         'several_budgets_equal_each_alone'),
    'the price of a word is paid for each row':
        ('lib/selection/selection_handle.c', '(double)self->words', '(double)self->count', BUDGETS,
         'prices_are_told'),
    'several budgets may name one amount twice':
        ('lib/request/request_budget.c', 'if (budgets->amounts[i] == amount)', 'if (false)', BUDGETS,
         'rows_are_read_from_files_of_ids'),
    'the counterfactual buys from the other end':
        ('lib/strategy/budget/explain.c', 'keys[i] = value_or_lowest(values[i]);', 'keys[i] = 0.0 - value_or_lowest(values[i]);', BUDGETS,
         'counterfactuals_run_through_the_real_budget'),
    'given scores are named after the strategy that they replace':
        ('lib/strategy/budget/explain.c', 'given ? "the given scores" : term->alone', 'term->alone', BUDGETS,
         'counterfactuals_run_through_the_real_budget'),
    'a confidence may be above 1':
        ('lib/scorer/score_classes.c', 'name == ENTROPIES ? HUGE_VAL : 1.0 + 1e-6', 'name == ENTROPIES ? HUGE_VAL : HUGE_VAL', NARROW,
         'wrong_numbers_name_their_row'),
    'nan=exclude ends at a NaN of a narrow column':
        ('lib/scorer/score_classes.c', 'if (call->nan_exclude) return ALCORE_OK;', 'if (false) return ALCORE_OK;', NARROW, 'nan_excludes_a_row'),
    'a line of a table loses its last CR':
        ('lib/formats/table_writer.c', 'csv || ends_in_cr ? append', 'csv || (ends_in_cr && false) ? append', TABLES, 'plain_there_and_back'),
    'a CSV has no byte order mark':
        ('lib/formats/table_writer.c', 'else if (csv && table->lines == 0)', 'else if (csv && table->lines == 1)', TABLES,
         'formats_by_suffix_and_option'),
    'a plain text that begins with a byte order mark loses it':
        ('lib/formats/table_writer.c', 'if (table->lines == 0 && length >= 3 &&', 'if (table->lines == 1 && length >= 3 &&', TABLES,
         'plain_there_and_back'),
    'rows that a request leaves out are computed':
        ('lib/select/request_columns.c', 'masks->candidate_mask[row] || masks->labeled_rows[row]', 'masks->candidate_mask[row] < 2', WANTED,
         'rows_left_out_are_not_computed'),
    'a column loses the rows of an earlier request':
        ('lib/model/model_run.c', 'wanted->mask[row] || alcore__column_has(found, row)', 'wanted->mask[row]', WANTED,
         'rows_of_an_earlier_request_stay'),
    'a term contributes its value and not its distance from the mean':
        ('lib/strategy/budget/explain.c', 'weight * (values[purchase->picks[rank]] - mean)', 'weight * (values[purchase->picks[rank]] - 0 * mean)', SELECTION,
         'what_all_candidates_share_decides_nothing'),
    'of equal contributions the last one decides':
        ('lib/strategy/budget/explain.c', 'contribution[rank] > largest ? t : -1', 'contribution[rank] > largest ? t : t', SELECTION,
         'equal_contributions_decide_nothing'),
    'a phrase is consistent whatever its words are linked to':
        ('lib/extra/annotation/link_ranges.c', '*out_consistent = false;', '*out_consistent = true;', MIX, 'tv_switch'),
    'one word may take the place of five words of the target':
        ('lib/extra/mix/switch_pair.c', 'words > 2 ? 2 * words : 4', 'words > 2 ? 2 * words : 5', MIX, 'tv_switch'),
    'a phrase may take the place of three times as many words of the target':
        ('lib/extra/mix/switch_pair.c', 'words > 2 ? 2 * words : 4', 'words > 2 ? 3 * words : 4', MIX, 'tv_switch'),
    'a candidate takes the sums of the sentence before the contexts agree':
        ('lib/extra/mix/switch_pair.c', 'own->length == context.length && own->number == context.number', 'own->length == context.length', MIX,
         'candidates_score_like_whole_texts'),
    'norm=1 forgets the end of the sentence':
        ('lib/extra/mix/switch_pair.c', '(double)(end + words + 1)', '(double)(end + words)', MIX, 'tv_ctx'),
    'the last of equal sentences takes the phrase':
        ('lib/extra/mix/switch_pair.c', 'rounded(score) <= rounded(*out_score)', 'rounded(score) < rounded(*out_score)', MIX, 'tv_ctx'),
    'of equally probable places the last one is switched':
        ('lib/extra/mix/switch_pair.c', 'return a->word < b->word;', 'return a->word > b->word;', MIX, 'tv_switch'),
    'the simulated oracle prefers long extracts':
        ('lib/extra/annotation/simulated_oracle.c', 'a->words < b->words;', 'a->words > b->words;', MIX, 'tv_oracle'),
    'the simulated oracle answers with the rarest extract':
        ('lib/extra/annotation/simulated_oracle.c', 'a->count > b->count :', 'a->count < b->count :', MIX, 'tv_oracle'),
    'TER moves blocks of at most two words':
        ('lib/extra/metric/shift_search.c', 'MOST_WORDS = 10,', 'MOST_WORDS = 2,', TER, 'test_sacrebleu_sentences'),
    'TER never moves a block far':
        ('lib/extra/metric/shift_search.c', 'MOST_DISTANCE = 50,', 'MOST_DISTANCE = 2,', TER, 'test_sacrebleu_sentences'),
    'a column drops the stream of its array':
        ('lib/pool/column_tensor.c', 'alcore__device_array_open(ctx, array, stream,', 'alcore__device_array_open(ctx, array, NULL,',
         COLUMNS, 'arrays_are_ready_in_the_order_of_the_stream'),
    'a column writer drops the stream of its arrays':
        ('lib/pool/column_writer.c', 'values, writer->options.stream)', 'values, NULL)', COLUMNS, 'a_writer_takes_arrays_of_its_stream'),
    'a put drops the stream of its array':
        ('lib/pool/column_writer.c', 'count, values, stream))', 'count, values, writer->options.stream))', WRITERS, 'each_put_has_its_stream'),
    'a column writer copies an array of a device to the host at once':
        ('lib/pool/column_builder_device.c', 'FETCH_BYTES = 1 << 20', 'FETCH_BYTES = 1 << 30', WRITERS, 'vectors_come_in_blocks'),
    'an offered row is left in the mask that a device keeps':
        ('lib/strategy/greedy/greedy.c', 'for (int64_t n = known; n < greedy->offered_count; n++) {',
         'for (int64_t n = known + 1; n < greedy->offered_count; n++) {', MASKS, 'few_offers_and_many_give_the_picks_of_the_cpu'),
    'a mask that a device keeps follows MAX_CHANGES offers alone':
        ('lib/strategy/greedy/greedy.c',
         'greedy->offered_count - known > MAX_CHANGES) return ALCORE_OK;\n    for (int64_t n = known; n < greedy->offered_count; n++) {',
         'false) return ALCORE_OK;\n    for (int64_t n = known; n < greedy->offered_count && n < known + MAX_CHANGES; n++) {',
         MASKS, 'few_offers_and_many_give_the_picks_of_the_cpu'),
    'a column writer forgets what it has of a block':
        ('lib/pool/column_builder_entries.c', 'here->rows + (first - here->first) * input->strides[0]', 'here->rows', WRITERS, 'lists_come_in_blocks'),
    'a search drops the stream of its matrix':
        ('lib/search/search_data.c', 'given->stream, data->name', 'NULL, data->name', COLUMNS, 'searches_read_arrays_on_their_device'),
    'logits are read in another stream than the given one':
        ('lib/scorer/token_rows.c', 'alcore__engine_open_cuda(ctx, placement.device, logits->stream, out)',
         'alcore__engine_open_cuda(ctx, placement.device, NULL, out)',
         DEVICES, 'logits_are_used_where_they_are'),
    'labels are read before their stream is there':
        ('lib/scorer/token_rows.c', 'stream, "labels"', 'NULL, "labels"', DEVICES, 'labels_and_bias_are_copied'),
    'a bias is read before its stream is there':
        ('lib/scorer/token_rows.c', 'logits->stream, "bias"', 'NULL, "bias"', DEVICES, 'labels_and_bias_are_copied'),
    'labels on the device of the logits are copied to the host':
        ('lib/scorer/token_rows.c', 'return reads_there(tokens) && (!logits->labels || !on_host(logits->labels));', 'return false;',
         LABELS, 'labels_and_bias_stay_on_the_device'),
    'a bias on the device of the hidden states is copied to the host':
        ('lib/scorer/token_rows.c', 'view.on_device && reads_there(out)', 'false', LABELS, 'labels_and_bias_stay_on_the_device'),
    'labels on a device forget the lengths of items':
        ('lib/scorer/token_rows.c', '.lengths = out->packed ? NULL : logits->lengths,', '.lengths = NULL,', LABELS, 'labels_in_any_layout'),
    'results are written in another stream than the given one':
        ('lib/kernel/device_result.c', 'results->engine.stream = stream;', 'results->engine.stream = NULL;', RESULTS,
         'searches_write_results_on_the_device'),
    'results are written on the first device':
        ('lib/kernel/device_result.c', 'alcore__engine_open_cuda(results->ctx, array->device,', 'alcore__engine_open_cuda(results->ctx, 0,',
         RESULTS, 'searches_write_results_on_the_device'),
    'results of a search on one device go to another':
        ('lib/kernel/device_result.c', 'results->on_device = engine->kernels->device == ALCORE_DEVICE_CUDA;', 'results->on_device = false;',
         RESULTS, 'arrays_that_cannot_be_written'),
    'neighbors drop the stream of their arrays':
        ('lib/search/knn.c', '&run.engine, run.rows.stream', '&run.engine, NULL', RESULTS, 'searches_write_results_on_the_device'),
    'margin ratios drop the stream of their arrays':
        ('lib/search/margin_ratio.c', '&run.engine, run.rows.stream', '&run.engine, NULL', RESULTS, 'searches_write_results_on_the_device'),
    'statistics of tokens drop the stream of their arrays':
        ('lib/scorer/logits.c', '&self.tokens.engine, logits->stream', '&self.tokens.engine, NULL', RESULTS, 'statistics_are_written_on_the_device'),
    'statistics of tokens on a device forget the entries that are left out':
        ('lib/scorer/logits.c', 'true /* keep */', 'false', RESULTS, 'statistics_are_written_on_the_device'),
    'statistics of tokens on a device pass through the host':
        ('lib/scorer/logits.c', 'all[f].tensor && is_in_place(all[f].tensor, tokens)', 'false', RESULTS, 'statistics_stay_on_the_device'),
    'an array is looked for on the first device':
        ('lib/kernel/device_array.c', 'alcore__engine_open_cuda(ctx, array->device, stream, out)', 'alcore__engine_open_cuda(ctx, 0, stream, out)',
         COLUMNS, 'arrays_are_ready_in_the_order_of_the_stream'),
    'auto is the first device where columns are on another':
        ('lib/kernel/kernel_engine.c', 'alcore__engine_open_cuda(ctx, placement->device, NULL', 'alcore__engine_open_cuda(ctx, 0, NULL',
         COLUMNS, 'strategies_read_columns_on_their_device'),
    'a device that was named gives way to that of the arrays':
        ('lib/kernel/kernel_engine.c', 'if (alcore__engine_is_cuda(out, placement->device)) return ALCORE_OK;', 'if (out->kernels) return ALCORE_OK;',
         COLUMNS, 'other_devices_are_refused'),
    'kernels get a copy of the rows on their device':
        ('lib/pool/column_memory.c', 'return read_block(column, true /* by these kernels */', 'return read_block(column, false', COLUMNS,
         'rows_are_handed_out_in_place'),
    'kernels get a copy of the tokens on their device':
        ('lib/pool/column_memory.c', 'return read_tokens(column, true /* by these kernels */', 'return read_tokens(column, false', COLUMNS,
         'ragged_columns_are_scored'),
    'integers stay on the device':
        ('lib/pool/column_given.c', 'given.on_device && !alcore__dtype_is_integer(given.dtype)', 'given.on_device', COLUMNS, 'integers_are_copied'),
    'a kept column of a device is copied to the host':
        ('lib/pool/column_given.c', 'if (stays)', 'if (false)', COPIES, 'kept_columns_stay_on_the_device'),
    'rows in another order are put in order on the host':
        ('lib/pool/column_device.c', 'if (!ragged && most) return COPY_BY_ROW;', '', COPIES, 'rows_in_another_order_stay_on_the_device'),
    'rows of a device are copied in the order of their entries':
        ('lib/pool/column_device.c', 'push(self, alcore__column_entry(column, row))', 'push(self, row)', COPIES, 'rows_in_another_order_stay_on_the_device'),
    'rows without an entry are read through the host':
        ('lib/pool/column_memory.c', 'if (array->by_row && count > 0', 'if (count < 0', COPIES, 'rows_without_an_entry'),
    'tokens of a device are taken for those of the rank of their row':
        ('lib/pool/column_device.c', 'const int64_t entry = alcore__column_entry(column, row);', 'const int64_t entry = alcore__column_entry(column, row) < 0 ? -1 : rank;',
         COPIES, 'tokens_stay_on_the_device'),
    'memory of a column on a device is not given back':
        ('lib/pool/column_memory.c', 'alcore__held_release(&array->engine, &array->held);', '', COPIES, 'memory_comes_back'),
    'memory of a copy that was cancelled is not given back':
        ('lib/pool/column_device.c', 'alcore__held_release(engine, &self.to);', '', COPIES, 'memory_comes_back'),
    'nobody is told that a device has too little memory':
        ('lib/pool/column_device.c', 'if (bytes > 0)', 'if (bytes < 0)', COPIES, 'too_little_memory_is_told'),
    'each row with a NaN is read by a call of its own':
        ('lib/scorer/score_logprobs.c', 'if (chosen.tokens > 0 &&', 'if (chosen.tokens >= 0 ||', COPIES, 'rows_with_a_nan_come_to_the_host_at_once'),
    'the largest classes of a device are not enough for a margin':
        ('lib/scorer/class_distributions.c', 'return mode != MODE_ENTROPY &&', 'return mode == MODE_LC &&', CLASSES, 'rows_give_their_two_largest'),
    'the largest classes of a device are enough for the entropy':
        ('lib/scorer/class_distributions.c', 'return mode != MODE_ENTROPY && ', 'return ', CLASSES, 'rows_give_their_two_largest'),
    'the largest classes of logits are taken for their probabilities':
        ('lib/scorer/class_distributions.c', ' && column->meaning != ALCORE_MEANS_LOGITS && !', ' && !', CLASSES, 'rows_give_their_two_largest'),
    'tokens of an item take the largest classes of the first one':
        ('lib/scorer/class_distributions.c', '(size_t)(begin * both[r]->stride)', '(size_t)(0 * begin * both[r]->stride)', SCORER, 'token_scores'),
    'each distribution with a NaN is read once more':
        ('lib/scorer/class_distributions.c', 'if (from->tops && isnan(from->tops[2 * index]) && call->nan_exclude) return ALCORE_OK;', '', CLASSES,
         'bad_distributions_are_those_of_the_host'),
    'tokens of rows behind the last entry begin nowhere':
        ('lib/pool/column_memory.c', 'entry < 0 ? starts[i + r]', 'entry < 0 ? 0', COPIES, 'tokens_of_some_rows_are_read_in_place'),
    'a count leaves out the candidates that reach a larger pick':
        ('lib/strategy/budget/explain.c', 'sorted[k].reached += sorted[k + 1].reached;', 'sorted[k].reached += 0;', SELECTION,
         'reasons'),
}


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)


class Tree:
    """The build's own commands, repeated with a changed source file and archive."""

    def __init__(self, source, build, folder):
        self.source, self.build, self.folder = source, build, folder
        with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
            self.compiles = {os.path.realpath(os.path.join(entry['directory'], entry['file'])): entry for entry in json.load(file)
                             if 'libalcore.so' in entry['output'] or 'libalcore.a' in entry['output']}

    def compile(self, path, text):
        """(Object files by the library's members that they replace, what the compiler said): of a source file with this text, or of all
        that include a header with it."""
        changed = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(changed))
        with open(changed, 'w', encoding='utf-8') as file:
            file.write(text)
        objects = {}
        for source in self.including(path) if path.endswith('.h') else [os.path.realpath(os.path.join(self.source, path))]:
            entry = self.compiles[source]
            words = [word for word in shlex.split(entry['command']) if word != '-Werror']  # a mutant may leave something unused
            member = os.path.basename(entry['output'])
            words[words.index('-o') + 1] = objects[member] = os.path.join(self.folder, member)
            if path.endswith('.h'):
                words.insert(next(i for i, word in enumerate(words) if word.startswith('-I')), '-I' + os.path.join(self.folder, 'lib'))
            else:
                words[words.index(entry['file'])] = changed
            done = run(words + ['-I' + os.path.dirname(source)], cwd=entry['directory'])
            if done.returncode:
                return {}, done.stdout
        return objects, ''

    def including(self, path):
        """The sources of the library that include a header."""
        line = '#include "%s"' % os.path.relpath(path, 'lib')
        for source in self.compiles:
            with open(source, encoding='utf-8') as file:
                if line in file.read():
                    yield source

    def link(self, program, objects):
        """The test program with the objects in the places of the library's members."""
        archive = os.path.join(self.folder, 'libmutant.a')
        command = run(['ninja', '-C', self.build, '-t', 'commands', '-s', program]).stdout.splitlines()[-1]
        words = shlex.split(command[command.index(']') + 1:] if command.startswith('[') else command)
        output = os.path.join(self.folder, 'program')
        words[words.index('-o') + 1] = output
        words = [archive if word.endswith('lib/libalcore.a') else word for word in words]
        shutil.copy(os.path.join(self.build, 'lib', 'libalcore.a'), archive)
        for step in (['ar', 'd', archive, *objects], ['ar', 'qs', archive, *objects.values()]):
            done = run(step)
            if done.returncode or done.stdout:  # ar only says it when a member is not there
                return None, '%s: %s' % (' '.join(step), done.stdout)
        done = run(words, cwd=self.build)
        return (output, '') if done.returncode == 0 else (None, done.stdout)


def failing_cases(command, build):
    """Names of the cases that fail; a program that dies fails in a case of its own."""
    environment = dict(os.environ, CK_TAP_LOG_FILE_NAME='-', CK_VERBOSITY='silent', CK_DEFAULT_TIMEOUT='60',
                       ALCORE_MODULE_DIR=os.path.join(build, 'tests/emu/module'),
                       EMULATED_CUDA=os.path.join(build, 'tests/emu/module/libalcore-cuda.so'))
    try:
        done = run(command, cwd=os.path.dirname(command[0]), env=environment, timeout=120)  # a case that fails may leave its files there
    except subprocess.TimeoutExpired as error:
        return set(), str(error)
    failed = set(re.findall(r'^not ok \d+ - \S*?:[\w/-]+:(\w+):', done.stdout, re.M))
    return failed if failed or done.returncode == 0 else {'exit code %d' % done.returncode}, done.stdout


def misplaced(source, name):
    """Why a mutant cannot be made or judged: its text does not stand in the source exactly once, or the case that is to fail does not
    stand in the source of tests; empty when both do."""
    path, old, _, test, case = MUTANTS[name]
    with open(os.path.join(source, path), encoding='utf-8') as file:
        count = file.read().count(old)
    if count != 1:
        return '%s, %s: the text stands there %d times, not once: %s' % (name, path, count, old)
    with open(os.path.join(source, test + '.c'), encoding='utf-8') as file:
        found = 'START_TEST(%s)' % case in file.read()
    return '' if found else '%s: %s has no case %s' % (name, test, case)


def survives(source, build, name):
    """Why a mutant counts as alive; empty when the case meant for it fails."""
    path, old, new, test, case = MUTANTS[name]
    command = command_of_source(default_commands(build), test)
    with open(os.path.join(source, path), encoding='utf-8') as file:
        text = file.read()
    with tempfile.TemporaryDirectory(prefix='alcore-mutant-') as folder:
        tree = Tree(source, build, folder)
        objects, said = tree.compile(path, text.replace(old, new))
        linked, said = tree.link(os.path.relpath(command[0], build), objects) if objects else (None, said)
        if not linked:
            return said
        failed, said = failing_cases([linked, *command[1:]], build)
    if case in failed:
        return ''
    return '%s passed; failed: %s\n%s' % (case, ', '.join(sorted(failed)) or 'nothing', said[-600:])


def main():
    source, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    chosen = sys.argv[3:] or list(MUTANTS)
    if not sys.argv[3:] and not os.environ.get('ALCORE_TEST_FULL'):
        chosen = []
    killers = {mutant[3] for mutant in MUTANTS.values()}
    if not os.path.isdir(os.path.join(build, 'tests/emu/module')):  # built without a C++ compiler
        chosen = [name for name in chosen if not MUTANTS[name][3].startswith('tests/emu/')]
        killers = {test for test in killers if not test.startswith('tests/emu/')}
    tap = Tap()
    lost = [why for why in (misplaced(source, name) for name in MUTANTS) if why]
    tap.check(not lost, 'the texts of all %d mutants stand in the sources, their cases in those of the tests; %d of them are run' % (len(MUTANTS), len(chosen)),
              '\n'.join(lost))
    commands = default_commands(build)
    idle = sorted(test for test in killers if not command_of_source(commands, test))
    tap.check(not idle, 'the %d sources whose tests kill them are in the default tier' % len(killers), '\n'.join(idle))
    for name in chosen:
        why = misplaced(source, name) or survives(source, build, name)
        tap.check(not why, name, why)
    tap.finish()


if __name__ == '__main__':
    main()
