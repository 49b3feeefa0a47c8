/* Machines for those who link the library. */
#include "analysis/graph/machine.h"
#include "analysis/shotgun/machine.h"
#include "library/analysis.h"

#include <stdlib.h>
#include <string.h>

bool library_fail(struct culprit_error *to, const struct error *err)
{
	_Static_assert(sizeof to->text >= sizeof err->text, "the whole line fits");
	if (to)
		memcpy(to->text, err->text, sizeof err->text);
	return false;
}

static struct culprit_machine *give(struct culprit_machine *m, bool good, const struct error *err,
				    struct culprit_error *to)
{
	if (good)
		return m;
	library_fail(to, err);
	free(m);
	return NULL;
}

struct culprit_machine *culprit_machine_load(const char *name_or_path, struct culprit_error *err)
{
	struct culprit_machine *m = calloc(1, sizeof *m);
	struct error why = {ERROR_SYSTEM, "out of memory"};
	return give(m, m && machine_load(&m->machine, name_or_path, &why), &why, err);
}

struct culprit_machine *culprit_machine_parse(const char *yaml, size_t length, struct culprit_error *err)
{
	struct culprit_machine *m = calloc(1, sizeof *m);
	struct error why = {ERROR_SYSTEM, "out of memory"};
	return give(m, m && machine_parse(&m->machine, yaml, length, "machine", &why), &why, err);
}

void culprit_machine_destroy(struct culprit_machine *m)
{
	free(m);
}

bool culprit_machine_set(struct culprit_machine *m, const char *assignment, struct culprit_error *err)
{
	struct machine changed = m->machine;
	struct error why;
	if (!machine_set(&changed, assignment, &why) || !machine_check(&changed, changed.name, &why))
		return library_fail(err, &why);
	m->machine = changed;
	return true;
}

char *culprit_machine_text(const struct culprit_machine *m)
{
	return machine_text(&m->machine);
}

void culprit_machine_graph(const struct culprit_machine *m, struct culprit_graph_params *params)
{
	graph_params_from_machine(params, &m->machine);
}

void culprit_machine_shotgun(const struct culprit_machine *m, struct culprit_shotgun_machine *params)
{
	shotgun_machine_from_machine(params, &m->machine);
}
