#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the ABI of a shared library as XML: what the public headers declare, without places and
# paths, so that the file stays small and two builds of one source give the same bytes.
#   abi_dump.sh LIBRARY OUTPUT [HEADERS]
exec abidw --headers-dir "${3:-$(dirname "$0")/../../include}" --drop-private-types --exported-interfaces-only \
    --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --type-id-style hash --out-file "$2" "$1"
