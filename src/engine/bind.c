/* SPDX-License-Identifier: Apache-2.0 */
/* bind.c: an engine's kernel table, bound to the op table by name: ops, and the options that each kernel reads. So neither the order of
 * rows nor that of an op's options matters to an engine. */
#include "core/state.h"
#include "core/memory.h"
#include "engine/engine.h"
#include "ops/op.h"
#include <stddef.h>
#include <string.h>

/* The number of the op's option with the next name of a list, or -1; moves *names behind it. */
static int next_option(const vn__op *op, const char **names)
{
    const char *name = *names + strspn(*names, ", ");
    const size_t n = strcspn(name, ", ");
    *names = name + n + strspn(name + n, ", ");
    for (int k = 0; k < op->info.n_options; k++)
        if (!strncmp(op->info.options[k].name, name, n) && !op->info.options[k].name[n]) return k;
    return -1;
}

static size_t row_size(const vn__engine *e)
{
    return e->api.row_size ? e->api.row_size : sizeof(vn_kernel_row);
}

/* The list of a row; an older plugin's rows may end before it. */
static const char *names_of(const vn__engine *e, const vn_kernel_row *row)
{
    return row_size(e) > offsetof(vn_kernel_row, options) && row->options ? row->options : "";
}

int vn__row_options(const vn__engine *e, int op, const vn_option *all, vn_option *out)
{
    int n = 0;
    for (const char *names = names_of(e, e->rows[op]); *names; n++) out[n] = all[next_option(&vn__ops[op], &names)];
    return n;
}

/* Does this version have all options that the row names, each once? */
static bool known(const vn__engine *e, int op, const vn_kernel_row *row)
{
    uint32_t seen = 0;
    for (const char *names = names_of(e, row); *names;) {
        const int k = next_option(&vn__ops[op], &names);
        const uint32_t bit = k < 0 ? 0 : VN_BIT(k);
        if (bit & ~seen) {
            seen |= bit;
            continue;
        }
        vn__log("%s: its kernel for \"%s\" reads \"%s\", which are not options of that op in this version", e->name, row->op, row->options);
        return false;
    }
    return true;
}

int vn__engine_bind(vn__engine *e)
{
    const vn_kernel_row **rows = vn__calloc((size_t)vn__op_count * sizeof *rows);
    if (!rows) return vn__no_memory(e->name);
    for (const vn_kernel_row *r = e->api.kernels; r->op; r = (const vn_kernel_row *)(const void *)((const char *)r + row_size(e))) {
        const int op = vn__op_find(r->op);
        if (op < 0) vn__log("%s: has a kernel for \"%s\", which is not an op of this version", e->name, r->op);
        else if (known(e, op, r)) rows[op] = r;
    }
    vn__free(e->rows);
    e->rows = rows;
    return VN_OK;
}

bool vn__engine_has(const vn__engine *e, int op, uint32_t dtypes)
{
    const vn_kernel_row *r = e->rows[op];
    return r && !(dtypes & ~r->dtypes);
}
