#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing (root on Debian), builds, runs the tests and ends with "N passed, N
# failed, N skipped".
#   tests/run.sh                 the default tier
#   tests/run.sh SUITE...        only these suites, such as: tests/run.sh strategy abi
#   tests/run.sh --full          everything: full allocation sweeps, 30 s of libFuzzer per target,
#                                valgrind, real sizes; its report goes to docs/results/full.md
#   tests/run.sh --full --builds=plain,valgrind
#                                only these of plain, bare, valgrind, asan, tsan, libfuzzer, core: a
#                                full run takes hours and may be made in several sittings
# ALCORE_TEST_SEED=N repeats the thinned sweeps of an earlier run.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tools/need.sh

full=
builds=plain,bare,valgrind,asan,tsan,libfuzzer,core
suites=()
export ALCORE_TEST_PART=
for argument; do
    case $argument in
    --full) full=1 ;;
    --builds=*) builds=${argument#*=} ;;
    -*) sed -n '3,11s/^# //p' tests/run.sh >&2; exit 2 ;;
    *) suites+=("$argument") ALCORE_TEST_PART=1 ;;
    esac
done

# wanted NAME: whether the tests of this build are to run.
wanted() {
    [[ ",$builds," == *",$1,"* ]]
}
for name in ${builds//,/ }; do
    case $name in
    plain | bare | valgrind | asan | tsan | libfuzzer | core) ;;
    *) echo "tests/run.sh: no build \"$name\" (plain, bare, valgrind, asan, tsan, libfuzzer, core)" >&2; exit 2 ;;
    esac
done

begun=$SECONDS
# The core is built while the packages come that only the other builds need.
# shellcheck disable=SC2086
need $need_build $need_core || exit 1
packages=$((SECONDS - begun))
# shellcheck disable=SC2086
need $need_tests ${full:+$need_full} &
installing=$!

export ALCORE_TEST_SEED=${ALCORE_TEST_SEED:-$RANDOM}
echo "seed of thinned sweeps: $ALCORE_TEST_SEED"
setup=default
slow=5 # a sanitized test may take so many times longer
export ALCORE_FUZZ_SECONDS=1
if [ -n "$full" ]; then
    setup=full
    slow=100
fi
logs=build/results
rm -rf "$logs"
mkdir -p "$logs"
results=()

# keep PART NAME BEGUN: one line of $logs/seconds.txt, which summary.py shows: what the part took
# since $SECONDS was BEGUN, and the processor seconds of its programs.
spent=0
keep() {
    local now
    times >"$logs/times.txt"
    now=$(tail -n 1 "$logs/times.txt" | tr 'ms,' '  .' | awk '{ print int(60 * $1 + $2 + 60 * $3 + $4) }')
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" $((SECONDS - $3)) $((now - spent)) >>"$logs/seconds.txt"
    spent=$now
    rm "$logs/times.txt"
}
keep packages '' $((SECONDS - packages))

# build NAME OPTION...: configures and compiles build/NAME; a failure is a failed test of its own.
# Of it only $targets, or with $for_tests only what the tests need that these options of `meson
# test` choose: a sanitized build takes minutes.
targets=
for_tests=
build() {
    local name=$1 begun=$SECONDS
    shift
    local directory=build/$name log=$logs/$name.build.txt
    # A folder with other options, or half configured, begins anew; else ninja knows what changed.
    if [ ! -f "$directory/build.ninja" ] || [ "$(cat "$directory/.options" 2>/dev/null)" != "$*" ]; then
        rm -rf "$directory"
        meson setup "$directory" "$@" >"$log" 2>&1 || { fail "$name" "$log"; return 1; }
        printf '%s' "$*" >"$directory/.options"
    fi
    # In a folder of before, the tests that there are may be others now.
    ninja -C "$directory" build.ninja >>"$log" 2>&1 || { fail "$name" "$log"; return 1; }
    [ -z "$for_tests" ] || targets=$(python3 tests/tools/test_targets.py "$directory" $for_tests) || { fail "$name" "$log"; return 1; }
    # shellcheck disable=SC2086
    ninja -C "$directory" $targets >>"$log" 2>&1 || { fail "$name" "$log"; return 1; }
    keep build "$name" "$begun"
    echo "build $name: $((SECONDS - begun)) s"
}

fail() {
    tail -n 40 "$2"
    results+=("--broken=$1")
}

# check NAME LABEL MESON-TEST-OPTION...: runs the tests of build/NAME and keeps the log as LABEL.
# One test more than there are processors, as some of them wait.
check() {
    local name=$1 label=$2 begun=$SECONDS
    shift 2
    local only=() suite
    for suite in "${suites[@]}"; do only+=(--suite "$suite"); done
    rm -f "build/$name/meson-logs/$label"*.json
    meson test -C "build/$name" --no-rebuild --num-processes $(($(nproc) + 1)) --logbase "$label" "${only[@]}" "$@" \
        >"$logs/$label.tests.txt" 2>&1 </dev/null
    keep tests "$label" "$begun"
    results+=("$label=build/$name")
}

# Kernels are compiled for two instruction sets under the address sanitizer, for every processor and
# for the widest of this one, and elsewhere for every processor only; --full has all of them.
some_kernels=-Dkernels=avx2 one_kernel=-Dkernels=
! grep -qw avx512_vnni /proc/cpuinfo || some_kernels=-Dkernels=avx512vnni
[ -z "$full" ] || some_kernels='' one_kernel=''
# Without the optional parts: the library, the command and the suite of formats, some of which need
# such parts; with --full also the other suites that reading files concerns. Not optimized, as those
# who debug have it: what another build's optimizer removes must link too.
core_suites=(formats)
[ -z "$full" ] || core_suites=(base text formats pool phrase aligner lm)
for_tests="--suite cli --no-suite kernel"
for suite in "${core_suites[@]}"; do for_tests+=" --suite $suite"; done
if wanted core && build core -Dwerror=true -Dauto_features=disabled -Dtests=enabled -Doptimization=0 $one_kernel; then
    suites_asked=("${suites[@]}")
    suites=()
    for suite in "${core_suites[@]}"; do
        [[ -n $ALCORE_TEST_PART && " ${suites_asked[*]} " != *" $suite "* ]] || suites+=("$suite")
    done
    [ ${#suites[@]} -eq 0 ] || check core core --setup "$setup"
    suites=("${suites_asked[@]}")
fi
for_tests=
targets=

waited=$SECONDS
wait "$installing" || exit 1
keep waiting "for Debian" "$waited"
# What the plain build and Python's tests want of PyPI comes while the sanitized build is made.
# Without Python's packages the tests say so.
{
    tests/tools/install_torch.sh ${full:+full}
    tests/tools/install_cuda_tools.sh
    tests/bindings/python/venv.sh ${full:+full} >&2
} &
installing=$!

# Programs outside the tree, the sources and the pages: the plain build says it all.
# -O1: sanitized kernels take minutes to compile above it; -g1: a report needs lines, and the rest
# is a fifth of the compiler's time. No -Werror: sanitizers make the compiler see ghosts. Suite
# heavy: shapes whose sanitized run takes minutes and tells little that a smaller one does not;
# --full has them too. What takes long otherwise takes turns (tests/meson.build).
sanitized='-Doptimization=1 -Dc_args=-g1 -Dcpp_args=-g1'
others=
if [ -z "$full" ] && [ -z "$ALCORE_TEST_PART" ]; then
    for turn in 0 1 2; do [ $((ALCORE_TEST_SEED % 3)) = $turn ] || others+=" --no-suite turn$turn"; done
fi
asan_tests="--no-suite install --no-suite once --no-suite docs$others"
[ -n "$full" ] || asan_tests+=" --no-suite heavy --no-suite full"
asan_built=
for_tests=$asan_tests
if wanted asan && build asan -Dtests=enabled -Dcuda=disabled -Dtorch=disabled $sanitized -Db_sanitize=address,undefined $some_kernels; then
    asan_built=1
fi
for_tests=
targets=

waited=$SECONDS
wait "$installing"
keep waiting "for PyPI" "$waited"

# The CUDA engine is compiled once, for one kind of device; --full takes all of them.
gpus=86
[ -z "$full" ] || gpus=80,86,89,90,100,120
if { wanted plain || wanted bare || wanted valgrind; } && build plain -Dwerror=true -Dtests=enabled -Dzlib=enabled -Dlzma=enabled -Dzstd=enabled -Dexpat=enabled -Dxlsxwriter=enabled -Dsqlite=enabled -Dlua=enabled \
    -Dgpu_targets=$gpus; then
    # Parsers are fuzzed in the sanitized build.
    ! wanted plain || check plain plain --setup "$setup" --no-suite fuzz --no-suite bare
    # Every page of the first ten minutes on a bare system, which compiles the library each time.
    if wanted bare && [[ -n $full && (-z $ALCORE_TEST_PART || " ${suites[*]} " == *" bare "*) ]]; then
        suites_asked=("${suites[@]}")
        suites=(bare)
        check plain bare --setup "$setup"
        suites=("${suites_asked[@]}")
    fi
    [ -z "$full" ] || ! wanted valgrind || check plain valgrind --setup valgrind
fi
# shellcheck disable=SC2086
[ -z "$asan_built" ] || check asan asan --setup "$setup" -t $slow $asan_tests
# Only what runs threads; by default without the emulated device, whose engine takes as long to
# compile as the library.
tsan_tests=$others
[ -n "$full" ] || tsan_tests+=" --no-suite kernel"
for_tests="--suite threads$tsan_tests"
if wanted tsan && [[ -z $ALCORE_TEST_PART || " ${suites[*]} " == *" threads "* ]] &&
    build tsan -Dtests=enabled -Dcuda=disabled -Dtorch=disabled $sanitized -Db_sanitize=thread $one_kernel; then
    suites_asked=("${suites[@]}")
    suites=(threads)
    # shellcheck disable=SC2086
    check tsan tsan --setup "$setup" -t $slow $tsan_tests
    suites=("${suites_asked[@]}")
fi
for_tests=
targets=
# Inputs that reach new code, where the sanitized build's are blind.
if wanted libfuzzer && [[ -n $full && (-z $ALCORE_TEST_PART || " ${suites[*]} " == *" fuzz "*) ]] &&
    CC=clang targets=fuzz-programs build fuzz -Dtests=enabled -Dfuzzing=true -Dcli=false -Dlua=disabled -Dtorch=disabled \
        -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1; then
    suites_asked=("${suites[@]}")
    suites=(fuzz)
    ALCORE_FUZZ_SECONDS=30 ALCORE_FUZZ_SEED=$ALCORE_TEST_SEED check fuzz libfuzzer --setup "$setup"
    suites=("${suites_asked[@]}")
fi

exec python3 tests/tools/summary.py --seconds "$SECONDS" --parts "$logs/seconds.txt" ${full:+--report docs/results/full.md} "${results[@]}"
