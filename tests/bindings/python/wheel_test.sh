#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel, looks at what it needs, and runs it in a root folder that holds CPython and
# nothing else. In TAP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$root/build/wheel
highest=GLIBC_2.34 # of Debian 12, where the wheel is built; a higher one would shut machines out
number=0 failed=0
say() { # STATUS NAME
    number=$((number + 1))
    [ "$1" = 0 ] || { failed=1; printf 'not '; }
    echo "ok $number - $2"
}

ALCORE_TEST_FULL=1 "$here/venv.sh" full >&2
"$root/bindings/python/wheel.sh" >&2
say $? wheel_is_built
wheel=$(ls "$work"/dist/alcore-*-py3-none-manylinux_*.whl 2>/dev/null | head -n 1)
[ -n "$wheel" ]
say $? tag_is_manylinux

python=$root/build/venv/bin/python
rm -rf "$work/root" "$work/site"
"$python" -m pip install --quiet --no-deps --no-index --target "$work/site" "$wheel" >&2
say $? wheel_installs
library=$(ls "$work"/site/.alcore.mesonpy.libs/libalcore.so.* | head -n 1)
needs=$(objdump -p "$library" | sed -n 's/^ *NEEDED *//p' | grep -v '^lib[cm]\.so\|^ld-linux')
[ -z "$needs" ]
say $? "needs_only_the_c_library $needs"
found=$(objdump -T "$library" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
[ "$found" = "$highest" ]
say $? "highest_symbol_is_$highest (found $found)"
stray=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^alcore_\|^ALCORE_' | tr '\n' ' ')
[ -z "$stray" ]
say $? "exports_nothing_else $stray"

# Every archive that is linked into the library comes with its licence, listed as wheels list them.
listed=$("$python" -m zipfile -l "$wheel")
lacking=
for archive in "$work"/prefix/lib/*.a; do
    name=$(basename "${archive%.a}").txt
    text=$(echo "$work"/site/alcore-*.dist-info/licenses/"$name")
    grep -qi 'copyright\|public domain' "$text" && grep -q "dist-info/licenses/$name " <<<"$listed" &&
        grep -qx "License-File: $name" "$work"/site/alcore-*.dist-info/METADATA || lacking="$lacking $name"
done
[ -z "$lacking" ] && grep -q Apache "$work"/site/alcore-*.dist-info/licenses/LICENSE
say $? "carries_the_licences$lacking"

# A root of its own: the interpreter, its standard library and the shared libraries that these load.
version=$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
mkdir -p "$work/root/usr/bin" "$work/root/usr/lib" "$work/root/site" "$work/root/tmp"
cp "/usr/bin/$version" "$work/root/usr/bin/python3"
cp -a "/usr/lib/$version" "$work/root/usr/lib/$version"
for file in "/usr/bin/$version" "/usr/lib/$version"/lib-dynload/_ctypes.*.so; do
    ldd "$file" | grep -o '/[^ ]*' | while read -r path; do
        mkdir -p "$work/root$(dirname "$path")"
        cp -L "$path" "$work/root$path"
    done
done
cp -a "$work/site/." "$work/root/site"
cp "$work"/site/alcore-*.dist-info/RECORD "$work/root/record"
said=$(env -i PATH="$PATH" PYTHONPATH=/site chroot "$work/root" /usr/bin/python3 -W ignore -c '
import alcore
texts = {"utf8proc": "libutf8proc", "xxhash": "libxxhash", "zlib": "libz", "expat": "libexpat", "xlsxwriter": "libxlsxwriter",
         "sqlite3": "libsqlite3"}
for name in alcore.build_info()["dependencies"]:
    assert ("/licenses/%s.txt" % texts.get(name, name)) in open("/record").read(), name
print(alcore.load(), alcore.select(["a b c", "d e", "f g h i"], "3w").short)' 2>&1)
[ "$said" = "/site/.alcore.mesonpy.libs/$(basename "$library") False" ]
say $? "runs_beside_cpython_only ($(echo "$said" | tail -n 1))"
rm -rf "$work/root"
echo "1..$number"
exit $failed
