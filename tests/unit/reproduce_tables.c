/* The tables of findings: what refers to each other is there, and criteria ask for what they say.
 */
#include "cli/reproduce/findings.h"
#include "conf/conf.h"
#include "policies/policy.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *reproduce_tables(void);

START_TEST(test_names_are_found)
{
	ck_assert_ptr_eq(finding_find("spinning"), findings[0]);
	ck_assert_ptr_eq(finding_find("1"), findings[0]);
	ck_assert_ptr_eq(finding_find("5"), findings[4]);
	ck_assert_ptr_null(finding_find("0"));
	ck_assert_ptr_null(finding_find("6"));
	ck_assert_ptr_null(finding_find("spin"));
	ck_assert(names_word("N=00 N=0F", "N=0F"));
	ck_assert(!names_word("N=00 N=0F", "N=0"));
	ck_assert(!names_word("", "N=0"));
}
END_TEST

START_TEST(test_all_five_are_there)
{
	size_t count = 0;

	while (findings[count])
		count++;
	ck_assert_uint_eq(count, 5);
}
END_TEST

static void check_criterion(const struct finding *f, const struct criterion *c)
{
	int trial = trial_find(f, c->trial);
	size_t of = 0;

	ck_assert_msg(trial >= 0, "%s: no trial %s", f->name, c->trial);
	ck_assert_msg(metric_find(&f->trial[trial], c->metric) >= 0, "%s: no metric %s", f->name,
		c->metric);
	if (c->over)
		ck_assert_msg(candidate_find(&f->trial[trial], c->over) >= 0, "%s: no candidate %s",
			f->name, c->over);
	for (const struct trial_candidate *k = f->trial[trial].candidate; k->name; k++)
		of += strcmp(c->of, EACH_BUT_THE_BASELINE) == 0 || names_word(c->of, k->name);
	ck_assert_msg(of > 0, "%s: nobody is meant by '%s'", f->name, c->of);
	ck_assert(c->demand.low <= c->demand.high);
	ck_assert_int_eq(c->demand.absolute, c->over == NULL);
}

START_TEST(test_criteria)
{
	const struct finding *f = findings[_i];

	for (const struct criterion *c = f->criterion; c->text; c++)
		check_criterion(f, c);
}
END_TEST

/* Everything but what a recorder may not have. */
static void check_candidate(const struct trial *trial, const struct trial_candidate *c)
{
	struct policy_choice choice;
	struct conf_error error;

	if (c->policy)
		ck_assert_msg(conf_parse_choice(c->policy, &choice, &error), "%s", error.message);
	for (const struct published *p = c->published; p->metric; p++)
		ck_assert_msg(metric_find(trial, p->metric) >= 0, "%s: no metric %s", trial->name,
			p->metric);
}

START_TEST(test_trials)
{
	const struct finding *f = findings[_i];

	ck_assert_uint_ge(f->repetitions, JUDGE_REPETITIONS);
	for (const struct trial *t = f->trial; t->name; t++) {
		ck_assert(t->full.arguments && t->full.baseline_s > 0 && t->full.other_s > 0);
		ck_assert(t->full_only || (t->quick.arguments && t->quick.baseline_s > 0));
		ck_assert(!t->candidate[0].full_only);
		ck_assert_uint_gt(trial_metrics(t), 0);
		for (const struct trial_candidate *c = t->candidate; c->name; c++)
			check_candidate(t, c);
	}
}
END_TEST

/* A criterion that the published figures themselves do not meet asks for something else. */
START_TEST(test_published_figures_meet_the_criteria)
{
	const struct finding *f = findings[_i];

	for (const struct criterion *c = f->criterion; c->text; c++) {
		const struct trial *t = &f->trial[trial_find(f, c->trial)];

		for (const struct trial_candidate *k = t->candidate; k->name; k++) {
			double value = published_of(k, c->metric);

			if (!names_word(c->of, k->name) || isnan(value))
				continue;
			if (c->over)
				value /= published_of(
					&t->candidate[candidate_find(t, c->over)], c->metric);
			if (!isnan(value))
				ck_assert_msg(value >= c->demand.low && value <= c->demand.high,
					"%s: %s was %g", c->text, k->name, value);
		}
	}
}
END_TEST

Suite *reproduce_tables(void)
{
	Suite *suite = suite_create("findings");
	TCase *all = tcase_create("tables");

	tcase_add_test(all, test_names_are_found);
	tcase_add_test(all, test_all_five_are_there);
	tcase_add_loop_test(all, test_criteria, 0, 5);
	tcase_add_loop_test(all, test_trials, 0, 5);
	tcase_add_loop_test(all, test_published_figures_meet_the_criteria, 0, 5);
	suite_add_tcase(suite, all);
	return suite;
}
