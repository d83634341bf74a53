#!/usr/bin/env bash
# The example of vn_tree_at in tree.h compiles as it stands there and walks over a network whose layers do not all have variables.
# ctest: seconds 2
. "$(dirname "$0")/common.bash"

{
  printf '#include <vinea/module.h>\n#include <vinea/tree.h>\nint main(void)\n{\n'
  printf '    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(2, 3, NULL), vn_nn_relu(), vn_nn_linear(3, 4, VN_OPTS(nn_linear, .no_bias = 1)));\n'
  sed -n '/^\/\* How many entries the tree itself has/,/\*\/$/p' "$source_dir/include/vinea/tree.h" | sed -n 's/ \*\/$//; s/^ \*     /    /p'
  printf '    return vn_close();\n}\n'
} >"$work/example.c"
grep -q 'vn_tree_at(l, i)' "$work/example.c" || fail "tree.h has no example of vn_tree_at"
"${CC:-cc}" -std=c11 "${strict[@]}" -I"$source_dir/include" "$work/example.c" -o "$work/example" -L"$build" -lvinea -Wl,-rpath,"$build"
[ "$("$work/example")" = $'2 arrays\n1 arrays' ] || fail "the example of tree.h prints $("$work/example")"
