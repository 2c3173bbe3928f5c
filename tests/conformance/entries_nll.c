/* SPDX-License-Identifier: Apache-2.0 */
/* Token facts from logits and from hidden states. */
#include "kernel_entry.h"

const entry entries_nll[] = {
    {PLACE(logit_facts), NULL, NULL, 1},
    {PLACE(hidden_facts), NULL, NULL, 1},
    {PLACE(sequence_nnll), NULL, NULL, 1},
};
const int entries_nll_count = sizeof entries_nll / sizeof entries_nll[0];
