/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c: the schema of a table as JSON, for checkpoints:
 *
 *     {"version": 1, "header": true, "columns": 5, "missing": "error",
 *      "features": [{"name": "age", "position": 0, "mean": 41.5, "deviation": 7, "fill": 41.5}, {"name": "colour", "classes": ["blue", "red"]}],
 *      "target": {"name": "price", "position": 4, "mean": 0, "deviation": 1}}
 *
 * The text is not trusted. */
#include "train/schema.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <math.h>

static const char *const missing_names[] = {"error", "drop", "fill"};

/* ---- writing ---- */

static void print_number(vn__text *to, const char *key, double x)
{
    char text[32];
    vn__number_print(x, text);
    vn__print(to, ",\"%s\":%s", key, text);
}

static void print_feature(vn__text *to, const vn__feature *f)
{
    vn__print(to, "{\"name\":");
    vn__print_json(to, f->name);
    vn__print(to, ",\"position\":%d", f->position);
    if (f->classes) {
        vn__print(to, "%s,\"classes\":[", f->numeric ? ",\"numeric\":true" : "");
        for (int64_t i = 0; i < f->n_classes; i++) {
            if (i) vn__print(to, ",");
            vn__print_json(to, f->classes[i]);
        }
        vn__print(to, "]");
    } else if (f->n_classes) {
        vn__print(to, ",\"classes\":%lld", (long long)f->n_classes);
    } else {
        print_number(to, "mean", f->mean);
        print_number(to, "deviation", f->deviation);
        print_number(to, "fill", f->fill);
    }
    vn__print(to, "}");
}

char *vn__schema_print(const vn__schema *s, const char *who)
{
    vn__text to = {0};
    vn__print(&to, "{\"version\":1,\"header\":%s,\"columns\":%d,\"missing\":\"%s\",\"standardized\":%s,\"features\":[",
              s->named ? "true" : "false", s->n_columns, missing_names[s->missing], s->standardized ? "true" : "false");
    for (int i = 0; i < s->n; i++) {
        if (i) vn__print(&to, ",");
        print_feature(&to, &s->features[i]);
    }
    vn__print(&to, "]");
    if (s->has_target) {
        vn__print(&to, ",\"target\":");
        print_feature(&to, &s->target);
    }
    vn__print(&to, "}");
    if (!to.failed) return to.text;
    vn__free(to.text);
    return vn__no_memory(who), NULL;
}

/* ---- reading ---- */

static void *allocate(size_t bytes, void *user)
{
    return vn__scope_memory(bytes, user);
}

int vn__schema_bad(const vn__origin *from, const char *what)
{
    return vn__fail(VN_E_FORMAT, "%s: the schema is not valid: %s", from->who, what);
}

static bool number_of(const vn__json_value *x, const char *key, double low, double high, double *to)
{
    const vn__json_value *v = vn__json_find(x, key);
    if (!v || v->kind != VN__JSON_NUMBER || !(v->number >= low && v->number <= high)) return false;
    *to = v->number;
    return true;
}

static int compare_classes(const vn__feature *f, const char *a, const char *b)
{
    double x, y;
    if (!f->numeric) return strcmp(a, b);
    if (!vn__number_parse(a, strlen(a), &x) || !vn__number_parse(b, strlen(b), &y)) return 0;
    return (x > y) - (x < y);
}

static int read_classes(const vn__json_value *v, const vn__origin *from, vn__feature *to)
{
    if (v->kind == VN__JSON_NUMBER) {
        if (!(v->number >= 1 && v->number <= 1 << 24) || v->number != floor(v->number)) return vn__schema_bad(from, "a number of classes");
        return to->n_classes = (int64_t)v->number, VN_OK;
    }
    if (v->kind != VN__JSON_LIST || !v->n) return vn__schema_bad(from, "classes that are not a list");
    const char **list = vn__scope_memory((size_t)v->n * sizeof *list, from->who);
    if (!list) return vn_status();
    for (const vn__json_value *c = v->first; c; c = c->next) {
        if (c->kind != VN__JSON_TEXT) return vn__schema_bad(from, "a class that is not a text");
        list[to->n_classes++] = c->text;
        if (to->n_classes > 1 && compare_classes(to, list[to->n_classes - 2], c->text) >= 0)
            return vn__schema_bad(from, "classes that are not in order");
    }
    double x;
    if (to->numeric && !vn__number_parse(list[0], strlen(list[0]), &x)) return vn__schema_bad(from, "a class that is not a number");
    return to->classes = list, VN_OK;
}

static int read_feature(const vn__json_value *v, const vn__origin *from, vn__feature *to, int columns, bool target)
{
    const vn__json_value *name = vn__json_find(v, "name"), *classes = vn__json_find(v, "classes"), *numeric = vn__json_find(v, "numeric");
    double position;
    *to = (vn__feature){.deviation = 1};
    if (!name || name->kind != VN__JSON_TEXT) return vn__schema_bad(from, "a column without a name");
    if (!number_of(v, "position", 0, columns - 1, &position) || position != floor(position))
        return vn__schema_bad(from, "a column without a position");
    to->name = name->text, to->position = (int)position;
    to->numeric = target && numeric && numeric->kind == VN__JSON_BOOL && numeric->number != 0;
    if (classes && !target && (classes->kind != VN__JSON_LIST || classes->n > VN__MAX_TEXTS))
        return vn__schema_bad(from, "classes of a feature");
    if (classes) return read_classes(classes, from, to);
    const double most = 1.7976931348623157e308;
    if (number_of(v, "mean", -most, most, &to->mean) && number_of(v, "deviation", 1e-300, most, &to->deviation) &&
        number_of(v, "fill", -most, most, &to->fill))
        return VN_OK;
    return vn__schema_bad(from, "a column of numbers without mean, deviation or fill");
}

static int read_features(const vn__json_value *all, const vn__origin *from, vn__schema *to)
{
    const vn__json_value *list = vn__json_find(all, "features"), *target = vn__json_find(all, "target");
    if (!list || list->kind != VN__JSON_LIST || !list->n || list->n > to->n_columns) return vn__schema_bad(from, "no features");
    to->features = vn__scope_memory((size_t)list->n * sizeof *to->features, from->who);
    if (!to->features) return vn_status();
    int code = VN_OK;
    for (const vn__json_value *v = list->first; v && !code; v = v->next)
        code = read_feature(v, from, &to->features[to->n++], to->n_columns, false);
    to->has_target = target != NULL;
    return code || !target ? code : read_feature(target, from, &to->target, to->n_columns, true);
}

const vn__json_value *vn__schema_json(const char *text, const vn__origin *from)
{
    vn__json j = {.text = text, .size = strlen(text)};
    if (!(j.room = vn__scope_memory(j.size + 1, from->who))) return NULL;
    const vn__json_limits limits = {allocate, (void *)(uintptr_t)from->who, 8, 1 << 23};
    const vn__json_value *all = vn__json_read(&j, &limits);
    double version;
    if (!all) {
        if (*j.problem) vn__schema_bad(from, j.problem);
        else vn__no_memory(from->who);
    } else if (!number_of(all, "version", 1, 1, &version)) {
        vn__schema_bad(from, "a version other than 1");
        all = NULL;
    }
    return all;
}

int vn__schema_read(const char *text, const vn__origin *from, vn__schema *to)
{
    *to = (vn__schema){.n = 0};
    const vn__json_value *all = vn__schema_json(text, from);
    if (!all) return vn_status();
    double columns;
    const vn__json_value *header = vn__json_find(all, "header"), *missing = vn__json_find(all, "missing"),
                         *standard = vn__json_find(all, "standardized");
    if (vn__json_find(all, "images"))
        return vn__fail(VN_E_FORMAT, "%s: %.300s is a table, and the schema, what was trained on, is of images", from->who, from->path);
    if (!number_of(all, "columns", 1, 1 << 17, &columns) || columns != floor(columns) || !header || header->kind != VN__JSON_BOOL)
        return vn__schema_bad(from, "no columns or header");
    to->named = header->number != 0, to->n_columns = (int)columns;
    to->standardized = standard && standard->kind == VN__JSON_BOOL && standard->number != 0;
    while (to->missing < 3 && !(missing && missing->kind == VN__JSON_TEXT && !strcmp(missing->text, missing_names[to->missing])))
        to->missing++;
    if (to->missing == 3) return vn__schema_bad(from, "missing is not error, drop or fill");
    return read_features(all, from, to);
}
