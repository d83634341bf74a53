#!/usr/bin/env bash
# The headers compile alone, as C11 and as C++11, with gcc and clang, under the strict warnings.
# ctest: seconds 2
. "$(dirname "$0")/common.bash"
need gcc clang g++ clang++

for header in "$source_dir"/include/vinea/*.h; do
  name=$(basename "$header")
  [ "$name" != ops.h ] || continue # part of vinea.h
  printf '#include <vinea/%s>\n#include <vinea/%s>\nint main(void) { return 0; }\n' "$name" "$name" >"$work/$name.c"
  cp "$work/$name.c" "$work/$name.cc"
  for cc in gcc clang; do
    say "$name as C11 with $cc"
    "$cc" -std=c11 "${strict[@]}" -I"$source_dir/include" -c "$work/$name.c" -o "$work/out.o"
  done
  for cxx in g++ clang++; do
    say "$name as C++11 with $cxx"
    "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$source_dir/include" -c "$work/$name.cc" -o "$work/out.o"
  done
done

# The macros too, and the program against the library: a C++ user's first lines.
cat >"$work/use.cc" <<'END'
#include <cmath>
#include <vinea/vinea.h>
int main()
{
    VN_SCOPE;
    const float two[] = {1, 2};
    vn_array *x = vn_from(two, VN_SHAPE(2, 1));
    double mean = vn_item(vn_mean(x, VN_ALL));
    vn_array *rows = vn_sum(x, VN_KEEP(-1)), *columns = vn_sum(x, VN_AXES(0));
    VN_NO_GRAD { x = vn_mul(x, vn_scalar(2)); }
    bool good = std::fabs(mean - 1.5) < 1e-6 && vn_rank(rows) == 2 && vn_rank(columns) == 1 && vn_rank(vn_zeros(VN_0D, VN_F32)) == 0;
    return good && !vn_status() ? 0 : 1;
}
END
for cxx in g++ clang++; do
  say "a C++ program with $cxx"
  "$cxx" -std=c++11 -Wall -Wextra -Werror -I"$source_dir/include" "$work/use.cc" -o "$work/use" -L"$build" -lvinea -Wl,-rpath,"$build"
  "$work/use"
done
