#!/usr/bin/env bash
# Data as people have it, through the command alone: `vinea data`, `train`, `predict`, `evaluate` on flowers with species names, house prices in a spreadsheet's
# CSV, files with their columns in another order, blanks and mistakes.
# ctest: seconds 15
# ctest: frameworks
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/commands.bash"
export VINEA_DATA=$source_dir/data

number() { sed -n "s/.*$1 \([0-9.]*\).*/\1/p" out | head -n 1; } # the score of that name
at_least() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'; }

say "the houses are those of data/houses.py"
python3 "$source_dir/data/houses.py" | cmp - "$source_dir/data/houses.csv" || fail "run data/houses.py > data/houses.csv"

say "what would be read"
expect 0 data iris
holds '150 rows, 5 columns; fields separated by '"','"'; names in the first line'
holds '^4  species +text +- +3 different: setosa, versicolor, virginica$'; holds '^0  sepal length +numbers +- +4.3 to 7.9, mean 5.84333$'
holds 'reads 150 rows of 4 features and learns 3 classes of "species": setosa, versicolor, virginica'
expect 0 data iris --json; python3 -m json.tool out >/dev/null || fail "vinea data --json is no JSON"
expect 1 data houses; holds '^5  year +integers +[0-9]+ +19'; holds 'counts the rows'; holds "separated by ';'"
says 'these columns cannot be features: "date" (dates). Leave them out: --columns "-date"'
expect 1 data houses --columns -date; says 'column "year" has'; says 'Choose with --missing: drop leaves such rows out'
expect 0 data houses --columns -date --missing fill; says 'column "id" counts the rows (1, 2, 3 ...); if it is an id, leave it out: --columns'
awk -F';' -v OFS=';' 'NR > 1 { $1 += 10000 } { print }' "$VINEA_DATA/houses.csv" >ids.csv # as registers have them
expect 0 data ids.csv --columns -date --missing fill; says 'column "id" counts the rows (10001, 10002, 10003 ...); if it is an id'
expect 0 data houses --columns -date,-id --missing fill; holds 'learns numbers of "price"'; [ ! -s err ] || fail "a note on nothing"
expect 0 data "$source_dir/data/digits.csv"; holds 'learns 10 classes of "label"'
expect 1 data "$work/none.csv"; says "No such file"
for words in "--size 4" "--cache 2" "--unreadable skip"; do # which would do nothing
  # shellcheck disable=SC2086
  expect 1 train mlp iris $words; says "${words%% *} is for images, not for tables (CSV)"
done
expect 1 train mlp iris --x a; says '--x is for arrays, not for tables (CSV)'
tail -n +2 "$VINEA_DATA/iris.csv" >iris.data; expect 0 data iris.data; holds 'learns 3 classes: setosa' # a table by any name
printf 'größe,art\n1,a\n2,b\n' >umlauts.csv; expect 0 data umlauts.csv
holds '^0  größe   integers'; holds '^1  art     text'

for engine in native torch; do
  got=0; "$vinea" engines --json | python3 -c 'import json, sys; sys.exit(not any(e["name"] == sys.argv[1] and e["available"] for e in json.load(sys.stdin)))' $engine || got=$?
  if [ "$got" -ne 0 ]; then missing+=("$engine"); continue; fi
  say "species by name, on $engine"
  expect 0 train mlp iris --engine $engine --epochs 60 --lr 0.005 --batch 16 --checkpoint iris.$engine --report iris.$engine.html --threads 1
  says 'target species: setosa, versicolor, virginica'
  grep -q versicolor iris.$engine.html || fail "the report has no names of classes"
  expect 0 evaluate iris.$engine iris --engine $engine
  at_least "$(number accuracy)" 95 || { cat out; fail "flowers are not told apart"; }
  holds '^setosa +50 +100.0 % +100.0 % +-$'
  cp out evaluated.$engine
  awk -F, -v OFS=, '{ print $5, $3, $1, $4, $2 }' "$VINEA_DATA/iris.csv" >permuted.csv
  expect 0 evaluate iris.$engine permuted.csv --engine $engine; cmp out evaluated.$engine || fail "the order of columns matters"
  expect 0 predict iris.$engine permuted.csv --engine $engine --out named.csv; says_nothing=$(cat err); [ -z "$says_nothing" ] || fail "$says_nothing"
  [ "$(head -n 2 named.csv | cut -d, -f1,2 | tr '\n' ' ')" = "row,class 0,setosa " ] || fail "predict writes no names: $(head -n 2 named.csv)"
  cut -d, -f2-5 permuted.csv >bare.csv # without the species
  expect 0 predict iris.$engine bare.csv --engine $engine; cmp out named.csv || fail "the species change the prediction"

  say "prices in their own units, on $engine"
  expect 0 train mlp houses --columns -id,-date --missing fill --epochs 60 --lr 0.003 --engine $engine --checkpoint houses.$engine --threads 1
  holds '^mae [0-9.]+ on 100 held-out rows$'; says 'target price, mean 4'
  [ "$(stat -c %s houses.$engine)" -lt 500000 ] || fail "the checkpoint of prices has $(stat -c %s houses.$engine) bytes"
  expect 0 evaluate houses.$engine houses --engine $engine
  at_least 30000 "$(number mae)" || { cat out; fail "prices are not learned"; }
  expect 0 predict houses.$engine houses --engine $engine --out prices.csv
  [ "$(head -n 1 prices.csv)" = row,price ] && [ "$(wc -l <prices.csv)" -eq 501 ] || fail "prices.csv is not the prices"
  awk -F, 'NR == 2 { exit !($2 > 150000 && $2 < 250000) }' prices.csv || fail "the first price is $(sed -n 2p prices.csv), not about 199000"
done

say "what predict and evaluate do with other files"
expect 1 predict iris.native houses; says 'the columns are found by name, and these are missing: "sepal length"'
tail -n +2 "$VINEA_DATA/iris.csv" >headless.csv
expect 0 evaluate iris.native headless.csv; cmp out evaluated.native || fail "a file without names is read otherwise"; says "taken in their order"
sed 's/^\(.*\),virginica$/\1,moonflower/' "$VINEA_DATA/iris.csv" >moon.csv
expect 1 evaluate iris.native moon.csv; says '"moonflower" is not one of its 3 classes: setosa, versicolor, virginica'
expect 0 predict iris.native moon.csv --out out.csv; says 'not scored'; says moonflower
sed '1s/species/truth/' "$VINEA_DATA/iris.csv" >truth.csv
expect 1 evaluate iris.native truth.csv; says 'no column "species"'
expect 0 evaluate iris.native truth.csv --target truth; cmp out evaluated.native || fail "--target does not name the true values"
sed '3s/^[^,]*/NA/' "$VINEA_DATA/iris.csv" >blank.csv
expect 1 predict iris.native blank.csv; says 'column "sepal length" has 1 missing value, on line 3'
expect 0 predict iris.native blank.csv --missing drop --out drop.csv; says '1 of 150 rows with missing values are left out'
[ "$(wc -l <drop.csv)" -eq 150 ] && [ "$(sed -n 3p drop.csv | cut -d, -f1)" = 2 ] || fail "rows that were left out shift the others"
expect 0 predict iris.native blank.csv --missing fill --out fill.csv; [ "$(wc -l <fill.csv)" -eq 151 ] || fail "fill leaves rows out"
expect 1 evaluate "$source_dir/tests/data/every.safetensors" iris; says "not a checkpoint"
expect 0 evaluate iris.native iris --json; python3 -c 'import json; e = json.load(open("out")); assert e["classes"][0] == "setosa" and sum(map(sum, e["confusion"])) == 150, e'

say "classes or numbers"
printf 'a,stars\n' >stars.csv; for i in $(seq 100); do echo "$((i * 37 % 101)),$((i % 5 + 1))"; done >>stars.csv
expect 0 data stars.csv; holds 'learns 5 classes of "stars": 1, 2, 3, 4, 5'; says 'are taken for classes; if that is wrong: --task'
expect 0 data stars.csv --task numbers; holds 'learns numbers'
sed 's/$/0/; 1s/0$//' stars.csv >tens.csv # 10, 20 ... as the file has them, not 1e+01
expect 0 data tens.csv; holds 'learns 5 classes of "stars": 10, 20, 30, 40, 50'
expect 0 train linear tens.csv --epochs 1; expect 0 predict linear.safetensors tens.csv; grep -qE '^1,[1-5]0,0' out || { cat out; fail "class names of integers"; }
awk -F, 'NR > 1 { $2 *= 100000 } { print $1 "," $2 }' stars.csv >far.csv
expect 0 train linear far.csv --task numbers --epochs 1 --force; grep -qE 'mae [0-9]{6} ' err || { cat err; fail "errors of large targets are not in digits"; }
expect 0 data houses --target price --columns rooms,area; holds 'reads 500 rows of 2 features and learns numbers'
expect 1 train mlp houses --task classes --columns rooms,area --missing drop --target district --task numbers; says 'target "district" is text such as'
sed 's/;no;\([0-9]*5000\)$/;no;about \1/' "$VINEA_DATA/houses.csv" >about.csv
expect 1 data about.csv --columns -date; says 'are not numbers, the first is "about'

awk -F, -v OFS=, 'NR > 1 { $5 = "setosa" } { print }' "$VINEA_DATA/iris.csv" >one.csv
expect 1 data one.csv; holds 'cannot be trained on yet'; says 'one.csv: all rows have the class "setosa": there is nothing to learn. Another column to learn: --target NAME'
expect 1 train mlp one.csv; says 'one.csv: all rows have the class "setosa"'
printf 'a\tb\n1\tx\n2\ty\n' >tabs.tsv; expect 0 data tabs.tsv; holds 'fields separated by tabs; names'; holds 'reads 2 rows of 1 feature and learns 2 classes'
expect 1 predict tabs.tsv iris; says 'tabs.tsv: byte 0: this is not a safetensors file'

say "options"
small=(train linear iris --epochs 2 --quiet)
expect 0 "${small[@]}" --set beta1=0.8 --set accumulate=2,no_shuffle=yes --checkpoint set.safetensors
expect 3 "${small[@]}" --set beta=0.8 --force; says "did you mean 'beta1'"
expect 3 "${small[@]}" --set beta1 --force; says "NAME=VALUE is needed"
expect 3 "${small[@]}" --set no_shuffle=maybe --force; says "yes or no"
expect 1 "${small[@]}" --set beta1=2 --force; says beta1
expect 0 "${small[@]}" --optimizer "sgd(0.1)" --checkpoint plain.safetensors; cp "$work/out" plain.out
expect 0 "${small[@]}" --optimizer "loss_scale(sgd(0.1))" --checkpoint scaled.safetensors
diff <(grep -v checkpoint plain.out) <(grep -v checkpoint "$work/out") || fail "a factor of the loss, a power of two, changes the training"
expect 0 "${small[@]}" --optimizer "schedule_free_sgd(0.1)" --checkpoint free.safetensors --log free.csv
expect 0 train mlp digits --batch 1438 --optimizer "zoom(lbfgs(1))" --epochs 20 --quiet --checkpoint zoom.safetensors; holds '^accuracy 9[5-9]'
expect 0 "${small[@]}" --optimizer "backtracking(sgd(1))" --checkpoint back.safetensors
for bad in "chain(clip(1))" "direction(sgd(5))" "masked(sgd(5), nothing*)"; do
  expect 1 "${small[@]}" --optimizer "$bad" --checkpoint bad.safetensors; [ ! -e bad.safetensors ] || fail "--optimizer $bad trains"
done
says "which are submodules/v1"
expect 3 "${small[@]}" --optimizer "sgd(0.1)" --lr 0.5 --force; says "--lr with --optimizer sgd(0.1): its options stand in its brackets"
expect 0 "${small[@]}" --optimizer sgd --set nesterov=yes,momentum=0.9 --schedule step_decay --set every=3 --force
expect 0 "${small[@]}" --optimizer SGD --set momentum=0.9 --schedule Step_Decay --set every=3 --force
expect 3 "${small[@]}" --schedule warmup --force; says 'one_cycle, warm_up, join, piecewise, product, sum, mean; did you mean "warm_up"?'
expect 3 "${small[@]}" --schedule warm_up --force; says 'warm_up takes a schedule and a number of steps, not 0 items'
expect 3 "${small[@]}" --schedule 'warmup(cosine(0.1, 0, 9), 2)' --force; says 'did you mean "warm_up"?'
expect 0 "${small[@]}" --balance --force
awk -F, -v OFS=, 'NR == 1 { print $0, "w" } NR > 1 { print $0, ($5 == "virginica" ? 0 : 2) }' "$VINEA_DATA/iris.csv" >weighted.csv
expect 0 train linear weighted.csv --weights w --epochs 60 --lr 0.1 --quiet --checkpoint weighted.safetensors
expect 0 predict weighted.safetensors weighted.csv --out weighted.out; grep -q versicolor weighted.out || fail "rows with weights are not learned"
if grep -q virginica weighted.out; then fail "rows of weight 0 are learned"; fi
expect 1 "${small[@]}" --weights nothing --force; says 'there is no column "nothing"'
expect 0 "${small[@]}" --lr 0.01 --checkpoint resumed.safetensors
expect 1 "${small[@]}" --lr 0.1 --epochs 3 --checkpoint resumed.safetensors --resume; says "--lr 0.1: resumed.safetensors was begun with lr 0.01"
expect 1 "${small[@]}" --optimizer sgd --epochs 3 --checkpoint resumed.safetensors --resume; says "was begun with the default"
expect 0 "${small[@]}" --epochs 4 --checkpoint resumed.safetensors --resume # without --lr: as it was
expect 0 "${small[@]}" --lr 0.01 --epochs 4 --checkpoint whole.safetensors
expect 0 predict resumed.safetensors iris --probabilities --out a.csv; expect 0 predict whole.safetensors iris --probabilities --out b.csv; cmp a.csv b.csv || fail "a resumed training has another learning rate"

say "arrays"
if "$source_dir/.venv/bin/python" -c 'import numpy' 2>/dev/null; then
  "$source_dir/.venv/bin/python" - <<'END'
import numpy
r = numpy.random.default_rng(1)
x = r.normal(size=(300, 4)).astype("float32")
y = (x[:, 0] + x[:, 1] > 0).astype("int64")
numpy.save("x.npy", x); numpy.save("y.npy", y); numpy.savez("both.npz", x=x, y=y, other=x * 2, truth=y)
x[7, 2] = numpy.nan
numpy.savez("holes.npz", x=x, y=y); numpy.save("objects.npy", numpy.array([1, "a"], dtype=object))
END
  expect 1 data holes.npz; says 'vinea: holes.npz: x[7, 2] is nan; only finite numbers can be learned from'; ! grep -q option err || fail "an option that the command does not have"
  expect 1 data objects.npy --labels y.npy; says 'vinea: objects.npy: byte'
  for words in "both.npz" "both.npz --x other --y truth" "x.npy --labels y.npy"; do
    # shellcheck disable=SC2086
    expect 0 train linear $words --epochs 20 --lr 0.05 --quiet --force
    # shellcheck disable=SC2086
    expect 0 evaluate linear.safetensors $words; at_least "$(number accuracy)" 93 || { cat out; fail "$words is not learned"; }
    # shellcheck disable=SC2086
    expect 0 data $words; holds 'reads 300 rows of 4 features and learns 2 classes'
  done
  expect 0 predict linear.safetensors x.npy; [ "$(wc -l <out)" -eq 301 ] || fail "an npy file is not predicted"
  expect 1 train linear x.npy --force; says "--labels names the file of the target"
  expect 1 train linear both.npz --x none --force; says 'both.npz has no array "none" but other, truth, x, y; --x names another one'
  say "a file that is larger than the memory it may take" # 51 MB, mapped, with 31 MB for arrays
  "$source_dir/.venv/bin/python" - <<'END'
import numpy
x = numpy.lib.format.open_memmap("large.npy", "w+", dtype="float32", shape=(200000, 64))
x[:, 0] = numpy.arange(200000) % 7 - 3
x.flush()
numpy.save("large-y.npy", (numpy.arange(200000) % 7 > 3).astype("int64"))
END
  expect 0 train linear large.npy --labels large-y.npy --epochs 1 --batch 5000 --validation 0 --memory 0.03 --threads 1 --quiet --force
fi
: >table.parquet; expect 1 train linear table.parquet --force; says "pyarrow"
skip_missing
