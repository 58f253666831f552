#include "cli/reproduce/findings.h"

#include <stdlib.h>
#include <string.h>

extern const struct finding finding_spinning, finding_batching, finding_hint, finding_handshake,
	finding_deflation;

const struct finding *const findings[] = {&finding_spinning, &finding_batching, &finding_hint,
	&finding_handshake, &finding_deflation, NULL};

const struct finding *finding_find(const char *word)
{
	for (unsigned i = 0; findings[i]; i++)
		if (strcmp(findings[i]->name, word) == 0 ||
			(word[0] == (char)('1' + i) && word[1] == '\0'))
			return findings[i];
	return NULL;
}

int trial_find(const struct finding *finding, const char *name)
{
	for (int i = 0; finding->trial[i].name; i++)
		if (strcmp(finding->trial[i].name, name) == 0)
			return i;
	return -1;
}

size_t trial_metrics(const struct trial *trial)
{
	size_t count = 0;

	while (count < TRIAL_METRICS && trial->metric[count].name)
		count++;
	return count;
}

int metric_find(const struct trial *trial, const char *name)
{
	for (size_t i = 0; i < trial_metrics(trial); i++)
		if (strcmp(trial->metric[i].name, name) == 0)
			return (int)i;
	return -1;
}

int candidate_find(const struct trial *trial, const char *name)
{
	for (int i = 0; trial->candidate[i].name; i++)
		if (strcmp(trial->candidate[i].name, name) == 0)
			return i;
	return -1;
}

double published_of(const struct trial_candidate *candidate, const char *metric)
{
	for (const struct published *p = candidate->published; p->metric; p++)
		if (strcmp(p->metric, metric) == 0)
			return p->value;
	return NAN;
}

bool names_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strcspn(list, " ") == length && strncmp(list, word, length) == 0)
			return true;
	return false;
}
