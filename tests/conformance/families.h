/* The families of cases, each in a file of its own; families.c lists them. */
#ifndef RELOCK_TESTS_CONFORMANCE_FAMILIES_H
#define RELOCK_TESTS_CONFORMANCE_FAMILIES_H

struct family {
	const char *name;
	void (*run)(void);
};

extern const struct family families[]; /* ended by run == NULL */

void family_mutex(void);
void family_spin(void);
void family_rwlock(void);
void family_cond(void);
void family_cancel(void);
void family_process(void);
void family_signals(void);
void family_sleeps(void);
void family_births(void);
void family_realtime(void);
void family_forks(void);
void family_life(void);
void family_c11(void);

#endif
