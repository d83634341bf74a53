/* SPDX-License-Identifier: Apache-2.0 */
/* bindings.h: for languages that call C but cannot pass structs by value: the functions of the other headers that take or return one, with
 * pointers, lists and names instead. vn_call, vn_call_number and the listings are at the end of vinea.h; docs/bindings.md shows their use.
 */
#ifndef VINEA_BINDINGS_H
#define VINEA_BINDINGS_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* vn_wrap */
VN_API vn_array *vn_array_wrap(const void *data, int dtype, int rank, const int64_t *dims, void (*release)(void *user), void *user);
/* vn_shape_of: writes the sizes, VN_MAX_RANK at most, and returns the rank; -1 on failure. dims may be NULL. */
VN_API int vn_array_dims(const vn_array *x, int64_t *dims);

/* vn_tree_set_value, vn_tree_append and vn_tree_value. Each returns a code. */
struct vn_value; /* tree.h */
VN_API int vn_tree_put(vn_tree *t, const char *chain, const struct vn_value *value);
VN_API int vn_tree_put_last(vn_tree *t, const struct vn_value *value);
VN_API int vn_tree_look_up(const vn_tree *t, const char *chain, struct vn_value *to);

/* vn_init_array with an initialiser by name, as vn_init_make takes it. */
VN_API vn_array *vn_init_array_named(const char *name, const vn_option *options, int n, int dtype, int rank, const int64_t *dims,
                                     int64_t fan_in, int64_t fan_out);
/* vn_optim_schedule with a schedule by name, as vn_schedule_make takes it, after a warm-up of this many steps (0: none), or with a function
 * of the caller's. */
VN_API int vn_optim_schedule_named(vn_optim *o, const char *name, const vn_option *options, int n, int64_t warm_up);
VN_API int vn_optim_schedule_fn(vn_optim *o, vn_schedule_fn fn, void *user);
/* vn_model and, where text is not NULL, vn_model_parse. */
VN_API vn_module *vn_model_make(const char *model, const char *text, int rank, const int64_t *dims, int64_t outputs);

#ifdef __cplusplus
}
#endif
#endif
