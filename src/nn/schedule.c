/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.c: learning rates as functions of the step. A schedule is plain data without state. */
#include "nn/nn.h"
#include "base/floats.h"
#include "core/state.h"
#include "core/callback.h"
#include "nn/objects.h"
#include <math.h>
#include <stddef.h>

/* States hold these numbers: new ones come before OTHERS. */
enum { CONSTANT = 1, STEPS, EXPONENTIAL, LINEAR, COSINE, ONE_CYCLE, USER, POLYNOMIAL, INVERSE_TIME, RESTARTS, NOAM, LINEAR_CYCLE, OTHERS };

/* A schedule of the table, or one that failed to be made: its numbers must lie in the ranges of its row. */
static vn_schedule made(const char *name, int n, double *numbers, vn_schedule s)
{
    return vn__take_numbers(&vn__family_schedule, name, n, numbers) ? s : (vn_schedule){.kind = VN__NOT_MADE};
}
#define MADE(name, all, ...) made(name, (int)(sizeof(all) / sizeof *(all)), all, (vn_schedule){__VA_ARGS__})

vn_schedule vn_constant(double rate)
{
    double all[] = {rate};
    return MADE("constant", all, .kind = CONSTANT, .rate = vn__real_of(rate));
}
vn_schedule vn_step_decay(double rate, double factor, int64_t every)
{
    double all[] = {rate, factor, (double)every};
    return MADE("step_decay", all, .kind = STEPS, .rate = vn__real_of(rate), .factor = vn__real_of(factor), .every = vn__whole_of(every));
}
vn_schedule vn_exponential_decay(double rate, double factor, int64_t every)
{
    double all[] = {rate, factor, (double)every};
    return MADE("exponential_decay", all, .kind = EXPONENTIAL, .rate = vn__real_of(rate), .factor = vn__real_of(factor),
                .every = vn__whole_of(every));
}
vn_schedule vn_linear_decay(double rate, double last, int64_t steps)
{
    double all[] = {rate, last, (double)steps};
    return MADE("linear_decay", all, .kind = LINEAR, .rate = vn__real_of(rate), .last = vn__real_of(last), .steps = vn__whole_of(steps));
}
vn_schedule vn_cosine(double rate, double last, int64_t steps)
{
    double all[] = {rate, last, (double)steps};
    return MADE("cosine", all, .kind = COSINE, .rate = vn__real_of(rate), .last = vn__real_of(last), .steps = vn__whole_of(steps));
}
vn_schedule vn_one_cycle(double rate, int64_t steps)
{
    double all[] = {rate, (double)steps};
    return MADE("one_cycle", all, .kind = ONE_CYCLE, .rate = vn__real_of(rate), .steps = vn__whole_of(steps));
}
vn_schedule vn_polynomial(double rate, double last, double power, int64_t steps)
{
    double all[] = {rate, last, power, (double)steps};
    return MADE("polynomial", all, .kind = POLYNOMIAL, .rate = vn__real_of(rate), .last = vn__real_of(last), .factor = vn__real_of(power),
                .steps = vn__whole_of(steps));
}
vn_schedule vn_inverse_time(double rate, double factor, int64_t every)
{
    double all[] = {rate, factor, (double)every};
    return MADE("inverse_time", all, .kind = INVERSE_TIME, .rate = vn__real_of(rate), .factor = vn__real_of(factor),
                .every = vn__whole_of(every));
}
vn_schedule vn_cosine_restarts(double rate, double last, int64_t steps, double factor)
{
    double all[] = {rate, last, (double)steps, factor};
    return MADE("cosine_restarts", all, .kind = RESTARTS, .rate = vn__real_of(rate), .last = vn__real_of(last),
                .factor = vn__real_of(factor), .steps = vn__whole_of(steps));
}
vn_schedule vn_noam(double rate, int64_t size, int64_t steps)
{
    double all[] = {rate, (double)size, (double)steps};
    return MADE("noam", all, .kind = NOAM, .rate = vn__real_of(rate), .every = vn__whole_of(size), .steps = vn__whole_of(steps));
}
vn_schedule vn_linear_one_cycle(double rate, int64_t steps)
{
    double all[] = {rate, (double)steps};
    return MADE("linear_one_cycle", all, .kind = LINEAR_CYCLE, .rate = vn__real_of(rate), .steps = vn__whole_of(steps));
}

static double joined_at(int64_t step, void *user)
{
    const vn_joined *j = user;
    int64_t k = 0;
    while (k < j->n - 1 && step >= j->from[k]) k++;
    return vn_schedule_at(&j->parts[k], k ? step - j->from[k - 1] : step);
}
/* Step k of those where a part begins is above the one before. */
static bool rising(const char *who, const int64_t *from, int64_t k)
{
    if (from[k] > (k ? from[k - 1] : 0)) return true;
    return vn__fail(VN_E_ARG, "%s: from[%lld] is %lld; steps above 0 that rise are needed", who, (long long)k, (long long)from[k]), false;
}

vn_schedule vn_join_schedules(const vn_joined *j)
{
    static const char who[] = "join_schedules";
    const vn_schedule none = {.kind = VN__NOT_MADE};
    if (!j) return vn__fail(VN_E_NULL, "%s: j is NULL", who), none;
    if (j->size != sizeof *j) return vn__fail(VN_E_ARG, "%s: size is %zu; it must be sizeof(vn_joined)", who, j->size), none;
    if (!j->parts || (j->n > 1 && !j->from)) return vn__fail(VN_E_NULL, "%s: parts or from is NULL", who), none;
    if (j->n < 1) return vn__fail(VN_E_ARG, "%s: %lld parts", who, (long long)j->n), none;
    for (int64_t k = 0; k < j->n; k++) {
        if (vn__schedule_check(&j->parts[k], who)) return none;
        if (k < j->n - 1 && !rising(who, j->from, k)) return none;
    }
    return vn_schedule_of(joined_at, (void *)(uintptr_t)j);
}

/* Half a cosine from a to b, at x in [0, 1]. */
static double swing(double a, double b, double x)
{
    return b + (a - b) * (1 + cos(M_PI * x)) / 2;
}

static double combined_at(int64_t step, void *user)
{
    const vn_combined *c = user;
    double z = c->how == VN_COMBINE_PRODUCT;
    for (int64_t k = 0; k < c->n; k++) {
        const double rate = vn_schedule_at(&c->parts[k], step);
        z = c->how == VN_COMBINE_PRODUCT ? z * rate : z + rate;
    }
    return c->how == VN_COMBINE_MEAN ? z / (double)c->n : z;
}
vn_schedule vn_combine_schedules(const vn_combined *c)
{
    static const char who[] = "combine_schedules";
    const vn_schedule none = {.kind = VN__NOT_MADE};
    if (!c) return vn__fail(VN_E_NULL, "%s: c is NULL", who), none;
    if (c->size != sizeof *c) return vn__fail(VN_E_ARG, "%s: size is %zu; it must be sizeof(vn_combined)", who, c->size), none;
    if (!c->parts) return vn__fail(VN_E_NULL, "%s: parts is NULL", who), none;
    if (c->n < 1) return vn__fail(VN_E_ARG, "%s: %lld parts", who, (long long)c->n), none;
    if (c->how < VN_COMBINE_PRODUCT || c->how > VN_COMBINE_MEAN)
        return vn__fail(VN_E_ARG, "%s: how is %d, which is not a vn_combine", who, c->how), none;
    for (int64_t k = 0; k < c->n; k++)
        if (vn__schedule_check(&c->parts[k], who)) return none;
    return vn_schedule_of(combined_at, (void *)(uintptr_t)c);
}

static double pieces_at(int64_t step, void *user)
{
    const vn_pieces *p = user;
    int64_t k = 0;
    while (k < p->n - 1 && step >= p->from[k]) k++;
    if (!p->between || k == p->n - 1) return p->rates[k];
    const double begin = k ? (double)p->from[k - 1] : 0, x = ((double)step - begin) / ((double)p->from[k] - begin);
    return p->between == 1 ? p->rates[k] + (p->rates[k + 1] - p->rates[k]) * x : swing(p->rates[k], p->rates[k + 1], x);
}
vn_schedule vn_piecewise(const vn_pieces *p)
{
    static const char who[] = "piecewise";
    const vn_schedule none = {.kind = VN__NOT_MADE};
    if (!p) return vn__fail(VN_E_NULL, "%s: p is NULL", who), none;
    if (p->size != sizeof *p) return vn__fail(VN_E_ARG, "%s: size is %zu; it must be sizeof(vn_pieces)", who, p->size), none;
    if (!p->rates || (p->n > 1 && !p->from)) return vn__fail(VN_E_NULL, "%s: rates or from is NULL", who), none;
    if (p->n < 1 || p->between < 0 || p->between > 2)
        return vn__fail(VN_E_ARG, "%s: %lld rates, between %d; 1 or more, and 0 to 2, are needed", who, (long long)p->n, p->between), none;
    for (int64_t k = 0; k < p->n; k++) {
        if (!isfinite(p->rates[k]) || p->rates[k] < 0)
            return vn__fail(VN_E_ARG, "%s: rates[%lld] is %g", who, (long long)k, p->rates[k]), none;
        if (k < p->n - 1 && !rising(who, p->from, k)) return none;
    }
    return vn_schedule_of(pieces_at, (void *)(uintptr_t)p);
}

vn_schedule vn_schedule_of(vn_schedule_fn fn, void *user)
{
    if (!fn) return vn__fail(VN_E_NULL, "schedule_of: fn is NULL"), (vn_schedule){.kind = VN__NOT_MADE};
    return (vn_schedule){.kind = USER, .fn = fn, .user = user};
}
vn_schedule vn_warm_up(vn_schedule s, int64_t steps)
{
    s.warm_steps = vn__whole_of(steps);
    if (vn__schedule_check(&s, "warm_up")) s.kind = VN__NOT_MADE;
    return s;
}

bool vn__schedule_is_function(const vn_schedule *s)
{
    return s->kind == USER;
}

int vn__schedule_check(const vn_schedule *s, const char *who)
{
    if (vn__check_made(who, "the schedule", s->kind)) return vn_status();
    if (s->kind < CONSTANT || s->kind >= OTHERS) return vn__fail(VN_E_ARG, "%s: not a valid schedule", who);
    if (s->warm_steps < 0) return vn__fail(VN_E_ARG, "%s: a warm-up of %lld steps", who, (long long)s->warm_steps);
    if (s->kind == USER) return s->fn ? VN_OK : vn__fail(VN_E_NULL, "%s: the schedule's function is NULL", who);
    if (!isfinite(s->rate) || !isfinite(s->last) || s->rate < 0 || s->last < 0)
        return vn__fail(VN_E_ARG, "%s: the learning rates are %g and %g; finite numbers from 0 on are needed", who, s->rate, s->last);
    bool stepped = s->kind == STEPS || s->kind == EXPONENTIAL || s->kind == INVERSE_TIME;
    if (stepped && (s->every < 1 || !(s->factor > 0) || !isfinite(s->factor)))
        return vn__fail(VN_E_ARG, "%s: a factor of %g every %lld steps", who, s->factor, (long long)s->every);
    if (s->kind == POLYNOMIAL && !(s->factor > 0 && isfinite(s->factor))) return vn__fail(VN_E_ARG, "%s: a power of %g", who, s->factor);
    if (s->kind == RESTARTS && !(s->factor >= 1 && isfinite(s->factor)))
        return vn__fail(VN_E_ARG, "%s: periods that grow by %g; a number from 1 on is needed", who, s->factor);
    if (s->kind == NOAM && s->every < 1) return vn__fail(VN_E_ARG, "%s: a model of size %lld", who, (long long)s->every);
    const bool lasts = (s->kind >= LINEAR && s->kind <= ONE_CYCLE) || s->kind == POLYNOMIAL || s->kind >= RESTARTS;
    if (lasts && s->steps < 1 + (s->kind == LINEAR_CYCLE))
        return vn__fail(VN_E_ARG, "%s: a schedule over %lld steps", who, (long long)s->steps);
    return VN_OK;
}

static double one_cycle(double top, double x)
{
    const double peak = .3;
    return x < peak ? swing(top / 25, top, x / peak) : swing(top, top / 25 / 1e4, (x - peak) / (1 - peak));
}

/* Lines through what linear_one_cycle has at 0, 30, 85 and 100 % of its steps. */
static double linear_cycle(const vn_schedule *s, double step)
{
    const double n = (double)s->steps, top = s->rate, low = top / 25;
    const double at[] = {0, floor(.3 * n), floor(.85 * n), n}, rate[] = {low, top, low, low / 1e4};
    int k = 0;
    while (k < 2 && step >= at[k + 1]) k++;
    const double length = at[k + 1] - at[k], x = length > 0 ? fmin(1, (step - at[k]) / length) : 1;
    return rate[k] + (rate[k + 1] - rate[k]) * x;
}

/* The cosine that the step is in. Of periods that grow, the logarithm gives the number. */
static double restarts(const vn_schedule *s, double step)
{
    const double first = (double)s->steps, by = s->factor;
    double k = by > 1 ? floor(log1p(step * (by - 1) / first) / log(by)) : floor(step / first);
    double from = by > 1 ? first * (pow(by, k) - 1) / (by - 1) : k * first;
    if (from > step) k--, from = by > 1 ? first * (pow(by, k) - 1) / (by - 1) : k * first; /* rounding */
    return swing(s->rate, s->last, fmin(1, (step - from) / (first * pow(by, by > 1 ? k : 0))));
}

static double rate_at(const vn_schedule *s, int64_t step)
{
    double x = s->steps ? fmin(1, (double)step / (double)s->steps) : 0;
    switch (s->kind) {
    case STEPS: return s->rate * pow(s->factor, (double)(step / s->every));
    case EXPONENTIAL: return s->rate * pow(s->factor, (double)step / (double)s->every);
    case LINEAR: return s->rate + (s->last - s->rate) * x;
    case COSINE: return swing(s->rate, s->last, x);
    case POLYNOMIAL: return s->last + (s->rate - s->last) * pow(1 - x, s->factor);
    case INVERSE_TIME: return s->rate / (1 + s->factor * (double)step / (double)s->every);
    case RESTARTS: return restarts(s, (double)step);
    case NOAM: return s->rate / sqrt((double)s->every) * fmin(1 / sqrt((double)step + 1), ((double)step + 1) * pow((double)s->steps, -1.5));
    case LINEAR_CYCLE: return linear_cycle(s, (double)step);
    case ONE_CYCLE: return one_cycle(s->rate, x);
    case USER: {
        const size_t inside = vn__user_begin(vn__peek());
        double rate = s->fn(step, s->user);
        vn__user_end(vn__peek(), inside);
        return rate;
    }
    default: return s->rate;
    }
}

double vn_schedule_at(const vn_schedule *s, int64_t step)
{
    VN__FLOATS;
    if (!s) return vn__fail(VN_E_NULL, "schedule_at: s is NULL"), NAN;
    if (vn__schedule_check(s, "schedule_at")) return NAN;
    if (step < 0) return vn__fail(VN_E_ARG, "schedule_at: step %lld", (long long)step), NAN;
    if (step < s->warm_steps) return rate_at(s, 0) * (double)(step + 1) / (double)(s->warm_steps + 1);
    double rate = rate_at(s, step - s->warm_steps);
    if (!isfinite(rate) || rate < 0) return vn__fail(VN_E_ARG, "schedule_at: the rate of step %lld is %g", (long long)step, rate), NAN;
    return rate;
}

/* ---- by name ---- */

#define ROWS_schedule
#define MAKERS_schedule
#include "objects_table.inc"

int vn_schedule_make(const char *name, const vn_option *options, int n, vn_schedule *to)
{
    if (!to) return vn__fail(VN_E_NULL, "schedule_make: to is NULL");
    return vn__object_make("schedule_make", &vn__makers_schedule, name, options, n, to);
}
