#!/usr/bin/env bash
# An installation: installed into one folder and moved to another, the README's example builds against it by pkg-config
# (shared and static) and by CMake, with gcc and clang, and gives the same losses on every engine.
# ctest: seconds 6
# ctest: frameworks
. "$(dirname "$0")/common.bash"
need gcc clang pkg-config
unset VINEA_ENGINE_PATH # the installed engines, not those of the build

say "install, and move it"
cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
prefix=$work/prefix
mv "$work/first" "$prefix"
libdir=$(dirname "$(find "$prefix" -name libvinea.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

say "the command runs from there and knows its version"
version=$("$prefix/bin/vinea" version)
[ "$version" = "vinea $(pkg-config --modversion vinea)" ] || fail "vinea version prints '$version', pkg-config '$(pkg-config --modversion vinea)'"
"$prefix/bin/vinea" engines >"$work/engines"
cat "$work/engines"
for engine in "${engines[@]}"; do
  grep -q "^$engine " "$work/engines" || fail "the installed command does not list $engine"
done

say "man page, completion and data are where systems look for them"
grep -q '^\.TH VINEA 1' "$prefix/share/man/man1/vinea.1" || fail "there is no man page"
for file in bash-completion/completions/vinea zsh/site-functions/_vinea fish/vendor_completions.d/vinea.fish vinea/data/digits.csv vinea/data/README.md; do
  [ -s "$prefix/share/$file" ] || fail "there is no share/$file"
done
(cd "$work" && "$prefix/bin/vinea" train linear digits --epochs 1 --quiet) | grep -q '^accuracy' || fail "the installed command does not find its data"

# flags WORDS: pkg-config's answer as words; it quotes the spaces of paths for a shell
flags() { eval "words=($(pkg-config "$@" vinea))"; }
example=$source_dir/examples/linreg.c
for cc in gcc clang; do
  say "pkg-config, shared and static, $cc"
  flags --cflags --libs
  "$cc" -std=c11 "${strict[@]}" "$example" -o "$work/$cc-shared" "${words[@]}" -Wl,-rpath,"$libdir"
  flags --cflags; cflags=("${words[@]}")
  flags --static --libs
  "$cc" -std=c11 "${strict[@]}" "${cflags[@]}" "$example" -o "$work/$cc-static" "${words[@]/-lvinea/-l:libvinea.a}"
  ! ldd "$work/$cc-static" | grep -q vinea || fail "$cc-static is linked with the shared library"
done

mkdir "$work/project"
cp "$example" "$work/project/linreg.c"
cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package(vinea 0.2 REQUIRED)
foreach(library vinea vinea_static)
    add_executable(with_${library} linreg.c)
    set_target_properties(with_${library} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    target_link_libraries(with_${library} PRIVATE vinea::${library})
endforeach()
END
for cc in gcc clang; do
  say "find_package, shared and static, $cc"
  { cmake -S "$work/project" -B "$work/$cc-cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$work/$cc-cmake"; } \
    >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
done

say "all of them, on native"
"$work/gcc-shared" native >"$work/native.txt"
cat "$work/native.txt"
for program in "$work"/{gcc,clang}-{shared,static} "$work"/{gcc,clang}-cmake/with_vinea{,_static}; do
  "$program" native >"$work/out.txt"
  cmp "$work/out.txt" "$work/native.txt" || fail "$program prints other losses"
done

for engine in "${engines[@]}"; do
  if ! grep -q "^$engine  *yes" "$work/engines"; then missing+=("$engine"); continue; fi
  say "shared and static, on $engine"
  "$work/gcc-shared" "$engine" >"$work/$engine.txt"
  same_losses "$work/$engine.txt" "$work/native.txt"
  VINEA_ENGINE_PATH=$libdir/vinea/engines "$work/clang-static" "$engine" >"$work/$engine-static.txt"
  same_losses "$work/$engine-static.txt" "$work/native.txt"
done
skip_missing
