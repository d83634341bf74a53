/* SPDX-License-Identifier: Apache-2.0 */
/* op.h: rows of the op table for the core (table.c); row.h is for the files with rules, gradients and compositions. */
#ifndef VN_OPS_OP_H
#define VN_OPS_OP_H

#include "ops/limits.h"
#include "core/object.h"
#include "ops/options.h"
#include <stdbool.h>
#include <vinea/engine.h>
#include <vinea/vinea.h>

typedef struct vn__node vn__node;

enum { VN__NODE_LEAF = 0xffff, VN__NODE_SCALAR = 0xfffe, VN__NODE_PART = 0xfffd };
typedef enum { VN__OP_PRIMITIVE, VN__OP_FUSED, VN__OP_COMPOSED, VN__OP_IDENTITY, VN__OP_LEAF, VN__OP_MOVE, VN__OP_TIED } vn__op_kind;

/* What is known of a result before it is computed. */
typedef struct vn__form {
    int dtype, rank; /* -1: as the first result */
    int64_t dims[VN_MAX_RANK];
} vn__form;

/* Input and output of shape and dtype rules. Rules normalise options in place (axes sorted, -1 resolved). */
typedef struct vn__infer {
    const struct vn__op *op;
    vn__node *const *in; /* NULL for an absent optional input */
    int n;               /* inputs */
    int n_list;          /* length of the lists among them */
    vn__options *options;
    const char *engine;
    int *want;       /* the dtype each input is cast to; VN_NO_DTYPE: its own */
    int dtype, rank; /* of the (first) result */
    int64_t dims[VN_MAX_RANK];
    int n_out;
    vn__form *forms;   /* of the results after the first; those that no rule decides are like it */
    int n_asked;       /* results that the caller gets: all, or those that the public function shows */
    uint32_t unwanted; /* bit k: the caller has no use for result k, which gets no handle */
    bool in_pieces;    /* set by a rule: engines' kernels do not know this case of a fused row, it is composed */
    vn_array **more;   /* for compositions: the results after the first */
} vn__infer;

/* Input of a gradient rule: handles of inputs, outputs and cotangents, and the options. */
typedef struct vn__vjp_args {
    vn_array *const *in; /* NULL for an absent optional input */
    int n;
    vn_array *out, *ct;                 /* for a row with one result */
    vn_array *const *outs, *const *cts; /* for a row with several: all of them; NULL for a result without a cotangent */
    int n_out;
    vn_array **kept; /* VN__MAX_OUT arrays that the rule can share between calls for different inputs; initially NULL */
    int64_t *memo;   /* two numbers for the same purpose; initially 0 */
    const vn_option *options;
    vn__object *fn; /* for a node created by vn_fn_call */
} vn__vjp_args;

typedef struct vn__op_facts { /* what vn_op_info has, in fewer bytes */
    const char *name, *kind, *doc, *section, *no_gradient, *alias;
    const char *const *inputs, *const *outputs;
    const uint8_t *input_dtypes;
    const vn_op_option *options;
    uint32_t dtypes, traits;
    uint8_t n_inputs, n_required, n_options, n_outputs;
    bool any_number, differentiable;
} vn__op_facts;
typedef struct vn__op_extra {                                /* what few rows have */
    const char *sample_shapes, *sample_options;              /* engine/sample.c; NULL: 2x2 arrays, no options */
    double (*flops)(const vn_program *p, const vn_instr *i); /* of an op that adds up products; NULL: one for each element (flops.c) */
} vn__op_extra;
typedef struct vn__op {
    vn__op_facts info;
    int (*shape)(vn__infer *i);
    int (*dtype)(vn__infer *i);
    vn_array *(*vjp)(const vn__vjp_args *a, int k);                /* gradient for input k */
    vn_array *(*compose)(vn_array *const *in, const vn__infer *i); /* the result, or VN__AS_IS to record the op itself */
    const uint8_t *out_dtypes;                                     /* the fixed dtype of a result; VN_NO_DTYPE: any */
    vn__op_kind kind;
    uint8_t n_results;           /* including those that the public function does not return */
    uint8_t in_lists, out_lists; /* bit k: input or result k is a list */
    uint64_t hash;               /* of its name */
    const vn__struct *fields;    /* of the struct of its options; NULL: it has none */
    const vn__op_extra *extra;   /* NULL: it has none of this */
} vn__op;
extern const vn__op vn__ops[];
extern const int vn__op_count, vn__op_public, vn__op_to, /* ops that are listed come first */ vn__op_cast, vn__op_custom, vn__op_matmul;
extern vn_array vn__as_is;
#define VN__AS_IS (&vn__as_is)
typedef struct vn__op_access { /* vn_op_count, vn_op_at and vn_call including internal ops */
    int (*count)(void);
    int (*at)(int i, vn_op_info *info);
    int (*call)(const char *op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);
    int (*results)(const char *op, int n_in);
} vn__op_access;
VN_API extern const vn__op_access vn__all_ops;
int vn__op_find(const char *name);                     /* by name or alias; -1 */
int vn__op_unknown(const char *who, const char *name); /* the error, with a suggestion */
int vn__op_of_hash(uint64_t hash);                     /* the same by its hash */
int vn__op_at(int i, vn_op_info *info);                /* vn_op_at including internal ops */
/* vn_call including internal ops. */
int vn__op_call(int op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);

#endif
