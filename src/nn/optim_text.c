/* SPDX-License-Identifier: Apache-2.0 */
/* optim_text.c: the text of an optimizer, by which vn_optim_parse makes it again: "chain(clip_by_global_norm(1), adam(0.001, beta1=0.8))". */
#include "nn/optim.h"
#include "base/base.h"
#include "core/text.h"
#include <math.h>

static void print_number(vn__text *t, double x)
{
    char number[32];
    vn__number_short(x, number);
    vn__print(t, "%s", number);
}

static void print_rate(vn__text *t, const vn__optimizer *b)
{
    if (b->schedule_text) vn__print(t, "%s", b->schedule_text);
    else print_number(t, b->lr);
}

/* One field that differs from its default, as ", name=value". */
static void print_field(vn__text *t, const vn__optimizer *b, int k, const char *before)
{
    const vn_op_option *option = &b->fields->options[k];
    const vn__field *f = &b->fields->fields[k];
    const char *at = (const char *)b->opts + f->offset;
    double real = 0;
    int64_t whole = 0;
    int flag = 0;
    const char *text = NULL;
    if (f->read == VN__FIELD_FLOAT) {
        memcpy(&real, at, sizeof real);
        if (real == option->value->u.f || (isnan(real) && isnan(option->value->u.f))) return;
        vn__print(t, "%s%s=", before, option->name);
        print_number(t, real);
        return;
    }
    if (f->read == VN__FIELD_INT) memcpy(&whole, at, sizeof whole);
    else if (f->read == VN__FIELD_FLAG) memcpy(&flag, at, sizeof flag), whole = flag;
    else if (f->read == VN__FIELD_TEXT) memcpy(&text, at, sizeof text);
    if (text) {
        if (strcmp(text, option->value->u.s) != 0) vn__print(t, "%s%s=%s", before, option->name, text);
    } else if (whole != option->value->u.i) {
        vn__print(t, "%s%s=%lld", before, option->name, (long long)whole);
    }
}

static void print(vn__text *t, const vn__optimizer *b)
{
    const char *before = "(";
    if (b->label) vn__print(t, "%s:", b->label);
    vn__print(t, "%s", b->rule->name);
    const size_t name = t->size;
    for (int k = 0; k < b->n_parts; k++, before = ", ") vn__print(t, "%s", before), print(t, vn__optim_of(b->part[k]));
    if (b->text) vn__print(t, "%s%s", before, b->text);
    if (b->rule->rated) vn__print(t, "%s", before), print_rate(t, b), before = ", ";
    for (int k = 0; k < b->n_numbers; k++, before = ", ") vn__print(t, "%s", before), print_number(t, b->number[k]);
    for (int k = 0; b->fields && k < b->fields->n; k++) print_field(t, b, k, t->size == name ? "(" : ", ");
    if (t->size > name) vn__print(t, ")");
}

const char *vn_optim_text(const vn_optim *o)
{
    static const char who[] = "optim_text";
    if (!vn__check(o, VN__OPTIM, who, "o")) return NULL;
    vn__text t = {0};
    print(&t, vn__optim_of(o));
    char *text = t.failed ? (vn__no_memory(who), NULL) : vn__scope_memory(t.size + 1, who);
    if (text) memcpy(text, t.text, t.size + 1);
    vn__free(t.text);
    return text;
}
