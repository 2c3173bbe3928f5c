#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renews the golden selections and plots: tests/golden/renew.sh BUILD_FOLDER. A change of picks
# belongs in CHANGELOG.md; look at plots that changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: tests/golden/renew.sh BUILD_FOLDER}
export ALCORE_GOLDEN_RENEW=1
ninja -C "$build" tests/unit/test_strategy tests/unit/test_extra tests/unit/test_request
"$build/tests/unit/test_strategy" test_strategy_golden
"$build/tests/unit/test_extra" test_metric_plot
"$build/tests/unit/test_request" test_request_threads
git -C "$here" diff --stat -- "$here"
