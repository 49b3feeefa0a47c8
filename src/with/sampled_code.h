/* The code that samples were taken from: executable segments of the program and its libraries, read from their files,
 * placed by the mappings of the sample file. */
#ifndef CULPRIT_WITH_SAMPLED_CODE_H
#define CULPRIT_WITH_SAMPLED_CODE_H

#include "record/sample_file.h"

struct shotgun_object;
struct shotgun_code {
	struct shotgun_object *objects;
	size_t count;
	struct culprit_code interface; /* for the reconstruction */
};

/* Fill checksum and build-id of a mapping from the file. */
bool shotgun_code_identify(struct sample_mapping *m, const char *file, struct error *err);

void shotgun_code_create(struct shotgun_code *c);
/* Add an object. Its code must be what the mapping says, or it is refused. */
bool shotgun_code_add(struct shotgun_code *c, const struct sample_mapping *m, const char *file, struct error *err);
void shotgun_code_destroy(struct shotgun_code *c);

/* The object that holds the address: its number as added; SIZE_MAX = none. */
size_t shotgun_code_object(const struct shotgun_code *c, uint64_t pc);

#endif
