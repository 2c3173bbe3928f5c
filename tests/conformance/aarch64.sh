#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the conformance run for aarch64 from lib/engines/cpu alone and runs it under qemu: no
# library of the other machine is needed. Usage: aarch64.sh SOURCE-ROOT BUILD-FOLDER [SEED [EVERY]].
# Exit status 77: no cross compiler or no qemu here.
set -eu
root=$1
out=$2/aarch64
cc=aarch64-linux-gnu-gcc
command -v $cc >/dev/null && command -v qemu-aarch64 >/dev/null || {
    echo "1..0 # SKIP needs gcc-aarch64-linux-gnu and qemu-user"
    exit 77
}
mkdir -p "$out"
flags="-std=gnu11 -O2 -Wall -Wextra -Wno-psabi -ffp-contract=off -D_GNU_SOURCE -I$root/include -I$root/lib"
for engine in portable neon; do
    extra=
    [ $engine = portable ] || extra=-DALCORE__CPU_NEON
    for source in "$root"/lib/engines/cpu/*.c; do
        name=$(basename "$source" .c)
        [ $name != cpu_call ] || [ $engine = portable ] || continue
        $cc $flags $extra -DALCORE__CPU=$engine -c "$source" -o "$out/$engine-$name.o"
    done
done
$cc $flags -static -o "$out/kernel_conformance" "$root"/tests/conformance/*.c "$root/lib/kernel/kernels.c" \
    "$out"/portable-*.o "$out"/neon-*.o -lm
exec qemu-aarch64 "$out/kernel_conformance" "$root/tests/conformance/missing-entries" "${3:-$(date +%s)}" "${4:-16}"
