/* SPDX-License-Identifier: Apache-2.0 */
/* compiled.h: a compiled program, for the files that make and run it (program.c) and keep it (cache.c). */
#ifndef VN_COMPILED_H
#define VN_COMPILED_H

#include "program/program.h"

struct vn__compiled {
    vn__compiled *next;          /* same bucket */
    vn__compiled *older, *newer; /* by use */
    _Atomic uint32_t refs;
    enum { COMPILING, COMPILED, FAILED } state;
    vn__engine *engine;
    uint64_t hash;
    uint64_t *words;
    size_t n_words;
    struct vn__chunk *arena; /* all memory of the program */
    int32_t n_inputs, n_instrs, n_values, n_outputs, n_stages;
    vn_desc *values; /* n_values: inputs, then the results of the instructions */
    vn_instr *instrs;
    int32_t *ops;    /* op number of each instruction */
    bool *on_native; /* is it the native engine's in any case? */
    int32_t *outputs;
    uint8_t *donated;
    struct vn__stage *stages;
    bool simple; /* a single stage on the program's engine: inputs and outputs are the program's */
};

int vn__compiled_make(vn__compiled *c);  /* from its words; sets an error */
void vn__compiled_free(vn__compiled *c); /* also one that was never made */

#endif
