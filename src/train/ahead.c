/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.c: a thread that decodes the next batch of images while the present one is computed. What it gives does not depend on it: rows
 * that were not asked for beforehand are decoded by whoever needs them. It never enters the library, so it changes no other thread's
 * random numbers, and takes no signals. */
#include "train/images.h"
#include "core/memory.h"
#include "core/state.h"
#include "os/os.h"
#include <pthread.h>
#include <string.h>

typedef enum { IDLE, WANTED, READY } progress;

struct vn__ahead {
    const struct vn__images *images;
    pthread_mutex_t turn; /* who starts, asks or ends */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    pthread_t thread;
    _Atomic bool running;
    bool ending;
    int forks; /* when the thread was started: a forked process has none */
    progress state;
    int64_t *rows, n, capacity;
    unsigned char *pixels;
    vn__image_error error;
};

vn__ahead *vn__ahead_new(const struct vn__images *i)
{
    vn__ahead *a = vn__calloc(sizeof *a);
    if (!a) return NULL;
    a->images = i;
    pthread_mutex_init(&a->turn, NULL), pthread_mutex_init(&a->lock, NULL), pthread_cond_init(&a->changed, NULL);
    return a;
}

/* ---- the thread ---- */

static void *run(void *memory)
{
    vn__ahead *a = memory;
    pthread_mutex_lock(&a->lock);
    while (!a->ending) {
        if (a->state != WANTED) {
            pthread_cond_wait(&a->changed, &a->lock);
            continue;
        }
        pthread_mutex_unlock(&a->lock); /* rows and pixels stay as they are until the state changes */
        vn__images_decode(a->images, a->rows, a->n, a->pixels, &a->error);
        pthread_mutex_lock(&a->lock);
        a->state = READY;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static bool start(vn__ahead *a)
{
    if (a->running && a->forks == vn__forks) return true;
    if (a->running) { /* in the parent: what it was doing is lost, and so are its locks */
        pthread_mutex_init(&a->lock, NULL), pthread_cond_init(&a->changed, NULL);
        a->state = IDLE;
    }
    a->ending = false, a->forks = vn__forks;
    a->running = !vn__thread_start(&a->thread, 0, run, a);
    return a->running;
}

/* ---- asking ---- */

static bool room_for(vn__ahead *a, int64_t n)
{
    if (n > a->capacity) {
        int64_t *rows = vn__grow(a->rows, (size_t)a->capacity * sizeof *rows, (size_t)n * sizeof *rows);
        if (!rows) return false;
        a->rows = rows, a->capacity = n;
    }
    vn__block_free(a->pixels);
    a->pixels = vn__block_alloc((size_t)n * vn__images_row(a->images));
    return a->pixels != NULL;
}

void vn__ahead_want(vn__ahead *a, const int64_t *rows, int64_t n)
{
    pthread_mutex_lock(&a->turn);
    if (start(a)) {
        pthread_mutex_lock(&a->lock);
        if (a->state != WANTED && room_for(a, n)) {
            memcpy(a->rows, rows, (size_t)n * sizeof *rows);
            a->n = n, a->state = WANTED;
            pthread_cond_broadcast(&a->changed);
        }
        pthread_mutex_unlock(&a->lock);
    }
    pthread_mutex_unlock(&a->turn);
}

static bool same_rows(const vn__ahead *a, const int64_t *rows, int64_t n)
{
    return a->state != IDLE && a->n == n && !memcmp(a->rows, rows, (size_t)n * sizeof *rows);
}

/* What the thread has made of these rows, once it is done; NULL: it was not asked for them. */
static unsigned char *take_ready(vn__ahead *a, const int64_t *rows, int64_t n, vn__image_error *t)
{
    unsigned char *pixels = NULL;
    if (!a->running || a->forks != vn__forks) return NULL;
    pthread_mutex_lock(&a->lock);
    while (same_rows(a, rows, n) && a->state == WANTED && !a->ending) pthread_cond_wait(&a->changed, &a->lock);
    if (same_rows(a, rows, n) && a->state == READY) {
        pixels = a->pixels, *t = a->error;
        a->pixels = NULL, a->state = IDLE;
    }
    pthread_mutex_unlock(&a->lock);
    return pixels;
}

unsigned char *vn__ahead_take(vn__ahead *a, const int64_t *rows, int64_t n, vn__image_error *t)
{
    t->code = VN_OK;
    unsigned char *pixels = take_ready(a, rows, n, t);
    if (pixels) return pixels;
    if ((pixels = vn__block_alloc((size_t)n * vn__images_row(a->images)))) {
        vn__images_decode(a->images, rows, n, pixels, t);
    } else {
        t->code = VN_E_MEM;
        snprintf(t->text, sizeof t->text, "no memory for the pixels of %lld images", (long long)n);
    }
    return pixels;
}

/* ---- the end ---- */

void vn__ahead_rest(vn__ahead *a)
{
    pthread_mutex_lock(&a->turn);
    if (a->running && a->forks == vn__forks) {
        pthread_mutex_lock(&a->lock);
        a->ending = true;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
        pthread_mutex_lock(&a->lock);
        a->running = false;
        a->state = IDLE;
        vn__block_free(a->pixels);
        a->pixels = NULL;
        pthread_mutex_unlock(&a->lock);
    }
    pthread_mutex_unlock(&a->turn);
}

void vn__ahead_free(vn__ahead *a)
{
    if (!a) return;
    vn__ahead_rest(a);
    vn__block_free(a->pixels);
    pthread_mutex_destroy(&a->turn), pthread_mutex_destroy(&a->lock), pthread_cond_destroy(&a->changed);
    vn__free(a->rows);
    vn__free(a);
}
