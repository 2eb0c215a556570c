// SPDX-License-Identifier: BSD-2-Clause
#include "drawings.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "userspace/common/disk_thread.h"

/* With the one that is read. Each may hold a snapshot of its own. */
enum { DRAWINGS = 64 };

static void drawing_free(struct drawing *j)
{
	snapshot_done(j->s);
	json_decref(j->kept);
	free(j->bytes);
	free(j);
}

/* ---- in the thread ------------------------------------------------------------------------------------- */

static void drawing_make(void *arg)
{
	struct drawing *j = arg;
	struct front *f = j->f;
	FILE *to = atomic_load(&j->stop) ? NULL : open_memstream(&j->bytes, &j->len);

	j->err = to ? j->draw(j, to) : -ENOMEM;
	if (to && (ferror(to) | fclose(to)))
		j->err = -ENOMEM;
	/* From here on it may be freed. */
	atomic_store(&j->drawn, true);
	eventfd_write(f->drawn_fd, 1);
}

/* ---- in the front's ------------------------------------------------------------------------------------ */

static void drawing_gone(void *arg)
{
	struct drawing *j = arg;

	j->r.http = NULL;
	atomic_store(&j->stop, true);
}

static void on_drawn(evutil_socket_t fd, short what, void *arg)
{
	struct front *f = arg;
	struct drawing *next;
	eventfd_t n;

	(void)what;
	if (eventfd_read(fd, &n))
		return;
	for (struct drawing *j = LIST_FIRST(&f->drawings); j; j = next) {
		next = LIST_NEXT(j, beside);
		if (!atomic_load(&j->drawn))
			continue;
		LIST_REMOVE(j, beside);
		if (j->r.http)
			j->answer(j);
		drawing_free(j);
	}
}

int drawings_start(struct front *f)
{
	LIST_INIT(&f->drawings);
	f->drawn_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	f->drawn = f->drawn_fd < 0
			   ? NULL
			   : event_new(f->base, f->drawn_fd, EV_READ | EV_PERSIST, on_drawn, f);
	f->reader = disk_thread_new(DRAWINGS);
	return f->reader && f->drawn && !event_add(f->drawn, NULL) ? 0 : -ENOMEM;
}

void drawings_stop(struct front *f)
{
	struct drawing *j;

	LIST_FOREACH(j, &f->drawings, beside)
	atomic_store(&j->stop, true);
	disk_thread_free(f->reader);
	while ((j = LIST_FIRST(&f->drawings))) {
		LIST_REMOVE(j, beside);
		drawing_free(j);
	}
	if (f->drawn)
		event_free(f->drawn);
	if (f->drawn_fd >= 0)
		close(f->drawn_fd);
}

void drawing_begin(struct front *f, struct listener_request *r, const struct drawing *what)
{
	struct drawing *j = malloc(sizeof(*j));
	int err;

	if (!j) {
		json_decref(what->kept);
		listener_refuse(r, 503, 1000, "out of memory");
		return;
	}
	*j = *what;
	j->f = f;
	j->r = *r;
	j->s = snapshot_take(f->now);
	if (!j->draw) {
		j->answer(j);
		drawing_free(j);
		return;
	}
	LIST_INSERT_HEAD(&f->drawings, j, beside);
	err = disk_thread_do(f->reader, drawing_make, j, 1);
	if (!err) {
		listener_keep(r, drawing_gone, j);
		return;
	}
	LIST_REMOVE(j, beside);
	drawing_free(j);
	if (err == -EAGAIN)
		listener_refuse(r, 503, 5000, "%d others wait for charts already", DRAWINGS);
	else
		listener_refuse(r, 503, 1000, "out of memory");
}
