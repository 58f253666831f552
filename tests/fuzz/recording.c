/*
 * The reader of recordings and the reports over them. Whatever is in the file, they end, print a
 * text without control characters, and JSON that is JSON; or refuse it with a message.
 */
#include "tests/fuzz/recording.h"

#include "stats/report/diff.h"
#include "stats/report/report.h"
#include "tests/fuzz/fuzz.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct file {
	int fd;
	char path[32];
};

static struct file file_new(void)
{
	struct file file = {.fd = memfd_create("fuzz.rlk", MFD_CLOEXEC)};

	fuzz_must(file.fd >= 0);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

/* --- the recording */

static const struct image *scene_image(unsigned scene)
{
	static struct image images[SCENES];
	struct image *image = &images[scene];
	struct file file;
	struct rlk_header header;

	if (image->bytes)
		return image;
	file = file_new();
	scene_make(scene, file.path);
	fuzz_must(pread(file.fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header));
	image->used = header.used;
	image->room = image->used + IMAGE_MORE;
	image->file_size = image->used;
	image->bytes = malloc(image->room);
	fuzz_must(image->bytes != NULL);
	fuzz_must(pread(file.fd, image->bytes, image->used, 0) == (ssize_t)image->used);
	close(file.fd);
	image_scan(image);
	return image;
}

static void write_image(const struct image *image, const struct file *file)
{
	fuzz_must(pwrite(file->fd, image->bytes, image->used, 0) == (ssize_t)image->used);
	for (size_t i = 0; i < image->far_count; i++)
		fuzz_must(pwrite(file->fd, image->far[i].row, image->far[i].size,
				  (off_t)image->far[i].offset) == (ssize_t)image->far[i].size);
	fuzz_must(ftruncate(file->fd, (off_t)image->file_size) == 0);
}

static void make(unsigned scene, const uint8_t *edits, size_t size, const struct file *file)
{
	static struct image image;
	static unsigned char bytes[1 << 20];
	const struct image *base = scene_image(scene);
	struct edit edit;

	image = *base;
	image.bytes = bytes;
	fuzz_must(image.room <= sizeof(bytes));
	memcpy(bytes, base->bytes, base->used);
	for (size_t i = 0; i < RECORDING_EDITS_MAX && size >= sizeof(edit); i++) {
		memcpy(&edit, edits, sizeof(edit));
		image_edit(&image, &edit);
		edits += sizeof(edit);
		size -= sizeof(edit);
	}
	write_image(&image, file);
}

/* --- what is made of it */

static void check_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\n') || c == 0x7f) {
			fprintf(stderr, "a control character 0x%02x in:\n%s\n", c, text);
			abort();
		}
	}
}

static void check_json(const char *text)
{
	cJSON *json = cJSON_Parse(text);

	if (!json) {
		fprintf(stderr, "no JSON:\n%s\n", text);
		abort();
	}
	cJSON_Delete(json);
}

/* Of a page: what a tag is never has a name in it. */
static void check_page(const char *text)
{
	for (const char *tag = text; (tag = strchr(tag, '<')); tag++) {
		size_t length = strcspn(tag + 1, "<>");

		if (tag[1 + length] != '>' ||
			strchr("!/abcdefghijklmnopqrstuvwxyz", tag[1]) == NULL) {
			fprintf(stderr, "no tag: %.40s in:\n%s\n", tag, text);
			abort();
		}
	}
}

/* bits 0-1: text, JSON, CSV, diff; 2-3: by; 4: stacks; 5: rules; 6: all rows; 7: HTML, not text,
 * OpenMetrics, not JSON, and folded, not CSV */
static void report(const struct file *file, unsigned how)
{
	static const enum report_format forms[2][4] = {
		{REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_TEXT},
		{REPORT_HTML, REPORT_OPENMETRICS, REPORT_FOLDED, REPORT_TEXT}};
	const enum report_format form = forms[how >> 7 & 1][how % 4];
	const struct report_options options = {.format = form,
		.by = form == REPORT_FOLDED ? (how >> 2 & 3) % REPORT_BY_THREAD : how >> 2 & 3,
		.stacks = how & 1 << 4,
		.rules = how & 1 << 5,
		.rows = how & 1 << 6 ? REPORT_ROWS_ALL : 0,
		.color = REPORT_COLOR_NEVER};
	const struct diff_options diff = {.format = (how >> 2 & 3) % 3, .threshold = 0.2};
	const char *path = file->path;
	char *text = NULL, *said = NULL;
	size_t length, said_length;
	FILE *out = open_memstream(&text, &length), *err = open_memstream(&said, &said_length);
	bool is_diff = how % 4 == 3;
	enum report_format format = is_diff ? diff.format : options.format;
	int status;

	fuzz_must(out && err);
	status = is_diff ? diff_run(path, path, &diff, out, err)
			 : report_run(&path, 1, &options, out, err);
	fclose(out);
	fclose(err);
	fuzz_must(status == REPORT_OK || status == REPORT_UNREADABLE);
	fuzz_must(status == REPORT_OK || said_length > 0);
	check_text(said, said_length);
	check_text(text, length);
	if (status == REPORT_OK && !is_diff && format == REPORT_HTML)
		check_page(text);
	if (status == REPORT_OK && format == REPORT_JSON)
		check_json(text);
	free(text);
	free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct file file;

	if (size < RECORDING_HEAD)
		return 0;
	file = file_new();
	make(data[0] % SCENES, data + RECORDING_HEAD, size - RECORDING_HEAD, &file);
	report(&file, data[1]);
	close(file.fd);
	return 0;
}
