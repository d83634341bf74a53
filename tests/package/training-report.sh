#!/usr/bin/env bash
# The report of a training in a real browser, and its numbers in a locale with decimal commas.
# ctest: seconds 6
. "$(dirname "$0")/common.bash"
need chromium chromedriver python3 cc localedef

cat >"$work/train.c" <<'EOF'
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <vinea/vinea.h>
int main(int argc, char **argv) /* epochs, or "" for a training that is never begun; paths of page and logs */
{
    setlocale(LC_ALL, "");
    vn_seed(1);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(60, 3));
    vn_array *y = vn_argmax(vn_matmul(x, vn_random_normal(0, 1, VN_SHAPE(3, 3))), VN_AXES(-1));
    const vn_note notes[] = {{"<img src=https://example.org/x onerror=alert(1)>", "</script><script>alert(2)</script>"}};
    vn_fit_opts o = {.size = sizeof o, .epochs = atoi(argv[1]), .batch = 25, .validation_rows = 20, .metrics = "accuracy,f1", .title = "<i>Three & more</i>"};
    o.report = argv[2], o.log_csv = argv[3], o.log_jsonl = argv[4], o.notes = notes, o.n_notes = 1;
    o.progress = vn_progress_terminal;
    if (!o.epochs) vn_stop_request();
    if (!strcmp(argv[1], "1p")) { /* pictures of 5 x 7, all red, green or blue, which the network cannot tell apart */
        y = vn_argmax(vn_random_normal(0, 1, VN_SHAPE(60, 3)), VN_AXES(-1));
        x = vn_mul(vn_reshape(vn_one_hot(y, 3, VN_F32), VN_SHAPE(60, 1, 1, 3)), vn_ones(VN_SHAPE(60, 5, 7, 3), VN_F32));
        vn_module *blind = VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(105, 3, VN_OPTS(nn_linear, .w_init = vn_init_zeros())));
        o.optim = vn_sgd(1e-9, NULL);
        vn_fit(blind, vn_dataset_of(x, y, NULL), &o, NULL);
        if (vn_status()) fprintf(stderr, "%s\n", vn_message());
        return vn_close();
    }
    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(3, 16, NULL), vn_nn_tanh(), vn_nn_linear(16, 3, NULL));
    vn_fit(net, vn_dataset_of(x, y, NULL), &o, NULL);
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    return argc < 5 || vn_close();
}
EOF
cc -std=gnu11 -Wall -Werror -I "$source_dir/include" "$work/train.c" -L "$build" -lvinea -Wl,-rpath,"$build" -o "$work/train"
train() { # name, epochs, what precedes the command
  "${@:3}" "$work/train" "$2" "$work/$1.html" "$work/$1.csv" "$work/$1.jsonl" 2>"$work/$1.txt" || { cat "$work/$1.txt"; fail "the training $1"; }
}
train plain 12
train none 0
train long 1500
train pictures 1p

say "numbers do not depend on the locale"
[ -e /usr/share/i18n/locales/de_DE ] || { echo "skipped: there is no locale with decimal commas (tools/setup test installs it)"; exit 77; }
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8"
comma=(env LOCPATH="$work" LC_ALL=de_DE.UTF-8)
[ "$("${comma[@]}" /usr/bin/printf '%.1f' 1,0)" = 1,0 ] || fail "the locale is not in use"
train comma 12 "${comma[@]}"
python3 - "$work" <<'EOF'
import csv, json, re, sys
work = sys.argv[1]
def rows(name):
    table = list(csv.DictReader(open(f"{work}/{name}.csv")))
    lines = [json.loads(line) for line in open(f"{work}/{name}.jsonl")]
    assert len(table) == len(lines) == 12, name
    for a, b in zip(table, lines):
        assert list(a) == list(b) and all(float(a[k]) == b[k] for k in a), (a, b)
    return [{k: v for k, v in line.items() if k != "seconds"} for line in lines]
assert rows("plain") == rows("comma")
def page(name):
    return re.sub(r"<dt>time</dt><dd>[^<]*|<footer>[^<]*", "", open(f"{work}/{name}.html", encoding="utf-8").read())
assert page("plain") == page("comma"), "pages differ"
progress = [re.sub(r"  \S+ s( +best)?$", "", line) for line in open(f"{work}/plain.txt").read().splitlines()]
assert progress == [re.sub(r"  \S+ s( +best)?$", "", line) for line in open(f"{work}/comma.txt").read().splitlines()], "progress differs"
EOF

say "rows of tables"
VINEA_DATA=$source_dir/data "$build/vinea" train mlp iris --epochs 3 --quiet --checkpoint "$work/i.st" --report "$work/iris.html" >"$work/out"
VINEA_DATA=$source_dir/data "$build/vinea" train mlp houses --columns -date,-id --missing fill --epochs 20 --quiet --checkpoint "$work/h.st" --report "$work/houses.html" >"$work/out"

say "several runs on one page"
code=0; "$build/vinea" report "$work/plain.csv" "$work/page.html" --out "$work/runs.html" 2>"$work/err" || code=$?
[ $code -eq 1 ] && [ ! -e "$work/runs.html" ] || fail "a file that is no run"
cp "$work/plain.html" "$work/page.html"
code=0; "$build/vinea" report "$work/plain.csv" "$work/page.html" --out "$work/runs.html" 2>"$work/err" || code=$?
[ $code -eq 1 ] && grep -q 'page.html: it is no run; a run is a checkpoint' "$work/err" || { cat "$work/err"; fail "a page that is no run"; }
for model in linear mlp; do
  VINEA_DATA=$source_dir/data "$build/vinea" train $model iris --epochs 4 --quiet --checkpoint "$work/$model.safetensors" $([ $model = mlp ] && echo --lr 0.01) >"$work/out"
done
"$build/vinea" report "$work"/{linear.safetensors,mlp.safetensors,plain.csv,comma.jsonl} --out "$work/runs.html" --title 'Four & more' >"$work/out" || fail "runs"
grep -q '^4 runs: ' "$work/out" || fail "what the command says of runs"

say "in a browser"
python3 -B "$source_dir/tests/browser/training_page.py" "$work"
