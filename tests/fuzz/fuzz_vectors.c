/* Any bytes as a file of basic-block vectors: an error in one line with its place, or vectors that are written back and
 * read again alike, and whose clusters' weights sum to 1. Behind the byte 'S', any bytes as SimPoint's two files, with a
 * zero byte between them: likewise. */
#include "simpoint/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 64, CLUSTERS_MOST = 8 };

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void must_say(const struct error *err)
{
	must(err->code != ERROR_NONE && !strncmp(err->text, "fuzz", 4) && !strchr(err->text, '\n'));
}

static FILE *reader(const char *bytes, size_t size)
{
	FILE *in = size ? fmemopen((void *)bytes, size, "r") : fopen("/dev/null", "r");
	must(in);
	return in;
}

static double sum_of_weights(const struct simpoints *p)
{
	double sum = 0;
	for (size_t i = 0; i < p->count; i++)
		sum += p->points[i].weight;
	return sum;
}

/* --- vectors --- */

static void write_and_read(const struct bbv *v)
{
	char *bytes = NULL;
	size_t size = 0;
	struct bbv again = {0};
	struct error err;
	FILE *out = open_memstream(&bytes, &size);
	must(out);
	bbv_write(v, out);
	fclose(out);
	FILE *in = reader(bytes, size);
	must(bbv_read(&again, in, "fuzz", &err));
	fclose(in);
	must(again.count == v->count && again.entry_count == v->entry_count);
	for (size_t i = 0; i < v->count; i++)
		must(again.ends[i] == v->ends[i]);
	for (size_t i = 0; i < v->entry_count; i++)
		must(again.entries[i].block == v->entries[i].block &&
		     again.entries[i].instructions == v->entries[i].instructions);
	bbv_destroy(&again);
	free(bytes);
}

static void cluster(const struct bbv *v)
{
	struct clustering c = {0};
	struct simpoints p = {0};
	struct error err;
	cluster_point *points = cluster_project(v, 1);
	must(points &&
	     cluster_search(&c, points, v->count, v->count < CLUSTERS_MOST ? v->count : CLUSTERS_MOST, 1, &err));
	size_t members = 0;
	for (size_t i = 0; i < c.k; i++)
		members += c.sizes[i];
	must(members == v->count && cluster_choose(&c, points, v->count, &p, &err) && p.count && p.count <= c.k);
	for (size_t i = 0; i < p.count; i++) { /* of clusters with members, in their order */
		must(p.points[i].cluster == i && p.points[i].interval < v->count);
		must(!i || c.labels[p.points[i].interval] > c.labels[p.points[i - 1].interval]);
	}
	must(fabs(sum_of_weights(&p) - 1) < 1e-9);
	simpoints_destroy(&p);
	clustering_destroy(&c);
	free(points);
}

static void vectors(const char *bytes, size_t size)
{
	struct bbv v = {0};
	struct error err = {ERROR_NONE, ""};
	FILE *in = reader(bytes, size);
	if (bbv_read(&v, in, "fuzz", &err)) {
		write_and_read(&v);
		if (v.count <= POINTS_MOST)
			cluster(&v);
	} else
		must_say(&err);
	fclose(in);
	bbv_destroy(&v);
}

/* --- points and weights --- */

static void points(const char *bytes, size_t size)
{
	const char *zero = memchr(bytes, 0, size);
	size_t first = zero ? (size_t)(zero - bytes) : size, second = zero ? size - first - 1 : 0;
	FILE *p = reader(bytes, first), *w = reader(bytes + (zero ? first + 1 : first), second);
	struct simpoints s = {0};
	struct error err = {ERROR_NONE, ""};
	if (simpoints_read(&s, p, "fuzz.simpoints", w, "fuzz.weights", &err)) {
		must(s.count && fabs(sum_of_weights(&s) - 1) < 1e-9);
		for (size_t i = 1; i < s.count; i++)
			must(s.points[i].interval >= s.points[i - 1].interval);
	} else
		must_say(&err);
	fclose(p);
	fclose(w);
	simpoints_destroy(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == 'S')
		points((const char *)data + 1, size - 1);
	else
		vectors((const char *)data, size);
	return 0;
}
