#include "export/rows.h"

#include "record/record_chunk.h"

#include <stddef.h>
#include <sys/stat.h>

/* --- which columns there are --- */

#define OFFSET(name) offsetof(struct culprit_record, name)
#define SIZE(name) sizeof(((struct culprit_record *)NULL)->name)

static const struct member {
	const char *name;
	uint16_t offset, size;
} members[] = {
	{"seq", OFFSET(seq), SIZE(seq)},
#define MEMBER(name) {#name, OFFSET(name), SIZE(name)},
#include "culprit/record_member.def"
};
enum { MEMBERS = sizeof members / sizeof *members };

/* Members that are not shown as the number that they are; told: as in record_names.def, where field.def does not name
 * them. */
static const struct shown {
	const char *name;
	enum row_kind kind;
	enum record_name_set names;
	uint16_t needs, needs_size;
	const char *told;
} rules[] = {
	{"pc", .kind = ROW_ADDRESS},
	{"mem_addr", .kind = ROW_ADDRESS},
	{"op_class", .kind = ROW_NAME, .names = RECORD_NAMES_op_class},
	{"branch", .kind = ROW_NAME, .names = RECORD_NAMES_branch},
	{"predictor", ROW_NAME, RECORD_NAMES_predictor, OFFSET(branch), SIZE(branch), "own"},
	{"ilevel", .kind = ROW_NAME, .names = RECORD_NAMES_level},
	{"itlb_level", .kind = ROW_NAME, .names = RECORD_NAMES_tlb_level},
	{"istray", .kind = ROW_NAME, .names = RECORD_NAMES_level},
	{"window", .kind = ROW_NAME, .names = RECORD_NAMES_window},
	{"contended", .kind = ROW_NAME, .names = RECORD_NAMES_contended},
	{"contender", .kind = ROW_NUMBER, .told = "contended"},
	{"dlevel", .kind = ROW_NAME, .names = RECORD_NAMES_level},
	{"dtlb_level", .kind = ROW_NAME, .names = RECORD_NAMES_tlb_level},
	{"dstray", .kind = ROW_NAME, .names = RECORD_NAMES_level},
	{"commit_stop", ROW_NAME, RECORD_NAMES_commit_stop, OFFSET(commit_wait), SIZE(commit_wait), NULL},
	{"write_level", .kind = ROW_NAME, .names = RECORD_NAMES_level},
	{"write_merged", .kind = ROW_FLAG},
	{"rob_entries", .kind = ROW_WEIGHT},
	{"dispatch_slots", .kind = ROW_WEIGHT},
	{"issue_slots", .kind = ROW_WEIGHT},
	{"commit_slots", .kind = ROW_WEIGHT},
	{"prefetch_trigger", .kind = ROW_SIGNED},
	{"prefetch_level", .kind = ROW_NAME, .names = RECORD_NAMES_level},
	{"prefetch_below", .kind = ROW_NAME, .names = RECORD_NAMES_level},
};

/* Is it one of "taken, LOAD, producer"? */
static bool listed(const char *list, const char *word, size_t length)
{
	for (const char *at = list; *at;) {
		const size_t n = strcspn(at, ", ");
		if (n == length && !memcmp(at, word, n))
			return true;
		at += n;
		at += strspn(at, ", ");
	}
	return false;
}

/* producer[0] is `producer` there. Of what no field speaks the sources of others do not say whether they know it: their
 * zeros would be `static` for all branches. */
static bool is_known(const struct rows *rows, const char *word)
{
	struct culprit_field_info info;
	if (!strcmp(word, "own"))
		return rows->about.own;
	for (unsigned i = 0; culprit_field_info(i, &info); i++)
		if ((rows->about.unknown >> i & 1) && listed(info.members, word, strcspn(word, "[")))
			return false;
	return true;
}

static const struct shown *find_rule(const char *name)
{
	static const struct shown number = {.kind = ROW_NUMBER};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	return &number;
}

static struct row_column *add(struct rows *rows, const char *name, enum row_kind kind)
{
	struct row_column *c = &rows->columns[rows->column_count++];
	size_t used = 0;
	*c = (struct row_column){.kind = kind};
	for (; *name && used + 1 < sizeof c->name; name++)
		if (*name != '[' && *name != ']')
			c->name[used++] = *name;
	return c;
}

static void add_flags(struct rows *rows, const struct member *m)
{
	struct record_flag_name flag;
	for (unsigned i = 0; record_flag_name(i, &flag); i++) {
		if (!is_known(rows, flag.told))
			continue;
		struct row_column *c = add(rows, flag.name, ROW_FLAG);
		c->offset = m->offset;
		c->size = m->size;
		c->bit = flag.bit;
	}
}

static void add_member(struct rows *rows, const struct member *m)
{
	const struct shown *rule = find_rule(m->name);
	if (m->offset == OFFSET(flags)) {
		add_flags(rows, m);
		return;
	}
	if (!is_known(rows, rule->told ? rule->told : m->name))
		return;
	struct row_column *c = add(rows, m->name, rule->kind);
	c->offset = m->offset;
	c->size = m->size;
	c->bit = 1;
	c->names = rule->names;
	c->needs = rule->needs;
	c->needs_size = rule->needs_size;
}

/* seq and pc are first. */
static void add_columns(struct rows *rows)
{
	static const char *const names[] = {[ROW_INSTRUCTION] = "instruction",
					    [ROW_FUNCTION] = "function",
					    [ROW_OBJECT] = "object",
					    [ROW_LINE] = "line"};
	enum { IN_FRONT = 2 };
	for (size_t i = 0; i < IN_FRONT; i++)
		add_member(rows, &members[i]);
	for (size_t i = 0; i < ROW_PLACE_TEXTS; i++)
		if (rows->places.any[i])
			add(rows, names[i], ROW_PLACE)->place = (enum row_place_text)i;
	for (size_t i = IN_FRONT; i < MEMBERS; i++)
		add_member(rows, &members[i]);
}

/* --- the file --- */

bool rows_are(const char *path)
{
	char magic[sizeof RECORD_MAGIC - 1];
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode)) /* what is read of a pipe is gone */
		return false;
	FILE *in = fopen(path, "rb");
	if (!in)
		return false;
	const bool are = fread(magic, 1, sizeof magic, in) == sizeof magic &&
			 !memcmp(magic, RECORD_MAGIC, sizeof magic);
	fclose(in);
	return are;
}

bool rows_open(struct rows *rows, const char *path, struct error *err)
{
	_Static_assert(MEMBERS + 16 + ROW_PLACE_TEXTS <= ROW_COLUMNS_MOST, "each has room");
	TRY(rows->reader = record_reader_open(path, &rows->about, err));
	TRY(row_places_create(&rows->places, &rows->about, err));
	add_columns(rows);
	return true;
}

void rows_destroy(struct rows *rows)
{
	record_reader_destroy(rows->reader);
	record_about_destroy(&rows->about);
	row_places_destroy(&rows->places);
}

bool rows_next(struct rows *rows, const struct culprit_record **records, size_t *count, struct error *err)
{
	struct record_part part;
	do
		TRY(record_reader_next(rows->reader, &part, err));
	while (part.is_log);
	*records = part.records;
	*count = part.is_end ? 0 : part.record_count;
	return true;
}
