#include "page/page.h"

#include "base/output.h"
#include "page/bundle.h"
#include "report/format.h"
#include "report/palette.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Where the bundle wants what a result has; the marks come in this order. */
#define TITLE_MARK "<!--title-->"
#define PALETTE_MARK "<!--palette-->"
#define DATA_MARK "<!--data-->"

struct page {
	const json_t *root;
	const char *packed; /* base64 */
};

/* --- gzip, base64 --- */

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the page");
}

/* The caller frees *packed. */
static bool pack(const char *text, size_t length, unsigned char **packed, size_t *size, struct error *err)
{
	enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
	z_stream z = {0};
	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return no_memory(err);
	uLong room = deflateBound(&z, (uLong)length);
	bool good = length <= UINT32_MAX && room <= UINT32_MAX && (*packed = malloc(room)) != NULL;
	if (good) {
		z.next_in = (z_const Bytef *)(const void *)text;
		z.avail_in = (uInt)length;
		z.next_out = *packed;
		z.avail_out = (uInt)room;
		good = deflate(&z, Z_FINISH) == Z_STREAM_END;
		*size = z.total_out;
	}
	deflateEnd(&z);
	return good || no_memory(err);
}

static char *base64(const unsigned char *bytes, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;
	for (size_t i = 0; text && i < size; i += 3) {
		size_t left = size - i;
		uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0);
		*to++ = digits[group >> 18];
		*to++ = digits[group >> 12 & 63];
		*to++ = left > 1 ? digits[group >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[group & 63] : '=';
	}
	if (text)
		*to = 0;
	return text;
}

/* The caller frees it; NULL: *err says why. */
static char *packed_json(const json_t *data, struct error *err)
{
	char *text = data ? json_dumps(data, JSON_COMPACT) : NULL, *result = NULL;
	unsigned char *packed = NULL;
	size_t size = 0;
	if (!text)
		no_memory(err);
	else if (pack(text, strlen(text), &packed, &size, err) && !(result = base64(packed, size)))
		no_memory(err);
	free(packed);
	free(text);
	return result;
}

/* --- the file --- */

static void print_title(const struct page *p, FILE *out)
{
	const char *program = json_string_value(json_object_get(p->root, "program"));
	const char *title = json_string_value(json_object_get(p->root, "title"));
	const char *machine = json_string_value(json_object_get(p->root, "machine"));
	if (!program) { /* of more than one program */
		format_xml(title ? title : "comparison", SIZE_MAX, out);
		return;
	}
	format_xml(program, SIZE_MAX, out);
	fputs(" on ", out);
	format_xml(machine ? machine : "no machine", SIZE_MAX, out);
}

static void print_palette(const struct page *p, FILE *out)
{
	const struct palette_colour *c;
	for (size_t i = 0; (c = palette_row(i)); i++)
		fprintf(out, "%s\"%s\":\"#%02x%02x%02x\"", i ? "," : "{", c->name, c->red, c->green, c->blue);
	fputc('}', out);
}

static void print_data(const struct page *p, FILE *out)
{
	fputs(p->packed, out);
}

static void print_page(const struct page *p, FILE *out)
{
	static const struct {
		const char *mark;
		void (*print)(const struct page *p, FILE *out);
	} parts[] = {{TITLE_MARK, print_title}, {PALETTE_MARK, print_palette}, {DATA_MARK, print_data}};
	const char *at = page_bundle;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		const char *mark = strstr(at, parts[i].mark);
		if (!mark)
			continue;
		fwrite(at, 1, (size_t)(mark - at), out);
		parts[i].print(p, out);
		at = mark + strlen(parts[i].mark);
	}
	fputs(at, out);
}

/* The result and, beside its keys, what a page alone needs. */
static json_t *with_legend(const json_t *root, json_t *legend)
{
	json_t *data = json_copy((json_t *)root);
	if (!data) {
		json_decref(legend);
		return NULL;
	}
	json_object_set_new(data, "legend", legend);
	return data;
}

bool page_write(const json_t *root, json_t *legend, const char *path, struct error *err)
{
	json_t *data = with_legend(root, legend);
	char *packed = packed_json(data, err);
	json_decref(data);
	if (!packed)
		return false;
	const struct page page = {root, packed};
	bool good = OUTPUT_WRITE(path, NULL, print_page, &page, err);
	free(packed);
	return good;
}

bool page_write_result(json_t *root, json_t *legend, const char *html, const char *json, struct error *err)
{
	bool good = root != NULL;
	if (good && html)
		good = page_write(root, json_incref(legend), html, err);
	if (good && json)
		good = format_write_json(json_incref(root), json, err);
	json_decref(root);
	json_decref(legend);
	return good;
}
