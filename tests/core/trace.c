/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c: profiles. VINEA_TRACE: what was evaluated is in the file as a Chrome trace, as soon as it happened; a file that cannot be written
 * disturbs nothing. (package.settings reads a whole trace as JSON.) vn_profile: the hook gets every kernel, with its operations and bytes. */
/* ctest: sanitize */
#include "folder.h"

static void trace_to(const char *path)
{
    vn_close();
    setenv("VINEA_TRACE", path, 1);
}

static bool computes(void)
{
    VN_SCOPE;
    return vn_item(vn_sum(vn_exp(vn_zeros(VN_SHAPE(3), VN_F32)), VN_ALL)) == 3;
}

static int times(const char *path, const char *word)
{
    bytes b = read_bytes(path);
    int n = 0;
    char *text = calloc(1, b.size + 1);
    if (text) memcpy(text, b.data, b.size);
    for (const char *at = text; at && (at = strstr(at, word)); at++) n++;
    free(text);
    free(b.data);
    return n;
}

TEST(events)
{
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("trace.json"));
    trace_to(path);
    CHECK(computes() && computes());
    CHECK(times(path, "\"name\":\"execute\"") == 2 && times(path, "\"name\":\"compile\"") == 1 && times(path, "\n]\n") == 0);
    vn_close();
    CHECK(times(path, "\n]\n") == 1 && times(path, "\"engine\":\"native\"") >= 4);
    trace_to(path); /* a new opening writes a new trace */
    CHECK(computes());
    CHECK(times(path, "\"name\":\"execute\"") == 1);
    CHECK(times(path, "\"cat\":\"kernel\"") == 1); /* exp and sum are one loop */
}

TEST(no_file)
{
    trace_to(in_folder("nowhere/trace.json"));
    CHECK(computes() && vn_status() == VN_OK);
    trace_to("/dev/full");
    CHECK(computes() && vn_status() == VN_OK);
    trace_to("");
    CHECK(computes());
}

/* ---- the hook ---- */

typedef struct {
    int n, kernels, programs, compiled;
    double flops;
    int64_t read, written, kernel_time, program_time;
    int32_t ops;
    bool in_order;
    char name[256];
} seen;

static void see(const vn_profile_event *e, void *user)
{
    seen *s = user;
    const bool kernel = !strcmp(e->what, "kernel"), program = !strcmp(e->what, "execute");
    s->n++;
    s->in_order = s->in_order && e->begin > 0 && e->end >= e->begin && e->size == sizeof *e && !strcmp(e->engine, "native");
    s->kernels += kernel, s->programs += program, s->compiled += !strcmp(e->what, "compile");
    *(kernel ? &s->kernel_time : program ? &s->program_time : &(int64_t){0}) += e->end - e->begin;
    if (!kernel) return;
    s->flops += e->flops, s->read += e->read, s->written += e->written, s->ops += e->ops;
    snprintf(s->name, sizeof s->name, "%s", e->name);
}

static vn_array *ready(vn_array *x)
{
    vn_eval(1, &x);
    return x;
}

TEST(kernels_of_a_program)
{
    VN_SCOPE;
    vn_array *x = ready(vn_ones(VN_SHAPE(30, 50), VN_F32)), *y = ready(vn_ones(VN_SHAPE(50, 20), VN_F32));
    seen s = {.in_order = true};
    CHECK(vn_profile(see, &s) == VN_OK);
    ready(vn_relu(vn_add(vn_matmul(x, y), vn_scalar(1))));
    CHECK(vn_profile(NULL, NULL) == VN_OK);
    CHECK(s.in_order && s.compiled == 1 && s.programs == 1 && s.kernels == 2);
    CHECK(s.flops == 2.0 * 30 * 20 * 50 + 2 * 30 * 20 && s.ops == 3); /* each element: a sum, relu */
    CHECK(s.read == 4 * (30 * 50 + 50 * 20) + 4 * (30 * 20) + 4);     /* the product, and the number 1 */
    CHECK(s.written == 2 * 4 * 30 * 20);
    CHECK(s.kernel_time <= s.program_time && strstr(s.name, "relu"));
    const int n = s.n;
    ready(vn_add(x, x));
    CHECK(s.n == n); /* it has ended */
}

/* A view is no kernel, and what reads it reads the array; take reads what it takes. */
TEST(views_and_parts)
{
    VN_SCOPE;
    vn_array *x = ready(vn_ones(VN_SHAPE(1000, 8), VN_F32)), *row = ready(vn_from_host((int64_t[]){1, 5, 7}, VN_I64, VN_SHAPE(3)));
    seen s = {.in_order = true};
    CHECK(vn_profile(see, &s) == VN_OK);
    ready(vn_take(x, row, 0));
    CHECK(s.kernels == 1 && s.flops == 3 * 8 && s.read == 4 * 3 * 8 + 8 * 3 && s.written == 4 * 3 * 8);
    s = (seen){.in_order = true};
    ready(vn_exp(vn_permute_dims(x, VN_AXES(1, 0))));
    CHECK(s.ops == 1 && s.read == 4 * 8000 && s.written == 4 * 8000); /* the copy in another order is a kernel without an op */
    s = (seen){.in_order = true};
    ready(vn_mul(x, vn_broadcast_to(ready(vn_ones(VN_SHAPE(8), VN_F32)), VN_SHAPE(1000, 8))));
    CHECK(s.read == 4 * 8000 + 4 * 8);
    CHECK(vn_profile(NULL, NULL) == VN_OK);
}

/* Operations of every op that adds up products, by the textbook. */
TEST(operations)
{
    VN_SCOPE;
    vn_array *image = ready(vn_ones(VN_SHAPE(2, 9, 9, 4), VN_F32)), *filter = ready(vn_ones(VN_SHAPE(3, 3, 2, 6), VN_F32));
    seen s = {.in_order = true};
    CHECK(vn_profile(see, &s) == VN_OK);
    ready(vn_conv(image, filter, VN_OPTS(conv, .groups = 2)));
    CHECK(s.flops == 2.0 * (2 * 7 * 7 * 6) * (3 * 3 * 2));
    vn_array *q = ready(vn_ones(VN_SHAPE(2, 5, 8), VN_F32)), *k = ready(vn_ones(VN_SHAPE(2, 7, 8), VN_F32)),
             *v = ready(vn_ones(VN_SHAPE(2, 7, 3), VN_F32));
    s = (seen){.in_order = true};
    ready(vn_attention(q, k, v, VN_NONE, NULL));
    CHECK(s.flops == 2.0 * 2 * 5 * 7 * (8 + 3));
    CHECK(vn_profile(NULL, NULL) == VN_OK);
}

static void see_and_compute(const vn_profile_event *e, void *user)
{
    VN_SCOPE;
    (void)e;
    ++*(int *)user;
    vn_item(vn_sum(vn_ones(VN_SHAPE(4), VN_F32), VN_ALL)); /* is not reported, so this ends */
    if (vn_profile(NULL, NULL) == VN_OK) *(int *)user = -1000;
    vn_clear();
}

TEST(the_hook_may_call_the_library)
{
    VN_SCOPE;
    int n = 0;
    CHECK(vn_profile(see_and_compute, &n) == VN_OK);
    ready(vn_add(vn_ones(VN_SHAPE(3), VN_F32), vn_scalar(1)));
    CHECK(n >= 3 && n < 20 && vn_status() == VN_OK);
    vn_close(); /* ends it */
    const int before = n;
    ready(vn_add(vn_ones(VN_SHAPE(3), VN_F32), vn_scalar(1)));
    CHECK(n == before);
}

int main(void)
{
    folder_make();
    run_tests();
    trace_to("");
    folder_remove();
    return finish();
}
