/* SPDX-License-Identifier: Apache-2.0 */
/* optim_make.c: optimizers and transformations by name, and from text: "chain(clip_by_global_norm(1), adam)". */
#include "nn/optim.h"
#include "core/state.h"
#include <string.h>

#define MAKERS_optimizer
#define MAKERS_transformation
#include "objects_table.inc"

/* Those of the family that has this name. */
static const vn__makers *makers_of(const char *name)
{
    return name && vn__object_named(&vn__family_transformation, name) ? &vn__makers_transformation : &vn__makers_optimizer;
}

vn_optim *vn_optim_make(const char *name, const vn_option *options, int n)
{
    vn_optim *o = NULL;
    return vn__object_make("optim_make", makers_of(name), name, options, n, &o) ? NULL : o;
}

/* ---- as text, in which parts are texts too ---- */

/* How deep brackets are nested. */
static int nested(const char *text)
{
    int depth = 0, most = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth > most) most = depth;
    }
    return most;
}

vn_optim *vn__optim_of_text(const char *who, const char *text)
{
    char name[VN__OBJECT_TEXT], rate[VN__OBJECT_TEXT] = "";
    vn_optim *made = NULL;
    if (!text) return vn__fail(VN_E_NULL, "%s: the text of an optimizer is NULL", who), NULL;
    if (strlen(text) >= VN__OBJECT_TEXT || nested(text) > VN__OPTIM_DEEP)
        return vn__fail(VN_E_ARG, "%s: \"%.40s...\" is no optimizer: it is too long", who, text), NULL;
    const size_t word = strcspn(text, "(:");
    const char *label = text[word] == ':' ? text : NULL;
    if (label) text += word + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "("), text);
    const vn__makers *makers = makers_of(vn__trimmed(name));
    if (vn__object_of_text(who, makers, text, &made, makers == &vn__makers_optimizer ? rate : NULL)) return NULL;
    if (*rate && vn_optim_schedule_text(made, rate)) return NULL;
    if (!label) return made;
    snprintf(name, sizeof name, "%.*s", (int)word, label);
    return vn_optim_rename(made, vn__trimmed(name)) ? NULL : made;
}

vn_optim *vn_optim_parse(const char *text)
{
    return vn__optim_of_text("optim_parse", text);
}

bool vn__optims_of_text(const char *who, const char *text, int *n, vn_optim *to[static VN__OPTIM_PARTS])
{
    *n = 0;
    for (bool more = true; more;) {
        char item[VN__OBJECT_TEXT];
        const size_t length = vn__item_length(text);
        if (length >= VN__OBJECT_TEXT || *n == VN__OPTIM_PARTS)
            return vn__fail(VN_E_ARG, "%s: more than %d parts, or a text that is too long", who, VN__OPTIM_PARTS), false;
        snprintf(item, sizeof item, "%.*s", (int)length, text);
        if (!(to[(*n)++] = vn__optim_of_text(who, item))) return false;
        more = text[length] == ',';
        text += length + more;
    }
    return true;
}
