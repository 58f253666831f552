/*
 * Random numbers and orders that a seed fixes, the same on every machine.
 */
#ifndef RELOCK_STATS_EXPERIMENT_ORDER_H
#define RELOCK_STATS_EXPERIMENT_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* The next number of the sequence that *state stands for (splitmix64, Steele et al. 2014). */
uint64_t order_random(uint64_t *state);

/* A number below `limit`, each as likely. */
uint64_t order_below(uint64_t *state, uint64_t limit);

/* Writes 0 … count - 1 in the random order of a round; every order is as likely. A round's order
 * does not depend on how many rounds went before. */
void order_round(uint64_t seed, uint64_t round, size_t *order, size_t count);

#endif
