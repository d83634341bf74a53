/* ahead.c: what JAX still computes when execute has returned.
 *
 * The caller goes on while one program runs: a second waits for the first, so little memory and few errors are outstanding. What runs must
 * end before the process does: JAX's threads would go on in libraries that are being taken down. */
#include "jax_engine.h"

#include <pthread.h>

/* A result of the program that may be running, with a reference; NULL: none runs. */
static PyObject *_Atomic running;

/* Waits for an array, whose reference it takes over. What fails here fails again for whoever reads it. */
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
    if (quick && !atomic_load(&running)) return; /* JAX computes it before it returns, if it need not wait for another */
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

/* What JAX keeps for a thread that exits is gone by now, so another one waits. */
void jax_finish(void)
{
    pthread_t waiter;
    if (atomic_load(&running) && !pthread_create(&waiter, NULL, wait_for_all, NULL)) pthread_join(waiter, NULL);
}
