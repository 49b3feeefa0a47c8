/* Checksums, as any order and any value moves them. */
#include "net.h"

#include <math.h>

void net_add(struct net_sum *sum, uint64_t value)
{
	const uint64_t x = (sum->value ^ value) * 0x9e3779b97f4a7c15 + 1;
	sum->value = x ^ x >> 29;
}

void net_add_text(struct net_sum *sum, const char *text)
{
	for (; text && *text; text++)
		net_add(sum, (unsigned char)*text);
	net_add(sum, 256);
}

void net_add_real(struct net_sum *sum, double value)
{
	if (isnan(value) || fabs(value) > 1e12)
		net_add(sum, isnan(value) ? 1 : value < 0 ? 2 : 3);
	else
		net_add(sum, (uint64_t)(int64_t)(1e6 * value + (value < 0 ? -0.5 : 0.5)));
}

void net_add_record(struct net_sum *sum, const struct culprit_record *r)
{
	net_add(sum, r->seq);
#define MEMBER(name) net_add(sum, r->name);
#include "culprit/record_member.def"
}

void net_print(FILE *out, const struct net_sum *sum)
{
	fprintf(out, " %08x", (unsigned)(sum->value >> 32 ^ sum->value));
}
