#include "stats/report/names.h"

#include "stats/report/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef RELOCK_HAVE_DEMANGLE
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);
#endif

char *name_demangle(const char *symbol)
{
#ifdef RELOCK_HAVE_DEMANGLE
	int status;
	char *name;

	if (strncmp(symbol, "_Z", 2) == 0) {
		name = __cxa_demangle(symbol, NULL, NULL, &status);
		if (name)
			return name;
	}
#endif
	return memory_copy(symbol);
}

struct shortener {
	const char *in;
	char *out;
	size_t length;
};

static bool identifier_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Steps over a bracketed part, whatever is nested in it. Unbalanced ones end with the name. */
static const char *skip_brackets(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (strchr("(<[{", *p))
			depth++;
		else if (strchr(")>]}", *p) && !(*p == '>' && p[-1] == '-') && --depth == 0)
			return p + 1;
	}
	return p;
}

/* "operator<", "operator()", "operator bool": kept whole, its brackets are no template's. */
static bool take_operator(struct shortener *s)
{
	static const char *const symbols[] = {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>",
		"<=", ">=", "->", "==", "!=", "&&", "||", "<", ">"};
	static const char word[] = "operator";
	size_t length = sizeof word - 1;

	if (strncmp(s->in, word, length) != 0 || identifier_char(s->in[length]) ||
		(s->length > 0 && identifier_char(s->out[s->length - 1])))
		return false;
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		if (strncmp(s->in + length, symbols[i], strlen(symbols[i])) == 0) {
			length += strlen(symbols[i]);
			break;
		}
	}
	memcpy(s->out + s->length, s->in, length);
	s->length += length;
	s->in += length;
	if (s->in[0] == ' ' && s->in[1] == '<')
		s->in++;
	return true;
}

/* Steps over namespaces that say nothing. */
static bool skip_noise(struct shortener *s)
{
	static const char *const noise[] = {
		"(anonymous namespace)::", "__cxx11::", "__1::", "_V2::", "{anonymous}::"};

	for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
		if (strncmp(s->in, noise[i], strlen(noise[i])) == 0) {
			s->in += strlen(noise[i]);
			return true;
		}
	}
	return false;
}

/* Keeps "{lambda}" of "{lambda(int)#1}" so that the name still says what it is. */
static bool take_lambda(struct shortener *s)
{
	static const char word[] = "lambda";

	if (*s->in != '{' || strncmp(s->in + 1, word, sizeof word - 1) != 0)
		return false;
	memcpy(s->out + s->length, word, sizeof word - 1);
	s->length += sizeof word - 1;
	s->in = skip_brackets(s->in);
	return true;
}

/*
 * Parameters end the name, unless it goes on inside of what they belong to, as in
 * "f(int)::{lambda()#1}::operator()", or they belong to a return type, "decltype(auto) f()". False:
 * the name ends here.
 */
static bool skip_parameters(struct shortener *s)
{
	const char *after = skip_brackets(s->in);

	if (strncmp(after, " const", 6) == 0)
		after += 6;
	s->in = after;
	return strncmp(after, "::", 2) == 0 || (after[0] == ' ' && identifier_char(after[1]) &&
						       strncmp(after, " volatile", 9) != 0);
}

/* A space outside of brackets ends a return type, unless a suffix follows: "f [clone .cold]". */
static bool take_space(struct shortener *s)
{
	if (s->in[1] == '[')
		return false;
	if (s->length < 8 || strncmp(s->out + s->length - 8, "operator", 8) != 0)
		s->length = 0;
	else
		s->out[s->length++] = ' ';
	s->in++;
	return true;
}

/* Takes one more piece of the name. False: it is complete. */
static bool shorten_step(struct shortener *s)
{
	if (*s->in == '\0')
		return false;
	if (skip_noise(s) || take_operator(s) || take_lambda(s))
		return true;
	if (*s->in == '(' && s->length > 0)
		return skip_parameters(s);
	if (*s->in == ' ')
		return take_space(s);
	if ((*s->in == '<' || *s->in == '[') && s->length > 0) {
		s->in = skip_brackets(s->in);
		return true;
	}
	s->out[s->length++] = *s->in++;
	return true;
}

/* Compilers name parts and copies of a function "f.cold", "f.part.0", "f.constprop.0". */
static void cut_suffix(char *name, size_t length)
{
	static const char *const suffixes[] = {
		".cold", ".part.", ".isra.", ".constprop.", ".lto_priv.", ".llvm."};

	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		char *found = strstr(name, suffixes[i]);

		if (found && found > name && (size_t)(found - name) < length)
			*found = '\0';
	}
}

char *name_shorten(const char *name)
{
	struct shortener s = {.in = name, .out = memory_get(strlen(name) + 1, 1)};

	while (shorten_step(&s))
		;
	s.out[s.length] = '\0';
	cut_suffix(s.out, s.length);
	if (s.out[0] == '\0') {
		free(s.out);
		return memory_copy(name);
	}
	return s.out;
}
