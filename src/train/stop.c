/* SPDX-License-Identifier: Apache-2.0 */
/* stop.c: asking trainings of this process to stop, by a call or by a signal. */
#include "train/train.h"
#include "core/options.h"
#include "core/state.h"
#include "os/os.h"
#include <pthread.h>
#include <errno.h>
#include <signal.h>

enum { N_SIGNALS = 2 };
static const int signals[N_SIGNALS] = {SIGINT, SIGTERM};
static struct sigaction before[N_SIGNALS];
static bool ours[N_SIGNALS]; /* our handler replaced `before` */
static atomic_int requested;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void vn_stop_request(void)
{
    atomic_store(&requested, 1);
}

int vn_stop_requested(void)
{
    return atomic_load(&requested);
}

/* The first signal is a request; later ones have their previous effect. Async-signal-safe. */
static void handle(int number)
{
    (void)number;
    int error = errno;
    vn_stop_request();
    for (int i = 0; i < N_SIGNALS; i++) {
        if (ours[i]) sigaction(signals[i], &before[i], NULL);
    }
    errno = error;
}

/* An ignored signal (in a background job) stays ignored. */
static int arm(int i)
{
    struct sigaction now, mine = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigemptyset(&mine.sa_mask);
    for (int k = 0; k < N_SIGNALS; k++) sigaddset(&mine.sa_mask, signals[k]);
    if (sigaction(signals[i], NULL, &now)) return errno;
    if (now.sa_handler == handle || now.sa_handler == SIG_IGN) return 0;
    before[i] = now;
    ours[i] = true;
    return sigaction(signals[i], &mine, NULL) ? errno : 0;
}

/* A handler that is not ours is left alone. */
static int disarm(int i)
{
    struct sigaction now;
    if (!ours[i]) return 0;
    ours[i] = false;
    if (sigaction(signals[i], NULL, &now)) return errno;
    return now.sa_handler == handle && sigaction(signals[i], &before[i], NULL) ? errno : 0;
}

int vn_stop_on_interrupt(int on)
{
    int error = 0;
    if (vn__check_flags("stop_on_interrupt", 1, &(vn__flag){"on", on})) return vn_status();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < N_SIGNALS && !error; i++) error = on ? arm(i) : disarm(i);
    pthread_mutex_unlock(&lock);
    atomic_store(&requested, 0);
    char text[128];
    return error ? vn__fail(VN_E_IO, "stop_on_interrupt: %s", vn__error_text(error, text, sizeof text)) : VN_OK;
}
