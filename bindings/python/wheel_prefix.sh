#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the static libraries that a wheel contains, position independent as Debian's are not, from
# Debian's sources with Debian's fixes.
#   wheel_prefix.sh PREFIX [TRIPLET]      TRIPLET: of another machine, such as aarch64-linux-gnu
# PREFIX gets lib/, include/, lib/pkgconfig/, and licenses/ with the licence of each archive under
# the archive's name. A prefix that this version of the script made for the same machine stays as it
# is.
set -eu
prefix=$1 triplet=${2:-$(gcc -print-multiarch)}
compiler=gcc
[ "$triplet" = "$(gcc -print-multiarch)" ] || compiler=$triplet-gcc
recipe="$(cksum <"$0") $triplet"
[ "$(cat "$prefix/complete" 2>/dev/null)" != "$recipe" ] || exit 0
rm -rf "$prefix"
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include" "$prefix/licenses" "$prefix/sources/lists/partial"
prefix=$(cd "$prefix" && pwd)
sources=$prefix/sources
flags="-O2 -fPIC -ffile-prefix-map=$sources=."

download() { # AWK-CONDITION NAME...: Debian's sources of packages, to $sources, from the parts of the list of which the condition holds
    local list=$sources/debian.sources
    awk "BEGIN { RS = \"\"; ORS = \"\\n\\n\" } $1" /etc/apt/sources.list.d/debian.sources | sed 's/^Types: deb$/Types: deb-src/' >"$list"
    shift
    local apt=(-qq -o Dir::Etc::sourceparts=/dev/null -o "Dir::Etc::sourcelist=$list" -o "Dir::State::lists=$sources/lists"
        -o APT::Sandbox::User=root)
    apt-get "${apt[@]}" update
    (cd "$sources" && rm -f ./*.dsc ./*.tar.* && apt-get "${apt[@]}" source --download-only "$@")
}

fetch() { # NAME...: Debian's sources of packages, unpacked in $sources/NAME
    local name
    # A mirror can list an update some time before it has it: then what the release itself has.
    download 1 "$@" || {
        echo "wheel_prefix.sh: not all updates can be fetched; taking the sources that the release came with" >&2
        download '!/-security/' "$@"
    }
    for name; do dpkg-source --no-copy -x "$sources/$name"_*.dsc "$sources/$name"; done
}

by_cmake() { # NAME FOLDER TARGET OPTION...
    local name=$1 folder=$2 target=$3
    shift 3
    cmake -S "$folder" -B "$sources/build-$name" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_SYSTEM_NAME=Linux \
        -DCMAKE_SYSTEM_PROCESSOR="${triplet%%-*}" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@"
    cmake --build "$sources/build-$name" --target "$target"
}

describe() { # NAME VERSION: a file of pkg-config, where the package installs none or one for another prefix
    printf 'Name: %s\nDescription: static\nVersion: %s\nLibs: -L%s/lib -l%s\nCflags: -I%s/include\n' "$1" "$2" "$prefix" "${1#lib}" "$prefix" \
        >"$prefix/lib/pkgconfig/$1.pc"
}

fetch zlib libzstd utf8proc xxhash xz-utils jansson expat libxlsxwriter sqlite3
(cd "$sources/zlib" && CHOST=$triplet CC=$compiler CFLAGS=$flags ./configure --static --prefix="$prefix" && make libz.a && make install)
make -C "$sources/libzstd/lib" CC="$compiler" CFLAGS="$flags" PREFIX="$prefix" install-static install-includes install-pc
make -C "$sources/xxhash" CC="$compiler" CFLAGS="$flags" libxxhash.a
cp "$sources/xxhash/libxxhash.a" "$prefix/lib"
cp "$sources"/xxhash/xxh*.h "$prefix/include"
by_cmake utf8proc "$sources/utf8proc" install
by_cmake lzma "$sources/xz-utils" liblzma
cp "$sources/build-lzma/liblzma.a" "$prefix/lib"
cp -R "$sources"/xz-utils/src/liblzma/api/lzma* "$prefix/include"
# One source file is made of SQLite's, by its own scripts (tclsh), and compiled without what
# would load other libraries.
(cd "$sources/sqlite3" && ./configure --disable-tcl --disable-readline --disable-shared && make sqlite3.c sqlite3.h &&
    "$compiler" $flags -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_DQS=0 -c sqlite3.c && ar rcs "$prefix/lib/libsqlite3.a" sqlite3.o &&
    cp sqlite3.h "$prefix/include")
by_cmake jansson "$sources/jansson" install -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON
# Debian's fixes ask whether it is 1, as autotools define it.
sed -i 's/^#cmakedefine XML_DTD$/#cmakedefine XML_DTD 1/' "$sources/expat/expat/expat_config.h.cmake"
# glibc has arc4random since 2.36 only; getrandom() gives its salt elsewhere.
by_cmake expat "$sources/expat/expat" install -DEXPAT_SHARED_LIBS=OFF -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_EXAMPLES=OFF \
    -DEXPAT_BUILD_TESTS=OFF -DEXPAT_BUILD_DOCS=OFF -DHAVE_ARC4RANDOM=OFF -DHAVE_ARC4RANDOM_BUF=OFF
by_cmake xlsxwriter "$sources/libxlsxwriter" install -DZLIB_ROOT="$prefix" -DZLIB_LIBRARY="$prefix/lib/libz.a" \
    -DZLIB_INCLUDE_DIR="$prefix/include"
for name in xxhash=libxxhash xz-utils=liblzma sqlite3=sqlite3; do
    describe "${name#*=}" "$(dpkg-parsechangelog -l "$sources/${name%=*}/debian/changelog" -S Version | sed 's/-.*//')"
done
cp "$sources/zlib/debian/copyright" "$prefix/licenses/libz.txt"
cp "$sources/libzstd/LICENSE" "$prefix/licenses/libzstd.txt"
cp "$sources/xxhash/LICENSE" "$prefix/licenses/libxxhash.txt"
cp "$sources"/utf8proc/LICENSE.* "$prefix/licenses/libutf8proc.txt"
cp "$sources/xz-utils/COPYING" "$prefix/licenses/liblzma.txt"
cp "$sources"/sqlite3/LICENSE.* "$prefix/licenses/libsqlite3.txt"
cp "$sources/jansson/LICENSE" "$prefix/licenses/libjansson.txt"
cp "$sources/expat/expat/COPYING" "$prefix/licenses/libexpat.txt"
cp "$sources/libxlsxwriter/License.txt" "$prefix/licenses/libxlsxwriter.txt"
rm -rf "$prefix"/lib/*.so* "$sources"
rm -rf "$prefix/lib/cmake" "$prefix/share" "$prefix/bin"
for name in libz libzstd libutf8proc libxxhash liblzma libjansson libexpat libxlsxwriter libsqlite3; do [ -e "$prefix/lib/$name.a" ]; done
for name in zlib libzstd libutf8proc libxxhash liblzma jansson expat xlsxwriter sqlite3; do [ -e "$prefix/lib/pkgconfig/$name.pc" ]; done
echo "$recipe" >"$prefix/complete"
