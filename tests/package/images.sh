#!/usr/bin/env bash
# A folder of photographs, through the command alone: `vinea data`, `train`, `evaluate`, `predict`; damaged files; missing plugins and libraries.
# ctest: seconds 8
# ctest: frameworks
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/commands.bash"
[ -e "$build/images/png.so" ] && [ -e "$build/images/jpeg.so" ] || { echo "skipped: there is no libpng or libjpeg-turbo with headers (tools/setup images installs them)"; exit 77; }
at_least() { awk -v a="$(sed -n 's/^accuracy \([0-9.]*\).*/\1/p' out)" -v b="$1" 'BEGIN { exit !(a >= b) }' || { cat out; fail "an accuracy below $1"; }; }

say "photographs"
gcc "${strict[@]}" -I"$source_dir/tests" "$source_dir/tests/package/pictures.c" -o pictures -lpng -ljpeg
./pictures photos 30
./pictures more 8

say "what would be read"
expect 0 data photos; holds '^discs +30 +discs/000.png$'; says 'images of different sizes are resized to 64 x 64; --size sets another size'
holds 'Training reads 90 images of 64x64 in colour and learns 3 classes: discs, lines, stripes\.$'
expect 0 data photos --size 24x32 --channels 1; holds '90 images of 24x32 in gray'; [ ! -s err ] || fail "a note on nothing"
expect 3 data photos --size 24x; says '--size 24x: a height and width such as 64x64 are needed'
expect 3 data photos --channels 2; says '1 (gray) or 3 (colour) is needed'
expect 1 data photos --target y; says '--target is for tables (CSV), not for images'
mkdir empty; expect 1 data empty; says 'the folder has no images'
expect 1 data photos/discs; holds '^- +30 +000.png$'; holds 'cannot be trained on'; says 'photos/discs: the images have no classes. A folder of images for each class is needed'
expect 1 train linear photos/discs; says 'photos/discs: the images have no classes'
cp -r more beside; cp more/discs/000.png beside/; expect 0 data beside; holds 'reads 24 images'; says '1 other file is ignored, such as 000.png'

for engine in native torch; do
  got=0; "$vinea" engines --json | python3 -c 'import json, sys; sys.exit(not any(e["name"] == sys.argv[1] and e["available"] for e in json.load(sys.stdin)))' $engine || got=$?
  if [ "$got" -ne 0 ]; then missing+=("$engine"); continue; fi
  say "train, evaluate and predict on $engine"
  expect 0 train convnet photos --engine $engine --size 16 --epochs 7 --batch 16 --checkpoint $engine.st --report $engine.html
  says 'data photos: 90 images of 16x16x3, 3 classes: discs, lines, stripes'
  at_least 80
  expect 0 evaluate $engine.st more --engine $engine; at_least 80; holds '^lines +8 '
  expect 0 predict $engine.st more --engine $engine; holds '^file,class,probability$'; holds '^stripes/007.jpg,stripes,0'
  expect 0 predict $engine.st more/discs/000.png --engine $engine --probabilities; holds '^file,class,probability,p_discs,p_lines,p_stripes$'; holds '^000.png,discs,'
done
cp -r more some && rm -r some/discs
expect 0 evaluate native.st some; holds '^discs +0 '
mv some/lines some/cubes
expect 1 evaluate native.st some; says '"cubes" is none of the 3 classes that were learned'
expect 1 predict native.st "$source_dir/data/iris.csv"; says 'iris.csv is a table, and the schema, what was trained on, is of images'
expect 0 train linear "$source_dir/data/iris.csv" --epochs 1 --quiet --checkpoint flowers.st
expect 1 predict flowers.st more; says 'more has images, and the schema, what was trained on, is of a table'
mkdir alike; cp -r more/discs alike/; expect 1 train linear alike --checkpoint e.st; says 'all rows have the class "discs": there is nothing to learn. A folder of images for each class'

say "augmentation: the checkpoint has it, and evaluation is without it"
expect 0 train linear photos --size 16 --epochs 2 --augment "flip,rotate(20),crop, shift,zoom,colour" --checkpoint c.st --quiet
expect 0 models c.st; holds 'RandomSaturation'
[ "$(tail -n +3 out | awk '{ print length }' | sort -u | wc -l)" -eq 1 ] || { cat out; fail "the columns of a summary are not aligned"; }
expect 0 evaluate c.st more --json; cp out first; expect 0 evaluate c.st more --json; cmp out first || fail "evaluation is random"
expect 0 train linear photos --size 16 --epochs 1 --augment "flip,rotate(20),crop, shift,zoom,colour" --checkpoint d.st --quiet
expect 0 train linear photos --epochs 2 --checkpoint d.st --quiet --resume
expect 0 evaluate d.st more --json; cmp out first || fail "a resumed training with augmentation is another one"
expect 3 train linear photos --augment flop; says "did you mean 'flip'?"
expect 3 train linear photos --augment 'flip(much)'; says 'a number is needed in brackets'
expect 1 train linear "$source_dir/data/iris.csv" --augment flip --checkpoint e.st; says 'images (n, height, width, channels)'

say "the same training, in memory and not, resumed"
expect 0 train linear photos --size 16 --epochs 2 --checkpoint a.st --quiet; cp out first
expect 0 train linear photos --size 16 --epochs 1 --checkpoint b.st --quiet
expect 0 train linear photos --epochs 2 --checkpoint b.st --quiet --resume
cmp <(head -n 1 out) <(head -n 1 first) || fail "a resumed training is another one"
expect 1 train linear photos --size 20 --epochs 2 --checkpoint b.st --resume; says 'was begun with size 16'

say "Ctrl-C while the next batch is decoded: 130, a whole checkpoint, and the same result when it is resumed"
for cache in 0 1; do
  python3 - "$vinea" $cache <<'END' || fail "Ctrl-C with --cache $cache"
import re, signal, subprocess, sys
vinea, cache = sys.argv[1:]
command = [vinea, "train", "linear", "photos", "--size", "48", "--batch", "8", "--cache", cache, "--epochs", "100000", "--checkpoint", f"stopped{cache}.st", "--force"]
run = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in run.stderr:
    if line.startswith("epoch "):
        break
run.send_signal(signal.SIGINT)
rest = run.stderr.read()
assert run.wait(60) == 130 and "use the same command with --resume" in rest, (run.returncode, rest)
done = int(re.search(r"interrupted after (\d+) of", rest)[1])
assert done >= 1, rest
open(f"epochs{cache}", "w").write(str(done + 1))
END
  [ -z "$(ls -- *.tmp 2>/dev/null)" ] || fail "a file was left"
  expect 0 evaluate stopped$cache.st more
  expect 0 train linear photos --cache $cache --epochs "$(cat epochs$cache)" --checkpoint stopped$cache.st --resume --quiet; cp out resumed
  expect 0 train linear photos --size 48 --batch 8 --cache $cache --epochs "$(cat epochs$cache)" --checkpoint whole$cache.st --quiet
  cmp <(head -n 1 out) <(head -n 1 resumed) || fail "an interrupted training is another one"
done
expect 3 train linear photos --cache -1; says '--cache -1: 0 to 1000000 gibibytes are allowed'

say "damaged files"
cp -r more bad; head -c 700 more/discs/001.jpg >bad/discs/001.jpg; echo text >bad/lines/002.png; echo text >bad/README; chmod 000 bad/README
expect 1 data bad; says 'bad/lines/002.png: not an image of a kind that is read (jpeg, png); --unreadable: skip leaves such files out'
expect 0 data bad --unreadable skip; says 'note: 2 files cannot be read and are left out: lines/002.png (not an image'; holds 'reads 22 images'; says 'note: 1 other file is ignored, such as README'
expect 0 evaluate native.st bad --unreadable skip; holds ' on 22 '

say "without a plugin, and without its library"
alone; cp "$build/vinea" "$work/alone/"; vinea=$work/alone/vinea
unset VINEA_IMAGE_PATH
expect 1 data photos; says 'no plugin for images was found'
mkdir "$work/alone/images"; cp "$build"/images/*.manifest "$work/alone/images/"
expect 1 data photos; says 'there is no plugin beside it'
cp "$build"/images/png.so "$work/alone/images/"; sed -i 's/libpng16.so.16/libpng99.so.99/' "$work/alone/images/png.manifest"
expect 1 data photos; says 'libpng99.so.99'; says 'install it with: apt-get install libpng16-16'
chmod o+w "$work/alone/images"; cp "$build"/images/* "$work/alone/images/"
expect 1 data photos; says 'everyone can write to'
skip_missing
