/* SPDX-License-Identifier: Apache-2.0 */
/* zip.c: npz files: npy files in a zip archive. The directory at the end says where they are, but is not trusted: members must lie inside
 * the file, before the directory and without overlap, their local headers must agree with the directory, and their sizes and checksums must
 * be right. Archives are written with 64-bit sizes and without compression. */
#include "files/files.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <inttypes.h>
#include <stdlib.h>

enum { END = 22, END64 = 56, LOCATOR = 20, CENTRAL = 46, LOCAL = 30 };
static const uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, locator_mark = 0x07064b50, central_mark = 0x02014b50,
                      local_mark = 0x04034b50;
static const uint64_t wide32 = 0xffffffff; /* the value is in the 64-bit field */

/* ---- reading ---- */

typedef struct {
    const vn__file *f;
    uint64_t begin, end, members; /* of the directory */
} directory;

typedef struct {
    const unsigned char *name;
    uint64_t n_name, flags, method, stored, whole, local, data;
    uint32_t crc;
} member;

static uint64_t at16(const unsigned char *p)
{
    return vn__little(p, 2);
}
static uint64_t at32(const unsigned char *p)
{
    return vn__little(p, 4);
}
static uint64_t at64(const unsigned char *p)
{
    return vn__little(p, 8);
}

/* The offset of the end record, whose comment must end the file; 0 if there is none. */
static uint64_t find_end(const vn__file *f)
{
    for (uint64_t back = END; back <= f->size && back <= END + 0xffff; back++) {
        const unsigned char *p = f->data + (f->size - back);
        if (at32(p) == end_mark && at16(p + 20) == back - END) return f->size - back;
    }
    return 0;
}

/* Numbers that do not fit into the end record are in a larger record before it. */
static int read_end64(directory *d, uint64_t end, uint64_t *size)
{
    const vn__file *f = d->f;
    if (end < LOCATOR || at32(f->data + (end - LOCATOR)) != locator_mark)
        return vn__file_bad(f, end, "the record of 64-bit numbers is missing");
    uint64_t at = at64(f->data + (end - LOCATOR) + 8), most = end - LOCATOR;
    if (most < END64 || at > most - END64 || at32(f->data + at) != end64_mark)
        return vn__file_bad(f, end - LOCATOR, "the record of 64-bit numbers is misplaced");
    const unsigned char *p = f->data + at;
    if (at64(p + 4) != most - at - 12) return vn__file_bad(f, at, "the record of 64-bit numbers has a wrong size");
    if (at32(p + 16) || at32(p + 20) || at64(p + 24) != at64(p + 32)) return vn__file_bad(f, at, "the archive is split over several files");
    d->members = at64(p + 32);
    *size = at64(p + 40);
    d->begin = at64(p + 48);
    d->end = at;
    return VN_OK;
}

static int read_end(directory *d)
{
    const vn__file *f = d->f;
    uint64_t end = find_end(f);
    if (!end && (f->size < END || at32(f->data) != end_mark))
        return vn__file_bad(f, f->size, "the archive has no directory: the file is truncated or not an archive");
    const unsigned char *p = f->data + end;
    uint64_t size = at32(p + 12);
    d->members = at16(p + 10);
    d->begin = at32(p + 16);
    d->end = end;
    if (at16(p + 4) || at16(p + 6) || at16(p + 8) != d->members) return vn__file_bad(f, end, "the archive is split over several files");
    bool large = d->members == 0xffff || size == wide32 || d->begin == wide32;
    int code = large ? read_end64(d, end, &size) : VN_OK;
    if (code) return code;
    if (d->begin > d->end || size != d->end - d->begin) return vn__file_bad(f, end, "the directory is misplaced");
    if (d->members > size / CENTRAL || d->members > VN__FILE_ENTRIES)
        return vn__file_bad(f, end, "%" PRIu64 " members cannot be", d->members);
    return VN_OK;
}

/* 64-bit values for those that do not fit: extra field 1, in this order. */
static int read_wide(const vn__file *f, uint64_t at, uint64_t n, uint64_t *const *numbers, int count)
{
    const unsigned char *p = f->data + at, *end = p + n;
    int wanted = 0;
    for (int i = 0; i < count; i++) wanted += *numbers[i] == wide32;
    while (end - p >= 4) {
        uint64_t id = at16(p), length = at16(p + 2);
        if (length > (uint64_t)(end - p - 4)) break;
        if (id == 1) {
            const unsigned char *q = p + 4;
            if (length < 8 * (uint64_t)wanted) return vn__file_bad(f, at, "the field of 64-bit sizes is too short");
            for (int i = 0; i < count; i++) {
                if (*numbers[i] != wide32) continue;
                *numbers[i] = at64(q);
                q += 8;
            }
            return VN_OK;
        }
        p += 4 + length;
    }
    return wanted ? vn__file_bad(f, at, "the field of 64-bit sizes is missing") : VN_OK;
}

/* One entry of the directory; advances *at. */
static int read_central(const directory *d, uint64_t *at, member *m)
{
    const vn__file *f = d->f;
    const unsigned char *p = f->data + *at;
    if (d->end - *at < CENTRAL || at32(p) != central_mark) return vn__file_bad(f, *at, "an entry of the directory was expected");
    uint64_t extra = at16(p + 30), comment = at16(p + 32);
    *m =
        (member){p + CENTRAL, at16(p + 28), at16(p + 8), at16(p + 10), at32(p + 20), at32(p + 24), at32(p + 42), 0, (uint32_t)at32(p + 16)};
    if (m->n_name + extra + comment > d->end - *at - CENTRAL) return vn__file_bad(f, *at, "an entry of the directory is truncated");
    if (at16(p + 34)) return vn__file_bad(f, *at, "the archive is split over several files");
    int code = read_wide(f, *at + CENTRAL + m->n_name, extra, (uint64_t *const[]){&m->whole, &m->stored, &m->local}, 3);
    if (code) return code;
    if (m->flags & 0x2041) return vn__file_bad(f, *at, "a member is encrypted");
    if (m->method != 0 && m->method != 8)
        return vn__file_bad(f, *at, "compression by method %d; stored and deflated members are read", (int)m->method);
    if (!m->method && m->stored != m->whole) return vn__file_bad(f, *at, "a stored member has two sizes");
    if (m->whole / 1032 > m->stored + 1) return vn__file_bad(f, *at, "deflated data cannot expand that much");
    *at += CENTRAL + m->n_name + extra + comment;
    return VN_OK;
}

/* The member's local header must agree with the directory. */
static int read_local(const directory *d, member *m)
{
    const vn__file *f = d->f;
    if (d->begin < LOCAL || m->local > d->begin - LOCAL || at32(f->data + m->local) != local_mark)
        return vn__file_bad(f, m->local, "a member is not where the directory says");
    const unsigned char *p = f->data + m->local;
    uint64_t n = at16(p + 26), extra = at16(p + 28), room = d->begin - m->local - LOCAL, stored = at32(p + 18), whole = at32(p + 22);
    bool later = m->flags & 8; /* sizes and checksum follow the data */
    if (n + extra > room || m->stored > room - n - extra) return vn__file_bad(f, m->local, "a member reaches into the directory");
    if (n != m->n_name || memcmp(p + LOCAL, m->name, n) != 0 || at16(p + 8) != m->method || at16(p + 6) != m->flags)
        return vn__file_bad(f, m->local, "a member is not the one that the directory says");
    int code = later ? VN_OK : read_wide(f, m->local + LOCAL + n, extra, (uint64_t *const[]){&whole, &stored}, 2);
    if (code) return code;
    if (!later && (stored != m->stored || whole != m->whole || at32(p + 14) != m->crc))
        return vn__file_bad(f, m->local, "size or checksum of a member is not what the directory says");
    m->data = m->local + LOCAL + n + extra;
    return VN_OK;
}

/* The npy file of a member becomes an entry of the catalog. */
static int add_member(vn__catalog *x, const member *m)
{
    enum { PART = VN__NPY_HEADER + 12 }; /* enough for any header */
    const vn__file *f = x->file;
    char *name = vn__scope_memory(m->n_name + 1, f->who);
    vn__stored *s = name ? vn__catalog_add(x) : NULL;
    if (!s) return vn_status();
    memcpy(name, m->name, m->n_name);
    name[m->n_name] = 0;
    bool npy = m->n_name > 4 && !memcmp(name + m->n_name - 4, ".npy", 4);
    if (!npy || strlen(name) != m->n_name || !vn__is_utf8(name))
        return vn__file_bad(f, m->local, "the member \"%.80s\" has no name of an npy file", name);
    name[m->n_name - 4] = 0;
    *s = (vn__stored){.name = name, .begin = m->data, .stored = m->stored, .whole = m->whole, .crc = m->crc, .deflated = m->method == 8};
    if (!s->deflated) {
        int code = vn__npy_header(f, f->data + m->data, m->stored, m->data, s);
        if (code) return code;
        if (vn__crc32(0, f->data + m->data, m->stored) != m->crc)
            return vn__file_bad(f, m->data, "the checksum of \"%.80s\" is wrong", name);
        s->begin += s->head;
        s->stored -= s->head;
        return s->stored == s->bytes ? VN_OK : vn__file_bad(f, m->data, "\"%.80s\" does not have the size that shape and dtype need", name);
    }
    size_t have = m->whole < PART ? (size_t)m->whole : PART;
    unsigned char *part = vn__alloc(have);
    if (!part) return vn__no_memory(f->who);
    const char *problem = vn__inflate(f->data + m->data, m->stored, part, have, have < m->whole);
    int code = problem ? vn__file_bad(f, m->data, "\"%.80s\": %s", name, problem) : vn__npy_header(f, part, have, m->data, s);
    vn__free(part);
    if (code) return code;
    return m->whole - s->head == s->bytes ? VN_OK
                                          : vn__file_bad(f, m->data, "\"%.80s\" does not have the size that shape and dtype need", name);
}

static int by_place(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return (x->local > y->local) - (x->local < y->local);
}

static int check_names(const vn__catalog *x)
{
    const char **names = vn__scope_memory(((size_t)x->n + 1) * sizeof *names, x->file->who);
    if (!names) return VN_E_MEM;
    for (int i = 0; i < x->n; i++) names[i] = x->arrays[i].name;
    return vn__no_name_twice(x->file, names, x->n);
}

int vn__npz_read(vn__catalog *x)
{
    directory d = {.f = x->file};
    x->format = "npz";
    int code = read_end(&d);
    member *all = code ? NULL : vn__scope_memory((d.members + 1) * sizeof *all, x->file->who);
    if (!all) return code ? code : VN_E_MEM;
    uint64_t at = d.begin;
    for (uint64_t i = 0; i < d.members; i++) {
        code = read_central(&d, &at, &all[i]);
        if (!code) code = read_local(&d, &all[i]);
        if (code) return code;
    }
    if (at != d.end) return vn__file_bad(x->file, at, "the directory has bytes that belong to no entry");
    qsort(all, d.members, sizeof *all, by_place);
    for (uint64_t i = 0; i < d.members; i++) {
        if (i && all[i].local < all[i - 1].data + all[i - 1].stored) return vn__file_bad(x->file, all[i].local, "members overlap");
    }
    for (uint64_t i = 0; i < d.members && !code; i++) code = add_member(x, &all[i]);
    return code ? code : check_names(x);
}

/* ---- writing ---- */

typedef struct {
    unsigned char bytes[128];
    size_t n;
} record;

static void put(record *r, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) r->bytes[r->n++] = (unsigned char)(x >> 8 * i);
}

/* The common part of a member's local header and its directory entry: from the version needed to the length of the extra fields. */
static void put_common(record *r, uint32_t crc, size_t name, size_t extra)
{
    enum { VERSION = 45, UTF8 = 0x800, DAY = 1 << 5 | 1 }; /* 1 January 1980, so that files depend only on their contents */
    put(r, VERSION, 2), put(r, UTF8, 2), put(r, 0, 2), put(r, 0, 2), put(r, DAY, 2);
    put(r, crc, 4), put(r, wide32, 4), put(r, wide32, 4), put(r, name, 2), put(r, extra, 2);
}

typedef struct {
    uint64_t local, whole;
    uint32_t crc;
    size_t name;
} written;

static int write_name(vn__writer *w, const record *r, const char *name)
{
    int code = vn__write(w, r->bytes, r->n);
    if (!code) code = vn__write(w, name, strlen(name));
    return code ? code : vn__write(w, ".npy", 4);
}

static int write_member(vn__writer *w, const vn__leaf_file *a, written *m)
{
    char head[512];
    size_t n = vn__npy_print(a->array, head);
    *m = (written){w->done, n + a->bytes, vn__crc32(vn__crc32(0, head, n), a->data, a->bytes), strlen(a->name) + 4};
    record r = {.n = 0}, sizes = {.n = 0};
    put(&r, local_mark, 4);
    put_common(&r, m->crc, m->name, 20);
    put(&sizes, 1, 2), put(&sizes, 16, 2), put(&sizes, m->whole, 8), put(&sizes, m->whole, 8);
    int code = write_name(w, &r, a->name);
    if (!code) code = vn__write(w, sizes.bytes, sizes.n);
    if (!code) code = vn__write(w, head, n);
    return code ? code : vn__write(w, a->data, a->bytes);
}

static int write_central(vn__writer *w, const vn__leaf_file *a, const written *m)
{
    record r = {.n = 0}, sizes = {.n = 0};
    put(&r, central_mark, 4), put(&r, 45, 2);
    put_common(&r, m->crc, m->name, 28);
    put(&r, 0, 2), put(&r, 0, 2), put(&r, 0, 2), put(&r, 0, 4), put(&r, wide32, 4);
    put(&sizes, 1, 2), put(&sizes, 24, 2), put(&sizes, m->whole, 8), put(&sizes, m->whole, 8), put(&sizes, m->local, 8);
    int code = write_name(w, &r, a->name);
    return code ? code : vn__write(w, sizes.bytes, sizes.n);
}

static int write_end(vn__writer *w, uint64_t begin, uint64_t members)
{
    uint64_t at = w->done;
    record r = {.n = 0};
    put(&r, end64_mark, 4), put(&r, END64 - 12, 8), put(&r, 45, 2), put(&r, 45, 2), put(&r, 0, 4), put(&r, 0, 4);
    put(&r, members, 8), put(&r, members, 8), put(&r, at - begin, 8), put(&r, begin, 8);
    put(&r, locator_mark, 4), put(&r, 0, 4), put(&r, at, 8), put(&r, 1, 4);
    int code = vn__write(w, r.bytes, r.n);
    r.n = 0;
    put(&r, end_mark, 4), put(&r, 0, 2), put(&r, 0, 2), put(&r, 0xffff, 2), put(&r, 0xffff, 2), put(&r, wide32, 4), put(&r, wide32, 4),
        put(&r, 0, 2);
    return code ? code : vn__write(w, r.bytes, r.n);
}

int vn__npz_write(vn__writer *w, const vn__leaf_file *a, int n)
{
    written *m = vn__scope_memory(((size_t)n + 1) * sizeof *m, w->who);
    int code = m ? VN_OK : VN_E_MEM;
    for (int i = 0; i < n && !code; i++) {
        if (!vn__is_utf8(a[i].name) || strlen(a[i].name) > 0xff00)
            code = vn__fail(VN_E_ARG, "%s: the key \"%.80s\" is not UTF-8 or too long", w->who, a[i].name);
    }
    for (int i = 0; i < n && !code; i++) code = write_member(w, &a[i], &m[i]);
    uint64_t begin = w->done;
    for (int i = 0; i < n && !code; i++) code = write_central(w, &a[i], &m[i]);
    return code ? code : write_end(w, begin, (uint64_t)n);
}
