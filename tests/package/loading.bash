# loading.bash: what loading.sh and setuid.sh share; after common.bash. The intruder is a shared library that tells by a file that its code ran, by
# a constructor, so that being opened is enough.
unset VINEA_ENGINE_PATH VINEA_PYTHON VIRTUAL_ENV VINEA_TRUST
chmod 755 "$(dirname "$work")" "$work" # so that another user gets there

cat >"$work/intruder.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void run(void) { close(open(RAN, O_CREAT | O_WRONLY, 0666)); }
END
gcc -std=c11 -fPIC -shared -DRAN="\"$work/ran/it\"" "$work/intruder.c" -o "$work/intruder.so"
mkdir -m 1777 "$work/ran"

# use ENGINE [FOLDER]: changes into the folder, then uses the engine; prints what became of it. Built with the shared and with the static library.
cat >"$work/use.c" <<'END'
#include <stdio.h>
#include <unistd.h>
#include <vinea/vinea.h>
int main(int argc, char **argv)
{
    if (argc > 2 && chdir(argv[2])) return 3;
    vn_use(argc > 1 ? argv[1] : "native");
    vn_array *x = vn_full(vn_scalar(1), VN_SHAPE(3), VN_F32);
    double three = vn_item(vn_sum(x, VN_ALL));
    printf("%s: %s%g\n", vn_using(), vn_message(), three);
    return vn_close() ? 1 : 0;
}
END
mkdir -p "$work/bin"
gcc -std=c11 -I"$source_dir/include" "$work/use.c" -o "$work/bin/shared" -L"$build" -lvinea -Wl,-rpath,"$build"
gcc -std=c11 -I"$source_dir/include" "$work/use.c" -o "$work/bin/static" "$build/libvinea.a" -lm -ldl -lpthread

ran() { [ -e "$work/ran/it" ]; }
# kept_out WHAT WORDS COMMAND...: the command fails with these words, and the intruder did not run
kept_out() {
  local what=$1 words=$2 code=0
  rm -f "$work/ran/it"
  "${@:3}" >"$work/out" 2>&1 || code=$?
  ! ran || { cat "$work/out"; fail "$what: a stranger's code ran"; }
  [ "$code" -lt 100 ] || { cat "$work/out"; fail "$what: exit code $code"; }
  grep -qF "$words" "$work/out" || { cat "$work/out"; fail "$what: it does not say: $words"; }
}
# let_in WHAT COMMAND...: the intruder runs: what is kept out elsewhere would work
let_in() {
  rm -f "$work/ran/it"
  "${@:2}" >"$work/out" 2>&1 || true
  ran || { cat "$work/out"; fail "$1: the test proves nothing, the library is not opened at all"; }
}

# environment FOLDER FILE LIBRARY: a Python environment whose packages hold the library at this place
python=/usr/bin/python3; [ -x "$python" ] || python=$(command -v python3) # one that every user can run
environment() {
  "$python" -m venv --without-pip "$1"
  local site
  site=$(echo "$1"/lib/python3.*/site-packages)
  mkdir -p "$site/$(dirname "$2")"
  cp "$3" "$site/$2"
}
has_engine() { case " ${engines[*]} " in *" $1 "*) return 0 ;; *) echo "  left out: there is no engine $1"; return 1 ;; esac }
