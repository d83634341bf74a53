#!/bin/sh
# on_engine.sh VINEA ENGINE COMMAND...: runs the command. If it fails where the engine is not available, the test counts as skipped (77).
vinea=$1 engine=$2
shift 2
"$@"
code=$?
[ "$code" -ne 0 ] && "$vinea" engines | grep -q "^$engine *no " && exit 77
exit "$code"
