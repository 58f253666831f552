/* Everything that was measured, as JSON; see print.h. */
#include "cli/reproduce/print.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <unistd.h>

static const char *const units[] = {[UNIT_PLAIN] = "", [UNIT_NS] = "ns", [UNIT_KIB] = "KiB"};

/* JSON has neither infinities nor NaN. */
static void add_number(cJSON *object, const char *key, double number)
{
	cJSON_AddItemToObject(
		object, key, isfinite(number) ? cJSON_CreateNumber(number) : cJSON_CreateNull());
}

static void add_text(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObject(object, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static cJSON *json_figure(const struct trial_outcome *t, size_t slot, size_t metric)
{
	const struct experiment_metric *m = &t->trial->metric[metric];
	double published = slot < t->candidates ? published_of(&t->candidate[slot], m->name) : NAN;
	struct evidence ratio = outcome_ratio(t, slot, 0, metric);
	double values[EXPERIMENT_ROUNDS_MAX];
	size_t count = outcome_column(t, slot, metric, values);
	cJSON *row = cJSON_CreateObject(), *list = cJSON_CreateArray();

	add_text(row, "metric", m->name);
	add_number(row, "published", published);
	add_number(row, "published_ratio", published / published_of(&t->candidate[0], m->name));
	add_number(row, "median", outcome_value(t, slot, metric).median);
	add_number(row, "ratio", ratio.median);
	add_number(row, "interval_low", ratio.low);
	add_number(row, "interval_high", ratio.high);
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(list,
			isfinite(values[i]) ? cJSON_CreateNumber(values[i]) : cJSON_CreateNull());
	cJSON_AddItemToObject(row, "values", list);
	return row;
}

static cJSON *json_candidate(const struct trial_outcome *t, size_t slot)
{
	bool control = slot == t->candidates;
	const struct trial_candidate *c = &t->candidate[control ? 0 : slot];
	cJSON *row = cJSON_CreateObject(), *figures = cJSON_CreateArray();

	add_text(row, "name", t->experiment ? experiment_name(t->experiment, slot) : c->name);
	add_text(row, "policy", c->policy);
	add_text(row, "arguments", c->arguments);
	cJSON_AddItemToObject(row, "control", cJSON_CreateBool(control));
	for (size_t i = 0; i < t->metrics; i++)
		cJSON_AddItemToArray(figures, json_figure(t, slot, i));
	cJSON_AddItemToObject(row, "figures", figures);
	return row;
}

static cJSON *json_trial(const struct trial_outcome *t)
{
	cJSON *row = cJSON_CreateObject(), *metrics = cJSON_CreateArray();
	cJSON *candidates = cJSON_CreateArray();

	add_text(row, "name", t->trial->name);
	add_text(row, "what", t->trial->what);
	add_text(row, "workload", t->trial->workload);
	add_text(row, "not_run", t->experiment ? NULL : t->reason);
	add_number(row, "repetitions", t->experiment ? experiment_rounds(t->experiment) : 0);
	add_number(row, "others_share", t->cpu_s > 0 ? t->others_s / t->cpu_s : NAN);
	for (size_t i = 0; i < t->metrics; i++) {
		cJSON *metric = cJSON_CreateObject();

		add_text(metric, "name", t->trial->metric[i].name);
		add_text(metric, "key", t->trial->metric[i].key);
		add_text(metric, "unit", units[t->trial->metric[i].unit]);
		cJSON_AddItemToArray(metrics, metric);
	}
	cJSON_AddItemToObject(row, "metrics", metrics);
	for (size_t slot = 0; slot < t->candidates + (t->experiment != NULL); slot++)
		cJSON_AddItemToArray(candidates, json_candidate(t, slot));
	cJSON_AddItemToObject(row, "candidates", candidates);
	return row;
}

static cJSON *json_criterion(const struct criterion_outcome *c)
{
	const struct criterion *criterion = c->criterion;
	cJSON *row = cJSON_CreateObject();

	add_text(row, "text", criterion->text);
	add_text(row, "trial", criterion->trial);
	add_text(row, "metric", criterion->metric);
	add_text(row, "of", criterion->of);
	add_text(row, "over", criterion->over);
	add_number(row, "low", criterion->demand.low);
	add_number(row, "high", criterion->demand.high);
	cJSON_AddItemToObject(row, "absolute", cJSON_CreateBool(criterion->demand.absolute));
	add_text(row, "verdict", judged_words[c->judgement.verdict]);
	add_text(row, "reason", c->judgement.reason);
	add_text(row, "candidate", c->candidate);
	add_number(row, "count", (double)c->evidence.count);
	add_number(row, "median", c->evidence.median);
	add_number(row, "interval_low", c->evidence.low);
	add_number(row, "interval_high", c->evidence.high);
	add_number(row, "noise", c->candidate ? c->evidence.noise : NAN);
	return row;
}

static cJSON *json_finding(const struct outcome *o)
{
	struct judgement verdict = outcome_verdict(o);
	cJSON *row = cJSON_CreateObject(), *criteria = cJSON_CreateArray();
	cJSON *trials = cJSON_CreateArray();

	add_text(row, "name", o->finding->name);
	add_text(row, "title", o->finding->title);
	add_text(row, "source", o->finding->source);
	add_text(row, "verdict", judged_words[verdict.verdict]);
	add_text(row, "reason", verdict.reason);
	for (size_t i = 0; i < o->criteria; i++)
		cJSON_AddItemToArray(criteria, json_criterion(&o->criterion[i]));
	cJSON_AddItemToObject(row, "criteria", criteria);
	for (size_t i = 0; i < o->trials; i++)
		cJSON_AddItemToArray(trials, json_trial(&o->trial[i]));
	cJSON_AddItemToObject(row, "trials", trials);
	return row;
}

void json_outcomes(
	FILE *out, const struct bench *bench, struct outcome *const *outcomes, size_t count)
{
	cJSON *root = cJSON_CreateObject(), *list = cJSON_CreateArray();
	char host[256] = "";
	char *text;

	gethostname(host, sizeof(host) - 1);
	add_text(root, "schema", "relock-reproduce-1");
	add_text(root, "relock", RELOCK_VERSION);
	add_text(root, "host", host);
	add_number(root, "cpus", bench->cpus);
	cJSON_AddItemToObject(root, "quick", cJSON_CreateBool(bench->quick));
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(list, json_finding(outcomes[i]));
	cJSON_AddItemToObject(root, "findings", list);
	text = cJSON_Print(root);
	fprintf(out, "%s\n", text ? text : "null");
	cJSON_free(text);
	cJSON_Delete(root);
}
