/* What fit found. */
#include "fit/fit.h"

#include <string.h>

enum { WIDTH = 80, EXPLAINED = 10 /* percent */ };

static double mean(const struct fit *f, const bool *family, bool last)
{
	double errors = 0;
	size_t count = 0;
	for (size_t i = 0; i < f->table.count; i++) {
		const struct fit_kernel *k = &f->table.kernels[i];
		if (family && !family[i])
			continue;
		errors += fit_error(k, last ? k->last : k->first);
		count++;
	}
	return count ? 100 * errors / (double)count : 0;
}

/* Names with blanks between them, broken at WIDTH. */
static int print_name(FILE *out, int column, const char *name)
{
	int length = (int)strlen(name);
	if (column + 1 + length > WIDTH) {
		fputs("\n     ", out);
		column = 5;
	}
	fprintf(out, " %s", name);
	return column + 1 + length;
}

static void print_family(const struct fit *f, const struct fit_key *key, FILE *out)
{
	int column = fprintf(out, "    shown by");
	for (size_t i = 0; i < f->table.count; i++)
		if (key->family[i])
			column = print_name(out, column, f->table.kernels[i].name);
	fputc('\n', out);
}

/* Other keys that all these kernels show, and not many more: they may be the reason as well. */
static void print_others(const struct fit *f, const struct fit_key *key, FILE *out)
{
	int column = 0;
	for (size_t i = 0; i < f->keys.count; i++) {
		const struct fit_key *other = &f->keys.keys[i];
		bool all = other != key && other->family_size <= 2 * key->family_size;
		for (size_t k = 0; all && k < f->table.count; k++)
			all = other->family[k] || !key->family[k];
		if (!all)
			continue;
		if (!column)
			column = fprintf(out, "    they show, too:");
		column = print_name(out, column, other->name);
	}
	if (column)
		fputc('\n', out);
}

static const char *value_text(const struct fit_key *key, uint32_t value, char text[2 * FIT_NAME_MAX])
{
	fit_key_text(key, value, text, 2 * FIT_NAME_MAX);
	return strchr(text, '=') + 1;
}

static void print_proposals(const struct fit *f, FILE *out)
{
	char was[2 * FIT_NAME_MAX], is[2 * FIT_NAME_MAX];
	size_t changed = 0;
	for (size_t i = 0; i < f->keys.count; i++) {
		const struct fit_key *key = &f->keys.keys[i];
		if (key->proposed == key->value)
			continue;
		if (!changed++)
			fprintf(out, "\n  %-26s %10s %12s   mean error of its kernels\n", "key", "value", "proposed");
		fprintf(out, "  %-26s %10s %12s   %5.1f%% -> %.1f%%\n", key->name, value_text(key, key->value, was),
			value_text(key, key->proposed, is), mean(f, key->family, false), mean(f, key->family, true));
		print_family(f, key, out);
		print_others(f, key, out);
	}
	if (!changed)
		fputs("\n  No other value makes the error smaller.\n", out);
}

static void print_unshown(const struct fit *f, FILE *out)
{
	int column = 0;
	for (size_t i = 0; i < f->keys.count; i++) {
		if (f->keys.keys[i].family_size)
			continue;
		if (!column)
			column = fprintf(out, "\n  No kernel shows:") - 1;
		column = print_name(out, column, f->keys.keys[i].name);
	}
	if (column)
		fputc('\n', out);
}

static void print_unexplained(const struct fit *f, FILE *out)
{
	size_t count = 0;
	for (size_t i = 0; i < f->table.count; i++) {
		const struct fit_kernel *k = &f->table.kernels[i];
		if (100 * fit_error(k, k->last) <= EXPLAINED)
			continue;
		if (!count++)
			fprintf(out, "\n  More than %d%% off with what is proposed:\n  %-20s %9s %9s %7s  %s\n",
				EXPLAINED, "kernel", "measured", "simulated", "error", "nearest of what was tried");
		fprintf(out, "  %-20s %9.0f %9llu %+6.1f%%  ", k->name, k->measured, (unsigned long long)k->last,
			100 * ((double)k->last / k->measured - 1));
		if (100 * k->nearest > EXPLAINED)
			fputs("no value explains it\n", out);
		else
			fprintf(out, "%s\n", *k->by ? k->by : "the machine as it was");
	}
	if (!count)
		fprintf(out, "\n  No kernel is more than %d%% off.\n", EXPLAINED);
}

void fit_text(const struct fit *f, FILE *out)
{
	fprintf(out, "%zu kernel%s on %s: mean error %.1f%%, with what is proposed %.1f%%\n", f->table.count,
		f->table.count == 1 ? "" : "s", f->machine_name, mean(f, NULL, false), mean(f, NULL, true));
	print_proposals(f, out);
	print_unexplained(f, out);
	print_unshown(f, out);
}
