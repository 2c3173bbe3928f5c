/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in strategies, one row each, in the order in which they are listed:
 *
 *     ALCORE__STRATEGY_ROW(symbol, file)    alcore__strategy_SYMBOL, in lib/strategy/rules/FILE.c
 *
 * A file may be in the folder rules/huds, too. This is the only list of them. From it strategies.h
 * declares the symbols, registry.c makes the registry, and lib/strategy/meson.build reads the names
 * of the files. docs/strategies.md and the pages of the command are generated from the registry.
 * Tests that hold for every strategy (golden selections, ties, parts and threads, properties,
 * faults, cancellation) loop over it; they try the parameters that a definition lists as its
 * examples. There is no include guard: this file is included where ALCORE__STRATEGY_ROW is defined.
 */
ALCORE__STRATEGY_ROW(huds, huds_score)
ALCORE__STRATEGY_ROW(random, random)
ALCORE__STRATEGY_ROW(nnll, likelihood)
ALCORE__STRATEGY_ROW(nsp, likelihood)
ALCORE__STRATEGY_ROW(uncertainty, confidence)
ALCORE__STRATEGY_ROW(diversity, diversity)
ALCORE__STRATEGY_ROW(diversity_global, diversity)
ALCORE__STRATEGY_ROW(idds, idds)
ALCORE__STRATEGY_ROW(kcenter, kcenter)
ALCORE__STRATEGY_ROW(average_dist, average_dist)
ALCORE__STRATEGY_ROW(knn_uncertainty, knn_uncertainty)
ALCORE__STRATEGY_ROW(uncertainty_knn, uncertainty_knn)
ALCORE__STRATEGY_ROW(egalitarian, language_draws)
ALCORE__STRATEGY_ROW(gold, random)
ALCORE__STRATEGY_ROW(same_ratio, language_draws)
ALCORE__STRATEGY_ROW(plan, language_draws)
ALCORE__STRATEGY_ROW(badge, badge)
ALCORE__STRATEGY_ROW(lc, confidence)
ALCORE__STRATEGY_ROW(entropy, confidence)
ALCORE__STRATEGY_ROW(margin, confidence)
ALCORE__STRATEGY_ROW(ngf, phrases)
ALCORE__STRATEGY_ROW(ngf_smp, phrases)
ALCORE__STRATEGY_ROW(random_phrase, phrases)
ALCORE__STRATEGY_ROW(huds_phrase, huds_phrase)
ALCORE__STRATEGY_ROW(hybrid, hybrid)
ALCORE__STRATEGY_ROW(mrs, mrs)
ALCORE__STRATEGY_ROW(bertkm, bertkm)
ALCORE__STRATEGY_ROW(alps, alps)
ALCORE__STRATEGY_ROW(rttl, round_trip)
ALCORE__STRATEGY_ROW(rtt_bleu, round_trip)
ALCORE__STRATEGY_ROW(ngram_cover, ngram_cover)
ALCORE__STRATEGY_ROW(typiclust, typiclust)
ALCORE__STRATEGY_ROW(probcover, probcover)
ALCORE__STRATEGY_ROW(facility_location, facility_location)
ALCORE__STRATEGY_ROW(bald, committee)
ALCORE__STRATEGY_ROW(variance, committee)
ALCORE__STRATEGY_ROW(qbc, committee)
ALCORE__STRATEGY_ROW(egl, expected_gradient)
ALCORE__STRATEGY_ROW(contrastive, contrastive)
