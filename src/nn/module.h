/* module.h (inside): what the files about modules share.
 *     module.c        the object: making it, attributes, variables and sub-modules by name
 *     module_build.c  which variables a module has
 *     module_call.c   running calls, and the variables that flow through them
 *     module_trace.c  what sub-modules returned, and in which order
 *     module_state.c  buffers, freezing, training mode, state
 *     module_look.c   up and down, texts
 * Layers (layers_*.c) stand on the public functions only. */
#ifndef VN_NN_MODULE_H
#define VN_NN_MODULE_H

#include "nn/nn.h"
#include <vinea/module.h>

enum { VN__CLASS_NAME = 200, VN__MODULE_KEY = VN__CLASS_NAME + 13 }; /* letters of a class's name; bytes of a key, "Linear_0" */

typedef struct vn__module vn__module;
typedef struct {
    char *name;       /* as it was given: "_layers/v0" for a list's first item */
    char *chain;      /* where the child's variables stand; NULL: they do not (names that begin with "__") */
    vn_module *child; /* with one reference of the parent's */
    bool again;       /* the same child stands further up in the list */
} vn__attribute;

/* Two chains of one array: `pruned` is not in v. */
typedef struct {
    char *pruned, *kept;
} vn__twin;

struct vn__module { /* the body of a vn_module */
    vn_module *handle;
    const vn_module_class *class;
    void *self;
    vn_module_opts o; /* o.v is kept while it is not in use */
    vn__attribute *attributes;
    int n, capacity;
    vn__twin *twins;
    int n_twins;
    vn_tree *own, *v;       /* what create_variables made; all. Both kept, NULL until they exist */
    vn_tree *buffers;       /* own ones; kept, NULL while there are none */
    vn_tree *frozen;        /* null at frozen chains; kept, NULL while there are none */
    vn__module *parent;     /* not owned: the first module it was added to */
    int place;              /* in the parent's attributes */
    bool begun, built;      /* `build` was called; it has finished */
    bool called;            /* the first call has ended */
    bool stale;             /* something below was built late: v is to be found again */
    bool settled, training; /* the variables are computed */
};

static inline vn__module *vn__module_of(const vn_module *m)
{
    return m->object.body;
}
static inline bool vn__module_ok(const vn_module *m, const char *who)
{
    return vn__check(m, VN__MODULE, who, "m");
}
void vn__module_cut(vn__module *b, int n); /* takes out all attributes but the first n */
vn_module *vn__module_lend(vn_module *m, const char *who);
/* Text made by vn__print: NULL and the error when it failed. Moves it to the innermost scope. */
const char *vn__text_out(vn__text *t, const char *who);
bool vn__text_keep(char **to, const char *text, const char *who); /* a copy of one's own */
/* Gives a kept tree another value; takes a reference of `to`, which may be NULL. */
void vn__tree_replace(vn_tree **t, vn_tree *to);

/* ---- module_build.c ---- */
int vn__module_ensure(vn__module *b, const vn_tree *args, vn_array *x, const char *who); /* builds (on x's engine), brings v up to date */
vn_tree *vn__module_stored(vn__module *b, const char *who);                              /* v, lent; an error when there is none */
void vn__module_forget(vn__module *b); /* what a module that stores no variables does after it was built */
int vn__module_settle(vn__module *b);  /* computes variables and buffers, once and together */
void vn__module_twins_free(vn__module *b);

/* ---- module_call.c ---- */
struct vn__step;
/* A running call; they stand on the stack of the thread that runs them. */
typedef struct vn__frame {
    struct vn__frame *up;
    vn__module *module;
    const vn_tree *v;
    bool given; /* v was given by the caller of this module or of one above */
    bool still; /* nothing is to change: modules are not in training */
    int level;
    vn_module_trace *trace;
    struct vn__step *step; /* of the trace: what it knows of this call */
} vn__frame;
vn__frame *vn__frame_top(void);
/* A call that changes nothing: not in training. */
vn_array *vn__module_call_still(vn_module *m, vn_array *x, vn_module_trace *trace);
/* The child's part of its parent's variables: the tree at its chain, with pruned arrays put back; NULL when nothing is there. */
int vn__module_part(const vn__module *parent, int place, const vn_tree *v, vn_tree **part);

/* ---- module_trace.c ---- */
typedef struct { /* how often a module was called */
    const vn__module *module;
    int n;
} vn__tally;
typedef struct { /* of summaries: one call */
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
    const vn__module *root; /* of the module that is called */
    bool summary;           /* keep shapes alone */
    vn__shown *shown;
    int n_shown;
} vn__calls;
vn__calls *vn__calls_of(const vn_module_trace *t);
int vn__calls_start(vn_module_trace *t);
int vn__calls_enter(vn__frame *f);
int vn__calls_leave(vn__frame *f, vn_value result); /* VN_V_NONE: the call failed */

/* ---- module_look.c ---- */
/* The key without blanks. `top` is the root that numbers are counted from; NULL: the module's own. */
void vn__module_key(const vn__module *top, const vn__module *b, char to[static VN__MODULE_KEY]);
const vn__module *vn__module_root(const vn__module *b);

#endif
