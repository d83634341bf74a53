/* SPDX-License-Identifier: Apache-2.0 */
/* thread_keys.c: a process without free thread-specific keys. The library needs one to detect the end of a thread: without it, the first
 * call is an error, no other key is overwritten, and the library works as soon as a key is free. */
/* ctest: sanitize */
#include "check.h"
#include <limits.h>
#include <pthread.h>

static pthread_key_t keys[PTHREAD_KEYS_MAX];
static int values[PTHREAD_KEYS_MAX], n;

static bool untouched(void)
{
    for (int k = 0; k < n; k++)
        if (pthread_getspecific(keys[k]) != &values[k]) return false;
    return true;
}

static void *use(void *unused)
{
    (void)unused;
    CHECK(vn_item(vn_sum(vn_ones(VN_SHAPE(3), VN_F32), VN_ALL)) == 3);
    return NULL; /* ends without closing */
}

int main(void)
{
    check_name = "no key";
    while (n < PTHREAD_KEYS_MAX && !pthread_key_create(&keys[n], NULL)) {
        CHECK(!pthread_setspecific(keys[n], &values[n]));
        n++;
    }
    CHECK(n > 0);
    CHECK_FAILS(vn_use("native"), VN_E_MEM, "no thread-specific key left");
    CHECK(!vn_ones(VN_SHAPE(3), VN_F32) && !vn_add(NULL, NULL) && vn_engine_count() == 0);
    CHECK(vn_close() == VN_E_MEM);
    CHECK(vn_status() == VN_OK && !*vn_message() && untouched());

    check_name = "a key again";
    CHECK(!pthread_key_delete(keys[--n]));
    use(NULL);
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, use, NULL) && !pthread_join(t, NULL));
    CHECK(untouched() && vn_close() == VN_OK);
    while (n > 0) pthread_key_delete(keys[--n]);
    return finish();
}
