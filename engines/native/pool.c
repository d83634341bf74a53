/* pool.c: the threads that share a kernel's units of work.
 *
 * Workers start when a kernel first wants them, spin for a moment after each job and then sleep. One job runs at a time; a thread
 * that finds the pool taken does its units alone, so threads executing at once never wait for each other. Units are taken one by one
 * from a counter. A worker that wakes up late joins only while the job is open, so a busy machine never holds the caller up. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "internal.h"

enum { MOST_LANES = 256, SPINS = 4000, STACK = 1 << 20 };

static struct {
    pthread_mutex_t owner; /* held by the thread whose job runs */
    pthread_mutex_t lock;  /* everything below that is not atomic */
    pthread_cond_t wake, done;
    pthread_t threads[MOST_LANES];
    int n_workers, sleeping, lanes;
    bool stop, open;
    vn__task task;
    void *context;
    int64_t n;
    atomic_int_least64_t next;
    atomic_uint generation;
    atomic_int inside;
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static int wanted; /* VINEA_THREADS, 0 where the host decides */

static inline void pause_a_little(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
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
        atomic_fetch_add(&pool.inside, 1);
        pthread_mutex_unlock(&pool.lock);
        work(task, context, n, lane);
        pthread_mutex_lock(&pool.lock);
        if (atomic_fetch_sub(&pool.inside, 1) == 1) pthread_cond_signal(&pool.done);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* Starts workers up to `lanes`, as many as the system gives. They take no signals. Called with pool.owner held. */
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

int vn__native_lanes(void)
{
    const int lanes = wanted ? wanted : vn__native_host->threads();
    return lanes < 1 ? 1 : lanes > MOST_LANES ? MOST_LANES : lanes;
}

/* Only the forking thread lives on in a child: the allocator is taken over whole, the pool starts anew. */
static void before_fork(void) { vn__native_alloc_lock(true); }
static void after_fork(void) { vn__native_alloc_lock(false); }
static void in_child(void)
{
    vn__native_alloc_lock(false);
    pthread_mutex_init(&pool.owner, NULL);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.n_workers = pool.sleeping = 0;
    pool.open = pool.stop = false;
    atomic_store(&pool.inside, 0);
}

static int fork_error;
static void watch_forks(void) { fork_error = pthread_atfork(before_fork, after_fork, in_child); }

int vn__native_pool_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *text = getenv("VINEA_THREADS");
    wanted = 0;
    if (text && *text) {
        char *end;
        const long n = strtol(text, &end, 10);
        if (*end || n < 1 || n > MOST_LANES)
            return vn__native_host->error(VN_E_ARG, "native: VINEA_THREADS=%s is not a number from 1 to %d", text, MOST_LANES);
        wanted = (int)n;
    }
    pthread_once(&once, watch_forks);
    return fork_error ? vn__native_no_memory() : VN_OK;
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
