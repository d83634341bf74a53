#!/usr/bin/env bash
# Programs with raised privileges, and files of other users. A setuid or setgid program ignores the caller's environment variables: no plugin, no
# Python environment, no interpreter, no trace file; it loads only root's files. It still computes, and loads root's plugins.
# Then plugins, environments and links of another owner, for an ordinary program. Needs root, or sudo without a password.
# ctest: seconds 1
. "$(dirname "$0")/common.bash"
need gcc python3 setpriv
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || { echo "skipped: only root can make setuid programs and files of other owners"; exit 77; }
  exec sudo -n bash "$0" "$@"
fi
. "$(dirname "$0")/loading.bash"
mode() { findmnt -no OPTIONS -T "$1" 2>/dev/null || echo; }
case ",$(mode "$work")," in *,nosuid,*)
  rm -rf "$(dirname "$work")"
  for place in "$build" /var/tmp /root; do
    case ",$(mode "$place")," in *,nosuid,*) ;; *) TMPDIR=$place exec bash "$0" "$@" ;; esac
  done
  echo "skipped: every file system here ignores the setuid bit (nosuid)"
  exit 77 ;;
esac

# The owner of the programs is the user 61234, who starts them is 61235, the intruder.
owner=61234 other=61235
cp -r "$work/bin" "$work/plain"
chown "$owner:$owner" "$work"/bin/*
chmod 6755 "$work"/bin/*
intruder() { setpriv --reuid=$other --regid=$other --clear-groups "$@"; }
mkdir "$work/theirs" && cp "$work/intruder.so" "$work/theirs/stranger.so"
chown -R $other:$other "$work/theirs"

say "without raised privileges the intruder may use what is his"
let_in "VINEA_ENGINE_PATH" intruder env VINEA_ENGINE_PATH="$work/theirs" "$work/plain/static" stranger

say "VINEA_ENGINE_PATH, VINEA_TRUST"
for program in shared static; do
  kept_out "VINEA_ENGINE_PATH" "VINEA_ENGINE_PATH (a program with raised privileges reads no environment variables)" \
    intruder env VINEA_ENGINE_PATH="$work/theirs" VINEA_TRUST=$other,$owner "$work/bin/$program" stranger
  kept_out "a relative folder" "reads no environment variables" intruder env VINEA_ENGINE_PATH=theirs "$work/bin/$program" stranger "$work"
done

say "setuid alone, setgid alone"
for bits in 4755 2755; do
  cp "$work/plain/static" "$work/bin/alone" && chown "$owner:$owner" "$work/bin/alone" && chmod $bits "$work/bin/alone"
  kept_out "mode $bits" "reads no environment variables" intruder env VINEA_ENGINE_PATH="$work/theirs" "$work/bin/alone" stranger
done

say "a link to the program beside plugins of one's own"
mkdir -p "$work/linked/engines" && cp "$work/intruder.so" "$work/linked/engines/stranger.so" && ln "$work/bin/static" "$work/linked/static"
chown $other:$other "$work/linked" "$work/linked/engines" "$work/linked/engines/stranger.so"
kept_out "a hard link" "a program with raised privileges loads only root's files" intruder "$work/linked/static" stranger

say "VINEA_TRACE"
for program in shared static; do
  echo "worth keeping" >"$work/diary" && chown $owner "$work/diary"
  intruder env VINEA_TRACE="$work/diary" "$work/bin/$program" native >"$work/out" || { cat "$work/out"; fail "native does not compute in a setuid program"; }
  grep -q '^native: 3$' "$work/out" || { cat "$work/out"; fail "native does not compute in a setuid program"; }
  [ "$(cat "$work/diary")" = "worth keeping" ] || fail "a trace was written over a file of the program's owner"
done
VINEA_TRACE="$work/trace" "$work/plain/static" native >/dev/null && [ -s "$work/trace" ] || fail "without raised privileges there is no trace"

say "the other variables"
intruder env VINEA_ISA=none VINEA_THREADS=none VINEA_STRICT=1 VINEA_CHECK=1 VINEA_EAGER=1 "$work/bin/static" native >"$work/out" 2>&1 || { cat "$work/out"; fail "a variable is read"; }

say "a plugin of root's is loaded, one of the program's owner is not"
mkdir "$work/bin/engines"
gcc -std=c11 -O2 -fPIC -shared -fvisibility=hidden -I"$source_dir/include" "$source_dir/engines/template/template.c" -o "$work/bin/engines/template.so"
intruder "$work/bin/static" template >"$work/out" 2>&1 || true
grep -q '^template: 3$' "$work/out" || { cat "$work/out"; fail "a plugin of root's is not loaded"; }
chown $owner "$work/bin/engines/template.so"
kept_out "a plugin of the owner's" "loads only root's files" intruder "$work/bin/static" template

if has_engine torch; then
  say "VIRTUAL_ENV, VINEA_PYTHON, PATH, HOME, PYTHONUSERBASE"
  file=torch/lib/libtorch_cpu.so
  environment "$work/env" $file "$work/intruder.so"
  minor=$(basename "$(echo "$work"/env/lib/python3.*)")
  mkdir -p "$work/home/.local/lib/$minor/site-packages/$(dirname $file)"
  cp "$work/intruder.so" "$work/home/.local/lib/$minor/site-packages/$file"
  cp -r "$build/engines" "$work/bin/engines-of-root" && rm -rf "$work/bin/engines" && mv "$work/bin/engines-of-root" "$work/bin/engines"
  for name in VIRTUAL_ENV="$work/env" VINEA_PYTHON="$work/env" PATH="$work/env/bin:$PATH" VINEA_PYTHON=env VIRTUAL_ENV=env; do
    kept_out "${name%%=*}" "torch: no Python with the package torch was found" intruder env "$name" "$work/bin/static" torch "$work"
  done
  for name in HOME="$work/home" PYTHONUSERBASE="$work/home/.local"; do
    kept_out "${name%%=*}" "torch: no Python with the package torch was found" intruder env "$name" "$work/bin/static" torch
  done

  say "an environment above the plugin, of another owner"
  mkdir -p "$work/tree/build" && cp -r "$build/engines" "$work/tree/build/engines" && cp -r "$work/env" "$work/tree/.venv"
  use() { env PATH=/usr/bin:/bin HOME=/nonexistent VINEA_ENGINE_PATH="$work/tree/build/engines" "$@" "$work/plain/static" torch; }
  let_in "root's" use
  chown -R $other:$other "$work/tree/.venv"
  kept_out "another user's" "$work/tree/.venv belongs to user $other, neither to root nor to user 0, who runs this program" use
  kept_out "another user's" "set VINEA_TRUST=$other if that user is trusted" use
  let_in "another user's, trusted" use VINEA_TRUST=$other
  rm -r "$work/tree/.venv" && ln -s "$work/env" "$work/tree/.venv"
  let_in "a link" use
  chown -h $other:$other "$work/tree/.venv"
  kept_out "another user's link" "$work/tree/.venv belongs to user $other" use

  say "a checkout of another user's, in a program of root's"
  rm "$work/tree/.venv" && cp -r "$work/env" "$work/tree/.venv" && chown -R $other:$other "$work/tree"
  kept_out "another user's tree" "$work/tree belongs to user $other" use
  let_in "another user's tree, trusted" use VINEA_TRUST=$other
  let_in "by that user" intruder env PATH=/usr/bin:/bin HOME=/nonexistent VINEA_ENGINE_PATH="$work/tree/build/engines" "$work/plain/static" torch
fi

if has_engine numpy && [ -d "$(echo "$source_dir"/.venv/lib/python3.*/site-packages/numpy)" ]; then
  say "packages of a home that is another user's"
  site=$("$source_dir/.venv/bin/python" -c 'import sys; print("lib/python3.%d/site-packages" % sys.version_info[1])')
  mkdir -p "$work/nest/.local/$site"
  printf 'import os; os.close(os.open("%s/ran/it", os.O_CREAT))\n' "$work" >"$work/nest/.local/$site/stranger.pth"
  packages=$(echo "$source_dir"/.venv/lib/python3.*/site-packages)
  cp -r "$packages/numpy" "$packages/numpy.libs" "$work/nest/.local/$site/"
  base=$(dirname "$(dirname "$(readlink -f "$source_dir/.venv/bin/python")")")
  use() { env HOME="$work/nest" VINEA_PYTHON="$base" VINEA_ENGINE_PATH="$build/engines" "$@" "$work/plain/static" numpy; }
  let_in "root's" use
  chown -R $other:$other "$work/nest"
  kept_out "another user's" "$work/nest belongs to user $other" use
fi
