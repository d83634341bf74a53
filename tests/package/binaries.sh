#!/usr/bin/env bash
# Exports and dependencies of the built objects: the library's symbols, soname and needed libraries; one symbol per engine.
. "$(dirname "$0")/common.bash"
library=$build/libvinea.so

say "exported symbols are those of src/vinea.symbols"
"$source_dir/tools/symbols" "$library" >"$work/symbols"
diff "$source_dir/src/vinea.symbols" "$work/symbols" || fail "the exported symbols changed; 'make symbols' rewrites the list"
! grep -v '^vn_' "$work/symbols" || fail "an exported symbol does not start with vn_"

say "every function of the headers is exported"
sed -n 's/^VN_API .*[ *]\(vn_[a-z0-9_]*\)(.*/\1/p' "$source_dir"/include/vinea/{vinea,ops,tree,nn,module,files,train,model}.h | LC_ALL=C sort -u >"$work/declared"
[ -s "$work/declared" ] || fail "no declarations were found"
LC_ALL=C comm -23 "$work/declared" "$work/symbols" >"$work/undefined"
[ ! -s "$work/undefined" ] || fail "declared but not exported: $(tr '\n' ' ' <"$work/undefined")"

say "soname"
readelf -d "$library" | grep -q 'SONAME.*\[libvinea\.so\.0\.2\]' || fail "the soname is not libvinea.so.0.2"

# needs FILE: the names of the libraries it is linked with, other than libc, libm and the loader
needs() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so|libm\.so|ld-linux)' || true; }
say "the library needs libc, libm and the loader only"
[ -z "$(needs "$library")" ] || fail "libvinea.so needs $(needs "$library")"
others=$(ldd "$library" | awk '{ print $1 }' | grep -vE '^(linux-vdso|libc\.so|libm\.so|/.*/ld-linux)' || true)
[ -z "$others" ] || fail "ldd of libvinea.so shows $others"

for engine in "${engines[@]}"; do
  [ "$engine" != native ] || continue
  say "engine $engine exports one symbol and needs libc and libm only"
  plugin=$build/engines/$engine.so
  [ "$("$source_dir/tools/symbols" "$plugin")" = vinea_engine_main ] || fail "$engine.so exports $("$source_dir/tools/symbols" "$plugin" | tr '\n' ' ')"
  [ -z "$(needs "$plugin")" ] || fail "$engine.so needs $(needs "$plugin")"
  [ -s "$build/engines/$engine.manifest" ] || fail "$engine has no manifest"
done
