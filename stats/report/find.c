#include "stats/report/find.h"

#include "stats/report/memory.h"
#include "stats/report/model.h"
#include "stats/report/report.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EXTENSION ".rlk"

bool find_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_recording_name(const char *name)
{
	size_t length = strlen(name);

	return length > strlen(EXTENSION) &&
	       strcmp(name + length - strlen(EXTENSION), EXTENSION) == 0;
}

static bool is_file(const char *path, struct stat *st)
{
	return stat(path, st) == 0 && S_ISREG(st->st_mode);
}

static int path_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct paths find_recordings(const char *directory)
{
	struct paths found = {0};
	DIR *dir = opendir(directory);
	struct dirent *entry;
	struct stat st;

	if (!dir)
		return found;
	while ((entry = readdir(dir))) {
		char *path;

		if (!is_recording_name(entry->d_name))
			continue;
		path = memory_format("%s/%s", directory, entry->d_name);
		if (!is_file(path, &st)) {
			free(path);
			continue;
		}
		found.path =
			memory_grow(found.path, found.count, &found.capacity, sizeof *found.path);
		found.path[found.count++] = path;
	}
	closedir(dir);
	if (found.count > 0)
		qsort(found.path, found.count, sizeof *found.path, path_compare);
	return found;
}

void find_free(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->path[i]);
	free(paths->path);
	*paths = (struct paths){0};
}

static bool newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

bool report_newest(const char *directory, char *out, size_t size)
{
	struct paths found = find_recordings(directory);
	struct timespec best = {0};
	bool any = false;

	for (size_t i = 0; i < found.count; i++) {
		struct stat st;

		if (!is_file(found.path[i], &st) || strlen(found.path[i]) >= size ||
			(any && !newer(&st.st_mtim, &best)))
			continue;
		best = st.st_mtim;
		any = true;
		memcpy(out, found.path[i], strlen(found.path[i]) + 1);
	}
	find_free(&found);
	return any;
}

/* All waiting in a recording. */
static uint64_t recording_waited(const struct recording *r)
{
	struct clock clock;
	struct rows rows;
	const struct rlk_cell *cell;
	uint64_t ticks = 0;

	clock_set(&clock, &r->header);
	rows_begin(&rows, r, RLK_CELLS);
	while ((cell = rows_next(&rows)))
		if (cell->record != 0)
			ticks += cell->wait_total;
	return clock_ns(&clock, ticks);
}

static bool recording_is_of_run(const struct recording *r, const char *run_id)
{
	char *own = recording_text(r, r->header.run_id);
	bool same = own && strcmp(own, run_id) == 0;

	free(own);
	return same;
}

static bool look_at(const char *path, const char *run_id, struct report_found *out)
{
	struct notes notes = {0};
	char message[PATH_MAX + 256];
	struct recording *r;
	bool found = false;

	if (strlen(path) >= sizeof out->path)
		return false;
	r = recording_open(path, &notes, message, sizeof message);
	if (r && recording_is_of_run(r, run_id)) {
		memcpy(out->path, path, strlen(path) + 1);
		out->pid = r->header.pid;
		out->waited_ns = recording_waited(r);
		found = true;
	}
	recording_close(r);
	notes_free(&notes);
	return found;
}

static int found_compare(const void *a, const void *b)
{
	const struct report_found *x = a, *y = b;

	if (x->waited_ns != y->waited_ns)
		return x->waited_ns > y->waited_ns ? -1 : 1;
	return strcmp(x->path, y->path);
}

size_t report_find_run(const char *directory, const char *run_id, struct report_found **found)
{
	struct paths paths = find_recordings(directory);
	struct report_found *list = NULL;
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < paths.count; i++) {
		list = memory_grow(list, count, &capacity, sizeof *list);
		count += look_at(paths.path[i], run_id, &list[count]);
	}
	find_free(&paths);
	if (count == 0) {
		free(list);
		list = NULL;
	} else {
		qsort(list, count, sizeof *list, found_compare);
	}
	*found = list;
	return count;
}
