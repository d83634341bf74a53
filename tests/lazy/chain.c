/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c: a chain of a million nodes is recorded, evaluated, differentiated and freed, on a thread with a small stack. */
/* ctest: seconds 3 */
/* ctest: sanitize */
/* ctest: part 4 on sanitizers */
#include "check.h"
#include <pthread.h>

static void *chain(void *unused)
{
    const int64_t nodes = (int64_t)(1000000 / check_part());
    (void)unused;
    check_name = "chain";
    vn_array *v = vn_variable(vn_from((float[]){1, 2}, VN_SHAPE(2))), *x = vn_keep(vn_add(v, vn_scalar(0)));
    for (int64_t i = 1; i < nodes; i++) {
        VN_SCOPE;
        vn_array *next = vn_keep(vn_mul(x, vn_scalar(1)));
        vn_drop(x);
        x = next;
    }
    vn_memory_info m = {.size = sizeof m};
    vn_memory(&m);
    CHECK(m.nodes >= nodes); /* the history is all there */
    CHECK(vn_eval(1, &x) == VN_OK && ((const float *)vn_data(x))[1] == 2);
    vn_array *g = vn_grad(vn_sum(x, VN_ALL), v);
    CHECK(g && ((const float *)vn_data(g))[0] == 1);
    vn_drop(x);
    vn_clear();
    CHECK(vn_close() == VN_OK);
    return NULL;
}

int main(void)
{
    pthread_attr_t a;
    pthread_t t;
    vn_scalar(1); /* keeps the library open while the thread closes */
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 256 * 1024);
    CHECK(pthread_create(&t, &a, chain, NULL) == 0);
    pthread_join(t, NULL);
    vn_memory_info m = {.size = sizeof m};
    vn_memory(&m);
    CHECK(m.nodes < 8); /* and all of it was freed */
    return finish();
}
