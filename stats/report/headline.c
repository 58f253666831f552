#include "stats/report/headline.h"

#include "stats/report/memory.h"

#include <ctype.h>
#include <string.h>

/* Words that mean locking. One of them has to be in a wrapper's name. */
static const char *const lock_words[] = {"acquire", "cond", "condition", "condvar", "enter",
	"futex", "latch", "lock", "locker", "lockguard", "mtx", "mutex", "mutexlock", "rdlock",
	"rwlock", "rwmutex", "spinlock", "timedlock", "trylock", "wrlock", NULL};

/* Words that go with them, in the names of wrappers, libraries that wrap, and their parts. */
static const char *const other_words[] = {"adaptive", "and", "apr", "auto", "base", "check",
	"clock", "create", "critical", "do", "error", "exclusive", "fast", "for", "func", "g",
	"get", "glibcxx", "gthread", "gthrw", "guard", "holder", "impl", "init", "inline",
	"instrumented", "internal", "je", "m", "malloc", "my", "mysql", "native", "new", "np", "os",
	"path", "port", "pthread", "read", "reader", "rd", "recursive", "rw", "s", "scoped", "sdl",
	"section", "shared", "slow", "slowpath", "spin", "sqlite", "std", "take", "thread", "timed",
	"try", "unique", "until", "upgrade", "uv", "var", "variable", "wait", "with", "wr",
	"wrapper", "write", "writer", "x", NULL};

static bool word_in(const char *const *words, const char *word, size_t length)
{
	for (; *words; words++)
		if (strlen(*words) == length && strncasecmp(*words, word, length) == 0)
			return true;
	return false;
}

/* The next word of an identifier: letters up to "_", a digit or the start of a CamelCase word. */
static size_t word_length(const char *p, const char *end)
{
	size_t length = 0;

	while (p + length < end && isalpha((unsigned char)p[length])) {
		bool upper = isupper((unsigned char)p[length]);
		bool next_lower = p + length + 1 < end && islower((unsigned char)p[length + 1]);
		bool after_lower = length > 0 && islower((unsigned char)p[length - 1]);

		/* "rwLock" and "RWLock" both end their first word before the L. */
		if (length > 0 && upper && (after_lower || next_lower))
			break;
		length++;
	}
	return length;
}

static bool identifier_is_vocabulary(const char *p, const char *end)
{
	bool locks = false;

	while (p < end) {
		size_t length = word_length(p, end);

		if (length == 0) {
			p++;
			continue;
		}
		if (word_in(lock_words, p, length))
			locks = true;
		else if (!word_in(other_words, p, length))
			return false;
		p += length;
	}
	return locks;
}

/* The part of a qualified name that ends at `end`. */
static const char *part_start(const char *name, const char *end)
{
	const char *p = end;

	while (p > name && !(p - name >= 2 && p[-1] == ':' && p[-2] == ':'))
		p--;
	return p;
}

bool headline_is_wrapper(const char *brief)
{
	const char *end = brief + strlen(brief);
	const char *last = part_start(brief, end);

	if (identifier_is_vocabulary(last, end))
		return true;
	return last - brief > 2 && identifier_is_vocabulary(part_start(brief, last - 2), last - 2);
}

void headline_each_frame(struct symbols *symbols, const struct model *model, uint32_t context,
	bool (*visit)(void *data, const struct frame *frame, uint32_t site), void *data)
{
	uint32_t index = RLK_CONTEXT_INDEX(context), depth = 1;
	const uint32_t *sites = &index;

	if (context == 0)
		return;
	if (RLK_CONTEXT_IS_STACK(context)) {
		const struct stack *stack = &model->stacks.row[index];

		depth = stack->depth;
		sites = model->stack_sites + stack->first;
	}
	for (uint32_t i = 0; i < depth; i++) {
		const struct frames *frames = symbols_site(symbols, sites[i]);

		for (size_t k = 0; k < frames->count; k++)
			if (!visit(data, &frames->frame[k], sites[i]))
				return;
	}
}

struct search {
	const struct symbols *symbols;
	const struct model *model;
	const struct frame *found;
	bool wrapper;
};

static bool search_visit(void *data, const struct frame *frame, uint32_t site)
{
	struct search *search = data;
	const char *module = symbols_module(search->symbols, search->model->sites.row[site].module);

	if (strncmp(module, "librelock.so", 12) == 0)
		return true;
	search->found = frame;
	search->wrapper = frame->known && headline_is_wrapper(frame->brief);
	return search->wrapper;
}

const struct frame *headline_frame(
	struct symbols *symbols, const struct model *model, uint32_t context, bool *wrapper)
{
	struct search search = {.symbols = symbols, .model = model};

	headline_each_frame(symbols, model, context, search_visit, &search);
	if (wrapper)
		*wrapper = search.wrapper;
	return search.found;
}

char *headline_text(const struct frame *frame)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;

	if (!frame->file || frame->line <= 0)
		return memory_copy(frame->brief);
	return memory_format(
		"%s (%s:%d)", frame->brief, slash ? slash + 1 : frame->file, frame->line);
}
