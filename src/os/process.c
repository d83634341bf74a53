/* SPDX-License-Identifier: Apache-2.0 */
/* process.c: what a process knows of itself: its environment, its rights, the texts of the system's errors. */
#include "os/os.h"
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

const char *vn__environment(const char *name)
{
    return secure_getenv(name);
}

bool vn__privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* strerror_r has two forms: glibc's returns the text, POSIX's returns 0 when it has written it. */
__attribute__((unused)) static const char *text_of_gnu(const char *text, const char *room)
{
    (void)room;
    return text;
}

__attribute__((unused)) static const char *text_of_posix(int failed, const char *room)
{
    return failed ? "unknown error" : room;
}

const char *vn__error_text(int error, char *room, size_t capacity)
{
    return _Generic(strerror_r(error, room, capacity), char * : text_of_gnu, int : text_of_posix)(strerror_r(error, room, capacity), room);
}
