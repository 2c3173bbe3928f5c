#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sacreBLEU 2.6.0: both paired tests call a system that is compared with itself significantly different, p = 1 / (N + 1).
#
# Expected: p = 1, as the difference is 0 in every sample; a comment above the formula says that a zero difference of a system
# with itself should not be attributed to chance. Seen: p = 0.0010 with 1,000 bootstrap samples, 0.0001 with 10,000 trials, which
# the command line marks as significant.
. "$(dirname "$0")/venv.sh"
venv sacrebleu==2.6.0
"$python" - <<'PYTHON'
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

references = ["the cat sat on the mat", "a dog ran home", "one two three four five"]
system = ["the cat sat on a mat", "a dog ran home today", "one two four five"]
for test, samples in (("bs", 1000), ("ar", 10000)):
    _, scores = PairedTest([("baseline", system), ("same", list(system))], {"BLEU": BLEU()}, [references], test_type=test,
                           n_samples=samples)()
    first, second = scores["BLEU"]
    print(test, "scores", first.score, second.score, "p", second.p_value)
    assert first.score == second.score
    assert second.p_value == 1 / (samples + 1), second.p_value
PYTHON
