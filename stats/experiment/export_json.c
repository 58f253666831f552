/* The whole experiment as JSON, see experiment.h. */
#include "stats/experiment/internal.h"
#include "stats/report/table.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const unit_names[] = {[UNIT_PLAIN] = "", [UNIT_NS] = "ns", [UNIT_KIB] = "KiB"};

static void add(cJSON *object, const char *key, cJSON *value)
{
	cJSON_AddItemToObject(object, key, value);
}

/* JSON has neither infinities nor NaN. */
static void add_number(cJSON *object, const char *key, double number)
{
	add(object, key, isfinite(number) ? cJSON_CreateNumber(number) : cJSON_CreateNull());
}

static void add_text(cJSON *object, const char *key, const char *text)
{
	add(object, key, table_json_text(text));
}

static cJSON *json_method(void)
{
	cJSON *method = cJSON_CreateObject();

	add_text(method, "ratio", "median of the ratios candidate / reference, paired by round");
	add_text(method, "interval", "order statistics of the paired ratios (inverted sign test)");
	add_text(method, "test", "Wilcoxon signed-rank on the logarithms, exact, two-sided");
	add_text(method, "correction",
		"Holm, over the candidates of the first metric; likewise over those of all others");
	add_text(
		method, "floor", "farther bound of the control's interval, at least the threshold");
	return method;
}

static void add_plan(cJSON *root, const struct experiment *e)
{
	const struct experiment_plan *plan = e->plan;
	char host[256] = "";
	cpu_set_t cpus;

	gethostname(host, sizeof(host) - 1);
	add_text(root, "subject", plan->subject);
	add_text(root, "host", host);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		add_number(root, "cpus", CPU_COUNT(&cpus));
	add(root, "seed", table_json_number(plan->seed));
	add_number(root, "rounds", plan->rounds);
	add_number(root, "rounds_done", e->rounds);
	add_number(root, "warmup", plan->warmup);
	add(root, "interrupted", cJSON_CreateBool(e->interrupted));
	add_number(root, "threshold", plan->threshold);
	add_text(root, "reference", plan->candidate[plan->reference].name);
	add(root, "method", json_method());
}

static cJSON *json_metrics(const struct experiment *e, const struct experiment_results *r)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < r->metrics; i++) {
		const struct experiment_metric *metric = &e->plan->metric[i];
		cJSON *row = cJSON_CreateObject();

		add_text(row, "name", metric->name);
		add_text(row, "key", metric->key);
		add_text(row, "unit", unit_names[metric->unit]);
		add(row, "higher_is_better", cJSON_CreateBool(metric->higher));
		add_number(row, "noise_floor", r->floor[i]);
		cJSON_AddItemToArray(list, row);
	}
	return list;
}

static cJSON *json_effect(enum experiment_verdict verdict)
{
	switch (verdict) {
	case VERDICT_BETTER:
		return cJSON_CreateString("better");
	case VERDICT_WORSE:
		return cJSON_CreateString("worse");
	case VERDICT_NO_DIFFERENCE:
		return cJSON_CreateString("none");
	default:
		return cJSON_CreateNull();
	}
}

static cJSON *json_cell(const struct experiment_metric *metric, const struct experiment_cell *cell)
{
	cJSON *row = cJSON_CreateObject();

	add_text(row, "metric", metric->name);
	add_number(row, "values", (double)cell->values);
	add_number(row, "median", cell->median);
	add_number(row, "pairs", (double)cell->pairs);
	add_number(row, "ratio", cell->ratio);
	add_number(row, "low", cell->interval ? cell->low : NAN);
	add_number(row, "high", cell->interval ? cell->high : NAN);
	add_number(row, "confidence", cell->interval ? cell->confidence : NAN);
	add_number(row, "p", cell->p);
	add_number(row, "p_adjusted", cell->p_adjusted);
	add_text(row, "verdict", experiment_word(metric, cell->verdict));
	add(row, "effect", json_effect(cell->verdict));
	return row;
}

static cJSON *json_candidates(const struct experiment *e, const struct experiment_results *r)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t slot = 0; slot < r->slots; slot++) {
		bool control = slot == e->plan->candidates;
		cJSON *row = cJSON_CreateObject(), *cells = cJSON_CreateArray();

		add_text(row, "name", experiment_name(e, slot));
		add(row, "control", cJSON_CreateBool(control));
		add_text(row, "settings",
			e->plan->candidate[control ? e->plan->reference : slot].settings);
		add_number(row, "tried", experiment_tried(e, slot));
		add_number(row, "failed", experiment_failed(e, slot));
		add_text(row, "failure", experiment_failure(e, slot));
		add(row, "given_up", cJSON_CreateBool(experiment_given_up(e, slot)));
		for (size_t i = 0; i < r->metrics; i++)
			cJSON_AddItemToArray(
				cells, json_cell(&e->plan->metric[i], experiment_cell(r, slot, i)));
		add(row, "results", cells);
		cJSON_AddItemToArray(list, row);
	}
	return list;
}

static cJSON *json_outliers(const struct experiment *e, const struct experiment_results *r)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < r->outliers; i++) {
		const struct experiment_outlier *o = &r->outlier[i];
		cJSON *row = cJSON_CreateObject();

		add_text(row, "candidate", experiment_name(e, o->slot));
		add_text(row, "metric", e->plan->metric[o->metric].name);
		add_number(row, "round", o->round + 1);
		add_number(row, "value", o->value);
		add_number(row, "times_median", o->times);
		cJSON_AddItemToArray(list, row);
	}
	return list;
}

static cJSON *json_run(const struct experiment *e, unsigned round, size_t slot)
{
	const struct experiment_run *run = experiment_at(e, round, slot);
	cJSON *row = cJSON_CreateObject(), *values = cJSON_CreateObject();

	add_number(row, "round", round + 1);
	add_number(row, "position", run->position + 1);
	add_text(row, "candidate", experiment_name(e, slot));
	add(row, "control", cJSON_CreateBool(slot == e->plan->candidates));
	add_text(row, "outcome", run->outcome == RUN_DONE ? "done" : "failed");
	add_text(row, "failure", run->outcome == RUN_FAILED ? run->failure : NULL);
	for (size_t i = 0; i < e->plan->metrics; i++)
		add_number(values, e->plan->metric[i].key, run->value[i]);
	add(row, "values", values);
	return row;
}

static cJSON *json_runs(const struct experiment *e)
{
	cJSON *list = cJSON_CreateArray();

	for (unsigned round = 0; round < e->rounds; round++)
		for (size_t position = 0; position < e->slots; position++)
			for (size_t slot = 0; slot < e->slots; slot++) {
				const struct experiment_run *run = experiment_at(e, round, slot);

				if (run->outcome != RUN_NOT_DONE && run->position == position)
					cJSON_AddItemToArray(list, json_run(e, round, slot));
			}
	return list;
}

void export_json(const struct experiment *e, const struct experiment_results *r, FILE *out)
{
	cJSON *root = cJSON_CreateObject();
	char *text;

	add_text(root, "schema", "relock-compare-1");
	add_text(root, "relock", RELOCK_VERSION);
	add_plan(root, e);
	add(root, "metrics", json_metrics(e, r));
	add(root, "candidates", json_candidates(e, r));
	add(root, "outliers", json_outliers(e, r));
	add(root, "runs", json_runs(e));
	text = cJSON_Print(root);
	fprintf(out, "%s\n", text ? text : "null");
	cJSON_free(text);
	cJSON_Delete(root);
}
