#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renews the golden selections: tests/golden/renew.sh BUILD_FOLDER. A change of picks belongs in CHANGELOG.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: tests/golden/renew.sh BUILD_FOLDER}
ninja -C "$build" tests/unit/strategy/test_strategy_golden
ALCORE_GOLDEN_RENEW=1 "$build/tests/unit/strategy/test_strategy_golden"
git -C "$here" diff --stat -- "$here"
