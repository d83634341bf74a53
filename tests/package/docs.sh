#!/usr/bin/env bash
# Every example in docs/ and README.md does what the page says, and every link works.
#
# A block of C that has `int main(` is a program: compiled as C11 with warnings as errors against the built library, and run on the native engine. So is one
# of C++ (```cpp), compiled as C++11 and as C++20, which is run. Other blocks have a mark in the line before them, where C means both:
#     <!-- run -->          C: a fragment; it becomes a function with a scope around it. Shell (```sh): run by bash -e, with vinea, compiler and library found
#     <!-- run exit=2 -->   the same, and it ends with this code; also for programs
#     <!-- define -->       C: functions that the next fragment uses
#     <!-- file NAME -->    becomes a file that later blocks of the page use; a program with this mark is not run by itself
#     <!-- output -->       (```text) what the example before it prints, to the letter; "..." stands for any text, on a line of its own for any lines
#     <!-- shown -->        C or shell that cannot run here: rows of a table, commands that take long
# C and shell without a mark is an error, and so is C that prints what no output block shows. Blocks of a page run in its order, in a folder of its own that
# has the repository's data/. No plugin stands beside the library they use, so that no framework has to start.
# ctest: seconds 15
. "$(dirname "$0")/common.bash"
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc} cxx=${CXX:-c++}
no_cxx=; command -v "$cxx" >/dev/null || no_cxx=1
alone
export C_INCLUDE_PATH=$source_dir/include CPLUS_INCLUDE_PATH=$source_dir/include LIBRARY_PATH=$work/alone PATH=$work/alone:$PATH VINEA_DATA=$source_dir/data
cd "$source_dir"

# compile LANGUAGE FROM TO: in both languages with the warnings that a careful user has on.
compile() {
  local warnings=(-Wall -Wextra -Wpedantic -Wconversion -Werror)
  case $1 in
    c) "$cc" -std=c11 "${warnings[@]}" "$2" -o "$3" -lvinea -lm ;;
    cpp) "$cxx" -std=c++11 "${warnings[@]}" -fsyntax-only "$2" && "$cxx" -std=c++20 "${warnings[@]}" "$2" -o "$3" -lvinea ;;
  esac || fail "$page: an example does not compile"
}

# do_step KIND LINE EXIT-CODE NAME: what docs-blocks.awk asks for. `last` is the line of the example whose output no block has shown yet, or nothing.
do_step() {
  local kind=$1 line=$2 want=$3 name=$4 got=0
  case $kind in
    file) cp "$blocks/$line.file" "$name"; return ;;
    output) compare "$line"; return ;;
  esac
  nothing_hidden
  case $kind in # the name is the language
    program) compile "$name" "$blocks/$line.$name" "$blocks/program"; "$blocks/program" >"$blocks/out" 2>"$blocks/err" || got=$? ;;
    fragment) [ -e "$blocks/fragments-$name" ] || compile "$name" "$blocks/fragments.$name" "$blocks/fragments-$name"
      "$blocks/fragments-$name" "$line" >"$blocks/out" 2>"$blocks/err" || got=$? ;;
    shell) bash -e "$blocks/$line.sh" >"$blocks/out" 2>&1 </dev/null || got=$?; : >"$blocks/err" ;;
  esac
  [ "$got" -eq "$want" ] || { cat "$blocks/out" "$blocks/err"; fail "$page:$line: the example ended with $got, not $want"; }
  examples=$((examples + 1)) last=$line last_kind=$kind
}
compare() {
  [ -n "$last" ] || fail "$page:$1: an output without an example before it"
  awk -f "$here/docs-like.awk" "$blocks/$1.text" "$blocks/out" || fail "$page:$1: this is not what the example in line $last prints"
  last=
}
nothing_hidden() {
  [ -z "$last" ] || [ "$last_kind" = shell ] || [ ! -s "$blocks/out" ] || { cat "$blocks/out"; fail "$page:$last: the page does not show what this prints"; }
}

say "what must not pass"
mkdir "$work/wrong"
for text in '```c\nx = 1;\n```' '```cpp\nx = 1;\n```' '```sh\nls\n```' '<!-- rnu -->\n' '<!-- run exit=no -->\n' '<!-- file -->\n' '<!-- run -->\nno block' '<!-- run -->\n```text\n```' '```c\nint main('; do
  printf "$text\n" >"$work/wrong.md"
  ! awk -v folder="$work/wrong" -f "$here/docs-blocks.awk" "$work/wrong.md" 2>/dev/null || fail "a page with $text passes"
done
like() { awk -f "$here/docs-like.awk" <(printf "$1") <(printf "$2") >/dev/null; } # shown, printed
for pair in 'a\n:b\n' 'a\n:a\nb\n' 'a\nb\n:a\n' 'a...c\n:a b\n' 'a\n...\nc\n:a\nb\n' ':a\n'; do ! like "${pair%%:*}" "${pair#*:}" || fail "'${pair%%:*}' passes for '${pair#*:}'"; done
for pair in 'a\n:a\n' 'a...c\n:a b c\n' '...\nc\n:a\nb\nc\n' 'a\n...\n:a\n' 'a\n...\n:a\nb\nc\n'; do like "${pair%%:*}" "${pair#*:}" || fail "'${pair%%:*}' does not pass for '${pair#*:}'"; done

examples=0
for page in README.md docs/*.md docs/engines/*.md; do
  blocks=$work/${page//\//-}
  mkdir "$blocks" "$blocks/run"
  ln -s "$source_dir/data" "$blocks/run/data"
  awk -v folder="$blocks" -f "$here/docs-blocks.awk" "$page" || fail "$page: see above"
  [ -s "$blocks/steps" ] || continue
  if [ -n "$no_cxx" ] && grep -q ' cpp$' "$blocks/steps"; then say "$page: not run, there is no $cxx"; no_cxx=missed; continue; fi
  say "$page"
  last=
  cd "$blocks/run"
  while read -r kind line want name; do do_step "$kind" "$line" "$want" "$name"; done <"$blocks/steps"
  nothing_hidden
  cd "$source_dir"
done
echo "$examples examples"
[ "$examples" -gt 0 ] || fail "no example was found"

say "links"
mapfile -t pages < <(find . -name '*.md' -not -path './build*' -not -path './.*' | sed 's|^\./||' | LC_ALL=C sort)
awk -f "$here/docs-links.awk" "${pages[@]}" >"$work/links"
broken=0
while read -r _ from target; do
  case $target in http://* | https://* | mailto:*) continue ;; esac
  path=${target%%#*} file=${from%:*}
  if [ -z "$path" ]; then path=$file; else path=$(realpath -m --relative-to=. "$(dirname "$file")/$path"); fi
  if [ ! -e "$path" ]; then
    case $path in conformance/results/*) [ -e conformance/results ] || continue ;; esac # `make results` makes them; package.results misses them
    echo "$from: $target is not there"; broken=1
  elif [ "$path" != "${path%.md}" ] && [ "$target" != "${target#*#}" ]; then
    grep -qxF "anchor $path#${target#*#}" "$work/links" || { echo "$from: $path has no heading #${target#*#}"; broken=1; }
  fi
done < <(grep '^link ' "$work/links")
[ "$broken" -eq 0 ] || fail "links lead nowhere"

say "names"
{ find include src engines cli -name '*.[ch]' -exec cat {} +; find tests/package -name '*.sh' -not -name docs.sh -exec cat {} +; } | grep -oE '\b(vn|VN|VINEA)_[A-Za-z0-9_]+' | LC_ALL=C sort -u >"$work/known"
awk '/^```/ { inside = !inside; next } !inside' "${pages[@]}" | grep -oE '`[^`]+`' >"$work/spoken"
grep -oE '\b(vn|VN|VINEA)_[A-Za-z0-9_]+' "$work/spoken" | LC_ALL=C sort -u | LC_ALL=C comm -23 - "$work/known" >"$work/unknown"
{ grep -oE '^`(bench|cli|cmake|conformance|data|docs|engines|examples|include|src|tests|tools)/[A-Za-z0-9_./-]+`$' "$work/spoken" || true; } | tr -d '`' | LC_ALL=C sort -u |
  while read -r path; do [ -e "$path" ] || [ "${path#conformance/results}" != "$path" ] || echo "$path"; done >>"$work/unknown"
[ ! -s "$work/unknown" ] || fail "the pages speak of what is not there: $(paste -sd' ' "$work/unknown")"

say "the list"
for page in docs/*.md docs/engines/*.md; do
  [ "$page" = docs/README.md ] || grep -qF "](${page#docs/})" docs/README.md || fail "docs/README.md does not list $page"
done
[ "$no_cxx" != missed ] || { echo "skipped: there is no $cxx for the pages on C++ (tools/setup test installs it)"; exit 77; }
