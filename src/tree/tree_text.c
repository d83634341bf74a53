/* SPDX-License-Identifier: Apache-2.0 */
/* tree_text.c: trees as text, one entry per line:
 *
 *     {
 *         enc: {
 *             b: [0. 0.]
 *             w: float32 64x2
 *         }
 *         rate: 0.1
 *     }
 */
#include "tree/tree.h"
#include "base/base.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>

enum { LIMIT = 10, INDENT = 4, MAX_INDENT = 16 };

typedef struct {
    vn_tree_text_opts o;
    vn__text text, path;
    const char *who;
} writer;

static bool small(const writer *w, const vn_tree *in, const vn_array *x)
{
    int64_t limit = w->o.print_limit ? w->o.print_limit : vn__tree_of(in)->print_limit ? vn__tree_of(in)->print_limit : LIMIT;
    return vn_size(x) <= limit;
}

/* Is the path at, below or above `only`? */
static bool shown(const writer *w)
{
    const char *path = vn__path(&w->path);
    return !w->o.only || vn__chain_within(path, (const char *const[]){w->o.only, NULL}) ||
           vn__chain_within(w->o.only, (const char *const[]){path, NULL});
}

/* Counts or collects the arrays whose elements will be shown. */
static size_t shown_arrays(writer *w, const vn_tree *t, int depth, vn_array **list, size_t n)
{
    const vn__tree *b = vn__tree_of(t);
    if (w->o.max_depth && depth >= w->o.max_depth) return n;
    for (size_t i = 0; i < b->n; i++) {
        vn_value v = b->items[i].value;
        size_t before = vn__path_push(&w->path, b->items[i].key);
        if (vn__is_tree(v) && shown(w)) n = shown_arrays(w, v.u.tree, depth + 1, list, n);
        if (vn__is_array(v) && shown(w) && small(w, t, v.u.array)) {
            if (list) list[n] = v.u.array;
            n++;
        }
        vn__path_pop(&w->path, before);
    }
    return n;
}

/* Further lines of an array are indented below its first element. */
static bool put_array(writer *w, const vn_tree *in, vn_array *x, int column)
{
    if (!small(w, in, x)) {
        vn_shape s = vn_shape_of(x);
        vn__print(&w->text, "%s ", vn_dtype_name(vn_dtype_of(x)));
        vn__print_shape(&w->text, s.rank, s.dim);
        return true;
    }
    const char *text = vn_text(x);
    if (!text) return false;
    for (;;) {
        size_t len = strcspn(text, "\n");
        vn__print(&w->text, "%.*s", (int)len, text);
        if (!text[len]) return true;
        text += len + 1;
        if (*text != '\n') vn__print(&w->text, "\n%*s", column, "");
        else vn__print(&w->text, "\n");
    }
}

/* With a decimal point in any locale. */
static void put_number(writer *w, double number)
{
    char text[32];
    vn__number_digits(number, 15, text);
    vn__print(&w->text, "%s", text);
}

static bool put_tree(writer *w, const vn_tree *t, int depth)
{
    const vn__tree *b = vn__tree_of(t);
    if (!b->n || (w->o.max_depth && depth >= w->o.max_depth)) {
        vn__print(&w->text, b->n ? "{...}" : "{}");
        return true;
    }
    vn__print(&w->text, "{\n");
    for (size_t i = 0; i < b->n; i++) {
        vn_value v = b->items[i].value;
        int column = (depth + 1) * w->o.indent;
        size_t before = vn__path_push(&w->path, b->items[i].key);
        vn__print(&w->text, "%*s%s: ", column, "", b->items[i].key);
        bool ok = true;
        if (!shown(w)) vn__print(&w->text, "...");
        else if (vn__is_tree(v)) ok = put_tree(w, v.u.tree, depth + 1);
        else if (vn__is_array(v)) ok = put_array(w, t, v.u.array, column + (int)strlen(b->items[i].key) + 2);
        else if (v.kind == VN_V_NUMBER) put_number(w, v.u.number);
        else vn__print(&w->text, "null");
        vn__print(&w->text, "\n");
        vn__path_pop(&w->path, before);
        if (!ok) return false;
    }
    vn__print(&w->text, "%*s}", depth * w->o.indent, "");
    return true;
}

/* Evaluates them as one program. The second walk reuses the path's memory, so it cannot fail where the first did not. */
static bool evaluate_shown(writer *w, const vn_tree *t)
{
    size_t n = shown_arrays(w, t, 0, NULL, 0);
    vn_array **list = w->path.failed || !n ? NULL : vn__alloc(n * sizeof *list);
    if (!list) return n ? (vn__no_memory(w->who), false) : true;
    shown_arrays(w, t, 0, list, 0);
    int code = vn_eval((int)n, list);
    vn__free(list);
    return !code;
}

static const char *text_of(const vn_tree *t, const vn_tree_text_opts *opts, const char *who)
{
    writer w = {.who = who};
    if (vn__take(&w.o, sizeof w.o, opts, "tree_text")) return NULL;
    if (w.o.print_limit < 0 || w.o.indent < 0 || w.o.indent > MAX_INDENT || w.o.max_depth < 0)
        return vn__fail(VN_E_ARG, "%s: print_limit is %lld, indent %d, max_depth %d", who, (long long)w.o.print_limit, w.o.indent,
                        w.o.max_depth),
               NULL;
    if (!w.o.indent) w.o.indent = INDENT;
    if (!vn__tree_ok(t, who, "t")) return NULL;
    char *out = NULL;
    bool ok = evaluate_shown(&w, t) && put_tree(&w, t, 0);
    if (ok && (w.text.failed || w.path.failed)) vn__no_memory(who);
    else if (ok && (out = vn__scope_memory(w.text.size + 1, who))) memcpy(out, w.text.text, w.text.size + 1);
    vn__free(w.text.text);
    vn__free(w.path.text);
    return out;
}

const char *vn_tree_text(const vn_tree *t, const vn_tree_text_opts *opts)
{
    return text_of(t, opts, "tree_text");
}

int vn_tree_fprint(FILE *to, const vn_tree *t, const vn_tree_text_opts *opts)
{
    static const char who[] = "tree_fprint";
    if (!to) return vn__fail(VN_E_NULL, "%s: the stream is NULL", who);
    VN_SCOPE;
    const char *text = text_of(t, opts, who);
    if (!text) return (int)vn_status();
    return fprintf(to, "%s\n", text) < 0 ? vn__fail(VN_E_IO, "%s: writing failed", who) : VN_OK;
}
