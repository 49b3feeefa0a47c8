/* culprit shotgun --perf: the samples of a real machine, as perf script prints them, in the place of a sample file.
 * The mappings in the text (--show-mmap-events) say where the program and its libraries lay. */
#include "cli/shotgun_perf.h"

#include "analysis/shotgun/machine.h"
#include "guest/elf.h"
#include "riscv/address_space.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct finder {
	struct shotgun_perf *perf;
	struct sample_file *file;
	struct shotgun_code *code;
	struct provenance *provenance;
	const char *sysroot;
	char binary[PATH_MAX];
	struct elf_image *image;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool read_image(struct finder *f, const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	bool good = elf_read(fd, f->image, err) || error_context(err, "%s", path);
	close(fd);
	return good;
}

/* By how much the object lies higher than its headers say: of the executable segment that the mapping shows. */
static bool bias_of(const struct elf_image *image, const struct perf_mapping *m, uint64_t *bias)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *s = &image->segments[i];
		bool inside = s->offset + s->file_size > m->offset && s->offset < m->offset + m->size;
		*bias = m->start - m->offset + s->offset - s->address;
		if ((s->perm & PAGE_EXEC) && inside)
			return true;
	}
	return false;
}

static bool add_object(struct finder *f, const char *path, uint64_t start, uint64_t end, uint64_t bias,
		       struct error *err)
{
	struct sample_file *s = f->file;
	for (uint32_t i = 0; i < s->mapping_count; i++)
		if (s->mappings[i].bias == bias && s->mappings[i].start == start && !strcmp(s->mappings[i].path, path))
			return true; /* another process's, or printed twice */
	if (s->mapping_count == SAMPLE_MAPPINGS_MAX)
		return true;
	struct sample_mapping *grown = realloc(s->mappings, (s->mapping_count + 1) * sizeof *grown);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for mappings");
	s->mappings = grown;
	struct sample_mapping *m = &s->mappings[s->mapping_count];
	*m = (struct sample_mapping){.path = strdup(path), .start = start, .end = end, .bias = bias};
	if (!m->path)
		return error_set(err, ERROR_SYSTEM, "out of memory for mappings");
	s->mapping_count++;
	TRY(shotgun_code_identify(m, path, err));
	TRY(provenance_add_file(f->provenance, s->mapping_count > 1 ? "library" : "program", path, err));
	return shotgun_code_add(f->code, m, path, err);
}

/* The program, where its mapping says; without one, where its headers say. */
static bool add_program(struct finder *f, struct error *err)
{
	const struct perf_script *s = &f->perf->script;
	TRY(read_image(f, f->binary, err));
	uint64_t bias = 0;
	bool found = false;
	for (uint32_t i = 0; i < s->mapping_count; i++) {
		const struct perf_mapping *m = &s->mappings[i];
		if (strcmp(base_name(m->path), base_name(f->binary)) != 0 || !bias_of(f->image, m, &bias))
			continue;
		found = true;
		TRY(add_object(f, f->binary, m->start, m->start + m->size, bias, err));
	}
	if (!found && f->image->position_independent)
		return error_set(
			err, ERROR_INPUT,
			"%s: position independent, and the samples do not say where it was: print its mappings too, "
			"with perf script --show-mmap-events",
			f->binary);
	return found || add_object(f, f->binary, f->image->low, f->image->high, 0, err);
}

/* Libraries that are there; others (the kernel's, another machine's) stay unknown. */
static bool add_libraries(struct finder *f, struct error *err)
{
	const struct perf_script *s = &f->perf->script;
	for (uint32_t i = 0; i < s->mapping_count; i++) {
		const struct perf_mapping *m = &s->mappings[i];
		char path[PATH_MAX];
		uint64_t bias;
		struct error why;
		if (!strcmp(base_name(m->path), base_name(f->binary)))
			continue;
		bool there = shotgun_exists_in(path, f->sysroot, m->path) && read_image(f, path, &why) &&
			     bias_of(f->image, m, &bias);
		f->perf->report.lost_objects += !there;
		TRY(!there || add_object(f, path, m->start, m->start + m->size, bias, err));
	}
	return true;
}

static bool add_code(struct finder *f, const struct options *o, struct error *err)
{
	f->sysroot = o->sysroot ? o->sysroot : "";
	if (strchr(o->binary, '/') || !shotgun_exists_in(f->binary, "", o->binary))
		TRY(shotgun_find_program(f->binary, f->sysroot, o->binary, err));
	f->image = malloc(sizeof *f->image);
	if (!f->image)
		return error_set(err, ERROR_SYSTEM, "out of memory for code");
	bool good = add_program(f, err) && add_libraries(f, err);
	free(f->image);
	return good;
}

/* --- what is said of them --- */

static void fill_report(struct shotgun_perf *p)
{
	const struct perf_script *s = &p->script;
	struct shotgun_perf_report *r = &p->report;
	r->made = p->made;
	r->samples = s->count;
	r->others = s->others;
	r->unread = s->unread;
	r->merged = s->merged;
	r->unused = s->unused;
	r->all_paths = s->all_paths;
	for (uint32_t i = 0; i < s->event_count; i++) {
		const struct perf_event *e = &s->events[i];
		if (e->accesses && e->slowest > r->slowest) {
			r->slowest = e->slowest;
			snprintf(r->slowest_event, sizeof r->slowest_event, "%s", e->name);
		}
	}
}

static bool make_samples(struct shotgun_perf *p, const struct machine *machine, struct sample_file *file,
			 struct shotgun_code *code, struct error *err)
{
	struct culprit_shotgun_machine m;
	shotgun_machine_from_machine(&m, machine);
	struct culprit_precise precise = {p->script.samples, p->script.count, p->script.branches};
	p->has_samples = true;
	if (!culprit_samples_from_branches(&file->samples, &precise, &code->interface, &m, &p->made))
		return error_set(err, ERROR_SYSTEM, "out of memory for samples");
	fill_report(p);
	return p->made.used ||
	       error_set(err, ERROR_INPUT,
			 "%s: none of %llu branch stacks fits the code of %s: is it the program that was "
			 "sampled, and a RISC-V one?",
			 file->program, (unsigned long long)p->made.stacks, file->mappings[0].path);
}

bool shotgun_perf_read(struct shotgun_perf *p, const struct options *o, const struct machine *machine,
		       struct sample_file *file, struct shotgun_code *code, struct provenance *provenance,
		       struct error *err)
{
	struct finder f = {.perf = p, .file = file, .code = code, .provenance = provenance};
	if (!o->binary)
		return error_set(err, ERROR_USAGE, "--perf needs --binary FILE, the program that was sampled");
	if (strcmp(o->perf, "-"))
		TRY(provenance_add_file(provenance, "samples", o->perf, err));
	TRY(perf_script_read(&p->script, o->perf, err));
	file->program = strdup(o->binary);
	file->machine_name = strdup(machine->name);
	if (!file->program || !file->machine_name)
		return error_set(err, ERROR_SYSTEM, "out of memory for names");
	TRY(add_code(&f, o, err));
	return make_samples(p, machine, file, code, err);
}

void shotgun_perf_destroy(struct shotgun_perf *p, struct sample_file *file)
{
	perf_script_destroy(&p->script);
	if (p->has_samples)
		culprit_branch_samples_free(&file->samples);
}
