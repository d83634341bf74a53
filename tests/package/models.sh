#!/usr/bin/env bash
# The examples that are written after those of Keras, Burn and Optax reach what the same networks reach in Keras and PyTorch on the same data: three
# trainings each, with seeds 1 to 3 (SEEDS=1: one). Prints the table of docs/examples.md.
# ctest: seconds 250
# ctest: full
. "$(dirname "$0")/common.bash"
peers=$source_dir/tests/package/models python=$source_dir/.venv-bench/bin/python
read -ra seeds <<<"${SEEDS:-1 2 3}"
export OMP_NUM_THREADS=1 # for a processor that others use too
[ -x "$python" ] || { echo "skipped: there is no .venv-bench (make test-full and make bench install it)"; exit 77; }
cd "$source_dir"

cat >"$work/headlines.c" <<'END'
#include "news.h"
#include <stdlib.h>
int main(int argc, char **argv) /* n, seed: a topic and tokens in each row */
{
    uint64_t seed = (uint64_t)atoll(argv[argc - 1]);
    for (int n = atoi(argv[argc - 2]); n > 0; n--) {
        int32_t row[NEWS_LENGTH];
        const int topic = news_random(&seed, NEWS_TOPICS);
        news_headline(&seed, topic, row);
        printf("%d", topic);
        for (int i = 0; i < NEWS_LENGTH; i++) printf(" %d", (int)row[i]);
        printf("\n");
    }
    return 0;
}
END
"${CC:-cc}" -std=c11 -I "$source_dir/include" -I "$source_dir/examples" "$work/headlines.c" -o "$work/headlines" "-L$build" -lvinea
size() { sed -nE "s/.*[ {]$1 = ([0-9]+).*/\1/p" examples/news.c; }
LD_LIBRARY_PATH=$build "$work/headlines" "$(size TRAIN)" 1 >"$work/train"
LD_LIBRARY_PATH=$build "$work/headlines" "$(size TEST)" 2 >"$work/test"

# accuracy EXAMPLE EPOCHS SEED: what it reaches, in percent. mean NUMBER... row: a line of the table.
accuracy() { "$build/examples/$1" native "$2" "$3" | sed -nE 's/^accuracy ([0-9.]+) %.*/\1/p'; }
mean() { printf '%s\n' "$@" | awk '{ s += $1 } END { printf "%.1f", s / NR }'; }
row() { # example, what it is, figures, theirs, who
  printf '| `%s` | %s | %s | %s: %s |\n' "$1" "$2" "$3" "$5" "$4" >>"$work/table"
}
trained() { # example, epochs, points that ours may be below, who, command of the peer
  local ours=() theirs=() seed
  for seed in "${seeds[@]}"; do
    ours+=("$(accuracy "$1" "$2" "$seed")") theirs+=("$("${@:5}" "$2" "$seed" ${data[@]+"${data[@]}"} 2>"$work/errors")") || { cat "$work/errors"; fail "$1 or its peer"; }
    echo "$1, seed $seed: ${ours[-1]} %, $4 ${theirs[-1]} %"
  done
  row "$1.c" "accuracy, mean of ${#seeds[@]} trainings" "$(mean "${ours[@]}") %" "$(mean "${theirs[@]}") %" "$4"
  awk -v a="$(mean "${ours[@]}")" -v b="$(mean "${theirs[@]}")" -v margin="$3" 'BEGIN { exit !(a > 0 && b > 0 && a >= b - margin) }' || fail "$1 is more than $3 points below $4"
}

say "image classifier"
trained xception 25 1.5 Keras "$python" "$peers/xception_keras.py"
say "text classifier"
data=("$work/train" "$work/test")
trained news 5 2 PyTorch "$python" "$peers/news_torch.py"
say "L-BFGS"
"$build/examples/lbfgs" native 400 >"$work/ours"
read -r valley loss right < <("$python" "$peers/lbfgs_torch.py")
read -r our_valley our_loss our_right < <(awk '/^Rosenbrock/ { v = $6 } /^loss/ { print v, $2 + 0, $4 }' OFMT=%.10f CONVFMT=%.10f "$work/ours")
cat "$work/ours"
row lbfgs.c "Rosenbrock's function after at most 50 steps" "$our_valley" "$valley" PyTorch
row lbfgs.c "loss of softmax regression, accuracy" "$our_loss, $our_right %" "$loss, $right %" PyTorch
awk -v a="$our_loss" -v b="$loss" -v v="$our_valley" -v p="$our_right" -v q="$right" 'BEGIN { d = a - b; exit !(d < 1e-7 && d > -1e-7 && v < 1e-6 && p - q < .3 && q - p < .3) }' || fail "L-BFGS reaches other values"

say "the table"
{ echo "| example | figure | Vinea, native | peer |"; echo "|---|---|---|---|"; cat "$work/table"; }
