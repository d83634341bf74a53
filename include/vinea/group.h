/* SPDX-License-Identifier: Apache-2.0 */
/* group.h: what a group plugin implements, ABI 1: the messages between the processes of one program. ranks.h has the functions for programs.
 *
 * A plugin is a shared object <name>.so with one exported symbol, vinea_group_main, and next to it a text file <name>.manifest that says
 * how its launcher is recognised (`launcher`: environment variables, the number of processes first) and which library carries its
 * messages (`library`). It links against no part of Vinea; the functions it needs from the library are in vn_host (engine.h).
 *
 * The core decides what is sent: it cuts arrays into pieces, computes half precision in float32, waits, and gives up after a timeout. A
 * plugin starts transfers and says when they are done.
 *
 * Rules for every function here:
 *  - The core calls one at a time in a process, from any thread; `open`, `share` and `close` from one and the same.
 *  - It returns VN_OK, or a vn_code after setting the message with host->error.
 *  - It never prints, exits or aborts the process (but for `abort`), and never waits for another process (but for `open`, `share`, `split` and
 *    `close`).
 *  - Structs only grow at their end; `size` says how much of one the other side knows. */
#ifndef VINEA_GROUP_H
#define VINEA_GROUP_H

#include <vinea/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VN_GROUP_ABI 1

typedef struct vn_comm vn_comm; /* the processes of a group, as the plugin knows them */
typedef struct vn_work vn_work; /* a transfer that was started */

enum {
    VN_TRANSFER_BARRIER = 0,
    VN_TRANSFER_BROADCAST = 1,      /* count elements of `out`, from `rank` to all */
    VN_TRANSFER_ALL_REDUCE = 2,     /* count elements; in may be out */
    VN_TRANSFER_ALL_GATHER = 3,     /* in: count elements; out: those of all ranks, in their order */
    VN_TRANSFER_REDUCE_SCATTER = 4, /* in: count elements for each rank; out: count elements, one rank's part of the result */
    VN_TRANSFER_SEND = 5,           /* count elements of `in` to `rank` */
    VN_TRANSFER_RECEIVE = 6,        /* at most count elements of `out` from `rank` */
    VN_TRANSFERS = 7
};
enum { VN_MEMORY_HOST = 0, VN_MEMORY_CUDA = 1, VN_MEMORY_ROCM = 2 };

typedef struct vn_transfer {
    uint32_t size;
    int32_t kind;      /* VN_TRANSFER_... */
    int32_t dtype;     /* of reductions: integers, float32, float64, and for sums complex numbers; bytes (VN_U8) otherwise */
    int32_t reduction; /* vn_reduction, never a mean */
    int32_t rank, tag; /* tag: of send and receive, 0 to 32767 */
    int64_t count;     /* at most `most` of the plugin */
    const void *in;
    void *out;
    int32_t memory; /* where in and out are: VN_MEMORY_..., one that the plugin has */
    void *stream;   /* of a device: the work is queued there, after what is in it, and done as soon as it is queued */
} vn_transfer;

typedef struct vn_group_plugin {
    uint32_t abi, size; /* first field in every ABI */
    const char *name;
    uint32_t memories; /* a set of VN_BIT(VN_MEMORY_...) */
    int64_t max_count; /* elements of a transfer, per rank */

    /* Begins: the group of all processes that the launcher started. Called once. */
    int (*open)(vn_comm **world);
    /* The end, when all ranks have come to it: no other call follows. */
    void (*close)(vn_comm *world);
    const char *(*version)(void); /* of what carries the messages: "Open MPI 4.1.4" */
    int (*rank)(const vn_comm *comm);
    int (*ranks)(const vn_comm *comm);
    int (*neighbours)(const vn_comm *world); /* how many of the ranks run on this machine, this one too */
    /* Memory that all ranks read and write, where they run on one machine: called once, after `open`; returns how many bytes each rank has, at
     * most `max_bytes`, the same on all ranks; 0: none. `shared` is where rank k's begin, on lines of 64 bytes. `close` frees it. */
    size_t (*share)(vn_comm *world, size_t max_bytes);
    void *(*shared)(const vn_comm *world, int k);

    /* The ranks that give the same colour, ordered by key; waits for all ranks of comm. A negative colour: in no group, *out is NULL. */
    int (*split)(vn_comm *comm, int colour, int key, vn_comm **out);
    void (*release)(vn_comm *comm);

    /* Memory stays as it is until the transfer is done. On failure nothing was started. */
    int (*start)(vn_comm *comm, const vn_transfer *t, vn_work **out);
    /* Makes progress; *done: finished, and the work is freed. A failure frees it too. */
    int (*progress)(vn_comm *comm, vn_work *work, int *done);

    /* Short texts to all other ranks of the world, past everything else: why a rank gives up. They are not waited for. */
    int (*post)(vn_comm *world, const char *text);
    /* The next text of another rank, shortened to the capacity; *rank is -1 if there is none. */
    int (*look)(vn_comm *world, int *rank, char *text, size_t capacity);

    void (*abort)(vn_comm *world, int code); /* ends all processes, this one too */
} vn_group_plugin;

/* The only exported symbol. It begins nothing, which is open's job. NULL, with host->error set, if the host is too old. */
const vn_group_plugin *vinea_group_main(const vn_host *host);
typedef const vn_group_plugin *(*vn_group_main_fn)(const vn_host *host);

#ifdef __cplusplus
}
#endif
#endif
