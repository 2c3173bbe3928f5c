#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages of a release and shows them to lintian: debian.sh FOLDER.
# The sources are those of the tarball, with bindings/packages/debian as debian/ and a changelog of
# this release.
set -euo pipefail
# shellcheck source=tests/release/release_common.sh
. "$(dirname "$0")/release_common.sh"
out=$1
work=$release_work/debian
rm -rf "$work"
mkdir -p "$out"
out=$(cd "$out" && pwd)
release_unpack "$work/$release_name"
cp "$release_tarball" "$work/alcore_$release_version_debian.orig.tar.gz"
cd "$work/$release_name"
cp -R bindings/packages/debian debian
cat >debian/changelog <<END
alcore ($release_version_debian-1) unstable; urgency=medium

  * New release; CHANGELOG.md says what changed.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -uR --date="@$SOURCE_DATE_EPOCH")
END
release_logged debian-build env DEB_BUILD_OPTIONS="parallel=${JOBS:-2}" dpkg-buildpackage --no-sign
cd ..
echo "lintian: $(lintian --version)"
# The tag that is left out asks for the number of a request to package, which first uploads to
# Debian's own archive close.
lintian --allow-root --fail-on error,warning --tag-display-limit 0 \
    --suppress-tags initial-upload-closes-no-bugs ./*.changes
cp ./*.deb ./*.dsc ./*.orig.tar.gz ./*.debian.tar.xz "$out"
