/* SPDX-License-Identifier: Apache-2.0 */
/* log.c: one line per epoch, as CSV and as JSON lines. On start, a log is rewritten with the epochs of a resumed training, which
 * also drops epochs that were logged after the checkpoint; later lines are appended. */
#include "train/train.h"
#include "core/memory.h"
#include <math.h>

static const char who[] = "fit: log";

static void print_number(vn__text *t, double x, bool json)
{
    char number[32];
    vn__number_short(x, number);
    vn__print(t, "%s", json && !isfinite(x) ? "null" : number);
}

static void print_csv_head(const vn__fit *f, vn__text *t)
{
    vn__print(t, "epoch,step");
    for (int i = 0; i < f->n_scores; i++) vn__print(t, ",%s", f->names[i]);
    vn__print(t, ",lr,seconds\n");
}

static void print_line(const vn__fit *f, int64_t epoch, bool json, vn__text *t)
{
    const double *row = vn__row_at(f, epoch);
    vn__print(t, json ? "{\"epoch\": %lld, \"step\": %lld" : "%lld,%lld", (long long)epoch + 1, (long long)row[VN__ROW_STEP]);
    for (int i = 0; i < f->n_scores + 2; i++) {
        const char *name = i < f->n_scores ? f->names[i] : i == f->n_scores ? "lr" : "seconds";
        double x = i < f->n_scores ? row[VN__ROW_SCORES + i] : i == f->n_scores ? row[VN__ROW_LR] : row[VN__ROW_SECONDS];
        if (json) vn__print(t, ", \"%s\": ", name);
        else vn__print(t, ",");
        print_number(t, x, json);
    }
    vn__print(t, json ? "}\n" : "\n");
}

static int begin_one(const vn__fit *f, const char *path, bool json)
{
    if (!path) return VN_OK;
    vn__text t = {0};
    if (!json) print_csv_head(f, &t);
    for (int64_t i = 0; i < f->epoch; i++) print_line(f, i, json, &t);
    int code = t.failed ? vn__no_memory(who) : vn__write_whole(path, t.text, t.size, who);
    vn__free(t.text);
    return code;
}

static int append(const char *path, const vn__text *t)
{
    const char *what;
    int error = vn__append_line(path, t->text, t->size, &what);
    return error ? vn__io_failed(who, path, what, error) : VN_OK;
}

static int append_one(const vn__fit *f, const char *path, bool json)
{
    if (!path) return VN_OK;
    vn__text t = {0};
    print_line(f, f->epoch - 1, json, &t);
    int code = t.failed ? vn__no_memory(who) : append(path, &t);
    vn__free(t.text);
    return code;
}

int vn__log_begin(const vn__fit *f)
{
    int code = begin_one(f, f->o.log_csv, false);
    return code ? code : begin_one(f, f->o.log_jsonl, true);
}

int vn__log_epoch(const vn__fit *f)
{
    int code = append_one(f, f->o.log_csv, false);
    return code ? code : append_one(f, f->o.log_jsonl, true);
}
