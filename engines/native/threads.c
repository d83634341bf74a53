/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c: the thread pool that runs a kernel's units of work.
 *
 * Workers start when a kernel first needs them, spin briefly after each job and then sleep. One job runs at a time; a thread
 * that finds the pool busy runs its units alone, so concurrent executions never wait for each other. Units are taken one by one
 * from a counter. A worker that wakes up late joins only while the job is open, so a busy machine never delays the caller. */
/* compiled for speed */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "base/floats.h"
#include "base/minmax.h"
#include "internal.h"

enum { MAX_LANES = 256, SPINS = 4000, STACK = 1 << 20 };

static struct {
    pthread_mutex_t owner; /* held by the thread whose job runs */
    pthread_mutex_t lock;  /* protects the non-atomic fields below */
    pthread_cond_t wake, done;
    pthread_t threads[MAX_LANES];
    int n_workers, sleeping, lanes, cpu; /* cpu: the processor of the job's owner, -1 unknown */
    bool stop, open;
    vn__task task;
    void *context;
    int64_t n;
    atomic_int_least64_t next;
    atomic_uint generation;
    atomic_int inside;
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static inline void pause_a_little(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* The calling thread's processor. */
static int this_cpu(void)
{
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

/* A thread is often woken on the processor of its waker, and waits there although others are idle. Moves the
 * calling thread to another processor; its affinity mask is restored. */
static void leave_cpu(int cpu)
{
#if defined(__linux__)
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) return;
    cpu_set_t others = all;
    CPU_CLR((size_t)cpu, &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0) sched_setaffinity(0, sizeof all, &all);
#else
    (void)cpu;
#endif
}

static void work(vn__task task, void *context, int64_t n, int lane)
{
    for (;;) {
        const int64_t unit = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed);
        if (unit >= n) return;
        task(context, unit, lane);
    }
}

static void *worker(void *argument)
{
    const int lane = (int)(intptr_t)argument;
    unsigned seen = 0;
    vn__floats_default();
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.stop && (!pool.open || lane >= pool.lanes || atomic_load(&pool.generation) == seen)) {
            seen = atomic_load(&pool.generation);
            pthread_mutex_unlock(&pool.lock);
            for (int i = 0; i < SPINS && atomic_load_explicit(&pool.generation, memory_order_relaxed) == seen; i++) pause_a_little();
            pthread_mutex_lock(&pool.lock);
            if (pool.stop || atomic_load(&pool.generation) != seen) continue;
            pool.sleeping++;
            pthread_cond_wait(&pool.wake, &pool.lock);
            pool.sleeping--;
        }
        if (pool.stop) break;
        seen = atomic_load(&pool.generation);
        vn__task task = pool.task;
        void *context = pool.context;
        const int64_t n = pool.n;
        const int cpu = pool.cpu;
        atomic_fetch_add(&pool.inside, 1);
        pthread_mutex_unlock(&pool.lock);
        if (cpu >= 0 && cpu == this_cpu()) leave_cpu(cpu);
        work(task, context, n, lane);
        pthread_mutex_lock(&pool.lock);
        if (atomic_fetch_sub(&pool.inside, 1) == 1) pthread_cond_signal(&pool.done);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* Starts workers up to `lanes`, or as many as the system allows. They block all signals. Called with pool.owner held. */
static void start(int lanes)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.n_workers < lanes - 1) {
        const intptr_t lane = pool.n_workers + 1;
        if (pthread_create(&pool.threads[pool.n_workers], &attributes, worker, (void *)lane) != 0) break;
        pool.n_workers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static void share(int lanes, int64_t n, vn__task task, void *context)
{
    if (pool.n_workers < lanes - 1) start(lanes);
    pthread_mutex_lock(&pool.lock);
    pool.task = task;
    pool.context = context;
    pool.n = n;
    pool.lanes = lanes;
    pool.cpu = this_cpu();
    pool.open = true;
    atomic_store_explicit(&pool.next, 0, memory_order_relaxed);
    atomic_fetch_add(&pool.generation, 1);
    if (pool.sleeping > 0) pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);

    work(task, context, n, 0);

    pthread_mutex_lock(&pool.lock);
    pool.open = false;
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < SPINS && atomic_load_explicit(&pool.inside, memory_order_acquire) > 0; i++) pause_a_little();
    pthread_mutex_lock(&pool.lock);
    while (atomic_load(&pool.inside) > 0) pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
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
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
    if (n < 1) n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1) n = 1;
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
    pool.n_workers = pool.sleeping = 0;
    pool.open = pool.stop = false;
    atomic_store(&pool.inside, 0);
}

void vn__native_pool_close(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.stop = true;
    atomic_fetch_add(&pool.generation, 1);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.n_workers; i++) pthread_join(pool.threads[i], NULL);
    pool.n_workers = 0;
    pool.stop = false;
}
