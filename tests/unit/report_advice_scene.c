#include "tests/unit/report_advice_scene.h"

#include <stdlib.h>
#include <string.h>

static void add_threads(struct builder *b, uint32_t count)
{
	for (uint32_t i = 0; i < (count ? count : 1); i++) {
		struct rlk_shard shard = {.index = i, .state = 1, .thread = i};
		struct rlk_thread thread = {
			.birth_ticks = 1000, .tid = 100 + (int)i, .shard = i, .name = "worker"};

		builder_add(b, RLK_SHARDS, i + 1, &shard);
		builder_add(b, RLK_THREADS, 0, &thread);
	}
}

static void add_locks(struct builder *b, const struct scene *s, uint32_t module)
{
	struct rlk_class class = {.address = 0x10030,
		.birth = RLK_BORN_INIT,
		.kind = s->kind == RLK_KIND_WRLOCK ? RLK_KIND_RDLOCK : s->kind,
		.context = RLK_CONTEXT_SITE(builder_site(b, 0x10030, module + 1)),
		.module = module + 1,
		.created = s->created,
		.destroyed = s->destroyed};
	uint32_t row = builder_add(b, RLK_CLASSES, 0, &class);

	for (uint32_t i = 0; i < (s->locks ? s->locks : 1); i++) {
		uint64_t address = 0x700000 + 64 * i;
		uint32_t lock = builder_lock(b, address, row, class.kind);
		struct rlk_cell cell = s->cell;

		cell.record = lock + 1;
		cell.kind = s->kind;
		builder_entry(b, 0, lock, address, s->kind, s->acquired);
		if (cell.contended || cell.holds || cell.burst_acquired)
			builder_add(b, RLK_CELLS, 1, &cell);
	}
}

static void add_other(struct builder *b, const struct scene *s)
{
	uint32_t class = builder_class(b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x999, 0, 0);
	uint32_t lock = builder_lock(b, 0x9000, class, RLK_KIND_MUTEX);
	struct rlk_cell cell = {.record = lock + 1, .parked_total = s->other_wait_ns};

	builder_wait(&cell, s->other_wait_ns, 1);
	builder_entry(b, 0, lock, 0x9000, RLK_KIND_MUTEX, 1);
	builder_add(b, RLK_CELLS, 1, &cell);
}

void scene_fill(struct builder *b, const struct scene *s)
{
	uint32_t module = builder_module(b, "/nowhere/libmade-up.so", 0x10000, 0x20000);

	b->header.cpus_allowed = s->cpus ? s->cpus : 4;
	for (unsigned kind = 0; kind < RLK_KINDS; kind++)
		b->header.policy[kind] = builder_text(b, s->policy ? s->policy : "native");
	if (s->two_kinds_of_policy)
		b->header.policy[RLK_KIND_SPIN] = builder_text(b, "backoff:spins=256");
	add_threads(b, s->threads);
	add_locks(b, s, module);
	if (s->second)
		builder_add(b, RLK_CELLS, 2, s->second);
	if (s->other_wait_ns)
		add_other(b, s);
	for (unsigned i = 0; i < 2; i++)
		if (s->pair[i].record)
			builder_add(b, RLK_PAIRS, 1, &s->pair[i]);
	if (s->yield.kind)
		builder_add(b, RLK_YIELD_SITES, 1, &s->yield);
}

void scene_write(const struct scene *s)
{
	struct builder b;

	builder_begin(&b);
	scene_fill(&b, s);
	builder_write(&b, SCENE_FILE);
	builder_end(&b);
}

/* The kinds of advice on a scene, separated by spaces; commands too, each before a '|'. */
static const char *advised_how(const struct scene *s, bool commands)
{
	static char text[1024];
	struct model *m;
	struct symbols *symbols;
	struct advice_words words;
	struct advices *list;

	scene_write(s);
	m = tests_model_of(SCENE_FILE);
	symbols = symbols_new(m);
	words = (struct advice_words){.labels = labels_new(m, symbols)};
	words.list = list = advices_new(m, words.labels);
	text[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		char *command = advice_command(&words, &list->row[i]);

		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
			i > 0 && !commands ? " " : "",
			commands ? command : advice_kind_names[list->row[i].kind]);
		free(command);
	}
	advices_free(list);
	labels_free(words.labels);
	symbols_free(symbols);
	model_free(m);
	return text;
}

void expect_kinds(const struct scene *s, const char *kinds)
{
	ck_assert_str_eq(advised_how(s, false), kinds);
}

void expect_command(const struct scene *s, const char *command)
{
	ck_assert_str_eq(advised_how(s, true), command);
}

void expect_text(const struct scene *s, const char *part)
{
	const char *path = SCENE_FILE;
	struct report_options options = {0};
	char *text;

	scene_write(s);
	setenv("LC_ALL", "C.UTF-8", 1);
	text = tests_report(&path, 1, &options, NULL, NULL);
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text);
	free(text);
}

struct scene scene_vain_spins(void)
{
	struct scene s = {.acquired = 10000, .policy = "spin-park:spins=1000"};

	builder_wait(&s.cell, 50 * US, 1000);
	builder_hold(&s.cell, 50 * US, 1000);
	s.cell.pauses = 1000000;
	s.cell.parked_total = 20 * MS;
	return s;
}

struct scene scene_short_holds(void)
{
	struct scene s = {.acquired = 1000000};

	builder_wait(&s.cell, 20 * US, 10000);
	builder_hold(&s.cell, 1000, 100);
	s.cell.parked_total = s.cell.wait_total;
	return s;
}

struct scene scene_bursts(void)
{
	struct scene s = {.acquired = 1000000};

	s.cell.burst_acquired = 1000000;
	s.cell.burst_total = 290 * MS;
	builder_hold(&s.cell, 150, 1000);
	return s;
}
