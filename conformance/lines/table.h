/* table.h: the op table as the suites see it: the public ops and, in a program that is linked with the static library, the internal ones.
 */
#ifndef CONFORMANCE_TABLE_H
#define CONFORMANCE_TABLE_H

#include <stddef.h>
#include <vinea/vinea.h>

/* src/core/internal.h; absent where the shared library does not export it. */
extern const struct table_access {
    int (*count)(void);
    int (*at)(int i, vn_op_info *info);
    int (*call)(const char *op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);
    int (*results)(const char *op, int n_in); /* of a call with so many inputs */
} vn__all_ops __attribute__((weak));

static inline struct table_access table_ops(void)
{
    return &vn__all_ops ? vn__all_ops : (struct table_access){vn_op_count, vn_op_at, vn_call, NULL};
}

static inline int table_results(const vn_op_info *op, int n_in)
{
    const struct table_access t = table_ops();
    return t.results ? t.results(op->name, n_in) : op->n_outputs;
}

#endif
