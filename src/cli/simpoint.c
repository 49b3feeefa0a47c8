/* culprit simpoint: from basic-block vectors to the intervals that stand for all, and their weights. */
#include "base/output.h"
#include "cli/commands.h"
#include "simpoint/cluster.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MOST = 30 };

struct simpoint_command {
	struct options options; /* first */
	struct bbv bbv;
	cluster_point *points;
	struct clustering clustering;
	struct simpoints chosen;
};

static bool read_vectors(struct simpoint_command *c, const char *path, struct error *err)
{
	FILE *in = fopen(path, "r");
	if (!in)
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	bool good = bbv_read(&c->bbv, in, path, err);
	fclose(in);
	return good;
}

static void print_report(const struct simpoint_command *c, FILE *out)
{
	if (c->bbv.cut)
		fputs("*** the vectors were interrupted: they are of the part executed until then ***\n", out);
	fprintf(out, "%zu interval%s, %zu cluster%s\n\n  cluster  interval  weight %%\n", c->bbv.count,
		c->bbv.count == 1 ? "" : "s", c->chosen.count, c->chosen.count == 1 ? "" : "s");
	for (size_t i = 0; i < c->chosen.count; i++) {
		const struct simpoint *p = &c->chosen.points[i];
		fprintf(out, "  %7" PRIu64 "  %8" PRIu64 "  %8.2f\n", p->cluster, p->interval, 100 * p->weight);
	}
}

static bool run(void *state, int *status, struct error *err)
{
	struct simpoint_command *c = state;
	const struct options *o = &c->options;
	(void)status;
	if (!o->arguments[0] || o->arguments[1])
		return error_set(err, ERROR_USAGE, "simpoint takes one file of vectors (see culprit simpoint --help)");
	if (o->max_k > CLUSTER_MOST)
		return error_set(err, ERROR_USAGE, "--max-k: at most %d", CLUSTER_MOST);
	TRY(options_check_outputs(o, err));
	TRY(read_vectors(c, o->arguments[0], err));
	if (!(c->points = cluster_project(&c->bbv, o->seed)))
		return error_set(err, ERROR_SYSTEM, "out of memory for %zu vectors", c->bbv.count);
	TRY(cluster_search(&c->clustering, c->points, c->bbv.count, o->max_k ? o->max_k : DEFAULT_MOST, o->seed, err));
	TRY(cluster_choose(&c->clustering, c->points, c->bbv.count, &c->chosen, err));
	return OUTPUT_WRITE(o->output, stdout, print_report, c, err) &&
	       OUTPUT_WRITE(o->simpoints_to, NULL, simpoints_write, &c->chosen, err) &&
	       OUTPUT_WRITE(o->weights_to, NULL, simpoints_write_weights, &c->chosen, err);
}

static void destroy(void *state)
{
	struct simpoint_command *c = state;
	bbv_destroy(&c->bbv);
	free(c->points);
	clustering_destroy(&c->clustering);
	simpoints_destroy(&c->chosen);
}

const struct command command_simpoint = {
	.user = FOR_SIMPOINT,
	.size = sizeof(struct simpoint_command),
	.run = run,
	.destroy = destroy,
};
