/* SPDX-License-Identifier: Apache-2.0 */
/* callbacks.c: what a training does beside its steps, as text: "reduce_on_plateau(0.5, patience=3), early_stopping(10)". Each name sets options of vn_fit_opts; and the
 * learning rate that falls when the monitored score is no longer better. */
#include "train/train.h"
#include "base/base.h"
#include "base/nearest.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/nn.h"
#include "nn/objects.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static const char who[] = "fit";

/* ---- texts ---- */

typedef enum { FLAG, WHOLE, NUMBER, TEXT } kind;
typedef struct {
    const char *callback, *option; /* options in their order */
    kind kind;
    size_t offset; /* in vn_fit_opts */
} setting;
#define AT(field) offsetof(vn_fit_opts, field)
static const setting settings[] = {
    {"early_stopping", "patience", WHOLE, AT(patience)},
    {"early_stopping", "min_delta", NUMBER, AT(min_delta)},
    {"early_stopping", "monitor", TEXT, AT(monitor)},
    {"early_stopping", "restore_best", FLAG, AT(restore_best)},
    {"reduce_on_plateau", "factor", NUMBER, AT(plateau_factor)},
    {"reduce_on_plateau", "patience", WHOLE, AT(plateau_patience)},
    {"reduce_on_plateau", "cooldown", WHOLE, AT(plateau_cooldown)},
    {"reduce_on_plateau", "min_lr", NUMBER, AT(min_lr)},
    {"reduce_on_plateau", "min_delta", NUMBER, AT(min_delta)},
    {"reduce_on_plateau", "monitor", TEXT, AT(monitor)},
    {"checkpoint", "path", TEXT, AT(checkpoint)},
    {"checkpoint", "every", WHOLE, AT(checkpoint_every)},
    {"best", "path", TEXT, AT(best)},
    {"best", "monitor", TEXT, AT(monitor)},
    {"average", "decay", NUMBER, AT(average)},
    {"tensorboard", "folder", TEXT, AT(tensorboard)},
    {"csv_log", "path", TEXT, AT(log_csv)},
    {"json_log", "path", TEXT, AT(log_jsonl)},
    {"report", "path", TEXT, AT(report)},
};
enum { N = sizeof settings / sizeof *settings };
static const char *name_of(int i, void *user)
{
    (void)user;
    return settings[i].callback;
}

static char *trimmed(char *s)
{
    while (*s == ' ') s++;
    size_t n = strlen(s);
    while (n && s[n - 1] == ' ') n--;
    s[n] = 0;
    return s;
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

/* A field that is set already, to another value, is not overwritten in silence. */
static int put(vn_fit_opts *o, const setting *s, const char *value)
{
    static const char zeros[8] = {0};
    char *at = (char *)o + s->offset;
    double x = 0;
    const bool number = s->kind != TEXT && vn__number_parse(value, strlen(value), &x), whole = number && x == floor(x) && fabs(x) < 0x1p53;
    if (s->kind == TEXT && !*value) return vn__fail(VN_E_ARG, "%s: %s: %s is empty", who, s->callback, s->option);
    if (s->kind == FLAG && (!strcmp(value, "true") || !strcmp(value, "false"))) x = !strcmp(value, "true");
    else if (s->kind != TEXT && !(s->kind == NUMBER ? number : whole))
        return vn__fail(VN_E_ARG, "%s: %s: %s is \"%.40s\"; a %snumber is needed", who, s->callback, s->option, value,
                        s->kind == NUMBER ? "" : "whole ");
    int flag = (int)fmin(fmax(x, -1), 2);
    int64_t count = s->kind == WHOLE ? (int64_t)x : 0;
    const void *from = s->kind == FLAG     ? (void *)&flag
                       : s->kind == WHOLE  ? (void *)&count
                       : s->kind == NUMBER ? (void *)&x
                                           : (void *)&value;
    const size_t size = s->kind == FLAG ? sizeof flag : sizeof count;
    const char *before = NULL;
    if (s->kind == TEXT) memcpy(&before, at, sizeof before);
    const bool same = s->kind == TEXT ? before && !strcmp(before, value) : !memcmp(at, from, size);
    if (memcmp(at, zeros, size) != 0 && !same)
        return vn__fail(VN_E_ARG, "%s: %s: %s is given twice, with different values", who, s->callback, s->option);
    memcpy(at, from, size);
    return VN_OK;
}

static int take_one(vn_fit_opts *o, char *text)
{
    char *open = strchr(text, '('), *end = text + strlen(text);
    if (open && end[-1] != ')') return vn__fail(VN_E_ARG, "%s: callback \"%.60s\": a bracket is not closed", who, text);
    if (open) *open = end[-1] = 0;
    const char *name = trimmed(text);
    int first = 0, place = 0;
    while (first < N && strcmp(settings[first].callback, name) != 0) first++;
    if (first == N) return unknown(name);
    for (char *item = open ? trimmed(open + 1) : end; *item;) {
        const size_t n = vn__item_length(item);
        char *next = item[n] ? item + n + 1 : item + n, *equals = NULL;
        item[n] = 0;
        equals = strchr(item, '=');
        int k = first + place++;
        if (equals) {
            *equals = 0;
            for (k = first; k < N && !strcmp(settings[k].callback, name) && strcmp(settings[k].option, trimmed(item)) != 0;) k++;
            item = equals + 1;
        }
        if (k >= N || strcmp(settings[k].callback, name) != 0)
            return vn__fail(VN_E_ARG, "%s: callback %s has no %s \"%.40s\"", who, name, equals ? "option" : "place for",
                            trimmed(equals ? text : item));
        if (put(o, &settings[k], trimmed(item))) return vn_status();
        item = next;
        while (*item == ' ') item++;
    }
    const bool needed = settings[first].kind == TEXT || !strcmp(name, "average");
    if (needed && !place) return vn__fail(VN_E_ARG, "%s: callback %s needs its %s", who, name, settings[first].option);
    if (!strcmp(name, "reduce_on_plateau") && !o->plateau_patience) o->plateau_patience = 10;
    if (!strcmp(name, "early_stopping") && !o->patience) o->patience = 10;
    return VN_OK;
}

int vn__fit_callbacks(vn_fit_opts *o)
{
    if (!o->callbacks) return VN_OK;
    char *text = vn__scope_memory(strlen(o->callbacks) + 1, who);
    if (!text) return vn_status();
    strcpy(text, o->callbacks);
    for (bool more = *trimmed(text); more;) {
        const size_t n = vn__item_length(text);
        char *next = text + n + 1;
        more = text[n] == ',';
        text[n] = 0;
        if (take_one(o, trimmed(text))) return vn_status();
        text = next;
    }
    return VN_OK;
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
    if (!(o->min_lr >= 0) || isinf(o->min_lr)) return vn__fail(VN_E_ARG, "%s: min_lr is %g", who, o->min_lr);
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
