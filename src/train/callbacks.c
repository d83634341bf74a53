/* SPDX-License-Identifier: Apache-2.0 */
/* callbacks.c: what a training does beside its steps, as text: "reduce_on_plateau(0.5, patience=3), early_stopping(10)". Each name sets options of vn_fit_opts; and the
 * learning rate that falls when the monitored score is no longer better. */
#include "train/train.h"
#include "base/base.h"
#include "base/nearest.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include "nn/nn.h"
#include "nn/objects.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static const char who[] = "fit";

/* ---- texts ---- */

const vn__fit_option vn__fit_options[] = {
#define FIT_OPTION(kind, name, where) {#name, VN__FIT_##kind, offsetof(vn_fit_opts, name)},
#include "train/fit.def"
#undef FIT_OPTION
    {0},
};
enum {
#define FIT_OPTION(kind, name, where) FIT_##name,
#include "train/fit.def"
#undef FIT_OPTION
};

typedef struct {
    const char *callback, *option; /* options in their order */
    int fit;                       /* the option of vn_fit */
    const char *otherwise;         /* the value if it is not given; NULL: vn_fit's own default */
} setting;
static const char must[] = ""; /* there is no other value */
static const setting settings[] = {
    {"early_stopping", "patience", FIT_patience, "10"},
    {"early_stopping", "min_delta", FIT_min_delta, NULL},
    {"early_stopping", "monitor", FIT_monitor, NULL},
    {"early_stopping", "restore_best", FIT_restore_best, NULL},
    {"reduce_on_plateau", "factor", FIT_plateau_factor, NULL},
    {"reduce_on_plateau", "patience", FIT_plateau_patience, "10"},
    {"reduce_on_plateau", "cooldown", FIT_plateau_cooldown, NULL},
    {"reduce_on_plateau", "min_lr", FIT_min_lr, NULL},
    {"reduce_on_plateau", "min_delta", FIT_min_delta, NULL},
    {"reduce_on_plateau", "monitor", FIT_monitor, NULL},
    {"checkpoint", "path", FIT_checkpoint, must},
    {"checkpoint", "every", FIT_checkpoint_every, NULL},
    {"best", "path", FIT_best, must},
    {"best", "monitor", FIT_monitor, NULL},
    {"average", "decay", FIT_average, must},
    {"tensorboard", "folder", FIT_tensorboard, must},
    {"csv_log", "path", FIT_log_csv, must},
    {"json_log", "path", FIT_log_jsonl, must},
    {"report", "path", FIT_report, must},
};
enum { N = sizeof settings / sizeof *settings };
static const char *name_of(int i, void *user)
{
    (void)user;
    return settings[i].callback;
}

static int unknown(const char *name)
{
    char hint[128], list[300] = "";
    for (int i = 0; i < N; i++)
        if (!i || strcmp(settings[i].callback, settings[i - 1].callback) != 0)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", settings[i].callback);
    return vn__fail(VN_E_ARG, "%s: there is no callback \"%.40s\"; possible are %s%s", who, name, list,
                    vn__did_you_mean(name, N, name_of, NULL, hint));
}

static size_t size_of(const vn__fit_option *f)
{
    return f->kind == VN__FIT_FLAG ? sizeof(int) : f->kind == VN__FIT_TEXT ? sizeof(char *) : sizeof(int64_t);
}

static bool is_set(const vn_fit_opts *o, const setting *s)
{
    static const char zeros[8] = {0};
    const vn__fit_option *f = &vn__fit_options[s->fit];
    return memcmp((const char *)o + f->offset, zeros, size_of(f)) != 0;
}

/* A field that is set already, to another value, is not overwritten in silence. */
static int put(vn_fit_opts *o, const setting *s, const char *value)
{
    const vn__fit_option *f = &vn__fit_options[s->fit];
    const bool is_text = f->kind == VN__FIT_TEXT, is_flag = f->kind == VN__FIT_FLAG, is_number = f->kind == VN__FIT_NUMBER;
    char *at = (char *)o + f->offset;
    double x = 0;
    const bool number = !is_text && vn__number_parse(value, strlen(value), &x), whole = number && x == floor(x) && fabs(x) < 0x1p53;
    if (is_text && !*value) return vn__fail(VN_E_ARG, "%s: %s: %s is empty", who, s->callback, s->option);
    if (is_flag && (!strcmp(value, "true") || !strcmp(value, "false"))) x = !strcmp(value, "true");
    else if (!is_text && !(is_number ? number : whole))
        return vn__fail(VN_E_ARG, "%s: %s: %s is \"%.40s\"; a %snumber is needed", who, s->callback, s->option, value,
                        is_number ? "" : "whole ");
    int flag = (int)fmin(fmax(x, -1), 2);
    int64_t count = is_flag || is_number ? 0 : (int64_t)x;
    const void *from = is_flag ? (void *)&flag : is_number ? (void *)&x : is_text ? (void *)&value : (void *)&count;
    const char *before = NULL;
    if (is_text) memcpy(&before, at, sizeof before);
    const bool same = is_text ? before && !strcmp(before, value) : !memcmp(at, from, size_of(f));
    if (is_set(o, s) && !same) return vn__fail(VN_E_ARG, "%s: %s: %s is given twice, with different values", who, s->callback, s->option);
    memcpy(at, from, size_of(f));
    return VN_OK;
}

/* The setting that an item "5" or "patience=5" is about; *item becomes the value. */
static const setting *find(const setting *all, int n, int place, char **item)
{
    char *equals = strchr(*item, '=');
    int k = place;
    if (equals) {
        *equals = 0;
        const char *option = vn__trimmed(*item);
        for (k = 0; k < n && strcmp(all[k].option, option) != 0;) k++;
    }
    if (k >= n)
        return vn__fail(VN_E_ARG, "%s: callback %s has no %s \"%.40s\"", who, all->callback, equals ? "option" : "place for",
                        vn__trimmed(*item)),
               NULL;
    if (equals) *item = vn__trimmed(equals + 1);
    return &all[k];
}

static int take_one(vn_fit_opts *o, char *text)
{
    char *name, *inside, *item;
    int n = 0;
    if (vn__cut_call(who, "callback", text, &name, &inside)) return vn_status();
    const setting *all = settings;
    while (all < settings + N && strcmp(all->callback, name) != 0) all++;
    if (all == settings + N) return unknown(name);
    while (all + n < settings + N && !strcmp(all[n].callback, name)) n++;
    if (inside && !*inside) inside = NULL;
    for (int place = 0; (item = vn__next_item(&inside)); place++) {
        const setting *s = find(all, n, place, &item);
        if (!s || put(o, s, item)) return vn_status();
    }
    for (int k = 0; k < n; k++) {
        if (!all[k].otherwise || is_set(o, &all[k])) continue;
        if (all[k].otherwise == must) return vn__fail(VN_E_ARG, "%s: callback %s needs its %s", who, name, all[k].option);
        if (put(o, &all[k], all[k].otherwise)) return vn_status();
    }
    return VN_OK;
}

int vn__fit_callbacks(vn_fit_opts *o)
{
    if (!o->callbacks) return VN_OK;
    char *text = vn__scope_memory(strlen(o->callbacks) + 1, who), *item;
    if (!text) return vn_status();
    strcpy(text, o->callbacks);
    if (!*vn__trimmed(text)) return VN_OK;
    while ((item = vn__next_item(&text)))
        if (take_one(o, item)) return vn_status();
    return VN_OK;
}

int vn_fit_callbacks(vn_fit_opts *opts)
{
    vn_fit_opts o = {0};
    if (!opts) return vn__fail(VN_E_NULL, "fit_callbacks: opts is NULL");
    if (vn__take(&o, sizeof o, opts, "fit") || vn__fit_callbacks(&o)) return vn_status();
    return VN__GIVE("fit_callbacks", vn_fit_opts, opts, &o);
}

/* ---- plateaus ---- */

int vn__fit_check_plateau(vn_fit_opts *o)
{
    if (o->plateau_patience < 0 || o->plateau_cooldown < 0)
        return vn__fail(VN_E_ARG, "%s: plateau_patience is %lld, plateau_cooldown %lld; none can be below 0", who,
                        (long long)o->plateau_patience, (long long)o->plateau_cooldown);
    if (!o->plateau_patience && (o->plateau_factor != 0 || o->plateau_cooldown || o->min_lr != 0))
        return vn__fail(VN_E_ARG, "%s: plateau_factor, plateau_cooldown and min_lr have no effect without plateau_patience", who);
    if (o->plateau_factor == 0) o->plateau_factor = .1;
    if (!(o->plateau_factor > 0 && o->plateau_factor < 1))
        return vn__fail(VN_E_ARG, "%s: plateau_factor is %g; a number above 0 and below 1 is needed", who, o->plateau_factor);
    if (!(o->min_lr >= 0) || isinf(o->min_lr))
        return vn__fail(VN_E_ARG, "%s: min_lr is %g; a number of 0 or more is needed", who, o->min_lr);
    return VN_OK;
}

/* What learning rates are multiplied by after the epochs so far. It follows from the history alone, so that a training that is resumed goes on alike. */
int vn__fit_plateau(vn__fit *f)
{
    if (!f->o.plateau_patience) return VN_OK;
    double scale = 1, best = NAN;
    int64_t wait = 0, cooling = 0;
    for (int64_t k = 0; k < f->epoch; k++) {
        const double *row = vn__row_at(f, k), value = row[VN__ROW_SCORES + f->monitor], rate = row[VN__ROW_LR];
        if (cooling) cooling--, wait = 0;
        if (isnan(best) || (f->smaller ? value < best - f->o.min_delta : value > best + f->o.min_delta)) {
            best = value, wait = 0;
        } else if (!cooling && ++wait >= f->o.plateau_patience) {
            if (rate > f->o.min_lr) scale *= fmax(rate * f->o.plateau_factor, f->o.min_lr) / rate, cooling = f->o.plateau_cooldown;
            wait = 0;
        }
    }
    vn__optim_scale_rates(f->optim, scale);
    return VN_OK;
}
