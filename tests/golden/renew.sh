#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renews the golden selections and plots: tests/golden/renew.sh BUILD_FOLDER. A change of picks
# belongs in CHANGELOG.md; look at plots that changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: tests/golden/renew.sh BUILD_FOLDER}
ninja -C "$build" tests/unit/strategy/test_strategy_golden tests/unit/metric/test_metric_plot tests/unit/request/test_request_threads
ALCORE_GOLDEN_RENEW=1 "$build/tests/unit/strategy/test_strategy_golden"
ALCORE_GOLDEN_RENEW=1 "$build/tests/unit/metric/test_metric_plot"
ALCORE_GOLDEN_RENEW=1 "$build/tests/unit/request/test_request_threads"
git -C "$here" diff --stat -- "$here"
