#include "stats/experiment/order.h"

uint64_t order_random(uint64_t *state)
{
	uint64_t bits = *state += 0x9e3779b97f4a7c15u;

	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
	return bits ^ bits >> 31;
}

uint64_t order_below(uint64_t *state, uint64_t limit)
{
	/* Numbers from the incomplete last run of `limit` would make small results likelier. */
	uint64_t uneven = (UINT64_MAX - limit + 1) % limit, bits;

	do
		bits = order_random(state);
	while (bits < uneven);
	return bits % limit;
}

void order_round(uint64_t seed, uint64_t round, size_t *order, size_t count)
{
	uint64_t state = seed, mixed;

	mixed = order_random(&state) ^ (round + 1) * 0xd1342543de82ef95u;
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t left = count; left > 1; left--) {
		size_t other = (size_t)order_below(&mixed, left), kept = order[left - 1];

		order[left - 1] = order[other];
		order[other] = kept;
	}
}
