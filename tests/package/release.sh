#!/usr/bin/env bash
# What a release repeats agrees: the version of vinea.h, debian/changelog and the newest heading of CHANGELOG.md, the soname and the packages named after
# it; every source file names its licence; the hosted CI calls the README's two commands.
# ctest: seconds 1
. "$(dirname "$0")/common.bash"
cd "$source_dir"
version=$(sed -n 's/^#define VINEA_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' include/vinea/vinea.h | paste -sd.)
minor=${version%.*}
say "version $version"
[ "$(sed -n '1s/^vinea (\(.*\)-[0-9]*) .*/\1/p' debian/changelog)" = "$version" ] || fail "debian/changelog has another version"
[ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -1)" = "$version" ] || fail "the newest heading of CHANGELOG.md has another version"
[ -e "$build/libvinea.so.$minor" ] || fail "the soname is not libvinea.so.$minor"
grep -qx "Package: libvinea$minor" debian/control && [ -e "debian/libvinea$minor.install" ] || fail "Debian's library package is not called libvinea$minor"

say "licences"
# Of C and C++ all, of Python what is installed.
sources() {
  find src engines include cli groups images conformance tests bench python tools -type f \( -name '*.[ch]' -o -name '*.hpp' -o -name '*.cpp' -o -name '*.def' \)
  find engines python/vinea -type f -name '*.py'
}
[ "$(sources | wc -l)" -gt 500 ] || fail "sources were not found"
without=$(sources | xargs -d '\n' grep -L 'SPDX-License-Identifier: Apache-2.0' || true)
[ -z "$without" ] || fail "no SPDX line in: $without"

say "the hosted CI"
for target in demo test; do grep -qE "target: .*\<$target\>" .github/workflows/test.yml || fail "the workflow does not call make $target"; done
grep -q 'run: make ${{ matrix.target }}' .github/workflows/test.yml || fail "the workflow does not call make"
