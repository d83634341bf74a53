/* SPDX-License-Identifier: Apache-2.0 */
/* object_list.c: lists the objects of a family, by the family's name. */
#include "nn/objects.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include "core/text.h"
#include <string.h>

static const vn__family *const families[] = {
#define FAMILY(name) &vn__family_##name,
    VN__FAMILIES(FAMILY)
#undef FAMILY
};
enum { FAMILIES = sizeof families / sizeof *families };

/* The family of that name; NULL, with the error set, if there is none. */
static const vn__family *family_named(const char *who, const char *name)
{
    if (!name) return vn__fail(VN_E_NULL, "%s: family is NULL", who), NULL;
    vn__text t = {0};
    for (int k = 0; k < FAMILIES; k++) {
        if (!strcmp(families[k]->name, name)) return vn__free(t.text), families[k];
        vn__print(&t, "%s%s", k ? ", " : "", families[k]->name);
    }
    vn__fail(VN_E_ARG, "%s: there is no family \"%.40s\"; possible are %s", who, name, t.failed ? "others" : t.text);
    vn__free(t.text);
    return NULL;
}

int vn_object_count(const char *family)
{
    const vn__family *f = family_named("object_count", family);
    return f ? f->n : -1;
}

int vn_object_at(const char *family, int i, vn_op_info *info)
{
    const vn__family *f = family_named("object_at", family);
    if (!f) return vn_status();
    if (i < 0 || i >= f->n) return vn__fail(VN_E_ARG, "object_at: there is no %s %d; there are %d", f->name, i, f->n);
    const vn__object_row *r = &f->rows[i];
    const vn_op_info known = {.size = sizeof known,
                              .name = r->name,
                              .kind = f->name,
                              .doc = r->doc,
                              .n_options = r->n_options,
                              .options = r->options,
                              .dtypes = r->dtypes,
                              .option_size = sizeof(vn_op_option)};
    return VN__GIVE("object_at", vn_op_info, info, &known);
}

const char *vn_object_text(const char *family, const char *name, const vn_option *options, int n)
{
    const vn__family *f = family_named("object_text", family);
    return f ? vn__object_text("object_text", f, name, options, n) : NULL;
}
