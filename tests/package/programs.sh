#!/usr/bin/env bash
# ctest: full
# ctest: seconds 600
# The random programs find faults in the native engine's planner: they are planted one at a time in a copy of the sources, and each must
# be found within a minute. Without a fault they find nothing.
. "$(dirname "$0")/common.bash"
need gcc

copy=$work/copy
mkdir "$copy"
(cd "$source_dir" && tar cf - CMakeLists.txt cmake include src engines cli conformance bench examples python tools tests/programs) | tar xf - -C "$copy"
sed -i 's/^file(GLOB sources CONFIGURE_DEPENDS tests\/\(fuzz\/\)*\*\.c)/set(sources)/' "$copy/cmake/Tests.cmake"

build_copy() {
  { cmake -S "$copy" -B "$copy/build" -DVINEA_LEVELS=avx2 -DVINEA_WERROR=OFF && cmake --build "$copy/build" -j 2 --target programs; } >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; fail "the copy does not build"; }
}
find_fault() { "$copy/build/tests/programs" --seconds 60 --stop --minimise 0 --out "$work/found" >"$work/programs" 2>&1; }

build_copy
say "the copy as it is: no failure in a minute"
find_fault || { cat "$work/programs"; fail "programs fail without a fault"; }

fault() { # what, file, sed command
  say "fault: $1"
  cp -p "$copy/$2" "$work/before"
  sed -i "$3" "$copy/$2"
  ! cmp -s "$copy/$2" "$work/before" || fail "the fault was not put in: $3"
  build_copy
  ! find_fault || { cat "$work/programs"; fail "the fault was not found within a minute"; }
  grep -o '[0-9.]* seconds' "$work/programs" | sed 's/^/  found after /'
  cp "$work/before" "$copy/$2"
}
fault "kernels are chained though they read other rows" engines/native/chain.c 's/== count ? u->span == 1 :/== count ? true :/'
fault "the last rows of a chain are left out" engines/native/chain.c 's|(j.c->rows + j.c->tile - 1) / j.c->tile|j.c->rows / j.c->tile|'
fault "a chain's buffers are a row too small" engines/native/chain.c 's|vn__native_round64((size_t)(l->row_bytes \* c->tile))|(size_t)(l->row_bytes * (c->tile > 1 ? c->tile - 1 : 1))|'
fault "the result is used before the threads are done" engines/native/threads.c 's|while (atomic_load(&pool.inside) > 0) pthread_cond_wait(&pool.done, &pool.lock);||; s|for (int i = 0; i < SPINS && atomic_load_explicit(&pool.inside, memory_order_acquire) > 0; i++) pause_a_little();||'
fault "a permuted axis of two is folded away" engines/native/view.c 's/if (v->dims\[r\] != 1 && v->strides\[r\] != stride) return false;/if (v->dims[r] > 2 \&\& v->strides[r] != stride) return false;/'
fault "an operand's memory is taken though it is read in any order" engines/native/plan.c 's/if (r->span != 1 || w->span != 1 ||/if (w->span != 1 ||/'
fault "memory is given back a kernel too early" engines/native/plan.c 's/p->last\[s\] == k && !p->taken\[s\]/p->last[s] <= k + 1 \&\& !p->taken[s]/'
fault "nodes move behind their readers" engines/native/group.c 's/const int32_t limit = node->depth - (fused ? 0 : 1);/const int32_t limit = node->depth;/'
fault "more than eight sums compute a row twice" engines/native/fused.c '/^static void long_row(/,/^}/s/for (int64_t i = first; i < end; i += f->block) {/for (int again = 0; again < 1 + (f->n_sinks > 8); again++) for (int64_t i = first; i < end; i += f->block) {/'
