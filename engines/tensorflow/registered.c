/* SPDX-License-Identifier: Apache-2.0 */
/* registered.c: asks TensorFlow which CPU kernels it has.
 *
 * Kernels differ between versions, and most ops lack some dtypes. Instead of fixed lists, the registry of the loaded
 * library is read at open: rows whose ops have no kernel are dropped, and dtypes without a kernel are computed in another (build.c).
 * An op's definition may allow fewer dtypes than it has kernels for, so both are read. They are protocol buffers, with these
 * relevant fields:
 *     KernelList.kernel = 1; KernelDef.device_type = 2, .constraint = 3, .label = 5; AttrConstraint.name = 1, .allowed_values = 2;
 *     OpDef.attr = 4; AttrDef.name = 1, .allowed_values = 7; AttrValue.list = 1; ListValue.type = 6 (packed or not) */
#include "registered.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"

typedef struct entry {
    struct entry *next;
    uint32_t mask;
    char op[];
} entry;

static entry *entries; /* written only during open */

/* The unread part of a protocol buffer, and the field just read. */
typedef struct cursor {
    const uint8_t *at, *end;
} cursor;

typedef struct field {
    uint64_t number, value; /* value of a varint */
    cursor bytes;           /* of a length-delimited field */
    int is_bytes;
} field;

static int varint(cursor *c, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; c->at < c->end && shift < 64; shift += 7) {
        uint8_t byte = *c->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return 1;
    }
    return 0;
}

/* Reads one field; 0 at the end or on malformed data. */
static int next(cursor *c, field *f)
{
    uint64_t tag, skip;
    if (c->at >= c->end || !varint(c, &tag)) return 0;
    *f = (field){.number = tag >> 3};
    switch (tag & 7) {
    case 0: return varint(c, &f->value);
    case 1: skip = 8; break;
    case 2:
        if (!varint(c, &skip)) return 0;
        f->is_bytes = 1;
        break;
    case 5: skip = 4; break;
    default: return 0;
    }
    if (skip > (uint64_t)(c->end - c->at)) return 0;
    f->bytes = (cursor){c->at, c->at + skip};
    c->at += skip;
    return 1;
}

static int is(cursor c, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(c.end - c.at) == n && memcmp(c.at, text, n) == 0;
}

static uint32_t bit_of(uint64_t type)
{
    for (int32_t d = 1; d < VN_DTYPE_END; d++)
        if ((uint64_t)api_dtype(d) == type) return VN_BIT(d);
    return 0;
}

/* The dtypes in an AttrValue that holds a list of types. */
static uint32_t types_in(cursor attr_value)
{
    uint32_t mask = 0;
    field list, f;
    while (next(&attr_value, &list)) {
        if (list.number != 1 || !list.is_bytes) continue;
        while (next(&list.bytes, &f)) {
            uint64_t type;
            if (f.number != 6) continue;
            if (!f.is_bytes) mask |= bit_of(f.value);
            else
                while (varint(&f.bytes, &type)) mask |= bit_of(type);
        }
    }
    return mask;
}

/* The dtypes that an attribute message allows: those in its field `allowed` if its name is T, otherwise all. */
static uint32_t allowed_types(cursor attribute, uint64_t allowed)
{
    int of_t = 0;
    field f;
    while (next(&attribute, &f)) {
        if (f.number == 1) of_t = is(f.bytes, "T") || is(f.bytes, "Tparams");
        if (f.number == allowed && of_t) return types_in(f.bytes);
    }
    return UINT32_MAX;
}

/* The dtypes of T that one KernelDef takes: all if unspecified, none if it is not a plain CPU kernel. */
static uint32_t kernel_types(cursor kernel)
{
    uint32_t mask = UINT32_MAX;
    int cpu = 0;
    field f;
    while (next(&kernel, &f)) {
        if (f.number == 2 && is(f.bytes, "CPU")) cpu = 1;
        if (f.number == 3) mask &= allowed_types(f.bytes, 2);
        if (f.number == 5 && f.bytes.at < f.bytes.end) return 0; /* a labelled kernel must be requested by its label */
    }
    return cpu ? mask : 0;
}

/* The dtypes of T for which a KernelList has a kernel. */
static uint32_t all_kernels(const TF_Buffer *list)
{
    cursor c = {list->data, (const uint8_t *)list->data + list->length};
    uint32_t mask = 0;
    field f;
    while (next(&c, &f))
        if (f.number == 1 && f.is_bytes) mask |= kernel_types(f.bytes);
    return mask;
}

/* The dtypes of T an OpDef allows. */
static uint32_t definition(const TF_Buffer *op)
{
    cursor c = {op->data, (const uint8_t *)op->data + op->length};
    uint32_t mask = UINT32_MAX;
    field f;
    while (next(&c, &f))
        if (f.number == 4 && f.is_bytes) mask &= allowed_types(f.bytes, 7);
    return mask;
}

/* Asks TensorFlow about an op. */
static uint32_t ask(const char *op, TF_Graph *graph, TF_Buffer *buffer, TF_Status *status)
{
    api.TF_GraphGetOpDef(graph, op, buffer, status);
    if (api.TF_GetCode(status) != TF_OK) return 0; /* no such op */
    TF_Buffer *kernels = api.TF_GetRegisteredKernelsForOp(op, status);
    if (!kernels) return 0;
    uint32_t mask = all_kernels(kernels) & definition(buffer);
    api.TF_DeleteBuffer(kernels);
    return mask;
}

static const entry *look_up(const char *op)
{
    const entry *e = entries;
    while (e && strcmp(e->op, op) != 0) e = e->next;
    return e;
}

uint32_t registered_dtypes(const char *op)
{
    const entry *e = look_up(op);
    return e ? e->mask : 0;
}

int registered_find(const char *op, uint32_t *mask)
{
    const entry *known = look_up(op);
    if (known) return *mask = known->mask, VN_OK;
    size_t length = strlen(op) + 1;
    entry *e = malloc(sizeof *e + length);
    TF_Status *status = api.TF_NewStatus();
    TF_Graph *graph = api.TF_NewGraph();
    TF_Buffer *buffer = api.TF_NewBuffer();
    int well = e && status && graph && buffer;
    if (well) {
        e->mask = *mask = ask(op, graph, buffer, status);
        memcpy(e->op, op, length);
        e->next = entries;
        entries = e;
    } else {
        free(e);
    }
    if (buffer) api.TF_DeleteBuffer(buffer);
    if (graph) api.TF_DeleteGraph(graph);
    if (status) api.TF_DeleteStatus(status);
    return well ? VN_OK : host->error(VN_E_MEM, "tensorflow: out of memory while loading");
}

void registered_clear(void)
{
    while (entries) {
        entry *e = entries;
        entries = e->next;
        free(e);
    }
}
