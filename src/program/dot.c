/* SPDX-License-Identifier: Apache-2.0 */
/* dot.c: recorded ops as a graph in Graphviz's language. Nodes are walked under the graph's lock and printed in the order in which they are computed. */
#include "program/node.h"
#include "program/program.h"
#include "core/memory.h"
#include "tree/tree.h"
#include "core/text.h"
#include <string.h>

static const char who[] = "graph_dot";

/* The nodes found so far, each with its number; and those whose inputs are still to be seen. */
typedef struct {
    const vn__node **table; /* by address; NULL: free */
    uint32_t *number;
    size_t size, n; /* size: a power of two */
    struct {
        const vn__node *node;
        int next; /* input */
    } * stack;
    size_t deep, room;
    bool failed;
} walk;

static size_t place_of(const walk *w, const vn__node *n)
{
    size_t at = (size_t)((uintptr_t)n / 16 * 0x9E3779B97F4A7C15u) & (w->size - 1);
    while (w->table[at] && w->table[at] != n) at = (at + 1) & (w->size - 1);
    return at;
}

static bool grow_table(walk *w)
{
    walk more = {.size = w->size ? 2 * w->size : 256};
    more.table = vn__calloc(more.size * sizeof *more.table);
    more.number = vn__calloc(more.size * sizeof *more.number);
    if (!more.table || !more.number) return vn__free(more.table), vn__free(more.number), false;
    for (size_t k = 0; k < w->size; k++) {
        if (!w->table[k]) continue;
        const size_t at = place_of(&more, w->table[k]);
        more.table[at] = w->table[k], more.number[at] = w->number[k];
    }
    vn__free(w->table), vn__free(w->number);
    w->table = more.table, w->number = more.number, w->size = more.size;
    return true;
}

/* Enters a node that is new; its number comes when its inputs have theirs. */
static bool push(walk *w, const vn__node *n)
{
    if (w->n + w->deep + 1 > w->size / 2 && !grow_table(w)) return false;
    const size_t at = place_of(w, n);
    if (w->table[at]) return true;
    if (w->deep == w->room) {
        const size_t room = w->room ? 2 * w->room : 64;
        void *more = vn__grow(w->stack, w->room * sizeof *w->stack, room * sizeof *w->stack);
        if (!more) return false;
        w->stack = more, w->room = room;
    }
    w->table[at] = n;
    w->stack[w->deep].node = n, w->stack[w->deep++].next = 0;
    return true;
}

static void print_label(vn__text *t, const vn__node *n)
{
    const bool leaf = !n->n_in || !vn__node_in(n)[0];
    if (n->op == VN__NODE_SCALAR) vn__print(t, "number");
    else if (n->op == VN__NODE_PART) vn__print(t, "result %lld", (long long)vn__node_words(n)[0]);
    else
        vn__print(t, "%s",
                  leaf && vn__node_state_of(n) == VN__READY ? "array"
                  : n->op < VN__NODE_PART                   ? vn__ops[n->op].info.name
                                                            : "array");
    vn__print(t, "\\n%s", vn_dtype_name(n->dtype));
    if (n->rank) vn__print(t, " "), vn__print_shape(t, n->rank, vn__node_dims(n));
    vn__print(t, "\"%s%s", n->n_in && !leaf ? "" : ", shape=box", vn__node_state_of(n) == VN__READY ? ", style=filled" : "");
}

static void print_node(walk *w, vn__text *t, const vn__node *n)
{
    const uint32_t number = w->number[place_of(w, n)] = (uint32_t)w->n++;
    vn__print(t, "  n%u [label=\"", number);
    print_label(t, n);
    vn__print(t, "];\n");
    for (int i = 0; i < n->n_in; i++) {
        const vn__node *in = vn__node_in(n)[i];
        if (in) vn__print(t, "  n%u -> n%u;\n", w->number[place_of(w, in)], number);
    }
}

/* Everything below a root, inputs first. */
static bool walk_from(walk *w, vn__text *t, const vn__node *root)
{
    if (!push(w, root)) return false;
    while (w->deep) {
        const vn__node *n = w->stack[w->deep - 1].node;
        const int next = w->stack[w->deep - 1].next++;
        if (next < n->n_in) {
            const vn__node *in = vn__node_in(n)[next];
            if (in && !push(w, in)) return false;
            continue;
        }
        w->deep--;
        print_node(w, t, n);
    }
    return true;
}

const char *vn_graph_dot(int n, vn_array *const *arrays)
{
    if (n < 1 || !arrays) return vn__fail(arrays ? VN_E_ARG : VN_E_NULL, "%s: %d arrays", who, arrays ? n : 0), NULL;
    for (int k = 0; k < n; k++)
        if (!vn__check(arrays[k], VN__ARRAY, who, "arrays")) return NULL;
    walk w = {0};
    vn__text t = {0};
    bool whole = true;
    vn__print(&t, "digraph {\n");
    pthread_mutex_lock(&vn__graph_lock);
    for (int k = 0; k < n && whole; k++) whole = walk_from(&w, &t, vn__node_of(arrays[k]));
    pthread_mutex_unlock(&vn__graph_lock);
    vn__print(&t, "}\n");
    vn__free(w.table), vn__free(w.number), vn__free(w.stack);
    char *text = whole && !t.failed ? vn__scope_memory(t.size + 1, who) : (vn__no_memory(who), NULL);
    if (text) memcpy(text, t.text, t.size + 1);
    vn__free(t.text);
    return text;
}
