/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c: ends a launcher that goes on alone. Open MPI's mpirun may wait for ever, for a lock in memory that PMIx 4.2 has freed, after a rank ended while it
 * connected to it. A process beside the launcher, but no child of it, looks once a second whether any process that it started is left. */
#include "command.h"

#include <ctype.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALONE = 20000, START = 60000 }; /* milliseconds without a process; in which the first one is seen */

#if defined SYS_pidfd_open && defined SYS_pidfd_send_signal
/* Whether this is a child of the launcher that has not ended. */
static bool is_child(const char *pid, long launcher)
{
    char path[300], line[512];
    FILE *f = NULL;
    if (isdigit((unsigned char)*pid)) snprintf(path, sizeof path, "/proc/%s/stat", pid), f = fopen(path, "r");
    const char *name_end = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL; /* pid (name) state parent ... */
    if (f) fclose(f);
    char state = 0;
    long parent = 0;
    return name_end && sscanf(name_end, ") %c %ld", &state, &parent) == 2 && parent == launcher && state != 'Z';
}

static bool has_children(long launcher)
{
    DIR *all = opendir("/proc");
    bool has = !all; /* nothing is known */
    for (const struct dirent *e; all && !has && (e = readdir(all));) has = is_child(e->d_name, launcher);
    if (all) closedir(all);
    return has;
}

static void watch(int handle, long launcher, const char *name)
{
    struct pollfd end = {.fd = handle, .events = POLLIN};
    bool had = false;
    for (int alone = 0, passed = 0; alone < ALONE;) {
        const int pause = had ? 1000 : 50; /* they may end soon */
        if (poll(&end, 1, pause) != 0) return;
        const bool has = has_children(launcher);
        had = had || has;
        alone = had && !has ? alone + pause : 0;
        passed += pause;
        if (!had && passed > START) return; /* something else starts them */
    }
    complain("launch: %s goes on %d s after the last process that it started has ended; it is ended now", name, ALONE / 1000);
    syscall(SYS_pidfd_send_signal, handle, SIGKILL, NULL, 0);
}

void guard_launcher(const char *name)
{
    const pid_t launcher = getpid();
    const int handle = (int)syscall(SYS_pidfd_open, launcher, 0); /* closed when this process becomes the launcher */
    const pid_t between = handle < 0 ? -1 : fork();
    if (between > 0) waitpid(between, NULL, 0);
    if (between != 0) return;
    if (fork() != 0) _exit(0);
    setsid(); /* Ctrl-C is for the launcher */
    close(STDIN_FILENO), close(STDOUT_FILENO);
    watch(handle, launcher, name);
    _exit(0);
}
#else
void guard_launcher(const char *name)
{
    (void)name;
}
#endif
