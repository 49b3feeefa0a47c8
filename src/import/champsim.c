/* ChampSim's traces: records of fixed size without a header, 64 bytes, or 96 in CloudSuite's. Which of the two is
 * told by the two truth values that each record has: no other byte there is 0 or 1 throughout. */
#include "import/champsim.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD = 64, CLOUDSUITE = 96, LOOKED_AT = 64 };

static void take_record(const uint8_t *at, size_t size, struct champsim_record *r)
{
	const unsigned dests = size == STANDARD ? 2 : 4;
	const uint8_t *registers = at + 10, *memory = at + (size == STANDARD ? 16 : 24);
	*r = (struct champsim_record){.ip = bytes_number(at, 8), .taken = at[9]};
	memcpy(r->dest, registers, dests);
	memcpy(r->source, registers + dests, CHAMPSIM_SLOTS);
	for (unsigned i = 0; i < dests; i++)
		r->stores[i] = bytes_number(memory + 8 * i, 8);
	for (unsigned i = 0; i < CHAMPSIM_SLOTS; i++)
		r->loads[i] = bytes_number(memory + 8 * (dests + i), 8);
}

static bool is_record(const uint8_t *at)
{
	return bytes_number(at, 8) && at[8] <= 1 && at[9] <= 1;
}

static bool fits(const uint8_t *bytes, size_t length, size_t size)
{
	if (!length || length % size)
		return false;
	for (size_t i = 0; i < LOOKED_AT && i < length / size; i++)
		if (!is_record(bytes + i * size))
			return false;
	return true;
}

static bool read_bytes(struct import_steps *s, FILE *in, uint8_t **bytes, size_t *length, struct error *err)
{
	size_t room = 0, got = 1;
	*length = 0;
	*bytes = NULL;
	while (got) {
		if (*length == room) {
			room = room ? 2 * room : 1 << 16;
			uint8_t *grown = realloc(*bytes, room);
			if (!grown)
				return error_set(err, ERROR_SYSTEM, "%s: out of memory", s->place);
			*bytes = grown;
		}
		got = fread(*bytes + *length, 1, room - *length, in);
		*length += got;
	}
	return true;
}

/* *count records, malloc'd. */
static struct champsim_record *take_records(struct import_steps *s, const uint8_t *bytes, size_t length, size_t *count,
					    struct error *err)
{
	const size_t size = fits(bytes, length, STANDARD) ? STANDARD : fits(bytes, length, CLOUDSUITE) ? CLOUDSUITE : 0;
	if (!size) {
		error_set(err, ERROR_INPUT, "%s: neither a plain trace nor a commit log, nor of STF, RVFI or ChampSim",
			  s->place);
		return NULL;
	}
	*count = length / size;
	struct champsim_record *records = malloc((*count + 1) * sizeof *records);
	if (!records)
		error_set(err, ERROR_SYSTEM, "%s: out of memory", s->place);
	for (size_t i = 0; records && i < *count; i++) {
		if (!is_record(bytes + i * size)) {
			error_set(err, ERROR_INPUT, "%s: record %zu: no address, or a truth value that is none",
				  s->place, i + 1);
			free(records);
			return NULL;
		}
		take_record(bytes + i * size, size, &records[i]);
	}
	return records;
}

static bool packed(const uint8_t *bytes, size_t length)
{
	return length > 4 && (!memcmp(bytes,
				      "\xfd"
				      "7zX",
				      4) ||
			      !memcmp(bytes, "BZh", 3));
}

bool import_champsim(struct import_steps *s, FILE *in, struct error *err)
{
	uint8_t *bytes;
	size_t length, count;
	struct champsim_record *records = NULL;
	bool good = read_bytes(s, in, &bytes, &length, err);
	if (good && packed(bytes, length))
		good = error_set(err, ERROR_INPUT, "%s: packed: unpack it first, or pack it with gzip or zstd",
				 s->place);
	good = good && (records = take_records(s, bytes, length, &count, err));
	free(bytes);
	good = good && champsim_steps(s, records, count, err);
	free(records);
	return good;
}
