/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.c: asynchronous execution.
 *
 * The caller continues while one program is in flight; a second launch waits for the first, so little memory and few errors are
 * outstanding. A program in flight must finish before the process exits, or JAX's threads would run in libraries that are being unloaded.
 */
#include "jax_engine.h"

#include <pthread.h>

/* A result of the program in flight, with a reference; NULL: none. */
static PyObject *_Atomic running;

/* Waits for an array, whose reference it steals. A failure is reported again when the array is read. */
static void end(PyObject *array)
{
    if (!array) return;
    vn_python_drop(jax_wait(array));
    py.PyErr_Clear();
    py.Py_DecRef(array);
}

void jax_catch_up(void)
{
    end(atomic_exchange(&running, NULL));
}

void jax_run_ahead(PyObject *result, int quick)
{
    if (quick && !atomic_load(&running)) return; /* JAX runs it synchronously if its inputs are ready */
    py.Py_IncRef(result);
    end(atomic_exchange(&running, quick ? NULL : result));
    if (quick) end(result);
}

void jax_first_time(PyObject *result)
{
    py.Py_IncRef(result);
    end(result);
}

static void *wait_for_all(void *unused)
{
    int state;
    if (vn_python_enter(&state)) return unused;
    jax_catch_up();
    vn_python_leave(state);
    return unused;
}

/* JAX's thread-local data of the exiting thread are gone by now, so another thread waits. */
void jax_finish(vn_context *context)
{
    (void)context;
    pthread_t waiter;
    if (atomic_load(&running) && !pthread_create(&waiter, NULL, wait_for_all, NULL)) pthread_join(waiter, NULL);
}
