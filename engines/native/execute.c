/* SPDX-License-Identifier: Apache-2.0 */
/* execute.c: one execution: reserves all memory, then runs the kernels, which cannot fail.
 *
 * Under a sanitizer each value of the workspace has its own block, so that overruns are detected. */
/* compiled for speed */
#include <time.h>

#include "core/watched.h"
#include "internal.h"

#define THRESHOLDS_EXECUTE
#include "thresholds.h"

/* Creates the output buffers: donated memory if the plan says so and the buffer allows it, otherwise new. */
static int reserve_outputs(const vn_exe *exe, vn_buf *const *in, char **slots, vn_buf **buffers)
{
    for (int32_t b = 0; b < exe->n_buffers; b++) {
        const vn__storage *s = &exe->storages[exe->buffers[b]];
        if (s->donor >= 0 && vn__native_buffer_writable(in[s->donor], s->bytes)) {
            buffers[b] = in[s->donor];
            vn__native_retain(NULL, buffers[b]);
        } else {
            buffers[b] = vn__native_buffer_new(s->bytes);
        }
        if (!buffers[b]) {
            while (b > 0) vn__native_release(NULL, buffers[--b]);
            return vn__native_no_memory();
        }
        slots[exe->buffers[b]] = vn__native_buffer_data(buffers[b]);
    }
    return VN_OK;
}

/* Returns the buffers; one that is returned twice, or is an input, gets another reference. */
static void give_outputs(const vn_exe *exe, vn_buf *const *in, vn_buf *const *buffers, vn_buf **out)
{
    for (int32_t i = 0; i < exe->program->n_outputs; i++) {
        const vn__storage *s = &exe->storages[exe->outputs[i]];
        const bool input = s->place == VN_PLACE_INPUT;
        out[i] = input ? in[s->index] : buffers[s->index];
        if (input || exe->first_output[s->index] != i) vn__native_retain(NULL, out[i]);
    }
}

/* Separate blocks for the values of the workspace. */
static int reserve_apart(const vn_exe *exe, char **slots)
{
    bool fine = true;
    for (int32_t s = 0; s < exe->n_storages; s++) {
        const bool work = exe->storages[s].place == VN_PLACE_WORK;
        if (work) slots[s] = fine ? vn__native_alloc(exe->storages[s].bytes) : NULL;
        fine = fine && (!work || slots[s]);
    }
    return fine ? VN_OK : vn__native_no_memory();
}

static void free_apart(const vn_exe *exe, char **slots)
{
    for (int32_t s = 0; s < exe->n_storages; s++)
        if (exe->storages[s].place == VN_PLACE_WORK) vn__native_free(slots[s], exe->storages[s].bytes);
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void run_kernels(const vn_exe *exe, vn_buf *const *in, char **slots, char *memory, int lanes, int64_t *times)
{
    const size_t work = VN_WATCHED ? 0 : exe->work_bytes;
    vn__run run = {.slots = slots, .shared = memory + work, .scratch = memory + work + exe->shared_bytes, .lane_bytes = exe->lane_bytes};
    for (int32_t s = 0; s < exe->n_storages; s++) {
        const vn__storage *storage = &exe->storages[s];
        if (storage->place == VN_PLACE_INPUT) slots[s] = vn__native_buffer_data(in[storage->index]);
        else if (storage->place == VN_PLACE_WORK && !VN_WATCHED) slots[s] = memory + storage->offset;
    }
    for (int32_t k = 0; k < exe->n_kernels; k++) {
        run.lanes = exe->kernels[k]->parallel ? lanes : 1;
        if (times) times[2 * k] = now();
        exe->kernels[k]->run(exe->kernels[k], &run);
        if (times) times[2 * k + 1] = now();
    }
}

int vn__native_execute(vn_context *context, vn_exe *exe, const vn_launch *launch)
{
    (void)context;
    vn_buf *const *in = launch->in;
    vn_buf **out = launch->out;
    char *few[FEW_STORAGES];
    vn_buf *few_buffers[FEW_STORAGES];
    _Alignas(64) char on_stack[STACK_WORKSPACE];
    const int lanes = exe->parallel ? vn__native_lanes() : 1;
    const size_t work = (VN_WATCHED ? 0 : exe->work_bytes) + exe->shared_bytes + exe->lane_bytes * (size_t)lanes;
    /* there are no more buffers than storages */
    const size_t table = exe->n_storages > FEW_STORAGES ? vn__native_round64((size_t)exe->n_storages * sizeof(char *)) : 0;
    const size_t bytes = work + 2 * table;
    char *memory = on_stack;
    if (bytes > STACK_WORKSPACE || (VN_WATCHED && bytes)) {
        memory = vn__native_alloc(bytes);
        if (!memory) return vn__native_no_memory();
    }
    char **slots = table ? (char **)(void *)(memory + work) : few;
    vn_buf **buffers = table ? (vn_buf **)(void *)(memory + work + table) : few_buffers;
    int code = VN_WATCHED ? reserve_apart(exe, slots) : VN_OK;
    if (!code) code = reserve_outputs(exe, in, slots, buffers);
    if (!code) {
        run_kernels(exe, in, slots, memory, lanes, launch->times);
        give_outputs(exe, in, buffers, out);
    }
    if (VN_WATCHED) free_apart(exe, slots);
    if (memory != on_stack) vn__native_free(memory, bytes);
    return code;
}
