/* plant FAULT IN OUT: the records of a file, filled wrong in one way, as a source may fill them that misunderstands a
 * member. Prints how many records it changed. */
#include "record/record_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef bool plant_fault(struct culprit_record *r);

/* True: it is changed. A record may not become one that a reader refuses. */
#define FAULT(name, when, what)                    \
	static bool name(struct culprit_record *r) \
	{                                          \
		if (!(when))                       \
			return false;              \
		what;                              \
		return true;                       \
	}

#define IS_LOAD ((r->flags & (CULPRIT_LOAD | CULPRIT_STORE)) == CULPRIT_LOAD)
#include "plant.def"

static const struct {
	const char *name;
	plant_fault *plant;
} faults[] = {
#define FAULT(name, when, what) {#name, name},
#include "plant.def"
};

static plant_fault *find(const char *name)
{
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (!strcmp(faults[i].name, name))
			return faults[i].plant;
	return NULL;
}

static bool copy(struct record_reader *r, struct record_writer *w, plant_fault *plant, uint64_t *changed,
		 struct error *err)
{
	for (;;) {
		struct record_part part;
		TRY(record_reader_next(r, &part, err));
		if (part.is_end)
			return true;
		for (size_t i = 0; !part.is_log && i < part.record_count; i++) {
			struct culprit_record one = part.records[i];
			*changed += plant && plant(&one);
			record_writer_records(w, &one, 1);
		}
	}
}

int main(int argc, char **argv)
{
	struct record_about about;
	struct error err = {0};
	uint64_t changed = 0;
	if (argc != 4 || (!find(argv[1]) && strcmp(argv[1], "nothing") != 0))
		return 2;
	struct record_reader *r = record_reader_open(argv[2], &about, &err);
	FILE *out = fopen(argv[3], "wb");
	about.has_log = about.own = false;
	struct record_writer *w = r && out ? record_writer_create(&about, out, &err) : NULL;
	bool good = w && copy(r, w, find(argv[1]), &changed, &err) && record_writer_finish(w, &err);
	if (!good)
		fprintf(stderr, "%s\n", err.text);
	else
		printf("%" PRIu64 "\n", changed);
	record_writer_destroy(w);
	record_reader_destroy(r);
	record_about_destroy(&about);
	if (out)
		fclose(out);
	return !good;
}
