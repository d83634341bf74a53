/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c: events of profiles go to a hook (vn_profile), and to the file that VINEA_TRACE names, as a Chrome trace (open it in
 * chrome://tracing or Perfetto). Each is one line, written as it ends by one call, so that a killed program leaves a readable file (the format
 * allows the closing bracket to be missing), and several processes can write to one pipe. */
#include "base/base.h"
#include "core/state.h"
#include "core/trace.h"
#include "os/os.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static bool tried, first;
static void (*hook)(const vn_profile_event *event, void *user);
static void *hook_user;
_Atomic int vn__tracing = -1;

int64_t vn__now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void open_file(void)
{
    const char *path = vn__environment("VINEA_TRACE");
    tried = first = true;
    if (!path || !*path) return;
    file = fopen(path, "we");
    if (file && fputs("[", file) < 0) file = NULL;
    if (!file) vn__log("trace: cannot write %s", path);
}

bool vn__trace_start(void)
{
    if (atomic_load(&vn__tracing) < 0) {
        pthread_mutex_lock(&lock);
        if (!tried) open_file();
        atomic_store(&vn__tracing, file || hook);
        pthread_mutex_unlock(&lock);
    }
    return atomic_load(&vn__tracing) > 0;
}

vn__moment vn__trace_moment(void)
{
    const vn__state *s = vn__peek();
    return (vn__moment){vn__now(), s ? s->traced : 0};
}

/* ---- writing ---- */

static void put_text(FILE *to, const char *text)
{
    char room[8];
    for (; text && *text; text++) {
        const char *escaped = vn__json_escape(*text, room);
        if (escaped) fputs(escaped, to);
        else putc(*text, to);
    }
}

static void put_time(FILE *to, const char *key, int64_t ns)
{
    fprintf(to, ",\"%s\":%lld.%03lld", key, (long long)(ns / 1000), (long long)(ns % 1000));
}

static void write_line(const vn_profile_event *e)
{
    fputs(first ? "\n{\"name\":\"" : ",\n{\"name\":\"", file);
    first = false;
    put_text(file, *e->name ? e->name : e->what);
    fprintf(file, "\",\"cat\":\"%s\",\"ph\":\"X\"", e->what);
    put_time(file, "ts", e->begin);
    put_time(file, "dur", e->end - e->begin);
    fprintf(file, ",\"pid\":%d,\"tid\":%u,\"args\":{\"engine\":\"", (int)getpid(), e->thread);
    put_text(file, e->engine);
    fprintf(file, "\",\"program\":\"%016llx\",\"ops\":%d,\"flops\":%.0f,\"read\":%lld,\"written\":%lld,\"memory\":%lld}}",
            (unsigned long long)e->program, (int)e->ops, e->flops, (long long)e->read, (long long)e->written, (long long)e->memory);
    fflush(file);
}

void vn__trace_write(vn_profile_event *e)
{
    vn__state *s = vn__peek();
    const int64_t began = vn__now();
    if (s && s->in_hook) return;
    e->size = sizeof *e;
    e->thread = s ? s->number : 0;
    if (!e->name) e->name = "";
    pthread_mutex_lock(&lock);
    if (file) write_line(e);
    if (hook && s) {
        s->in_hook = true;
        hook(e, hook_user);
        s->in_hook = false;
    }
    pthread_mutex_unlock(&lock);
    if (s) s->traced += vn__now() - began;
}

void vn__trace_finish(vn__moment begin, vn_profile_event *e)
{
    const vn__state *s = vn__peek();
    e->begin = begin.begin;
    e->end = vn__now() - (s ? s->traced - begin.traced : 0);
    vn__trace_write(e);
}

int vn_profile(void (*given)(const vn_profile_event *event, void *user), void *user)
{
    const vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (s->in_hook) return vn__fail(VN_E_UNSUPPORTED, "profile: it was called by its own hook; end the profile where it began");
    pthread_mutex_lock(&lock);
    hook = given;
    hook_user = user;
    atomic_store(&vn__tracing, -1); /* the file may be wanted too */
    pthread_mutex_unlock(&lock);
    return VN_OK;
}

void vn__trace_close(void)
{
    pthread_mutex_lock(&lock);
    if (file) {
        fputs("\n]\n", file);
        if (fclose(file)) vn__log("trace: writing failed");
    }
    file = NULL;
    hook = NULL;
    tried = false;
    atomic_store(&vn__tracing, -1);
    pthread_mutex_unlock(&lock);
}
