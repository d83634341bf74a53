/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c: the thread pool that runs a kernel's units of work.
 *
 * Workers start when a kernel first needs them, spin briefly after each job and then sleep. One job runs at a time; a thread
 * that finds the pool busy runs its units alone, so concurrent executions never wait for each other. Each lane begins with its own part of the
 * units, the same for every job of so many units, so that what it read or wrote last time is still in its cache; then it helps the others. A worker
 * that wakes up late joins only while the job is open, so a busy machine never delays the caller.
 *
 * Joining takes no lock. A worker counts itself in and then looks whether the job is open; the owner closes the job and then waits until none is
 * inside: in sequentially consistent order, one of them sees the other. The same holds for a worker that is about to sleep and the owner that
 * wakes sleepers, and for the owner that is about to wait and the last worker that leaves. */
/* compiled for speed */
#include <pthread.h>
#include <unistd.h>

#include "base/floats.h"
#include "base/minmax.h"
#include "internal.h"
#include "os/os.h"

enum { MAX_LANES = 256, SPINS = 4000, STACK = 1 << 20 };

/* The units of a lane's part that are still to be taken. Each on a cache line of its own. */
typedef struct part {
    _Alignas(64) atomic_int_least64_t next;
    int64_t end;
} part;

static struct {
    pthread_mutex_t owner; /* held by the thread whose job runs */
    pthread_mutex_t lock;  /* of the conditions */
    pthread_cond_t wake, done;
    pthread_t threads[MAX_LANES];
    int n_workers;
    /* the job: changes only while it is closed and no worker is inside */
    int lanes, cpu; /* cpu: the processor of the job's owner, -1 unknown */
    vn__task task;
    void *context;
    part parts[MAX_LANES];
    atomic_bool stop, open, waiting; /* waiting: the owner, for workers to leave */
    atomic_int sleeping;
    _Alignas(64) atomic_uint generation; /* of jobs */
    _Alignas(64) atomic_int inside;      /* workers that may look at the job */
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static inline void pause_a_little(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb"); /* yield takes no time on most of them */
#endif
}

/* The lane's own part, then what is left of the others'. */
static void work(int lane)
{
    const vn__task task = pool.task;
    void *context = pool.context;
    for (int k = 0; k < pool.lanes; k++) {
        part *p = &pool.parts[(lane + k) % pool.lanes];
        for (;;) {
            if (atomic_load_explicit(&p->next, memory_order_relaxed) >= p->end) break;
            const int64_t unit = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
            if (unit >= p->end) break;
            task(context, unit, lane);
        }
    }
}

/* Spins, then sleeps, until there is a job other than the one seen. */
static void wait_for_job(unsigned seen)
{
    for (int i = 0; i < SPINS; i++, pause_a_little())
        if (atomic_load_explicit(&pool.generation, memory_order_relaxed) != seen) return;
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(&pool.sleeping, 1);
    while (atomic_load(&pool.generation) == seen) pthread_cond_wait(&pool.wake, &pool.lock);
    atomic_fetch_sub(&pool.sleeping, 1);
    pthread_mutex_unlock(&pool.lock);
}

static void join(int lane)
{
    atomic_fetch_add(&pool.inside, 1);
    if (atomic_load(&pool.open) && lane < pool.lanes) {
        /* A thread is often woken on the processor of its waker, and waits there although others are idle. */
        if (pool.cpu >= 0 && pool.cpu == vn__this_processor()) vn__leave_processor(pool.cpu);
        work(lane);
    }
    if (atomic_fetch_sub(&pool.inside, 1) != 1 || !atomic_load(&pool.waiting)) return;
    pthread_mutex_lock(&pool.lock);
    pthread_cond_signal(&pool.done);
    pthread_mutex_unlock(&pool.lock);
}

static void *worker(void *argument)
{
    const int lane = (int)(intptr_t)argument;
    unsigned seen = 0;
    vn__floats_default();
    for (;;) {
        const unsigned job = atomic_load(&pool.generation);
        if (atomic_load(&pool.stop)) return NULL;
        if (job != seen && atomic_load(&pool.open)) join(lane);
        seen = job;
        wait_for_job(seen);
    }
}

/* Starts workers up to `lanes`, or as many as the system allows. They block all signals. Called with pool.owner held. */
static void start(int lanes)
{
    while (pool.n_workers < lanes - 1) {
        const intptr_t lane = pool.n_workers + 1;
        if (vn__thread_start(&pool.threads[pool.n_workers], STACK, worker, (void *)lane) != 0) break;
        pool.n_workers++;
    }
}

static void wake_workers(void)
{
    atomic_fetch_add(&pool.generation, 1);
    if (atomic_load(&pool.sleeping) == 0) return;
    pthread_mutex_lock(&pool.lock);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
}

/* Closes the job and waits for the workers that joined it. */
static void close_job(void)
{
    atomic_store(&pool.open, false);
    for (int i = 0; i < SPINS && atomic_load(&pool.inside) > 0; i++) pause_a_little();
    if (atomic_load(&pool.inside) == 0) return;
    pthread_mutex_lock(&pool.lock);
    atomic_store(&pool.waiting, true);
    while (atomic_load(&pool.inside) > 0) pthread_cond_wait(&pool.done, &pool.lock);
    atomic_store(&pool.waiting, false);
    pthread_mutex_unlock(&pool.lock);
}

static void share(int lanes, int64_t n, vn__task task, void *context)
{
    if (pool.n_workers < lanes - 1) start(lanes);
    pool.task = task;
    pool.context = context;
    pool.lanes = lanes;
    pool.cpu = vn__this_processor();
    const int64_t each = n / lanes, more = n % lanes; /* the first `more` parts have one unit more */
    for (int k = 0; k < lanes; k++) {
        atomic_store_explicit(&pool.parts[k].next, k * each + vn__min(k, more), memory_order_relaxed);
        pool.parts[k].end = (k + 1) * each + vn__min(k + 1, more);
    }
    atomic_store(&pool.open, true);
    wake_workers();
    work(0);
    close_job();
}

void vn__native_parallel(int lanes, int64_t n, vn__task task, void *context)
{
    if (lanes > n) lanes = (int)n;
    if (lanes > 1 && pthread_mutex_trylock(&pool.owner) == 0) {
        share(lanes, n, task, context);
        pthread_mutex_unlock(&pool.owner);
        return;
    }
    for (int64_t unit = 0; unit < n; unit++) task(context, unit, 0);
}

/* The number of processors available to this process, determined once. */
static int processors(void)
{
    static atomic_int known;
    int n = atomic_load_explicit(&known, memory_order_relaxed);
    if (n > 0) return n;
    n = vn__processors();
    if (n < 1) n = (int)sysconf(_SC_NPROCESSORS_ONLN); /* GCOV_EXCL_BR_LINE: more than 1024 processors */
    if (n < 1) n = 1;                                  /* GCOV_EXCL_BR_LINE: as above */
    atomic_store_explicit(&known, n, memory_order_relaxed);
    return n;
}

/* The user's setting, or one thread per processor. */
int vn__native_lanes(void)
{
    int lanes = vn__native_host->threads();
    if (lanes < 1) lanes = processors();
    return vn__min(vn__max(lanes, 1), MAX_LANES);
}

/* Only the forking thread survives in the child: the allocator stays consistent, the pool starts afresh. */
void vn__native_fork(vn_context *context, int step)
{
    (void)context;
    vn__native_alloc_lock(step == VN_FORK_BEFORE);
    if (step != VN_FORK_CHILD) return;
    pthread_mutex_init(&pool.owner, NULL);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.n_workers = 0;
    atomic_store(&pool.sleeping, 0);
    atomic_store(&pool.inside, 0);
    atomic_store(&pool.open, false);
    atomic_store(&pool.stop, false);
    atomic_store(&pool.waiting, false);
}

void vn__native_pool_close(void)
{
    atomic_store(&pool.stop, true);
    wake_workers();
    for (int i = 0; i < pool.n_workers; i++) pthread_join(pool.threads[i], NULL);
    pool.n_workers = 0;
    atomic_store(&pool.stop, false);
}
