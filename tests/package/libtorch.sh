#!/usr/bin/env bash
# libtorch's programs of docs/compared.md compile against the headers of the installed PyTorch and print what ours print; like ours they report a file that
# is missing or cut short, and shapes that do not fit. Reading libtorch's headers takes a compiler most of a minute, so the programs are compiled together,
# each in a namespace. There main is a function like others, which must say what it returns.
# ctest: frameworks
# ctest: seconds 25
# ctest: full
. "$(dirname "$0")/common.bash"
need g++ python3
python=${VINEA_PYTHON:-python3}
[ ! -d "$python" ] || python=$python/bin/python3
torch=$("$python" -c 'import importlib.util, os; s = importlib.util.find_spec("torch"); print(os.path.dirname(s.origin) if s else "")' 2>/dev/null) || torch=
[ -n "$torch" ] && [ -e "$torch/include/torch/csrc/api/include/torch/torch.h" ] || { echo "skipped: there is no PyTorch with headers (make engines installs it)"; exit 77; }
programs=(regression convnet attention adamw model)
from=$source_dir/examples/compared/libtorch
cd "$work"

say "compiling"
for name in "${programs[@]}"; do sed 's/^} catch (/    return 0;\n&/' "$from/$name.cpp" >"$name.cpp"; done
sed 's/{20, 3}/{15, 4}/' regression.cpp >wrong.cpp
! cmp -s regression.cpp wrong.cpp || fail "regression.cpp has another shape now"
{
  printf '#include <cstdio>\n#include <cstring>\n#include <torch/torch.h>\n'
  for name in "${programs[@]}" wrong; do printf 'namespace %s {\n#include "%s.cpp"\n}\n' "$name" "$name"; done
  printf 'int main(int argc, char **argv)\n{\n'
  for name in "${programs[@]}" wrong; do printf '    if (argc > 1 && !std::strcmp(argv[1], "%s")) return %s::main();\n' "$name" "$name"; done
  printf '    return 99;\n}\n'
} >all.cc
g++ -std=c++20 -O0 -Wall -Wextra -Werror -isystem "$torch/include" -isystem "$torch/include/torch/csrc/api/include" all.cc -o all \
  "-L$torch/lib" -ltorch_cpu -lc10 "-Wl,-rpath,$torch/lib" || fail "libtorch's programs do not compile"
export OMP_NUM_THREADS=1

say "running"
for name in "${programs[@]}"; do
  "$build/examples/compared/$name" >ours || fail "$name"
  ./all "$name" >theirs || fail "$name of libtorch"
  diff ours theirs || fail "$name prints something else with libtorch"
done

refused() { # NAME PREFIX: it ends with code 1 and a message
  local code=0
  ./all "$1" >out 2>err || code=$?
  [ "$code" -eq 1 ] && grep -q "^$2: ." err || { cat out err; fail "$1 of libtorch ends with $code"; }
}
say "what must fail"
head -c 100 model.pt >cut && mv cut model.pt
refused model model
rm model.pt
refused model model
refused wrong regression
