/* A stand-in for CoreMark, which is not part of this project: the same four kinds of work in about the same shares, from
 * the public description of the benchmark alone; not one line is from it, and its results are not CoreMark's.
 *
 * One iteration: search, reverse and merge-sort a linked list by a value that is worked out when two items are first
 * compared, and by place; small matrices times constants, vectors and each other, on 16-bit numbers; a state machine
 * that tells numbers from words in a text, twice; and a CRC of 16 bits, bit by bit, over all results. The three data
 * sets have about 2 KB together, so that every cache holds them: what is measured is the core.
 *
 * Argument: how many iterations. Exit status: 0 when the CRC of the last iteration is the first's. */
#include <stddef.h>
#include <stdint.h>

enum { ITEMS = 38, SIDE = 9, TEXT = 640, SEARCHES = 100 };

struct item {
	struct item *next;
	int16_t value, place;
};

struct data {
	struct item items[ITEMS];
	int16_t a[SIDE * SIDE], b[SIDE * SIDE];
	int32_t c[SIDE * SIDE];
	uint8_t text[TEXT + 1];
};

/* --- CRC --- */

static uint16_t crc_byte(uint16_t crc, uint8_t byte)
{
	for (int bit = 0; bit < 8; bit++) {
		unsigned differs = (crc ^ byte) & 1;
		crc >>= 1;
		byte >>= 1;
		if (differs)
			crc ^= 0xa001;
	}
	return crc;
}

__attribute__((noinline)) static uint16_t crc_half(uint16_t crc, uint16_t half)
{
	return crc_byte(crc_byte(crc, (uint8_t)half), (uint8_t)(half >> 8));
}

static uint16_t crc_word(uint16_t crc, uint32_t word)
{
	return crc_half(crc_half(crc, (uint16_t)word), (uint16_t)(word >> 16));
}

/* --- matrices --- */

static void matrix_fill(struct data *d, uint32_t seed)
{
	for (int i = 0; i < SIDE * SIDE; i++) {
		seed = (seed * 75 + 74) % 65537;
		d->a[i] = (int16_t)(seed & 0xff);
		d->b[i] = (int16_t)((seed >> 3) & 0xff);
	}
}

__attribute__((noinline)) static void matrix_shift(int16_t *a, int16_t by)
{
	for (int i = 0; i < SIDE * SIDE; i++)
		a[i] = (int16_t)(a[i] + by);
}

__attribute__((noinline)) static void matrix_scale(const int16_t *a, int32_t *c, int16_t by)
{
	for (int row = 0; row < SIDE; row++)
		for (int col = 0; col < SIDE; col++)
			c[row * SIDE + col] = a[row * SIDE + col] * by;
}

__attribute__((noinline)) static void matrix_vector(const int16_t *a, const int16_t *v, int32_t *c)
{
	for (int row = 0; row < SIDE; row++) {
		c[row] = 0;
		for (int col = 0; col < SIDE; col++)
			c[row] += a[row * SIDE + col] * v[col];
	}
}

__attribute__((noinline)) static void matrix_product(const int16_t *a, const int16_t *b, int32_t *c, int bits)
{
	for (int row = 0; row < SIDE; row++)
		for (int col = 0; col < SIDE; col++) {
			int32_t sum = 0;
			for (int k = 0; k < SIDE; k++) {
				int32_t product = a[row * SIDE + k] * b[k * SIDE + col];
				sum += bits ? ((product >> 2) & 0xf) * ((product >> 5) & 0x7f) : product;
			}
			c[row * SIDE + col] = sum;
		}
}

/* A sum that goes up or starts anew by what is compared: branches that follow the data. */
__attribute__((noinline)) static int16_t matrix_sum(const int32_t *c, int32_t most)
{
	int32_t running = 0, last = 0;
	int16_t result = 0;
	for (int i = 0; i < SIDE * SIDE; i++) {
		running += c[i];
		if (running > most) {
			result = (int16_t)(result + 10);
			running = 0;
		} else {
			result = (int16_t)(result + (c[i] > last));
		}
		last = c[i];
	}
	return result;
}

__attribute__((noinline)) static uint16_t matrix_work(struct data *d, int16_t by, uint16_t crc)
{
	int32_t most = 0xf000 | by;
	matrix_shift(d->a, by);
	matrix_scale(d->a, d->c, by);
	crc = crc_half(crc, (uint16_t)matrix_sum(d->c, most));
	matrix_vector(d->a, d->b, d->c);
	crc = crc_half(crc, (uint16_t)matrix_sum(d->c, most));
	matrix_product(d->a, d->b, d->c, 0);
	crc = crc_half(crc, (uint16_t)matrix_sum(d->c, most));
	matrix_product(d->a, d->b, d->c, 1);
	crc = crc_half(crc, (uint16_t)matrix_sum(d->c, most));
	matrix_shift(d->a, (int16_t)-by);
	return crc;
}

/* --- the state machine --- */

enum state { START, SIGN, WHOLE, POINT, EXPONENT, EXPONENT_SIGN, SCALED, WORD, STATES };

static void text_fill(struct data *d)
{
	static const char *const samples[] = {"5012", "1234", "-874", "+122", "35.54400", ".1234500", "-110.700",
					      "+0.64400", "5.500e+3", "-.123e-2", "-87e+832", "+0.6e-12",
					      "T0.3e-1F", "-T.T++Tq", "1T3.4e4z", "34.0e-T^"};
	unsigned at = 0, which = 0;
	while (at + 10 < TEXT) {
		const char *s = samples[(which * 7 + which / 5) % 16];
		which++;
		while (*s)
			d->text[at++] = (uint8_t)*s++;
		d->text[at++] = ',';
	}
	d->text[at] = 0;
}

static int is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* One token from *at on; what it is. */
__attribute__((noinline)) static enum state token(const uint8_t **at, uint32_t *passed)
{
	const uint8_t *s = *at;
	enum state state = START;
	for (; *s && state != WORD; s++) {
		uint8_t c = *s;
		if (c == ',') {
			s++;
			break;
		}
		switch (state) {
		case START:
			state = is_digit(c)		   ? WHOLE
				: c == '+' || c == '-' ? SIGN
				: c == '.'		   ? POINT
							   : WORD;
			passed[START]++;
			break;
		case SIGN:
			state = is_digit(c) ? WHOLE : c == '.' ? POINT : WORD;
			passed[SIGN]++;
			break;
		case WHOLE:
			if (c == '.') {
				state = POINT;
				passed[WHOLE]++;
			} else if (!is_digit(c)) {
				state = WORD;
				passed[WHOLE]++;
			}
			break;
		case POINT:
			if (c == 'e' || c == 'E') {
				state = EXPONENT;
				passed[POINT]++;
			} else if (!is_digit(c)) {
				state = WORD;
				passed[POINT]++;
			}
			break;
		case EXPONENT:
			state = c == '+' || c == '-' ? EXPONENT_SIGN : WORD;
			passed[EXPONENT]++;
			break;
		case EXPONENT_SIGN:
			state = is_digit(c) ? SCALED : WORD;
			passed[EXPONENT_SIGN]++;
			break;
		case SCALED:
			if (!is_digit(c)) {
				state = WORD;
				passed[SCALED]++;
			}
			break;
		default:
			break;
		}
	}
	*at = s;
	return state;
}

__attribute__((noinline)) static uint16_t text_work(struct data *d, uint8_t change, unsigned step, uint16_t crc)
{
	uint32_t ended[STATES] = {0}, passed[STATES] = {0};
	for (int round = 0; round < 2; round++) {
		const uint8_t *at = d->text;
		while (*at)
			ended[token(&at, passed)]++;
		for (unsigned i = 0; i < TEXT && d->text[i]; i += step) /* spoilt for the second round, then mended */
			if (d->text[i] >= '0')
				d->text[i] ^= change;
	}
	for (int i = 0; i < STATES; i++)
		crc = crc_word(crc_word(crc, ended[i]), passed[i]);
	return crc;
}

/* --- the list --- */

/* The value that an item stands for: worked out once, then kept in the lower byte; the upper has what it began with. */
__attribute__((noinline)) static int16_t item_value(struct data *d, struct item *x)
{
	if (x->value & 0x80)
		return x->value & 0x7f;
	int16_t by = (int16_t)(x->value & 0xf);
	uint16_t crc = (uint16_t)x->place;
	if ((x->value & 7) > 1)
		crc = crc_half(crc, (uint16_t)(by * 0x1111));
	else if (x->value & 1)
		crc = matrix_work(d, by | 1, crc);
	else
		crc = text_work(d, (uint8_t)(by | 1), 13, crc);
	x->value = (int16_t)((x->value & 0xff00) | 0x80 | (crc & 0x7f));
	return x->value & 0x7f;
}

static int by_value(struct data *d, struct item *a, struct item *b)
{
	return item_value(d, a) - item_value(d, b);
}

static int by_place(struct data *d, struct item *a, struct item *b)
{
	(void)d;
	a->value = (int16_t)((a->value & 0x7f00) | (a->value >> 8)); /* forget what was worked out */
	b->value = (int16_t)((b->value & 0x7f00) | (b->value >> 8));
	return a->place - b->place;
}

typedef int compare(struct data *d, struct item *a, struct item *b);

static struct item *merge(struct data *d, struct item *a, struct item *b, compare *cmp)
{
	struct item head, *last = &head;
	while (a && b) {
		struct item **least = cmp(d, a, b) <= 0 ? &a : &b;
		last->next = *least;
		last = *least;
		*least = last->next;
	}
	last->next = a ? a : b;
	return head.next;
}

__attribute__((noinline)) static struct item *sort(struct data *d, struct item *list, compare *cmp)
{
	if (!list || !list->next)
		return list;
	struct item *slow = list, *fast = list->next;
	while (fast && fast->next) {
		slow = slow->next;
		fast = fast->next->next;
	}
	struct item *second = slow->next;
	slow->next = NULL;
	return merge(d, sort(d, list, cmp), sort(d, second, cmp), cmp);
}

__attribute__((noinline)) static struct item *find(struct item *list, int place, int value)
{
	if (place >= 0) {
		while (list && list->place != place)
			list = list->next;
		return list;
	}
	while (list && (list->value & 0xff) != value)
		list = list->next;
	return list;
}

__attribute__((noinline)) static struct item *reverse(struct item *list)
{
	struct item *done = NULL;
	while (list) {
		struct item *next = list->next;
		list->next = done;
		done = list;
		list = next;
	}
	return done;
}

static struct item *list_fill(struct data *d)
{
	for (int i = 0; i < ITEMS; i++) {
		int value = (i * 37 + (i >> 2) * 8) & 0x7f;
		d->items[i] = (struct item){i + 1 < ITEMS ? &d->items[i + 1] : NULL, (int16_t)(value << 8 | value),
					    (int16_t)(i * 5 % ITEMS)};
	}
	return d->items;
}

__attribute__((noinline)) static uint16_t iteration(struct data *d, struct item **list, uint16_t crc)
{
	unsigned found = 0, missed = 0;
	for (int i = 0; i < SEARCHES; i++) {
		struct item *x = find(*list, (i & 1) ? i * 3 : -1, i * 9);
		*list = reverse(*list);
		if (!x)
			missed++;
		else
			found += (unsigned)x->place & 3;
	}
	crc = crc_half(crc, (uint16_t)(found * 4 - missed));
	*list = sort(d, *list, by_value);
	for (struct item *x = *list; x; x = x->next)
		crc = crc_half(crc, (uint16_t)x->value);
	*list = sort(d, *list, by_place);
	for (struct item *x = *list; x; x = x->next)
		crc = crc_half(crc, (uint16_t)x->place);
	return crc;
}

int main(int argc, char **argv)
{
	static struct data data;
	unsigned count = 0;
	for (const char *s = argc > 1 ? argv[1] : "10"; *s; s++)
		count = count * 10 + (unsigned)(*s - '0');
	matrix_fill(&data, 1);
	text_fill(&data);
	struct item *list = sort(&data, list_fill(&data), by_place);
	uint16_t first = iteration(&data, &list, 0), last = first;
	for (unsigned i = 1; i < count; i++)
		last = iteration(&data, &list, 0);
	return first != last;
}
