/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h: one program in many processes (ranks), on one machine or many, started by mpirun, srun or `vinea launch`.
 *
 *     vn_group *all = vn_group_open(NULL);                  // all ranks; a group of one without a launcher
 *     printf("rank %d of %d\n", vn_group_rank(all), vn_group_size(all));
 *     vn_array *sum = vn_group_all_reduce(all, x, VN_REDUCE_SUM);
 *     vn_fit(net, data, VN_OPTS(fit, .group = all), NULL);
 *     return vn_close();                                    // waits for the other ranks
 *
 * The messages are carried by a plugin (group.h) for the MPI whose launcher started the program. All ranks call the same functions of a group in the
 * same order. These are evaluation points: they compute what they are given, and their results are ready. With one rank they send nothing.
 *
 * A rank that ends with an error tells the others, whose next call fails with VN_E_GROUP and names it. A rank that does not come is named
 * after the timeout. After such a failure the groups of this process are of no more use; vn_close ends the process's part. */
#ifndef VINEA_RANKS_H
#define VINEA_RANKS_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Owned like arrays. */
typedef struct vn_group vn_group;
VN_API vn_group *vn_group_keep(vn_group *g);
VN_API void vn_group_drop(vn_group *g);
VN_API vn_group *vn_group_pass(vn_group *g);

typedef struct vn_group_opts {
    size_t size VN_UNSET;
    double timeout
        VN_UNSET; /* seconds that a call waits for the other ranks (VINEA_GROUP_TIMEOUT, or 300); also of groups split from this one */
    const char *plugin VN_UNSET; /* "openmpi", "mpich"; NULL: VINEA_GROUP, or the one whose launcher started the program */
} vn_group_opts;
/* All processes that the launcher started. A launcher whose plugin is missing, or another MPI in the process than the launcher's, is an error. */
VN_API vn_group *vn_group_open(const vn_group_opts *opts);
VN_API int vn_group_rank(const vn_group *g);          /* from 0; -1 on failure */
VN_API int vn_group_size(const vn_group *g);          /* its number of ranks; 0 on failure */
VN_API const char *vn_group_about(const vn_group *g); /* "rank 1 of 4, Open MPI v4.1.4" */
/* The ranks that give the same colour, 0 or more, in the order of their keys (of their ranks where these are equal). Errors name ranks by their
 * numbers among all processes. Threads may use different groups at the same time, but split them one after another. */
VN_API vn_group *vn_group_split(vn_group *g, int colour, int key);

/* ---- collectives ------------------------------------------------------------------------------------------------------------------ */

VN_API int vn_group_barrier(vn_group *g); /* returns when all ranks have called it */
/* The sum, maximum, minimum or mean (VN_REDUCE_...) of the arrays of all ranks, elementwise; on every rank. NaN wins. Half precision is computed in
 * float32. The order of a float sum is MPI's, so its last bits depend on the number of ranks; vn_group_value_and_grad has a fixed one.
 * The gradient: of a sum, the sum of all ranks' cotangents; of a mean, their mean; of a maximum, their sum where x has it, shared by ties. */
VN_API vn_array *vn_group_all_reduce(vn_group *g, vn_array *x, int reduction);
/* x of rank `root`, on every rank; the others' x tells shape and dtype. The gradient: on root the sum of all cotangents, zeros elsewhere. */
VN_API vn_array *vn_group_broadcast(vn_group *g, vn_array *x, int root);
/* The arrays of all ranks, joined along axis 0 (scalars become a vector). The gradient is vn_group_reduce_scatter, a sum. */
VN_API vn_array *vn_group_all_gather(vn_group *g, vn_array *x);
/* This rank's part, along axis 0, of the reduction of all arrays. The axis has a multiple of the ranks. The gradient is
 * vn_group_all_gather; of maxima and minima there is none. */
VN_API vn_array *vn_group_reduce_scatter(vn_group *g, vn_array *x, int reduction);
/* One array from rank to rank, which cannot be the same; tags (0 to 32766) tell several apart. Without gradients. Sending returns when the receiver has it. */
VN_API int vn_group_send(vn_group *g, vn_array *x, int to, int tag);
VN_API vn_array *vn_group_receive(vn_group *g, int from, int tag);
/* Asks MPI to end all processes of the job at once, this one too, with this exit code; with one rank alone it does nothing and returns.
 * For a program that cannot go on; vn_close after an error is gentler. */
VN_API void vn_group_abort(vn_group *g, int code);
/* All ranks have the same bytes: 1; otherwise an error that names the first rank that differs from rank 0, and `what`. */
VN_API int vn_group_same(vn_group *g, const void *bytes, size_t n, const char *what);

/* ---- gradients over the parts of a batch -------------------------------------------------------------------------------------------- */

/* A batch is computed in `parts` parts (micro-batches), each of them as one program; every rank computes some of them, and the gradients
 * are summed in a fixed tree over the parts. So loss, gradients and the module's buffers have the same bits on any number of ranks up to
 * the number of parts, on one as on eight (same build, instruction-set level and threads). */
typedef struct vn_part {
    int64_t number, parts; /* this one, from 0, and how many there are */
    double weight;         /* of its loss in the mean, 1: the function may set it, to its number of rows for example */
} vn_part;
typedef vn_array *(*vn_part_loss_fn)(const vn_tree *p, vn_part *part, void *data);
typedef vn_array *(*vn_module_part_loss_fn)(vn_module *m, vn_part *part, void *data);
/* The weighted mean of the parts' losses, on every rank, and in *grads its gradient, for vn_step. Random numbers that fn uses depend on the
 * thread's key and the part, not on the rank. g: NULL: all parts are computed here. */
VN_API vn_array *vn_group_value_and_grad(vn_group *g, int64_t parts, vn_part_loss_fn fn, const vn_tree *p, void *data, vn_tree **grads);
/* The same with a module's variables. A float buffer (the running statistics of a batch norm) becomes the weighted mean of what the parts
 * make of it; others become what the first part makes of them. */
VN_API vn_array *vn_module_group_value_and_grad(vn_module *m, vn_group *g, int64_t parts, vn_module_part_loss_fn fn, void *data,
                                                vn_tree **grads);

#ifdef __cplusplus
}
#endif
#endif
