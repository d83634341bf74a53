#!/usr/bin/env bash
# A release: `tools/dist` twice, in two folders, gives the same bytes; lintian has nothing to say; the packages install into an empty system folder, a
# program builds and runs against them, the command trains, and their removal leaves nothing. The tarball builds by itself, and the bill of materials
# lists what is in it.
# ctest: full
# ctest: seconds 1200
# ctest: timeout 9000
. "$(dirname "$0")/common.bash"
need dpkg-buildpackage dh lintian abidw abidiff git gcc
[ -e "$source_dir/.git" ] || { echo "skipped: a release is made from a repository"; exit 77; }
unset VINEA_ENGINE_PATH

say "twice, in two folders"
commit=$(git -C "$source_dir" rev-parse HEAD) # of both, whatever is committed meanwhile
for copy in one another/folder; do
  mkdir -p "$work/$copy"
  git clone --quiet --shared --no-checkout "$source_dir" "$work/$copy/tree"
  git -C "$work/$copy/tree" checkout --quiet --detach "$commit"
  "$work/$copy/tree/tools/dist" "$work/$copy/dist" >"$work/log" 2>&1 || { tail -40 "$work/log"; fail "tools/dist in $copy"; }
done
dist=$work/one/dist
for file in "$dist"/*.deb "$dist"/*.tar.* "$dist"/*.abi "$dist"/*.json; do
  cmp "$file" "$work/another/folder/dist/${file##*/}" || fail "$(basename "$file") is not reproducible"
done
(cd "$dist" && sha256sum --quiet -c SHA256SUMS)

say "lintian" # but for what only whoever uploads to Debian can have: a mail address and the number of a request
lintian --allow-root --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs "$dist"/*.changes

say "install into an empty system folder"
root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
: >"$root/var/lib/dpkg/status"
packages() { dpkg --root="$root" --log="$work/dpkg.log" --force-not-root --force-depends --force-script-chrootless "$@" >"$work/out" 2>&1 || { cat "$work/out"; fail "dpkg $*"; }; }
packages -i "$dist"/*.deb
library=$(dirname "$(find "$root/usr/lib" -name libvinea.a)")
export LD_LIBRARY_PATH=$library
"$root/usr/bin/vinea" version
"$root/usr/bin/vinea" engines >"$work/engines"
for engine in "${engines[@]}"; do grep -q "^$engine " "$work/engines" || fail "the packaged command does not list $engine"; done
(cd "$work" && "$root/usr/bin/vinea" train linear digits --epochs 1 --quiet) | grep -q '^accuracy' || fail "the packaged command does not train"
gcc -std=c11 "${strict[@]}" -I"$root/usr/include" "$source_dir/examples/linreg.c" -o "$work/linreg" -L"$library" -lvinea
"$work/linreg" >"$work/losses"
"$build/examples/linreg" >"$work/reference"
same_losses "$work/losses" "$work/reference"
for package in libvinea0.2 libvinea-dev vinea; do
  [ -s "$root/usr/share/doc/$package/copyright" ] || fail "$package has no licence"
done

say "the library has the ABI that was written down"
abi=$(grep -c '<elf-symbol' "$dist"/*.abi)
[ "$abi" -eq "$(nm -D --defined-only "$library"/libvinea.so | wc -l)" ] || fail "the ABI lists $abi symbols"

say "remove"
packages -P vinea libvinea-dev libvinea0.2
left=$(find "$root" -type f -not -path '*/var/lib/dpkg/*')
[ -z "$left" ] || fail "left behind: $left"

say "the bill of materials lists every file of the tarball"
python3 - "$dist" <<'END'
import glob, hashlib, json, sys, tarfile
bill = json.load(open(glob.glob(sys.argv[1] + "/*.spdx.json")[0]))
listed = {f["fileName"]: f["checksums"][1]["checksumValue"] for f in bill["files"]}
with tarfile.open(glob.glob(sys.argv[1] + "/vinea-*.tar.gz")[0]) as tar:
    there = {"./" + m.name.split("/", 1)[1]: hashlib.sha256(tar.extractfile(m).read()).hexdigest() for m in tar if m.isfile()}
assert listed == there, set(listed.items()) ^ set(there.items())
names = {p["SPDXID"] for p in bill["packages"]} | {"SPDXRef-DOCUMENT"}
assert all(r["relatedSpdxElement"] in names and r["spdxElementId"] in names for r in bill["relationships"])
print(len(listed), "files,", len(bill["packages"]), "packages")
END
