/* Advice, strongest first. */
#include "stats/report/screen.h"

#include <stdlib.h>

#define ADVICE_ROWS 5

struct advice_words screen_words(const struct report *r)
{
	bool text = report_is_read(r);

	return (struct advice_words){.list = r->advices,
		.labels = r->labels,
		.table = text ? r->view : NULL,
		.table_rows = r->rows,
		.style = text ? r->style : (struct style){.utf8 = true},
		.whole = !text};
}

void screen_advice(const struct report *r)
{
	struct advice_words words = screen_words(r);

	for (size_t i = 0; i < r->advices->count && i < ADVICE_ROWS; i++) {
		char *sentence = advice_sentence(&words, &r->advices->row[i]);

		screen_margin(r, "advice", true);
		fprintf(r->out, "%s\n", sentence);
		free(sentence);
	}
}
