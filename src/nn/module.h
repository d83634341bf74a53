/* SPDX-License-Identifier: Apache-2.0 */
/* module.h (internal): shared by the files about modules.
 *     module.c        the object: creation, attributes, variables and sub-modules by name
 *     module_build.c  which variables a module has
 *     module_call.c   running calls and their variables
 *     module_trace.c  results and order of sub-module calls
 *     module_state.c  buffers, freezing, training mode, state, dtype
 *     module_find.c   ancestors, sub-modules, text
 * Layers (layers_*.c) use only the public functions. */
#ifndef VN_NN_MODULE_H
#define VN_NN_MODULE_H

#include "nn/nn.h"
#include <vinea/module.h>

enum { VN__CLASS_NAME = 200, VN__MODULE_KEY = VN__CLASS_NAME + 13 }; /* longest class name; bytes of a key, "Linear_0" */

typedef struct vn__module vn__module;
typedef struct {
    char *name;       /* as given: "_layers/v0" for a list's first item */
    char *chain;      /* the chain of the child's variables; NULL: they are left out (names that begin with "__") */
    vn_module *child; /* the parent holds a reference */
    bool again;       /* the same child is earlier in the list */
} vn__attribute;

/* Two chains of one array; `pruned` is not in v. */
typedef struct {
    char *pruned, *kept;
} vn__twin;

struct vn__module { /* the body of a vn_module */
    vn_module *handle;
    const vn_module_class *class;
    void *self;
    vn_module_opts o; /* o.v is kept until it is used */
    vn_dtype dtype;   /* of vn_module_cast */
    vn__attribute *attributes;
    int n, capacity;
    vn__twin *twins;
    int n_twins;
    vn_tree *own, *v;       /* the result of create_variables; all variables. References are held; NULL until they exist */
    vn_tree *buffers;       /* its own; a reference is held; NULL if there are none */
    struct vn__rule *rules; /* regularizers and constraints of its own variables (regularize.c) */
    vn_tree *frozen;        /* null at frozen chains; a reference is held; NULL if there are none */
    vn__module *parent;     /* not owned: the first module it was added to */
    int place;              /* in the parent's attributes */
    bool begun, built;      /* `build` was called; building has finished */
    bool called;            /* the first call has ended */
    bool stale;             /* a sub-module was built later: v must be collected again */
    bool settled, training; /* the variables have been computed */
    bool shares;            /* it shares numbers with other ranks (vn__sharing) */
};

static inline vn__module *vn__module_of(const vn_module *m)
{
    return m->object.body;
}
static inline bool vn__module_ok(const vn_module *m, const char *who)
{
    return vn__check(m, VN__MODULE, who, "m");
}
bool vn__module_shares(const vn__module *b); /* it or one of its sub-modules does */
void vn__module_cut(vn__module *b, int n);   /* removes all attributes but the first n */
vn_module *vn__module_lend(vn_module *m, const char *who);
/* Moves a text to the innermost scope; NULL with the error set if printing failed. */
const char *vn__text_out(vn__text *t, const char *who);
bool vn__text_keep(char **to, const char *text, const char *who); /* a copy in plain memory */
/* Replaces a tree to which a reference is held; takes a reference to `to`, which may be NULL. */
void vn__tree_replace(vn_tree **t, vn_tree *to);

/* vn_module_new and vn_module_build of arguments that are not the caller's: a NULL among them is never one that failed to be made. */
vn_module *vn__module_new(const vn_module_class *cls, void *self, const vn_module_opts *o);
vn_tree *vn__module_build(vn_module *m, const vn_tree *args);

/* ---- module_build.c ---- */
int vn__module_ensure(vn__module *b, const vn_tree *args, vn_array *x, const char *who); /* builds (on x's engine) and updates v */
vn_tree *vn__module_stored(vn__module *b, const char *who); /* v, owned by the innermost scope; an error if there is none */
void vn__module_forget(vn__module *b);                      /* drops the variables of a module that stores none, after building */
int vn__module_settle(vn__module *b);                       /* computes variables and buffers, once and together */
void vn__module_twins_free(vn__module *b);

/* ---- regularize.c ---- */
void vn__module_rules_free(vn__module *b);
/* ---- module_state.c ---- */
int vn__module_cast(vn__module *b, vn_dtype dtype, const char *who);

/* ---- module_call.c ---- */
struct vn__step;
/* A running call, on the stack of its thread. */
typedef struct vn__frame {
    struct vn__frame *up;
    vn__module *module;
    const vn_tree *v;
    bool given; /* v was given by the caller of this module or of an ancestor */
    bool still; /* nothing may change: modules are not in training mode */
    int level;
    vn_module_trace *trace;
    struct vn__step *step; /* the trace's data about this call */
} vn__frame;
vn__frame *vn__frame_top(void);
/* A call with the variables as constants; trace: NULL for none. */
vn_array *vn__module_call_constant(vn_module *m, vn_array *x, vn_module_trace *trace);
/* The same, changing nothing: not in training mode. */
vn_array *vn__module_call_still(vn_module *m, vn_array *x, vn_module_trace *trace);
/* The child's part of its parent's variables: the tree at its chain, with pruned arrays restored; NULL if there is none. */
int vn__module_part(const vn__module *parent, int place, const vn_tree *v, vn_tree **part);

/* ---- module_trace.c ---- */
typedef struct { /* the number of calls of a module */
    const vn__module *module;
    int n;
} vn__tally;
typedef struct { /* one call, for summaries */
    const vn__module *module;
    int level;
    bool again;
    char *shape;
} vn__shown;
typedef struct { /* the body of a vn_module_trace */
    vn_module_trace_opts o;
    vn_tree *expected, *rets, *order; /* kept */
    vn_module **submods;              /* kept */
    vn__tally *calls;
    int n_calls;
    const vn__module *root; /* of the called module */
    bool summary;           /* record only shapes */
    vn__shown *shown;
    int n_shown;
} vn__calls;
vn__calls *vn__calls_of(const vn_module_trace *t);
int vn__calls_start(vn_module_trace *t);
int vn__calls_enter(vn__frame *f);
int vn__calls_leave(vn__frame *f, vn_value result); /* VN_V_NONE: the call failed */

/* ---- module_find.c ---- */
/* The key without spaces. `top` is the root from which numbers are counted; NULL: the module's own root. */
void vn__module_key(const vn__module *top, const vn__module *b, char to[static VN__MODULE_KEY]);
const vn__module *vn__module_root(const vn__module *b);

#endif
