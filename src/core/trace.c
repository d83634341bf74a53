/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c: VINEA_TRACE=file.json writes what evaluation did as a Chrome trace (open it in chrome://tracing or Perfetto). Events are
 * written as they end, so that a killed program leaves a readable file: the format allows the closing bracket to be missing. */
#include "core/state.h"
#include "core/trace.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static bool tried, first;
_Atomic int vn__tracing = -1;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool start(void)
{
    pthread_mutex_lock(&lock);
    if (!tried) {
        const char *path = secure_getenv("VINEA_TRACE");
        tried = true;
        if (path && *path) {
            file = fopen(path, "w");
            if (file && fputs("[", file) < 0) file = NULL;
            if (!file) vn__log("trace: cannot write %s", path);
        }
        first = true;
        atomic_store(&vn__tracing, file != NULL);
    }
    pthread_mutex_unlock(&lock);
    return atomic_load(&vn__tracing) == 1;
}

int64_t vn__trace_time(void)
{
    return atomic_load(&vn__tracing) > 0 || start() ? now() : 0;
}

void vn__trace_write(int64_t begin, const char *name, const char *engine, uint64_t hash, int n)
{
    int64_t end = now();
    vn__state *s = vn__peek();
    pthread_mutex_lock(&lock);
    if (file) {
        fprintf(file,
                "%s\n{\"name\":\"%s\",\"cat\":\"vinea\",\"ph\":\"X\",\"ts\":%lld.%03lld,\"dur\":%lld.%03lld,\"pid\":%d,\"tid\":%u,"
                "\"args\":{\"engine\":\"%s\",\"program\":\"%016llx\",\"ops\":%d}}",
                first ? "" : ",", name, (long long)(begin / 1000), (long long)(begin % 1000), (long long)((end - begin) / 1000),
                (long long)((end - begin) % 1000), (int)getpid(), s ? s->number : 0, engine, (unsigned long long)hash, n);
        first = false;
        fflush(file);
    }
    pthread_mutex_unlock(&lock);
}

void vn__trace_close(void)
{
    pthread_mutex_lock(&lock);
    if (file) {
        fputs("\n]\n", file);
        if (fclose(file)) vn__log("trace: writing failed");
    }
    file = NULL;
    tried = false;
    atomic_store(&vn__tracing, -1);
    pthread_mutex_unlock(&lock);
}
