/* SPDX-License-Identifier: Apache-2.0 */
/* stats.c: reads what a session tells of a traced run: a protocol buffer RunMetadata { StepStats step_stats = 1 }, in it a DeviceStepStats
 * (1) for each device, in it a NodeExecStats (2) for each node: its name (1) and times (13: its start, 16: its end after that, in ns). What
 * cannot be read is left out. */
#include "stats.h"

#include <stdlib.h>
#include <time.h>

typedef struct {
    const uint8_t *at, *end;
} span;

/* A field: a number, or a span of bytes. */
typedef struct {
    uint64_t tag, number;
    span bytes;
} field;

static int take_varint(span *s, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; s->at < s->end && shift < 64; shift += 7) {
        const uint8_t byte = *s->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return 1;
    }
    return 0;
}

static int take_field(span *s, field *f)
{
    uint64_t key, size;
    if (!take_varint(s, &key)) return 0;
    *f = (field){.tag = key >> 3};
    switch (key & 7) {
    case 0: return take_varint(s, &f->number);
    case 1: size = 8; break;
    case 2:
        if (!take_varint(s, &size)) return 0;
        break;
    case 5: size = 4; break;
    default: return 0;
    }
    if (size > (uint64_t)(s->end - s->at)) return 0;
    f->bytes = (span){s->at, s->at + size};
    s->at += size;
    return 1;
}

typedef struct {
    const int32_t *first;
    int32_t n;
    int64_t shift; /* from the time of day to CLOCK_MONOTONIC */
    int64_t *times;
} reader;

/* The instruction that a node belongs to; -1: none, an input. Names are "n12", and "n12:MatMul" in some versions. */
static int32_t owner(const reader *r, span name)
{
    int64_t node = 0;
    if (name.at == name.end || *name.at++ != 'n' || name.at == name.end) return -1;
    for (; name.at < name.end && *name.at >= '0' && *name.at <= '9' && node < INT32_MAX; name.at++) node = 10 * node + (*name.at - '0');
    int32_t low = 0, high = r->n; /* the last instruction that begins at the node or before it */
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (r->first[middle] <= node) low = middle;
        else high = middle;
    }
    return r->n && node >= r->first[low] && node < r->first[low + 1] ? low : -1;
}

/* Nodes of other instructions may run between those of one: its end is its beginning and the time of its own. */
static void read_node(reader *r, span s)
{
    field f;
    int32_t k = -1;
    int64_t start = 0, took = 0;
    while (take_field(&s, &f)) {
        if (f.tag == 1) k = owner(r, f.bytes);
        if (f.tag == 13) start = (int64_t)f.number;
        if (f.tag == 16) took = (int64_t)f.number;
    }
    if (k < 0 || start <= 0 || took < 0) return;
    int64_t *at = r->times + 2 * (ptrdiff_t)k;
    start += r->shift;
    if (!at[1]) at[0] = at[1] = start;
    at[1] += took;
    if (start < at[0]) at[1] -= at[0] - start, at[0] = start;
}

/* Goes down to the nodes through the first, first and second field of what it is in. */
static void read_level(reader *r, span s, int level)
{
    static const uint64_t tags[] = {1, 1, 2};
    field f;
    while (take_field(&s, &f)) {
        if (f.tag != tags[level] || !f.bytes.at) continue;
        if (level == 2) read_node(r, f.bytes);
        else read_level(r, f.bytes, level + 1);
    }
}

static int64_t ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void stats_read(const void *metadata, size_t size, const int32_t *first, int32_t n, int64_t *times)
{
    reader r = {first, n, ns(CLOCK_MONOTONIC) - ns(CLOCK_REALTIME), times};
    if (size) read_level(&r, (span){metadata, (const uint8_t *)metadata + size}, 0);
}
