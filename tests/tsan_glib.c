/* SPDX-License-Identifier: BSD-2-Clause
 *
 * GLib's mutexes and conditions on top of pthread's, for builds with ThreadSanitizer: it does not
 * see the system calls that GLib makes them of, and would report every shared variable.
 * Invariant: a GMutex or GCond that is all zero has no pthread object yet; the first user makes it,
 * and of several first users one wins. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>

/* Gives `made` to *place unless somebody was faster; the one that stays. */
static void *settle(gpointer *place, void *made)
{
	void *none = NULL;

	if (__atomic_compare_exchange_n(place, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	free(made);
	return none;
}

static pthread_mutex_t *mutex_of(GMutex *mutex)
{
	void *known = __atomic_load_n(&mutex->p, __ATOMIC_ACQUIRE);
	pthread_mutex_t *made;

	if (known)
		return known;
	made = malloc(sizeof(*made));
	if (!made || pthread_mutex_init(made, NULL) != 0)
		abort();
	return settle(&mutex->p, made);
}

static pthread_cond_t *cond_of(GCond *cond)
{
	void *known = __atomic_load_n(&cond->p, __ATOMIC_ACQUIRE);
	pthread_condattr_t monotonic;
	pthread_cond_t *made;

	if (known)
		return known;
	made = malloc(sizeof(*made));
	if (!made || pthread_condattr_init(&monotonic) != 0 ||
	    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) != 0 ||
	    pthread_cond_init(made, &monotonic) != 0)
		abort();
	pthread_condattr_destroy(&monotonic);
	return settle(&cond->p, made);
}

void g_mutex_init(GMutex *mutex)
{
	mutex->p = NULL;
}

void g_mutex_clear(GMutex *mutex)
{
	if (mutex->p) {
		pthread_mutex_destroy(mutex->p);
		free(mutex->p);
	}
	mutex->p = NULL;
}

void g_mutex_lock(GMutex *mutex)
{
	pthread_mutex_lock(mutex_of(mutex));
}

gboolean g_mutex_trylock(GMutex *mutex)
{
	return pthread_mutex_trylock(mutex_of(mutex)) == 0;
}

void g_mutex_unlock(GMutex *mutex)
{
	pthread_mutex_unlock(mutex_of(mutex));
}

void g_cond_init(GCond *cond)
{
	cond->p = NULL;
}

void g_cond_clear(GCond *cond)
{
	if (cond->p) {
		pthread_cond_destroy(cond->p);
		free(cond->p);
	}
	cond->p = NULL;
}

void g_cond_wait(GCond *cond, GMutex *mutex)
{
	pthread_cond_wait(cond_of(cond), mutex_of(mutex));
}

gboolean g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end_us)
{
	const struct timespec end = { (time_t)(end_us / G_USEC_PER_SEC),
				      (long)(end_us % G_USEC_PER_SEC) * 1000 };

	return pthread_cond_timedwait(cond_of(cond), mutex_of(mutex), &end) != ETIMEDOUT;
}

void g_cond_signal(GCond *cond)
{
	pthread_cond_signal(cond_of(cond));
}

void g_cond_broadcast(GCond *cond)
{
	pthread_cond_broadcast(cond_of(cond));
}
