/* SPDX-License-Identifier: Apache-2.0 */
/* table.h: the op table for the suites: public and internal ops, with all their results. */
#ifndef CONFORMANCE_TABLE_H
#define CONFORMANCE_TABLE_H

#include <stddef.h>
#include <vinea/vinea.h>

/* src/ops/op.h. The library exports it only for the suites; it is not public, and changes with every version. */
extern const struct table_access {
    int (*count)(void);
    int (*at)(int i, vn_op_info *info);
    int (*call)(const char *op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);
    int (*results)(const char *op, int n_in); /* of a call with n inputs */
} vn__all_ops;

static inline struct table_access table_ops(void)
{
    return vn__all_ops;
}

static inline int table_results(const vn_op_info *op, int n_in)
{
    return vn__all_ops.results(op->name, n_in);
}

#endif
