/* op.h: rows of the op table as the core sees them (table.c); row.h is for the files that rows name. */
#ifndef VN_OPS_OP_H
#define VN_OPS_OP_H

#include "core/object.h"
#include <stdbool.h>
#include <vinea/vinea.h>

typedef struct vn__node vn__node;

enum {
    VN__MAX_IN = 8,
    VN__MOST_IN = 1 << 20,
    VN__MAX_OUT = 8,
    VN__MAX_OPTIONS = 8,
    VN__NODE_LEAF = 0xffff,
    VN__NODE_SCALAR = 0xfffe,
    VN__NODE_PART = 0xfffd
};
typedef enum { VN__OP_PRIMITIVE, VN__OP_FUSED, VN__OP_COMPOSED, VN__OP_IDENTITY, VN__OP_LEAF, VN__OP_MOVE, VN__OP_TIED } vn__op_kind;

typedef struct vn__options { /* an op's options in the table's order; lists are copied in */
    int n;
    struct {
        bool given;
        int32_t n; /* length of a list; VN__ALL_AXES */
        union {
            int64_t i;
            double f;
            const char *s; /* of composed rows only: nodes keep no texts */
        } u;
        int64_t is[VN_MAX_RANK];
    } v[VN__MAX_OPTIONS];
} vn__options;
enum { VN__ALL_AXES = -1 };
void vn__put_shape(vn__options *o, vn_shape s);
void vn__put_order(vn__options *o, vn_axes a);
void vn__put_axes(vn__options *o, vn_axes a);
void vn__put_int(vn__options *o, int64_t i);
void vn__put_float(vn__options *o, double f);
void vn__put_text(vn__options *o, const char *s);

/* How a field of an op's struct of options is read, and where it is. */
typedef enum { VN__FIELD_FLAG, VN__FIELD_INT, VN__FIELD_FLOAT, VN__FIELD_SIZES, VN__FIELD_LIST, VN__FIELD_TEXT } vn__field_kind;
typedef struct vn__field {
    uint16_t offset, bytes;
    uint8_t read; /* vn__field_kind */
} vn__field;
/* The options after those put already, from the struct of the op, or NULL: all defaults. */
int vn__put_fields(vn__options *o, int op, const void *opts);

/* What is known of a result before it is computed. */
typedef struct vn__form {
    int dtype, rank; /* -1: that of the first result */
    int64_t dims[VN_MAX_RANK];
} vn__form;

/* What a shape or dtype rule sees and decides. Rules normalise options in place (axes sorted, -1 resolved). */
typedef struct vn__infer {
    const struct vn__op *op;
    vn__node *const *in; /* NULL where an optional input is absent */
    int n;               /* inputs */
    int n_list;          /* length of the lists among them */
    vn__options *options;
    const char *engine;
    int *want;       /* dtype each input is cast to */
    int dtype, rank; /* of the (first) result */
    int64_t dims[VN_MAX_RANK];
    int n_out;
    vn__form *forms; /* of the results after the first; those that no rule decides are like it */
    int n_asked;     /* results that the caller gets: all, or those that the public function shows */
    bool in_pieces;  /* set by a rule: engines' kernels do not know this case of a fused row, it is composed */
    vn_array **more; /* for compositions: the results after the first */
} vn__infer;

/* What a gradient rule sees: handles of inputs, output and cotangent, and the options. */
typedef struct vn__vjp_args {
    vn_array *const *in; /* NULL where an optional input is absent */
    int n;
    vn_array *out, *ct;                 /* of a row with one result */
    vn_array *const *outs, *const *cts; /* of a row with several: all of them; a cotangent is NULL where none reached it */
    int n_out;
    vn_array **kept; /* VN__MAX_OUT arrays that the gradient of one input leaves for those of the others, which come later; NULL at first */
    int64_t *memo;   /* two numbers for the same purpose; 0 at first */
    const vn_option *options;
    vn__object *fn; /* of a node made by vn_fn_call */
} vn__vjp_args;

typedef struct vn__op {
    vn_op_info info;
    vn__op_kind kind;
    int (*shape)(vn__infer *i);
    int (*dtype)(vn__infer *i);
    vn_array *(*vjp)(const vn__vjp_args *a, int k);                /* gradient for input k */
    vn_array *(*compose)(vn_array *const *in, const vn__infer *i); /* the result, or VN__AS_IS: record the row itself */
    const uint8_t *in_dtypes, *out_dtypes;                         /* 1 + the dtype an input or result always has; 0: any */
    int n_results;                                                 /* with those that the public function does not show */
    uint8_t in_lists, out_lists;                                   /* bit k: it is a list */
    uint64_t hash;                                                 /* of its name */
    const vn__field *fields;                                       /* of the struct of its options, in their order */
    size_t struct_size;
    const char *sample_shapes, *sample_options; /* engine/sample.c; NULL: 2x2 arrays, no options */
} vn__op;
extern const vn__op vn__ops[];
extern const int vn__op_count, vn__op_public, vn__op_to, /* public ops come first */ vn__op_cast, vn__op_custom, vn__op_matmul;
extern vn_array vn__as_is;
#define VN__AS_IS (&vn__as_is)
typedef struct vn__op_access { /* vn_op_count, vn_op_at and vn_call, with internal ops */
    int (*count)(void);
    int (*at)(int i, vn_op_info *info);
    int (*call)(const char *op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);
    int (*results)(const char *op, int n_in);
} vn__op_access;
VN_API extern const vn__op_access vn__all_ops;
int vn__op_find(const char *name);      /* by name or alias; -1 */
int vn__op_of_hash(uint64_t hash);      /* the same by its hash */
int vn__op_at(int i, vn_op_info *info); /* vn_op_at, for internal ops too */
/* vn_call, for internal ops too. */
int vn__op_call(int op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);

#endif
