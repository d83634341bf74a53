#!/usr/bin/env bash
# No public struct that begins with its size has padding: a field that were added there later would not change the size, so that an older
# program would pass whatever its padding holds. What would be padding is a field called reserved.
# ctest: seconds 1
. "$(dirname "$0")/common.bash"
need gcc clang

# "vinea.h 341 344 vn_grad_opts": where each such struct stands
awk 'FNR == 1 { file = FILENAME; sub(".*/", "", file) }
     /^(typedef )?struct [a-z_0-9]+ \{$/ { first = FNR; name = $(NF - 1); sized = 0 }
     first && /^ +size_t size( VN_UNSET)?;/ { sized = 1 }
     /^\}/ && first { if (sized) print file, first, FNR, name; first = 0 }' "$source_dir"/include/vinea/*.h >"$work/structs"
[ "$(wc -l <"$work/structs")" -gt 120 ] || fail "only $(wc -l <"$work/structs") structs with a size were found"

for header in "$source_dir"/include/vinea/*.h; do printf '#include <vinea/%s>\n' "$(basename "$header")"; done >"$work/all.c"
for cc in gcc clang; do
  say "padding, with $cc"
  "$cc" -std=c11 -I"$source_dir/include" -Wpadded -fsyntax-only "$work/all.c" 2>"$work/warnings" || fail "$(cat "$work/warnings")"
  grep -q 'Wpadded' "$work/warnings" || fail "$cc found no padding, not even that of vn_shape"
  awk 'NR == FNR { n++; file[n] = $1; first[n] = $2; last[n] = $3; name[n] = $4; next }
       /Wpadded/ {
         split($1, place, ":"); sub(".*/", "", place[1])
         for (k = 1; k <= n; k++)
           if (place[1] == file[k] && place[2] + 0 >= first[k] && place[2] + 0 <= last[k]) print name[k] ": " $0
       }' "$work/structs" "$work/warnings" >"$work/padded"
  [ ! -s "$work/padded" ] || fail "$(cat "$work/padded")"
done
