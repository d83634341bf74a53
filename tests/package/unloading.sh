#!/usr/bin/env bash
# dlclose of the library, or of another library that contains the static one, while a thread that used it is still running: the thread and its
# state end without a crash. Then the library is opened and used again.
# ctest: seconds 3
. "$(dirname "$0")/common.bash"
need gcc

cat >"$work/unload.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static void *library;
static pthread_barrier_t used, closed;
static int call(const char *name, const char *argument)
{
    int (*f)(const char *);
    void *symbol = dlsym(library, name);
    memcpy(&f, &symbol, sizeof f);
    return f ? f(argument) : -1;
}
static void *user(void *unused)
{
    if (call("vn_use", "native")) puts("vn_use failed");
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&closed);
    return unused; /* the thread's end closes its state */
}
int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    for (int round = 0; round < 3; round++) {
        pthread_t t;
        pthread_barrier_init(&used, NULL, 2);
        pthread_barrier_init(&closed, NULL, 2);
        library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) return puts(dlerror()), 2;
        pthread_create(&t, NULL, user, NULL);
        pthread_barrier_wait(&used);
        dlclose(library);
        pthread_barrier_wait(&closed);
        pthread_join(t, NULL);
    }
    puts("fine");
    return 0;
}
END
gcc -std=gnu11 "$work/unload.c" -o "$work/unload" -ldl -lpthread
echo 'int vn_use(const char *); __attribute__((used)) int holds_it(void) { return vn_use("native"); }' >"$work/theirs.c"
gcc -shared -fPIC "$work/theirs.c" -o "$work/theirs.so" -Wl,--whole-archive "$build/libvinea.a" -Wl,--no-whole-archive -lm -ldl -lpthread
for library in "$build/libvinea.so" "$work/theirs.so"; do
  say "$(basename "$library")"
  "$work/unload" "$library" >"$work/out" 2>&1 || { cat "$work/out"; fail "it ends with $?"; }
  [ "$(cat "$work/out")" = fine ] || { cat "$work/out"; fail "it says something else"; }
done
cd "$work" && "$work/unload" ./theirs.so | grep -q fine || fail "by a relative name"
