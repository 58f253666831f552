/* Tables of published beside measured figures, as text and as Markdown. */
#include "cli/reproduce/print.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS 6
#define CELL 64
#define FOLD 100

struct row {
	char cell[COLUMNS][CELL];
};

static const int widths[COLUMNS] = {-16, 11, 8, 11, 8, 18};
static const struct row heads = {{"", "published", "ratio", "measured", "ratio", "95 % interval"}};

static void put_cell(FILE *out, const char *text, int width)
{
	int room = abs(width) - (int)units_width(text);

	fprintf(out, "%*s%s%*s", width > 0 && room > 0 ? room : 0, "", text,
		width < 0 && room > 0 ? room : 0, "");
}

static void put_row(const struct print *p, const struct row *row)
{
	if (p->markdown)
		fputs("|", p->out);
	else
		fputs("   ", p->out);
	for (int i = 0; i < COLUMNS; i++) {
		if (p->markdown)
			fprintf(p->out, " %s |", row->cell[i]);
		else
			put_cell(p->out, row->cell[i], widths[i]);
	}
	fputc('\n', p->out);
}

static void put_heads(const struct print *p)
{
	put_row(p, &heads);
	if (p->markdown)
		fputs("|---|--:|--:|--:|--:|--:|\n", p->out);
}

/* --- cells */

static void put_value(
	char *cell, const struct print *p, const struct experiment_metric *metric, double value)
{
	cell[0] = '\0';
	if (!isnan(value))
		experiment_value(metric, value, &p->style, cell, CELL);
}

static void put_ratio(char *cell, double ratio)
{
	cell[0] = '\0';
	if (isfinite(ratio))
		snprintf(cell, CELL, "%.*f", ratio < 0.1 ? 4 : ratio < 100 ? 3 : 0, ratio);
}

static void put_interval(char *cell, const struct evidence *e, const struct style *style)
{
	char low[CELL], high[CELL];

	put_ratio(low, e->low);
	put_ratio(high, e->high);
	cell[0] = '\0';
	if (low[0] && high[0])
		snprintf(cell, CELL, "%.16s %s %.16s", low, style->utf8 ? "…" : "..", high);
}

static void fill_row(const struct print *p, const struct trial_outcome *t, size_t slot,
	size_t metric, struct row *row)
{
	const struct experiment_metric *m = &t->trial->metric[metric];
	bool control = slot == t->candidates;
	double published = control ? NAN : published_of(&t->candidate[slot], m->name);
	double baseline = published_of(&t->candidate[0], m->name);
	struct evidence value = outcome_value(t, slot, metric);
	struct evidence ratio = outcome_ratio(t, slot, 0, metric);

	snprintf(row->cell[0], CELL, "%s", experiment_name(t->experiment, slot));
	put_value(row->cell[1], p, m, published);
	put_ratio(row->cell[2], published / baseline);
	put_value(row->cell[3], p, m, value.median);
	put_ratio(row->cell[4], ratio.median);
	row->cell[5][0] = '\0';
	if (slot > 0)
		put_interval(row->cell[5], &ratio, &p->style);
}

/* --- a trial */

static bool is_measured(const struct trial_outcome *t, size_t metric)
{
	for (size_t slot = 0; slot < t->candidates; slot++)
		if (outcome_value(t, slot, metric).count > 0)
			return true;
	return false;
}

static void put_metric(const struct print *p, const struct trial_outcome *t, size_t metric)
{
	const struct experiment_metric *m = &t->trial->metric[metric];
	struct row row;

	if (!is_measured(t, metric))
		return;
	fprintf(p->out, p->markdown ? "\n**%s**: %s\n\n" : "\n  %s: %s\n", m->name, m->meaning);
	put_heads(p);
	for (size_t slot = 0; slot <= t->candidates; slot++) {
		fill_row(p, t, slot, metric, &row);
		put_row(p, &row);
	}
}

static void put_failures(const struct print *p, const struct trial_outcome *t)
{
	for (size_t slot = 0; slot <= t->candidates; slot++) {
		const char *failure = experiment_failure(t->experiment, slot);

		if (failure)
			fprintf(p->out, "%s%s: %u of %u runs failed, the last: %s\n",
				p->markdown ? "\n" : "  ", experiment_name(t->experiment, slot),
				experiment_failed(t->experiment, slot),
				experiment_tried(t->experiment, slot), failure);
	}
}

static void put_trial(const struct print *p, const struct trial_outcome *t)
{
	unsigned done = t->experiment ? experiment_rounds(t->experiment) : 0;

	fprintf(p->out, p->markdown ? "\n### %s: %s\n" : "\n %s: %s", t->trial->name,
		t->trial->what);
	if (!t->experiment) {
		fprintf(p->out, p->markdown ? "\nNot measured: %s.\n" : "\n  not measured: %s\n",
			t->reason);
		return;
	}
	fprintf(p->out, p->markdown ? "\nMedians of %u repetitions%s.\n" : " (%u repetitions%s)\n",
		done, experiment_interrupted(t->experiment) ? ", stopped" : "");
	for (size_t metric = 0; metric < t->metrics; metric++)
		put_metric(p, t, metric);
	put_failures(p, t);
	if (t->cpu_s > 0 && t->others_s / t->cpu_s >= 0.05)
		fprintf(p->out, "%sother programs had %.0f %% of the CPUs meanwhile\n",
			p->markdown ? "\n" : "\n  ", t->others_s / t->cpu_s * 100);
}

/* --- criteria */

void print_evidence(const struct criterion_outcome *c, const struct trial *trial,
	const struct style *style, char *out, size_t size)
{
	int metric = metric_find(trial, c->criterion->metric);
	char value[CELL], interval[CELL];

	out[0] = '\0';
	if (!c->candidate || metric < 0 || isnan(c->evidence.median))
		return;
	if (c->criterion->over) {
		put_ratio(value, c->evidence.median);
		put_interval(interval, &c->evidence, style);
	} else {
		experiment_value(
			&trial->metric[metric], c->evidence.median, style, value, sizeof(value));
		interval[0] = '\0';
	}
	snprintf(out, size, "%s %s%s%s%s", c->candidate, value, interval[0] ? " (" : "", interval,
		interval[0] ? ")" : "");
}

static const char *color_of(enum judged verdict)
{
	return verdict == CONFIRMED      ? "\033[32m"
	       : verdict == CONTRADICTED ? "\033[31m"
					 : "\033[33m";
}

static void put_verdict(const struct print *p, enum judged verdict, int width)
{
	bool color = p->style.color && !p->markdown;

	fprintf(p->out, "%s%-*s%s", color ? color_of(verdict) : "", p->markdown ? 0 : width,
		judged_words[verdict], color ? "\033[0m" : "");
}

static void put_criterion(
	const struct print *p, const struct outcome *o, const struct criterion_outcome *c)
{
	int trial = trial_find(o->finding, c->criterion->trial);
	const char *reason = c->judgement.reason;
	char evidence[160] = "";

	if (trial >= 0)
		print_evidence(c, &o->finding->trial[trial], &p->style, evidence, sizeof(evidence));
	fputs(p->markdown ? "- **" : "  ", p->out);
	put_verdict(p, c->judgement.verdict, 14);
	fprintf(p->out, "%s%s%s%s\n", p->markdown ? "**: " : "", c->criterion->text,
		evidence[0] ? ": " : "", evidence);
	if (reason[0])
		fprintf(p->out, "%s%s\n", p->markdown ? "  " : "                ", reason);
}

/* --- */

static void put_paragraph(const struct print *p, const char *head, const char *text)
{
	if (p->markdown) {
		fprintf(p->out, "\n%s%s\n", head, text);
		return;
	}
	fprintf(p->out, "  %s", head);
	cli_fold(p->out, text, 2, FOLD, true);
}

void print_outcome(const struct print *p, const struct outcome *o)
{
	const struct finding *f = o->finding;

	fprintf(p->out, p->markdown ? "\n## %s: %s\n\nSource: %s.\n" : "\n%s: %s\n  source: %s\n",
		f->name, f->title, f->source);
	put_paragraph(p, "", f->said);
	if (p->markdown)
		put_paragraph(p, "", f->here);
	for (size_t i = 0; i < o->trials; i++)
		put_trial(p, &o->trial[i]);
	fputs(p->markdown ? "\n### Verdicts\n\n" : "\n verdicts\n", p->out);
	for (size_t i = 0; i < o->criteria; i++)
		put_criterion(p, o, &o->criterion[i]);
}

static void put_count(const struct print *p, const struct outcome *o, enum judged verdict)
{
	unsigned count = 0;

	for (size_t i = 0; i < o->criteria; i++)
		count += o->criterion[i].judgement.verdict == verdict;
	fprintf(p->out, "%s%u %s", verdict == CONFIRMED ? "" : ", ", count, judged_words[verdict]);
}

void print_summary(const struct print *p, struct outcome *const *outcomes, size_t count)
{
	static const enum judged order[] = {CONFIRMED, CONTRADICTED, INCONCLUSIVE};

	fputs(p->markdown ? "\n## Summary\n\n" : "\nsummary\n", p->out);
	for (size_t i = 0; i < count; i++) {
		fprintf(p->out, p->markdown ? "- %s: **" : "  %-12s", outcomes[i]->finding->name);
		put_verdict(p, outcome_verdict(outcomes[i]).verdict, 14);
		fputs(p->markdown ? "** (" : " ", p->out);
		for (size_t j = 0; j < sizeof(order) / sizeof(order[0]); j++)
			put_count(p, outcomes[i], order[j]);
		fputs(p->markdown ? ")\n" : "\n", p->out);
	}
}
