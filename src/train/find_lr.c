/* SPDX-License-Identifier: Apache-2.0 */
/* find_lr.c: the learning-rate finder: a short training whose rate rises from step to step. Afterwards the module gets its state back. */
#include "train/train.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include <math.h>

static const char who[] = "find_lr";
enum { MAX_STEPS = 1000000 };
static const double keep = .9; /* the decay of the moving average of the losses */

typedef struct {
    double from, to, *rates, *losses, *smooth;
    int64_t n, steps;
    double mean, best;
} finding;

static double rate_at(int64_t step, void *user)
{
    const finding *f = user;
    return f->from * pow(f->to / f->from, (double)step / (double)(f->steps - 1));
}

/* Notes each step's rate, loss and moving average of the losses. Ends when that average has grown far beyond its best. */
static int watch(const vn_fit_event *e, void *user)
{
    finding *f = user;
    if (e->moment != VN_FIT_STEP) return 0;
    if (!isfinite(e->loss)) return 1;
    f->mean = keep * f->mean + (1 - keep) * e->loss;
    const double mean = f->mean / (1 - pow(keep, (double)(f->n + 1)));
    f->rates[f->n] = e->lr, f->losses[f->n] = e->loss, f->smooth[f->n++] = mean;
    if (f->n == 1 || mean < f->best) f->best = mean;
    return f->n == f->steps || (f->n > 1 && mean > 4 * fabs(f->best) + 1e-12 && f->n > f->steps / 10);
}

/* Suggests the rate at which the loss falls fastest, against the logarithm of the rate, before its minimum. There are three steps at least. */
static void suggest(const finding *f, vn_lr_found *to)
{
    int64_t least = 0, steep = 0;
    double slope = 0;
    for (int64_t k = 1; k < f->n; k++)
        if (f->smooth[k] < f->smooth[least]) least = k;
    for (int64_t k = 1; k < least; k++) {
        const double s = (f->smooth[k + 1] - f->smooth[k - 1]) / log(f->rates[k + 1] / f->rates[k - 1]);
        if (s < slope) slope = s, steep = k;
    }
    to->n = f->n, to->rates = f->rates, to->losses = f->losses, to->smooth = f->smooth;
    to->least = f->rates[least];
    to->suggested = slope < 0 ? f->rates[steep] : fmax(f->rates[least] / 10, f->rates[0]);
}

static int check(const vn_find_lr_opts *o)
{
    if (!(o->from > 0 && isfinite(o->to) && o->to > o->from))
        return vn__fail(VN_E_ARG, "%s: from %g to %g; rates above 0 that rise are needed", who, o->from, o->to);
    if (o->steps < 10 || o->steps > MAX_STEPS)
        return vn__fail(VN_E_ARG, "%s: %lld steps; 10 to %d are needed", who, (long long)o->steps, MAX_STEPS);
    return VN_OK;
}

/* The training itself, with an optimizer of the same kind. */
static int try_rates(vn_module *m, vn_dataset *data, const vn_find_lr_opts *o, finding *f)
{
    const char *text = o->optim ? vn_optim_text(o->optim) : "adam";
    vn_optim *optim = text ? vn_optim_parse(text) : NULL;
    if (!optim || vn_optim_schedule(optim, vn_schedule_of(rate_at, f))) return vn_status();
    vn_fit_opts fit = {.size = sizeof fit, .epochs = f->steps, .batch = o->batch, .seed = o->seed, .optim = optim};
    fit.loss = o->loss, fit.made_loss = o->made_loss, fit.loss_fn = o->loss_fn, fit.loss_user = o->loss_user, fit.metrics = "none";
    fit.watch = watch, fit.watch_user = f;
    return vn__fit_all(m, data, &fit, NULL, true);
}

int vn_find_lr(vn_module *m, vn_dataset *data, const vn_find_lr_opts *opts, vn_lr_found *result)
{
    vn_find_lr_opts o = {0};
    if (vn__take(&o, sizeof o, opts, who) || VN__OBJECTS(opts, o.optim)) return vn_status();
    if (!vn__check(m, VN__MODULE, who, "m") || !vn__check(data, VN__DATASET, who, "data")) return vn_status();
    if (!result) return vn__fail(VN_E_NULL, "%s: result is NULL", who);
    if (result->size != sizeof *result)
        return vn__fail(VN_E_ARG, "%s: size of the result is %zu; it must be sizeof(vn_lr_found)", who, result->size);
    if (o.from == 0) o.from = 1e-7;
    if (o.to == 0) o.to = 10;
    if (!o.steps) o.steps = 100;
    if (check(&o)) return vn_status();
    finding f = {.from = o.from, .to = o.to, .steps = o.steps};
    f.rates = vn__scope_memory(3 * (size_t)o.steps * sizeof *f.rates, who);
    if (!f.rates) return vn_status();
    f.losses = f.rates + o.steps, f.smooth = f.losses + o.steps;
    VN_SCOPE;
    uint64_t random[2];
    vn_random_state(random);
    if (!vn_module_is_built(m) && !vn_module_build(m, NULL)) return vn__fail_in(who);
    vn_tree *state = vn_module_state(m);
    if (!state) return vn_status();
    int code = try_rates(m, data, &o, &f);
    const int back = vn_module_set_state(m, state);
    vn_random_set_state(random);
    if (code || back) return code ? vn__fail_in(who) : back;
    if (f.n < 3)
        return vn__fail(VN_E_ARG, "%s: the loss was not finite after %lld steps; a smaller `from` than %g may help", who, (long long)f.n,
                        o.from);
    suggest(&f, result);
    return VN_OK;
}
