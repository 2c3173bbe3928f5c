/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * alcore.hpp with the handles of alcore/extra.h beside those of the core. */
#ifndef ALCORE_EXTRA_HPP
#define ALCORE_EXTRA_HPP

#include "alcore/alcore.hpp"
#include "alcore/extra.h"

namespace alcore {

using overlap = owner<alcore_overlap, alcore_overlap_unref>;
using lm = owner<alcore_lm, alcore_lm_unref>;
using aligner = owner<alcore_aligner, alcore_aligner_unref>;
using links = owner<alcore_links, alcore_links_unref>;
using annotations = owner<alcore_annotations, alcore_annotations_unref>;
using mix = owner<alcore_mix, alcore_mix_unref>;
using tokenizer = owner<alcore_tokenizer, alcore_tokenizer_unref>;
using tokens = owner<alcore_tokens, alcore_tokens_unref>;

namespace detail {

template <> struct owner_of<alcore_overlap> { using type = overlap; };
template <> struct owner_of<alcore_lm> { using type = lm; };
template <> struct owner_of<alcore_aligner> { using type = aligner; };
template <> struct owner_of<alcore_links> { using type = links; };
template <> struct owner_of<alcore_annotations> { using type = annotations; };
template <> struct owner_of<alcore_mix> { using type = mix; };
template <> struct owner_of<alcore_tokenizer> { using type = tokenizer; };
template <> struct owner_of<alcore_tokens> { using type = tokens; };

} // namespace detail

} // namespace alcore

#endif
