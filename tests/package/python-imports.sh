#!/usr/bin/env bash
# A Python program that uses Vinea through ctypes together with all four frameworks, imported before or after Vinea loads its engines, all together, each
# alone, and in the opposite order (python_use.py). torch and tensorflow can be imported only where their dependencies are installed too: in the
# benchmark's environment, which is set up here (6 GB) if it is not there.
# ctest: full
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/python.bash"
"$source_dir/tools/venv" "$source_dir/.venv-bench" "$source_dir/bench/requirements.txt"
python=$source_dir/.venv-bench/bin/python
frameworks=(numpy jax torch tensorflow)
for framework in "${frameworks[@]}"; do
  "$python" -c "import $framework" >"$work/out" 2>&1 || { cat "$work/out"; fail "$python cannot import $framework"; }
done
both_orders "$python" "${frameworks[@]}"
both_orders "$python" tensorflow torch jax numpy
for framework in "${frameworks[@]}"; do both_orders "$python" "$framework"; done
