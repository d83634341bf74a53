/* SPDX-License-Identifier: Apache-2.0 */
/* watched.c: under a sanitizer the native engine caches no blocks, and reading one byte past the end of an array, or in a freed array, is
 * an error. Without a sanitizer blocks are cached. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"
#include "core/watched.h"
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 1000 }; /* bytes: no multiple of any alignment */

static vn_array *bytes(void)
{
    vn_array *x = vn_add(vn_ones(VN_SHAPE(COUNT), VN_U8), vn_ones(VN_SHAPE(COUNT), VN_U8));
    CHECK(vn_eval(1, &x) == VN_OK);
    return x;
}

/* Does a child that reads a byte of an array, perhaps after it was freed, die? */
static bool dies(int at, bool dropped)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        const vn_scope scope = vn_scope_begin();
        const volatile unsigned char *data = vn_data(bytes());
        if (dropped) vn_scope_end(scope);
        if (!freopen("/dev/null", "w", stderr)) _exit(0);
        _exit(data[at] == 255 ? 2 : 0);
    }
    int status = 0;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

TEST(blocks_are_not_kept)
{
    vn_scope scope = vn_scope_begin();
    bytes();
    vn_scope_end(scope);
    vn_memory_info m = {.size = sizeof m};
    CHECK(vn_memory(&m) == VN_OK);
    CHECK(VN_WATCHED ? m.cached == 0 : m.cached > 0);
}

TEST(blocks_have_their_size)
{
#if defined __SANITIZE_ADDRESS__ /* the thread sanitizer takes the locks that a child makes anew for held */
    CHECK(!dies(0, false) && !dies(COUNT - 1, false));
    CHECK(dies(COUNT, false) && dies(COUNT + 40, false));
    CHECK(dies(0, true));
#else
    (void)dies;
#endif
}

TEST_MAIN
