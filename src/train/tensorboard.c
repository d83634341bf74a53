/* SPDX-License-Identifier: Apache-2.0 */
/* tensorboard.c: scores of a training as TensorBoard's event files. A file is a list of records: the length as 8 bytes, its checksum, the data, its
 * checksum; the data is an Event of TensorBoard's protocol buffers, of which only the fields that scalars need are written. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include "os/os.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char who[] = "progress_tensorboard";

/* ---- records ---- */

/* CRC-32C, rotated and shifted as TensorFlow masks it. */
static uint32_t checksum(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint32_t c = UINT32_MAX;
    for (size_t k = 0; k < bytes; k++) {
        c ^= p[k];
        for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? UINT32_C(0x82f63b78) : 0);
    }
    c = ~c;
    return (c >> 15 | c << 17) + UINT32_C(0xa282ead8);
}

/* Bytes of an event or of a record; `full` where they did not fit. */
enum { MAX_BYTES = 512 };
typedef struct {
    unsigned char data[MAX_BYTES];
    size_t n;
    bool full;
} message;

static void put_bytes(message *m, const void *from, size_t bytes)
{
    m->full |= bytes > MAX_BYTES - m->n;
    if (m->full || !bytes) return;
    memcpy(m->data + m->n, from, bytes);
    m->n += bytes;
}

static void put_little(message *m, uint64_t number, int bytes)
{
    for (int k = 0; k < bytes; k++) put_bytes(m, &(unsigned char){(unsigned char)(number >> 8 * k)}, 1);
}

static void put_varint(message *m, uint64_t number)
{
    for (; number > 127; number >>= 7) put_little(m, (number & 127) | 128, 1);
    put_little(m, number, 1);
}

/* Field kinds of protocol buffers. */
enum { VARINT, FIXED64, BYTES, FIXED32 = 5 };

static void put_key(message *m, int field, int kind)
{
    put_varint(m, (uint64_t)field << 3 | (uint64_t)kind);
}

static void put_text(message *m, int field, const void *from, size_t bytes)
{
    put_key(m, field, BYTES);
    put_varint(m, bytes);
    put_bytes(m, from, bytes);
}

/* Field 1 of an Event: seconds since 1970. */
static void put_time(message *m, double now)
{
    uint64_t bits;
    memcpy(&bits, &now, sizeof bits);
    put_key(m, 1, FIXED64);
    put_little(m, bits, 8);
}

static double now_of(const vn_tensorboard *t)
{
    struct timespec now;
    if (t->now != 0) return t->now;
    return timespec_get(&now, TIME_UTC) ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9 : 0;
}

static int failed(const vn_tensorboard *t, const char *what, int error)
{
    char text[128];
    return vn__fail(VN_E_IO, "%s: %s in \"%s\": %s", who, what, t->folder, vn__error_text(error, text, sizeof text));
}

static int write_record(vn_tensorboard *t, const message *event)
{
    message r = {.n = 0}, tail = {.n = 0};
    put_little(&r, event->n, 8);
    put_little(&r, checksum(r.data, r.n), 4);
    put_little(&tail, checksum(event->data, event->n), 4);
    errno = 0;
    if (event->full) return vn__fail(VN_E_ARG, "%s: a name is too long for an event", who);
    if (fwrite(r.data, 1, r.n, t->file) != r.n || fwrite(event->data, 1, event->n, t->file) != event->n ||
        fwrite(tail.data, 1, tail.n, t->file) != tail.n)
        return failed(t, "cannot write", errno);
    return VN_OK;
}

/* ---- events ---- */

static int write_version(vn_tensorboard *t)
{
    static const char version[] = "brain.Event:2";
    message e = {.n = 0};
    put_time(&e, now_of(t));
    put_text(&e, 3, version, sizeof version - 1);
    return write_record(t, &e);
}

/* A scalar: Event {wall_time 1, step 2, summary 5: Summary {value 1: Value {tag 1, simple_value 2}}} */
static int write_scalar(vn_tensorboard *t, const char *name, int64_t step, double value)
{
    message v = {.n = 0}, s = {.n = 0}, e = {.n = 0};
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put_text(&v, 1, name, strlen(name));
    put_key(&v, 2, FIXED32);
    put_little(&v, bits, 4);
    put_text(&s, 1, v.data, v.n);
    put_time(&e, now_of(t));
    put_key(&e, 2, VARINT);
    put_varint(&e, (uint64_t)step);
    put_text(&e, 5, s.data, s.n);
    e.full |= v.full || s.full;
    return write_record(t, &e);
}

static int open_file(vn_tensorboard *t)
{
    char path[4096];
    if (!t->folder || !*t->folder) return vn__fail(VN_E_ARG, "%s: no folder is given", who);
    const int n = snprintf(path, sizeof path, "%s/events.out.tfevents.%010.0f.vinea", t->folder, floor(now_of(t)));
    if (n >= (int)sizeof path) return vn__fail(VN_E_ARG, "%s: the folder's name is too long", who);
    if (mkdir(t->folder, 0777) && errno != EEXIST) return failed(t, "cannot make the folder", errno);
    t->file = fopen(path, "wb");
    return t->file ? write_version(t) : failed(t, "cannot open an event file", errno);
}

static int write_scores(vn_tensorboard *t, const vn_fit_event *e)
{
    int code = VN_OK;
    for (int k = 0; k < e->n_scores && !code; k++) code = write_scalar(t, e->scores[k].name, e->step, e->scores[k].value);
    if (!code) code = write_scalar(t, "lr", e->step, e->lr);
    errno = 0;
    return code || !fflush(t->file) ? code : failed(t, "cannot write", errno);
}

static int finish(vn_tensorboard *t)
{
    FILE *file = t->file;
    t->file = NULL;
    errno = 0;
    return !file || !fclose(file) ? VN_OK : failed(t, "cannot close an event file", errno);
}

int vn_progress_tensorboard(const vn_fit_event *event, void *user)
{
    vn_tensorboard *t = user;
    if (!event || !t) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, event ? "user" : "event");
    int code = VN_OK;
    if (event->moment == VN_FIT_BEGIN) code = open_file(t);
    if (event->moment == VN_FIT_EPOCH && t->file) code = write_scores(t, event);
    if (event->moment == VN_FIT_END || code) {
        const int end = finish(t);
        if (!code) code = end;
    }
    if (code) return code;
    return t->next ? t->next(event, t->next_user) : 0;
}
