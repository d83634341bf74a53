/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: options of ops and of what is made by name (nn/objects.def): as fields of a struct, by name, and as the values that rules
 * read. */
#ifndef VN_OPS_OPTIONS_H
#define VN_OPS_OPTIONS_H

#include "ops/limits.h"
#include <stdbool.h>
#include <vinea/vinea.h>

typedef struct vn__option_value {
    bool given;
    bool whole;       /* of type "number", and an integer: u.i */
    bool is_unsigned; /* such an integer from 2^63 on, whose bits u.i has */
    int32_t n;        /* length of a list; VN__ALL_AXES */
    union {
        int64_t i;
        double f;
        const char *s; /* of composed rows only: nodes keep no texts */
    } u;
    int64_t is[VN_MAX_RANK];
} vn__option_value;

typedef struct vn__options { /* in the table's order; lists are copied in */
    int n;
    vn__option_value v[VN__MAX_OPTIONS];
} vn__options;
enum { VN__ALL_AXES = -1 };
/* VN_ZERO is 0 wherever an option is a number: as a parameter, as a field and by name. */
static inline int64_t vn__whole_of(int64_t i)
{
    return i == VN_ZERO ? 0 : i;
}
static inline double vn__real_of(double d)
{
    return d == (double)VN_ZERO ? 0 : d;
}

/* A struct of options: how each field is read, where it is, and what it means. The first member of the struct is its size. */
typedef enum {
    VN__FIELD_FLAG,
    VN__FIELD_INT,
    VN__FIELD_FLOAT,
    VN__FIELD_SIZES,
    VN__FIELD_LIST,
    VN__FIELD_TEXT,
    VN__FIELD_INIT, /* an initialiser, by name a text; resolved by src/nn */
    VN__FIELD_MODULE
} vn__field_kind;
typedef struct vn__field {
    uint16_t offset, bytes;
    uint8_t read; /* vn__field_kind */
} vn__field;
typedef struct vn__struct {
    size_t size;
    int n;
    const vn__field *fields;
    const vn_op_option *options; /* of each field */
} vn__struct;

/* Errors name `who`. Each returns a code. */
/* Is this text or number permitted for the option? */
int vn__check_text(const char *who, const vn_op_option *spec, const char **text); /* and spells it as the table does */
int vn__check_range(const char *who, const vn_op_option *spec, double value);
/* Puts the fields of a struct behind the options that are there already. NULL: all defaults. */
int vn__put_fields(vn__options *o, const char *who, const vn__struct *s, const void *opts);
/* The same after the parameters of such a function, whose ranges it checks; s NULL: it has no struct. */
int vn__put_rest(vn__options *o, const char *who, const vn_op_option *of, const vn__struct *s, const void *opts);
/* The options of these n by name, with the defaults of those that are not given. */
int vn__take_named(vn__options *o, const char *who, int n, const vn_op_option *of, int n_given, const vn_option *given);
/* A copy of a struct with every default filled in, zeros resolved and texts as the table spells them. NULL: all defaults. */
int vn__take_struct(const char *who, const vn__struct *s, void *to, const void *opts);
/* The same from options by name; option `first` belongs to the first field. */
void vn__fill_struct(const vn__struct *s, const vn__options *o, int first, void *to);

#endif
