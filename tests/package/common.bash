# common.bash: what the scripts of this folder share. Each is called with the source folder, the build folder and the engines' names,
# works in a temporary folder whose name has a space, and ends with the first command that fails.
set -eu -o pipefail
source_dir=$1 build=$2
engines=("${@:3}")

work="$(mktemp -d)/a folder"
mkdir "$work"
trap 'rm -rf "$(dirname "$work")"' EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }
say() { echo "-- $*"; }

need() { # ends the test as skipped where a tool is missing
  for tool in "$@"; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool (tools/setup test dist cross installs it)"; exit 77; }
  done
}

in_full() { [ -n "${VINEA_TEST_FULL:-}" ]; } # whether this is the form of the test for the full run

strict=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)

# losses FILE: the numbers that examples/linreg.c prints. same_losses FILE REFERENCE: equal within a relative 1e-5 and the last digit printed.
losses() { awk '$2 == "loss" { print $3 }' "$1"; }
same_losses() {
  [ "$(losses "$2" | wc -l)" -eq 3 ] || fail "$2 does not hold three losses"
  paste <(losses "$1") <(losses "$2") | awk '
    { d = $1 - $2; if (d < 0) d = -d; s = $2 < 0 ? -$2 : $2; if (NF != 2 || !(d <= 1e-5 * s + 2e-8)) { print "losses differ: " $0; bad = 1 } }
    END { exit bad }' || fail "$1 and $2 differ"
}

# A plugin outside the build tree finds the project's own environment only when told.
if [ -z "${VINEA_PYTHON:-}" ] && [ -x "$source_dir/.venv/bin/python" ]; then export VINEA_PYTHON="$source_dir/.venv/bin/python"; fi

# keep_installed: leaves in `engines` those that can be used here, and the others in `missing`. skip_missing: the end of a script that did without.
missing=()
keep_installed() {
  local there=() engine
  for engine in "${engines[@]}"; do
    if [ -n "$("$build/vinea" engines --json | python3 -c 'import json, sys; print(*[1 for e in json.load(sys.stdin) if e["name"] == sys.argv[1] and e["available"]])' "$engine")" ]; then
      there+=("$engine")
    else missing+=("$engine"); fi
  done
  engines=("${there[@]}")
}
skip_missing() { [ ${#missing[@]} -eq 0 ] || { echo "skipped: not available here: ${missing[*]}"; exit 77; }; }

# alone: puts the command and the library where no engine stands beside them, so that only native and what VINEA_ENGINE_PATH names is found.
alone() {
  mkdir "$work/alone"
  cp -P "$build"/vinea "$build"/examples/linreg "$build"/libvinea.so* "$work/alone/"
  mkdir -p "$work/alone/share/vinea" && ln -s "$source_dir/conformance" "$work/alone/share/vinea/conformance"
  export LD_LIBRARY_PATH=$work/alone
  unset VINEA_ENGINE_PATH
}
