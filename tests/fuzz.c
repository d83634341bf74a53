/* fuzz.c: random programs. Each builds a pool of arrays by random ops on random members of it; now and then a member is evaluated,
 * dropped, given a new value or differentiated. A second pool takes the same steps but evaluates every op at once. Both must hold the
 * same bits, and nothing may be left behind. */
/* ctest: sanitize */
#include "check.h"
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 1500
#endif
enum { POOL = 12, STEPS = 40, SIDE = 4 };

static uint64_t roll(uint64_t *s)
{
    *s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17;
    return *s;
}

static vn_array *rows(vn_array *x, uint64_t at)
{
    return vn_reshape(vn_slice_at(x, VN_SHAPE((int64_t)(at % 2), 0), VN_SHAPE(SIDE - 1, SIDE)), VN_SHAPE((SIDE - 1) * SIDE));
}

/* Every result is SIDE x SIDE and stays small. */
static vn_array *apply(uint64_t op, vn_array *x, vn_array *y)
{
    switch (op % 12) {
    case 0: return vn_mul(vn_add(x, y), vn_scalar(.5));
    case 1: return vn_mul(vn_sub(x, y), vn_scalar(.7));
    case 2: return vn_mul(x, vn_tanh(y));
    case 3: return vn_tanh(x);
    case 4: return vn_exp(vn_neg(vn_square(x)));
    case 5: return vn_mul(vn_matmul(x, y), vn_scalar(.2));
    case 6: return vn_permute_dims(x, VN_AXES(1, 0));
    case 7: return vn_sub(x, vn_mean(y, VN_KEEP((int64_t)(op / 12 % 2))));
    case 8: return vn_broadcast_to(vn_mul(vn_sum(x, VN_AXES(0)), vn_scalar(.25)), VN_SHAPE(SIDE, SIDE));
    case 9: return vn_add(x, vn_mul(vn_sum(rows(y, op / 12), VN_ALL), vn_scalar(.05)));
    case 10: return vn_cast(vn_cast(x, VN_F16), VN_F32);
    default:
        return vn_slice_set(x, vn_slice_at(y, VN_SHAPE(1, 1), VN_SHAPE(2, 2)),
                            vn_from_host((int64_t[]){(int64_t)(op / 12 % 3), 1}, VN_I64, VN_SHAPE(2)));
    }
}

static bool same(vn_array *a, vn_array *b)
{
    const void *p = vn_data(a), *q = vn_data(b);
    return p && q && !memcmp(p, q, SIDE * SIDE * sizeof(float));
}

static vn_array *gradient(vn_array *x, vn_array *y, uint64_t op)
{
    vn_array *v = vn_variable(x);
    return vn_grad(vn_sum(apply(op, v, y), VN_ALL), v);
}

static int round_of(uint64_t seed)
{
    uint64_t s = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    vn_array *lazy[POOL], *eager[POOL];
    for (int i = 0; i < POOL; i++) {
        float data[SIDE * SIDE];
        for (int k = 0; k < SIDE * SIDE; k++) data[k] = (float)(roll(&s) % 2001) / 1000 - 1;
        lazy[i] = vn_keep(vn_from(data, VN_SHAPE(SIDE, SIDE)));
        eager[i] = vn_keep(vn_from(data, VN_SHAPE(SIDE, SIDE)));
    }
    int wrong = 0;
    for (int step = 0; step < STEPS; step++) {
        VN_SCOPE;
        uint64_t what = roll(&s), op = roll(&s);
        int x = (int)(roll(&s) % POOL), y = (int)(roll(&s) % POOL), z = (int)(roll(&s) % POOL);
        bool differentiate = what % 8 == 0;
        vn_array *a = differentiate ? gradient(lazy[x], lazy[y], op) : apply(op, lazy[x], lazy[y]);
        vn_array *b = differentiate ? gradient(eager[x], eager[y], op) : apply(op, eager[x], eager[y]);
        if (!a || !b || vn_eval(1, &b)) return 1;
        if (what % 3 == 0) { /* another handle, or the same one with a new value */
            vn_drop(lazy[z]), vn_drop(eager[z]);
            lazy[z] = vn_keep(a), eager[z] = vn_keep(b);
        } else {
            vn_into(lazy[z], a), vn_into(eager[z], b);
        }
        if (what % 11 == 0) vn_eval(3, (vn_array *[]){lazy[x], lazy[y], lazy[z]});
        if (what % 13 == 0) wrong |= !same(lazy[z], eager[z]);
    }
    for (int i = 0; i < POOL; i++) {
        wrong |= !same(lazy[i], eager[i]);
        vn_drop(lazy[i]), vn_drop(eager[i]);
    }
    return wrong;
}

static void *work(void *number)
{
    for (uint64_t r = 0; r < ROUNDS; r++) {
        uint64_t seed = r * 3 + *(uint64_t *)number;
        if (round_of(seed)) {
            fprintf(stderr, "round %llu differs: %s\n", (unsigned long long)seed, vn_message());
            CHECK(!"lazy and eager agree");
            break;
        }
    }
    CHECK(vn_close() == VN_OK);
    return NULL;
}

int main(void)
{
    check_name = "random programs";
    vn_scalar(1);
    pthread_t t[3];
    uint64_t number[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, work, &number[i]);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    vn_memory_info m = {.size = sizeof m};
    vn_memory(&m);
    CHECK(m.nodes < 8 && m.handles < 8);
    printf("%d rounds of %d steps\n", 3 * ROUNDS, STEPS);
    return finish();
}
