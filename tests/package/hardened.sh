#!/usr/bin/env bash
# Hardening of the library, the plugins and the command, checked in the built files: full RELRO, no executable stack, stack protector, the C library's
# checked functions, targets of indirect jumps marked (CET, on x86), the command a position-independent executable.
. "$(dirname "$0")/common.bash"
need readelf objdump nm
if grep -q '^CMAKE_BUILD_TYPE:.*=Debug$' "$build/CMakeCache.txt"; then echo "skipped: a Debug build is not for users"; exit 77; fi

has() { # text, pattern, what, file
  grep -qE "$2" <<<"$1" || fail "$(basename "$4"): $3"
}
hardened() { # file
  local dynamic headers symbols
  dynamic=$(readelf -dW "$1") headers=$(readelf -lW "$1") symbols=$(nm -D --undefined-only "$1")
  has "$headers" GNU_RELRO "no RELRO" "$1"
  has "$dynamic" 'BIND_NOW|FLAGS_1.*NOW' "symbols are not bound when it is loaded, so RELRO is not full" "$1"
  has "$headers" 'GNU_STACK.* RW +0x' "its stack is executable" "$1"
  ! grep -qE 'LOAD.* RWE ' <<<"$headers" || fail "$(basename "$1"): memory is writable and executable"
  ! grep -q TEXTREL <<<"$dynamic" || fail "$(basename "$1"): text relocations"
  has "$symbols" __stack_chk_fail "no stack protector" "$1"
  has "$symbols" '__[a-z]+_chk' "no checked functions of the C library" "$1"
}
marked() { # file, function: begins with a mark for indirect jumps
  objdump -d --no-show-raw-insn --disassemble="$2" "$1" | awk -v at="<$2>:" '$2 == at { getline; found = /endbr/ } END { exit !found }' ||
    fail "$(basename "$1"): $2 is not marked as a target of indirect jumps (CET)"
}

say "libvinea.so, the plugins, the command"
for file in "$build/libvinea.so" "$build/vinea"; do hardened "$file"; done
for engine in "${engines[@]}"; do [ "$engine" = native ] || hardened "$build/engines/$engine.so"; done
readelf -hW "$build/vinea" | grep -q 'Type:.*DYN' || fail "vinea is no position-independent executable"

[ "$(nm "$build/libvinea.a" 2>/dev/null | grep -c "U __stack_chk_fail")" -gt 0 ] || fail "libvinea.a has no stack protector"

case $(uname -m) in x86_64 | i?86)
  say "targets of indirect jumps"
  for function in vn_use vn_add vn_close; do marked "$build/libvinea.so" "$function"; done
  for engine in "${engines[@]}"; do [ "$engine" = native ] || marked "$build/engines/$engine.so" vinea_engine_main; done
  # What was not compiled for it: only assembly could be, and there is none
  unmarked=$(find "$build/CMakeFiles" -path '*/vinea_core.dir/*' -name '*.o' -o -path '*/vinea_*_*.dir/*isa*' -name '*.o' | while read -r object; do
    source=${object#*.dir/} # objects of files that are gone stay in old build folders
    [ ! -e "$source_dir/${source%.o}" ] || readelf -nW "$object" | grep -q IBT || echo "$source"
  done)
  [ -z "$unmarked" ] || fail "not compiled for CET: $unmarked" ;;
esac

