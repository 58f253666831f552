#include "tests/unit/experiment_synthetic.h"

#include "stats/experiment/order.h"

#include <math.h>

double synthetic_uniform(struct synthetic *s)
{
	return ((double)(order_random(&s->state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct synthetic *s)
{
	double radius = sqrt(-2 * log(synthetic_uniform(s)));

	return radius * cos(2 * M_PI * synthetic_uniform(s));
}

double synthetic_noise(struct synthetic *s)
{
	switch (s->noise) {
	case NOISE_NORMAL:
		return s->spread * normal(s);
	case NOISE_SKEWED:
		return s->spread * (exp(normal(s)) - 1);
	case NOISE_HEAVY:
		return s->spread * normal(s) / sqrt(-log(synthetic_uniform(s)));
	case NOISE_BURSTS:
		return s->spread * normal(s) +
		       (synthetic_uniform(s) < 1.0 / 7 ? 2 * synthetic_uniform(s) : 0);
	case NOISE_DISCRETE:
		return s->spread * round(normal(s));
	case NOISE_DRIFT:
		s->drift = 0.9 * s->drift + s->spread * normal(s);
		return s->drift;
	case NOISES:
		break;
	}
	return 0;
}

void synthetic_measure(void *context, size_t candidate, struct experiment_run *run)
{
	struct synthetic *s = context;
	double effect = s->effect ? s->effect[candidate] : 1;

	for (size_t i = 0; i < EXPERIMENT_METRICS_MAX; i++)
		run->value[i] = 1e6 * effect * exp(synthetic_noise(s));
}

struct experiment_plan synthetic_plan(size_t candidates, size_t metrics, unsigned rounds)
{
	static const struct experiment_candidate candidate[] = {{"a", "policy = a"}, {"b", NULL},
		{"c", NULL}, {"d", NULL}, {"e", NULL}, {"f", NULL}, {"g", NULL}, {"h", NULL}};
	static const struct experiment_metric metric[] = {
		{"wall", "wall_ns", "time of a run", "faster", "slower", UNIT_NS, false},
		{"ops", "ops", NULL, "faster", "slower", UNIT_PLAIN, true},
		{"rss", "rss_kib", "peak memory", "less", "more", UNIT_KIB, false},
		{"w4", "w4", NULL, "less", "more", UNIT_PLAIN, false},
		{"w5", "w5", NULL, "less", "more", UNIT_PLAIN, false},
		{"w6", "w6", NULL, "less", "more", UNIT_PLAIN, false},
		{"w7", "w7", NULL, "less", "more", UNIT_PLAIN, false},
		{"w8", "w8", NULL, "less", "more", UNIT_PLAIN, false}};

	return (struct experiment_plan){
		.subject = "./program --of <my> \"own\"",
		.candidate = candidate,
		.candidates = candidates,
		.metric = metric,
		.metrics = metrics,
		.rounds = rounds,
		.seed = 1,
		.threshold = 0.01,
	};
}
