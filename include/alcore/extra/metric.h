/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Measures of an experiment (docs/spec/analyses.md): of translations (metric_translation.h), of
 * labels, spans, answers and agreement (metric_labels.h), of translated words (metric_words.h), and
 * of numbers (metric_statistics.h); metric_common.h says what all of them have in common. The
 * overlap of n-grams is in alcore/extra/overlap.h. */
#ifndef ALCORE_EXTRA_METRIC_H
#define ALCORE_EXTRA_METRIC_H

#include "alcore/extra/metric_common.h"
#include "alcore/extra/metric_labels.h"
#include "alcore/extra/metric_statistics.h"
#include "alcore/extra/metric_translation.h"
#include "alcore/extra/metric_words.h"

#endif
