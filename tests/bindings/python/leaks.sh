#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# leaks.sh FILE...: runs test files over the library that was built with AddressSanitizer and looks
# for memory that the library's handles lost, in the test's own process and in every Python that it
# starts. CPython itself leaks a little when it ends: only what the library allocated counts.
# In TAP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=${ALCORE_VENV:-$here/../../../build/venv}
python=$folder/bin/python
(flock 9 && "$here/venv.sh" ${ALCORE_TEST_FULL:+full} >&2) 9>"${TMPDIR:-/tmp}/alcore-venv.lock" || exit 1
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
# Python is not linked with the sanitizers, so they come first; C++ modules throw through libstdc++.
preload=
for name in libasan.so libubsan.so libstdc++.so; do
    preload="$preload $(${CC:-cc} -print-file-name=$name)"
done

sanitized() { # LOG COMMAND...
    LD_PRELOAD=$preload PYTHONMALLOC=malloc LSAN_OPTIONS=exitcode=0 UBSAN_OPTIONS=print_stacktrace=1:log_path="$1" \
        ASAN_OPTIONS=detect_leaks=1:detect_odr_violation=0:log_path="$1" "${@:2}"
}

lost() { # LOG: functions of the library that allocated what was lost
    cat "$1".* 2>/dev/null | grep -o ' in alcore_[a-z_0-9]*' | sort | uniq -c | sort -rn
}

# Torch is no part of this, and mallinfo() is not the sanitizer's.
sanitized "$logs/tests" "$python" "$here/run_pytest.py" -k 'not no_leak and not torch and not loader' "$@" >"$logs/tap"
status=$?
grep -v '^1\.\.' "$logs/tap"
number=$(grep -c '^\(not \)\?ok ' "$logs/tap")
say() { # STATUS NAME DETAILS
    number=$((number + 1))
    [ "$1" = 0 ] || { status=1; printf 'not '; }
    echo "ok $number - $2"
    [ "$1" = 0 ] || sed 's/^/# /' <<<"${3-}"
}

found=$(lost "$logs/tests")
[ -z "$found" ]
say $? nothing_is_lost "$(head -n 8 <<<"$found")"
found=$(cat "$logs"/tests.* 2>/dev/null | grep 'ERROR: AddressSanitizer\|runtime error:' -A 12)
[ -z "$found" ]
say $? nothing_is_misused "$found"
sanitized "$logs/loss" "$python" -c '
import alcore
pool = alcore.Pool(["a b"])
pool._pointer = None'
lost "$logs/loss" | grep -q alcore_pool_new
say $? a_lost_handle_is_seen "$(cat "$logs"/loss.* 2>/dev/null)"
echo "1..$number"
exit $status
