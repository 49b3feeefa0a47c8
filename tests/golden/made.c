/* made REPORT: write the files out.* of a report on results made by hand. tests/golden/check compares them. */
#include "made.h"

#include "report/format.h"

#include <stdlib.h>
#include <string.h>

FILE *made_open(const char *name)
{
	FILE *out = fopen(name, "w");
	if (out)
		return out;
	perror(name);
	exit(2);
}

void made_close(FILE *out)
{
	if (fclose(out) == 0)
		return;
	perror("made");
	exit(2);
}

void made_json(json_t *root, const char *name)
{
	struct error err;
	if (format_write_json(root, name, &err))
		return;
	fprintf(stderr, "%s: %s\n", name, err.text);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} reports[] = {
		{"run", made_run},	   {"truth", made_truth},	  {"model", made_model},
		{"explore", made_explore}, {"critical", made_critical},	  {"graph", made_graph},
		{"oracle", made_oracle},   {"profilers", made_profilers}, {"stacks", made_stacks},
		{"stalls", made_stalls},   {"shotgun", made_shotgun},	  {"code", made_code},
	};
	for (size_t i = 0; argc == 2 && i < sizeof reports / sizeof *reports; i++)
		if (!strcmp(argv[1], reports[i].name)) {
			reports[i].make();
			return 0;
		}
	fprintf(stderr, "usage: made REPORT\n");
	return 2;
}
