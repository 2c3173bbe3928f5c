/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * What stands around the core: everything of alcore/alcore.h, and beside it word alignment,
 * language models, tokenizers, training, translating and prompting, annotations and mixes of data,
 * metrics, analyses, stopping criteria and plots, answers of served models, files of annotators'
 * tools, and projects.
 *
 * The rules of alcore/alcore.h hold here too, but one: these headers are not frozen. A minor
 * release may change or drop a call of alcore/extra/, and the CHANGELOG then says what to use
 * instead. Their symbols carry a version node of their own, ALCORE_EXTRA_1.N, whose N rises when a
 * call goes, so that a program which uses one is not loaded by a library without it: a package of
 * such a program depends on the exact minor release. Nothing in the core includes these headers. */
#ifndef ALCORE_EXTRA_H
#define ALCORE_EXTRA_H

#include "alcore/alcore.h"
#include "alcore/extra/aligner.h"
#include "alcore/extra/analysis.h"
#include "alcore/extra/annotation.h"
#include "alcore/extra/comparison.h"
#include "alcore/extra/experiment.h"
#include "alcore/extra/job.h"
#include "alcore/extra/lm.h"
#include "alcore/extra/metric.h"
#include "alcore/extra/metric_common.h"
#include "alcore/extra/metric_labels.h"
#include "alcore/extra/metric_statistics.h"
#include "alcore/extra/metric_translation.h"
#include "alcore/extra/metric_words.h"
#include "alcore/extra/mix.h"
#include "alcore/extra/narrow_type.h"
#include "alcore/extra/overlap.h"
#include "alcore/extra/plot.h"
#include "alcore/extra/project.h"
#include "alcore/extra/prompting.h"
#include "alcore/extra/served.h"
#include "alcore/extra/stop.h"
#include "alcore/extra/structs.h"
#include "alcore/extra/tokenizer.h"
#include "alcore/extra/tool.h"
#include "alcore/extra/training.h"
#include "alcore/extra/translating.h"

#endif
