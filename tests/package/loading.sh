#!/usr/bin/env bash
# Where code may be loaded from. Untrusted libraries are not opened: in the working directory, next to argv[0],
# in relative folders, in world-writable folders. Truncated plugins, framework libraries, dependencies and
# Python extension modules are errors and do not kill the process. A requested environment is used or named in an error.
# ctest: seconds 3
# ctest: frameworks
. "$(dirname "$0")/common.bash"
need gcc python3
. "$(dirname "$0")/loading.bash"
mkdir -p "$work/there/engines" "$work/there/vinea/engines"
cp "$work/intruder.so" "$work/there/engines/stranger.so"
cp "$work/intruder.so" "$work/there/vinea/engines/stranger.so"
touch "$work/there/"{shared,static,libvinea.so.0.2} # names that mean something else there

say "a folder that was chosen: the library is opened"
let_in "VINEA_ENGINE_PATH" env VINEA_ENGINE_PATH="$work/there/engines" "$work/bin/static" stranger

say "the working directory, before and after the program changes it"
cd "$work/bin"
for program in shared static; do
  kept_out "chdir" 'no engine "stranger"' "./$program" stranger "$work/there"
  kept_out "a relative folder" '"engines" is not an absolute path' env VINEA_ENGINE_PATH=engines "./$program" stranger "$work/there"
done
mkdir "$work/libs" && cp -P "$build"/libvinea.so* "$work/libs/" && cd "$work/libs"
kept_out "a relative search path of the system" 'no engine "stranger"' env LD_LIBRARY_PATH=. "$work/bin/shared" stranger "$work/there"
cp "$work/bin/static" "$work/there/prog"
cd "$work/there"
let_in "beside the program" ./prog stranger /

say "the name a program was started by"
cd /
kept_out "argv[0]" 'no engine "stranger"' bash -c 'exec -a "$1" "$2" stranger' - "$work/there/prog" "$work/bin/static"

say "folders that everyone can write to"
chmod 777 "$work/there/engines"
kept_out "a plugin folder" "everyone can write to $work/there/engines" env VINEA_ENGINE_PATH="$work/there/engines" "$work/bin/shared" stranger
chmod 755 "$work/there/engines"
chmod 777 "$work/there"
kept_out "a folder above it" "everyone can write to $work/there" env VINEA_ENGINE_PATH="$work/there/engines" "$work/bin/shared" stranger
chmod 755 "$work/there"

if has_engine torch; then
  say "environments"
  file=torch/lib/libtorch_cpu.so
  environment "$work/env" "$file" "$work/intruder.so"
  let_in "VINEA_PYTHON" env VINEA_PYTHON="$work/env" "$work/bin/shared" torch
  let_in "VIRTUAL_ENV" env VIRTUAL_ENV="$work/env" "$work/bin/shared" torch
  kept_out "a relative VINEA_PYTHON" "VINEA_PYTHON=./env: it is not an absolute path" env VINEA_PYTHON=./env "$work/bin/shared" torch "$work"
  # With an empty environment to be found otherwise: the relative one is passed over, and said so when nothing else is there
  "$python" -m venv --without-pip "$work/empty"
  cp -r "$build/engines" "$work/plugins" # away from the environment of the tree
  kept_out "a relative VIRTUAL_ENV" "VIRTUAL_ENV=env is not an absolute path" \
    env VIRTUAL_ENV=env PATH="$work/empty/bin" HOME=/nonexistent LD_LIBRARY_PATH="$work/libs" VINEA_ENGINE_PATH="$work/plugins" "$work/bin/static" torch "$work"
  kept_out "an environment that is not there" "VINEA_PYTHON=/nonexistent: there is no Python" env VINEA_PYTHON=/nonexistent "$work/bin/shared" torch
  kept_out "an interpreter that is not there" "VINEA_PYTHON=python3.99: there is no Python" env VINEA_PYTHON=python3.99 "$work/bin/shared" torch
  kept_out "an environment without the package" "VINEA_PYTHON=$work/empty: it has no such package" env VINEA_PYTHON="$work/empty" "$work/bin/shared" torch
  chmod 777 "$work/env/lib"
  kept_out "an environment open to everyone" "everyone can write to $work/env/lib" env VINEA_PYTHON="$work/env" "$work/bin/shared" torch
  chmod 755 "$work/env/lib"
  library=$(echo "$work"/env/lib/python3.*/site-packages/$file)
  chmod 666 "$library"
  kept_out "a framework open to everyone" "everyone can write to $library" env VINEA_PYTHON="$work/env" "$work/bin/shared" torch
  chmod 644 "$library"

  say "a framework that is truncated, and one that needs a library that is"
  gcc -shared -fPIC -DRAN="\"$work/ran/it\"" "$work/intruder.c" -o "$(dirname "$library")/libneeded.so"
  echo 'int nothing;' | gcc -shared -fPIC -x c - -o "$library" -L"$(dirname "$library")" -Wl,--no-as-needed -lneeded -Wl,-rpath,'$ORIGIN/../lib'
  let_in "a needed library" env VINEA_PYTHON="$work/env" "$work/bin/shared" torch
  chmod 666 "$(dirname "$library")/libneeded.so"
  kept_out "a needed library open to everyone" "everyone can write to" env VINEA_PYTHON="$work/env" "$work/bin/shared" torch
  chmod 644 "$(dirname "$library")/libneeded.so"
  truncate -s 5000 "$(dirname "$library")/libneeded.so"
  kept_out "a needed library, cut" "libneeded.so is truncated" env VINEA_PYTHON="$work/env" "$work/bin/shared" torch
  real=$(echo "$source_dir"/.venv/lib/python3.*/site-packages/$file)
  if [ -s "$real" ]; then
    rm -f "$library" && head -c 1000000 "$real" >"$library"
    kept_out "PyTorch, cut" "libtorch_cpu.so is truncated" env VINEA_PYTHON="$work/env" "$work/bin/shared" torch
  fi
fi

real=$(echo "$source_dir"/.venv/lib/python3.*/site-packages)
if has_engine numpy && [ -d "$real/numpy" ]; then
  say "an extension module that is truncated, and one that needs a library that is"
  python3=$(readlink -f "$source_dir/.venv/bin/python3")
  "$python3" -m venv --without-pip "$work/numbers"
  site=$(echo "$work"/numbers/lib/python3.*/site-packages)
  cp -r "$real/numpy" "$real/numpy.libs" "$site/"
  VINEA_PYTHON="$work/numbers" "$work/bin/shared" numpy | grep -q '^numpy: 3$' || fail "the copy of NumPy does not work"
  module=$(echo "$site"/numpy/_core/_multiarray_umath.*.so)
  cp "$module" "$work/module" && truncate -s 100000 "$module"
  kept_out "NumPy, cut" "$(basename "$module") is truncated" env VINEA_PYTHON="$work/numbers" "$work/bin/shared" numpy
  cp "$work/module" "$module"
  truncate -s 100000 "$site"/numpy.libs/*openblas*
  kept_out "NumPy's BLAS, cut" "is truncated" env VINEA_PYTHON="$work/numbers" "$work/bin/shared" numpy
fi

say "plugins that are truncated"
for engine in "${engines[@]}"; do
  [ "$engine" != native ] || continue
  mkdir -p "$work/cut" && head -c 20000 "$build/engines/$engine.so" >"$work/cut/$engine.so"
  kept_out "$engine.so, cut" "$engine.so is truncated" env VINEA_ENGINE_PATH="$work/cut" "$work/bin/static" "$engine"
done
