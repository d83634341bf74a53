/* SPDX-License-Identifier: Apache-2.0 */
/* loader_calls.c: each system call fails while a plugin is found, checked, loaded, opened and used (failing_calls.h), in every way, once
 * and from then on, each time in a new process: the engine works or vn_use says why not, the native engine goes on, and once the library
 * was closed the plugin works. */
/* ctest: seconds 5 */
#include "failing_calls.h"
#include <sys/wait.h>

#ifdef NO_REGISTERS
int main(void)
{
    return 77;
}
#else

static void make_plugin(void)
{
    static const char manifest[] = "about = test engine\n";
    bytes b = read_bytes(VN_TEST_PLUGINS "/actor.so");
    CHECK(b.size > 0);
    write_bytes(in_folder("template.so"), b.data, b.size);
    write_bytes(in_folder("template.manifest"), manifest, sizeof manifest - 1);
    free(b.data);
    setenv("VINEA_ENGINE_PATH", folder, 1);
}

/* 2 * 3 + 1 by the engine's own kernels. */
static bool computes(const char *engine)
{
    VN_SCOPE;
    if (vn_use(engine)) return false;
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(5), VN_F32),
             *z = vn_add(vn_mul(x, vn_full(vn_scalar(3), VN_SHAPE(5), VN_F32)), vn_full(vn_scalar(1), VN_SHAPE(5), VN_F32));
    const float *data = vn_data(z);
    return data && data[4] == 7 && !strcmp(vn_engine_of(z), engine);
}

enum { WORKED, REFUSED, NO_FAULT, SILENT, STUCK, NO_MORE, NO_FILTERS = 77 }; /* exit codes of the child */

static int attempt(long n, int error, bool on)
{
    alarm(10);
    if (watch_calls(fault_handle)) return NO_FILTERS;
    fault.when = n, fault.error = error, fault.on = on, fault.kind = -1;
    fault.armed = true;
    const bool works = computes("template");
    fault.armed = false;
    const bool unknown = strstr(vn_message(), "there is no engine"),
               said = vn_status() && (!unknown || strstr(vn_message(), "not looked into"));
    if (!works && !said) fprintf(stderr, "  %s: %s\n", fault_name(), vn_message());
    vn_clear();
    if (!fault.met) return works ? NO_FAULT : SILENT;
    if (!works && !said) return SILENT;
    if (!computes("native")) return STUCK;
    vn_close(); /* plugins are looked for when the library is opened */
    if (!computes("template")) return NO_MORE;
    vn_close();
    return works ? WORKED : REFUSED;
}

static int in_child(long n, int error, bool on)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (!child) _exit(attempt(n, error, on));
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    long worked = 0, refused = 0;
    char name[64];
    folder_make();
    make_plugin();
    if (in_child(0, EIO, false) == NO_FILTERS) {
        folder_remove();
        return 77;
    }
    for (size_t k = 0; k < 2 * sizeof fault_errors / sizeof *fault_errors; k++) {
        const int error = fault_errors[k / 2];
        for (long n = 1;; n++) {
            snprintf(name, sizeof name, "call %ld, %s, %s", n, fault_text(error), k % 2 ? "from then on" : "once");
            check_name = name;
            const int end = in_child(n, error, k % 2 != 0);
            if (end == NO_FAULT) break;
            CHECK(end == WORKED || end == REFUSED);
            if (end != WORKED && end != REFUSED) fprintf(stderr, "  the process ended with %d\n", end);
            worked += end == WORKED;
            refused += end == REFUSED;
        }
    }
    CHECK(worked > 100 && refused > 100);
    printf("%ld system calls failed: the engine worked after %ld and was refused after %ld\n", worked + refused, worked, refused);
    folder_remove();
    return finish();
}
#endif
