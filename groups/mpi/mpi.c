/* SPDX-License-Identifier: Apache-2.0 */
/* mpi.c: groups of processes on MPI 3. One source, built once for each MPI that is installed (cmake/Groups.cmake): their headers give the
 * same names other values, so a plugin fits only the library it was built against. All transfers are non-blocking. */
#include <vinea/group.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

static const vn_host *host;

struct vn_comm {
    MPI_Comm comm;
    int rank, ranks;
};
struct vn_work {
    MPI_Request request;
};

enum { NOTE_BYTES = 512, NOTE_TAG = 1 };
static MPI_Comm notes = MPI_COMM_NULL; /* for short texts, apart from transfers */
static bool ours;                      /* this plugin began MPI, and ends it */
static MPI_Win window = MPI_WIN_NULL;  /* the memory that all ranks share */

static int failed(const char *what, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(error, text, &length);
    return host->error(VN_E_GROUP, "%s: %s failed: %.*s", VN_MPI_NAME, what, length, text);
}

/* ---- groups ---- */

static int wrap(MPI_Comm comm, vn_comm **out)
{
    vn_comm *c = calloc(1, sizeof *c);
    if (!c) return host->error(VN_E_MEM, "%s: out of memory", VN_MPI_NAME);
    c->comm = comm;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_size(comm, &c->ranks);
    *out = c;
    return VN_OK;
}

/* Open MPI's ranks read what PMIx knows of the job in memory that they share with their launcher, under locks that are not given back when a rank is
 * killed: the launcher then waits for one for ever. With this setting PMIx sends it in messages instead. Other MPIs do not read it. */
static int begin(void)
{
    static const char setting[] = "PMIX_MCA_gds";
    int level = 0;
    const bool chosen = getenv(setting);
    if (!chosen) setenv(setting, "hash", 1);
    const int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    if (!chosen) unsetenv(setting);
    return error;
}

/* Communicators of its own, so that messages of the program itself cannot be mistaken for these. */
static int open_world(vn_comm **world)
{
    int begun = 0, ended = 0, level = 0, error = MPI_SUCCESS;
    MPI_Comm own;
    MPI_Finalized(&ended);
    MPI_Initialized(&begun);
    if (ended) return host->error(VN_E_GROUP, "%s: MPI was ended (MPI_Finalize) and cannot begin again in this process", VN_MPI_NAME);
    if (!begun && (error = begin())) return failed("MPI_Init_thread", error);
    ours = !begun;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED)
        return host->error(VN_E_GROUP, "%s: MPI was begun without threads; MPI_Init_thread with MPI_THREAD_SERIALIZED is needed",
                           VN_MPI_NAME);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if ((error = MPI_Comm_dup(MPI_COMM_WORLD, &own)) || (error = MPI_Comm_dup(MPI_COMM_WORLD, &notes)))
        return failed("MPI_Comm_dup", error);
    MPI_Comm_set_errhandler(notes, MPI_ERRORS_RETURN);
    return wrap(own, world);
}

static void release(vn_comm *c)
{
    MPI_Comm_free(&c->comm);
    free(c);
}

static void close_world(vn_comm *world)
{
    if (window != MPI_WIN_NULL) MPI_Win_free(&window);
    release(world);
    MPI_Comm_free(&notes);
    if (ours) MPI_Finalize();
}

static const char *version(void)
{
    static char text[96];
    char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(all, &length);
    for (char *c = all; *c; c++) {
        if (*c == '\t') *c = ' ';
        if (*c == '\n') *c = 0;
    }
    snprintf(text, sizeof text, "%.*s", (int)strcspn(all, ","), all);
    return text;
}

static int rank_of(const vn_comm *c)
{
    return c->rank;
}
static int ranks_of(const vn_comm *c)
{
    return c->ranks;
}

static int neighbours_of(const vn_comm *c)
{
    MPI_Comm near;
    int n = 1;
    if (MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near)) return 1;
    MPI_Comm_size(near, &n);
    MPI_Comm_free(&near);
    return n;
}

enum { LINE = 64, PAGE = 4096 };

/* Whether this process has addresses for so many bytes: where it has not, Open MPI crashes and MPICH waits for ever. */
static bool has_addresses(size_t bytes)
{
    void *m = bytes ? mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;
    if (m != MAP_FAILED) munmap(m, bytes);
    return m != MAP_FAILED;
}

/* Bytes for each rank: both MPIs take the pages from /dev/shm when they are first written to, and end a process that finds none left. */
static unsigned long long room_of(const vn_comm *c, size_t max_bytes)
{
    struct statvfs s;
    if (neighbours_of(c) != c->ranks || statvfs("/dev/shm", &s)) return 0;
    const unsigned long long ranks = (unsigned long long)c->ranks, half = (unsigned long long)s.f_bavail * s.f_frsize / 2 / ranks;
    const unsigned long long room = (half < max_bytes ? half : max_bytes) / PAGE * PAGE;
    return has_addresses(room * ranks) ? room : 0;
}

/* At the next line: Open MPI's begins 8 bytes after one. Pages lie on lines, so it is the same one in all processes. */
static void *shared(const vn_comm *world, int k)
{
    (void)world;
    MPI_Aint bytes = 0;
    int unit = 0;
    char *memory = NULL;
    if (MPI_Win_shared_query(window, k, &bytes, &unit, &memory)) return NULL;
    return memory + (LINE - (uintptr_t)memory % LINE) % LINE;
}

static size_t share(vn_comm *world, size_t max_bytes)
{
    unsigned long long room = room_of(world, max_bytes), own;
    void *memory;
    if (MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, world->comm) || !room) return 0;
    MPI_Info apart; /* each rank's memory on pages of its own */
    if (MPI_Info_create(&apart)) return 0;
    MPI_Info_set(apart, "alloc_shared_noncontig", "true");
    own = MPI_Win_allocate_shared((MPI_Aint)room, 1, apart, world->comm, &memory, &window) ? 0 : room;
    MPI_Info_free(&apart);
    for (int k = 0; k < world->ranks && own; k++)
        if (!shared(world, k)) own = 0;
    return MPI_Allreduce(&own, &room, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, world->comm) || !room ? 0 : room - PAGE;
}

static int split(vn_comm *c, int colour, int key, vn_comm **out)
{
    MPI_Comm comm;
    int error = MPI_Comm_split(c->comm, colour < 0 ? MPI_UNDEFINED : colour, key, &comm);
    *out = NULL;
    if (error) return failed("MPI_Comm_split", error);
    return comm == MPI_COMM_NULL ? VN_OK : wrap(comm, out);
}

/* ---- transfers ---- */

static MPI_Datatype type_of(int dtype)
{
    switch (dtype) {
    case VN_BOOL:
    case VN_U8: return MPI_UINT8_T;
    case VN_I8: return MPI_INT8_T;
    case VN_I16: return MPI_INT16_T;
    case VN_I32: return MPI_INT32_T;
    case VN_I64: return MPI_INT64_T;
    case VN_U16: return MPI_UINT16_T;
    case VN_U32: return MPI_UINT32_T;
    case VN_U64: return MPI_UINT64_T;
    case VN_F32: return MPI_FLOAT;
    case VN_F64: return MPI_DOUBLE;
    case VN_C64: return MPI_C_FLOAT_COMPLEX;
    case VN_C128: return MPI_C_DOUBLE_COMPLEX;
    default: return MPI_DATATYPE_NULL;
    }
}

static MPI_Op op_of(int reduction)
{
    return reduction == VN_REDUCE_MAX ? MPI_MAX : reduction == VN_REDUCE_MIN ? MPI_MIN : MPI_SUM;
}

static int start_transfer(const vn_comm *c, const vn_transfer *t, MPI_Datatype type, MPI_Request *r)
{
    const int n = (int)t->count;
    const void *in = t->in == t->out ? MPI_IN_PLACE : t->in;
    switch (t->kind) {
    case VN_TRANSFER_BARRIER: return MPI_Ibarrier(c->comm, r);
    case VN_TRANSFER_BROADCAST: return MPI_Ibcast(t->out, n, type, t->rank, c->comm, r);
    case VN_TRANSFER_ALL_REDUCE: return MPI_Iallreduce(in, t->out, n, type, op_of(t->reduction), c->comm, r);
    case VN_TRANSFER_ALL_GATHER: return MPI_Iallgather(t->in, n, type, t->out, n, type, c->comm, r);
    case VN_TRANSFER_REDUCE_SCATTER: return MPI_Ireduce_scatter_block(t->in, t->out, n, type, op_of(t->reduction), c->comm, r);
    case VN_TRANSFER_SEND: return MPI_Isend(t->in, n, type, t->rank, t->tag, c->comm, r);
    case VN_TRANSFER_RECEIVE: return MPI_Irecv(t->out, n, type, t->rank, t->tag, c->comm, r);
    default: return MPI_ERR_ARG;
    }
}

static int start(vn_comm *c, const vn_transfer *t, vn_work **out)
{
    vn_work *w = calloc(1, sizeof *w);
    if (!w) return host->error(VN_E_MEM, "%s: out of memory", VN_MPI_NAME);
    int error = start_transfer(c, t, type_of(t->dtype), &w->request);
    if (error) return free(w), failed("starting a transfer", error);
    *out = w;
    return VN_OK;
}

/* A receive of fewer elements than were sent fails. */
static int progress(vn_comm *c, vn_work *w, int *done)
{
    (void)c;
    int error = MPI_Test(&w->request, done, MPI_STATUS_IGNORE);
    if (error || *done) free(w);
    return error ? failed("a transfer", error) : VN_OK;
}

/* ---- short texts ---- */

/* Messages of this size are sent at once; the text stays until the process ends, and the requests with it. */
static int post(vn_comm *world, const char *text)
{
    char *copy = calloc(1, NOTE_BYTES);
    if (!copy) return host->error(VN_E_MEM, "%s: out of memory", VN_MPI_NAME);
    snprintf(copy, NOTE_BYTES, "%s", text);
    for (int k = 0; k < world->ranks; k++) {
        MPI_Request r;
        if (k == world->rank) continue;
        int error = MPI_Isend(copy, NOTE_BYTES, MPI_CHAR, k, NOTE_TAG, notes, &r);
        if (!error) error = MPI_Request_free(&r);
        if (error) return failed("sending a message", error);
    }
    return VN_OK;
}

static int look(vn_comm *world, int *rank, char *text, size_t capacity)
{
    (void)world;
    char came[NOTE_BYTES];
    int there = 0;
    MPI_Status status;
    *rank = -1;
    int error = MPI_Iprobe(MPI_ANY_SOURCE, NOTE_TAG, notes, &there, &status);
    if (!error && there) error = MPI_Recv(came, NOTE_BYTES, MPI_CHAR, status.MPI_SOURCE, NOTE_TAG, notes, &status);
    if (error) return failed("receiving a message", error);
    if (!there) return VN_OK;
    came[NOTE_BYTES - 1] = 0;
    snprintf(text, capacity, "%s", came);
    *rank = status.MPI_SOURCE;
    return VN_OK;
}

static void abort_all(vn_comm *world, int code)
{
    MPI_Abort(world->comm, code);
}

static const vn_group_plugin plugin = {.abi = VN_GROUP_ABI,
                                       .size = sizeof plugin,
                                       .name = VN_MPI_NAME,
                                       .memories = VN_BIT(VN_MEMORY_HOST),
                                       .max_count = 1 << 30,
                                       .open = open_world,
                                       .close = close_world,
                                       .version = version,
                                       .rank = rank_of,
                                       .ranks = ranks_of,
                                       .neighbours = neighbours_of,
                                       .share = share,
                                       .shared = shared,
                                       .split = split,
                                       .release = release,
                                       .start = start,
                                       .progress = progress,
                                       .post = post,
                                       .look = look,
                                       .abort = abort_all};

__attribute__((visibility("default"))) const vn_group_plugin *vinea_group_main(const vn_host *h)
{
    if (h->abi != VN_GROUP_ABI) return NULL;
    host = h;
    return &plugin;
}
