/* The line discipline's input, after Linux's n_tty: what becomes of a byte that is typed. Not followed: ECHOPRT and
 * PARMRK; and Ctrl-S does not hold echoes. */
#include "guest/jobs.h"
#include "guest/line.h"

/* Character 0 is none. */
static bool is(const struct terminal *t, uint8_t byte, enum terminal_character which)
{
	return byte && byte == t->settings.characters[which];
}

/* --- editing --- */

static uint8_t byte_at(const struct terminal *t, uint32_t at)
{
	return t->bytes[at % LINE_ROOM];
}

static void put(struct guest *g, struct terminal *t, uint8_t byte, bool ends)
{
	t->bytes[t->head % LINE_ROOM] = byte;
	t->ends[t->head % LINE_ROOM] = ends;
	t->head++;
	if (ends)
		t->edge = t->head;
	t->arrived = clock_now(g);
}

static void rub_out(struct terminal *t)
{
	line_show(t, '\b');
	line_show(t, ' ');
	line_show(t, '\b');
}

/* Back to where the tab began: behind the last one before it, or from the line's first column. */
static void rub_out_tab(struct terminal *t)
{
	unsigned width = 0;
	bool after_tab = false;

	for (uint32_t at = t->head; at != t->edge && !after_tab; at--) {
		uint8_t byte = byte_at(t, at - 1);

		if (byte == '\t')
			after_tab = true;
		else if (is_control(byte))
			width += local(t, TERMINAL_ECHOCTL) ? 2 : 0;
		else
			width += !continues(t, byte);
	}
	if (!after_tab)
		width += t->first_column;
	for (unsigned back = 8 - width % 8; back--;) {
		line_show_raw(t, '\b');
		t->column -= t->column > 0;
	}
}

static void show_erased(struct terminal *t, uint8_t erased, bool one)
{
	if (!local(t, TERMINAL_ECHO))
		return;
	if (one && !local(t, TERMINAL_ECHOE)) {
		line_echo(t, t->settings.characters[TERMINAL_ERASE]);
	} else if (erased == '\t') {
		rub_out_tab(t);
	} else if (!is_control(erased)) {
		rub_out(t);
	} else if (local(t, TERMINAL_ECHOCTL)) {
		rub_out(t);
		rub_out(t);
	}
}

static bool in_word(uint8_t byte)
{
	return (byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z') || byte == '_';
}

static void erase(struct terminal *t, enum terminal_character what)
{
	bool word = false;

	while (t->head != t->edge) {
		uint32_t at = t->head - 1;

		while (continues(t, byte_at(t, at)) && at != t->edge)
			at--;
		if (continues(t, byte_at(t, at)))
			break;
		if (what == TERMINAL_WERASE && word && !in_word(byte_at(t, at)))
			break;
		word |= in_word(byte_at(t, at));
		t->head = at;
		show_erased(t, byte_at(t, at), what == TERMINAL_ERASE);
		if (what == TERMINAL_ERASE)
			break;
	}
}

static void kill_line(struct terminal *t)
{
	const uint32_t visibly = TERMINAL_ECHOK | TERMINAL_ECHOKE | TERMINAL_ECHOE;

	if (t->head == t->edge)
		return;
	if (local(t, TERMINAL_ECHO) && (t->settings.local & visibly) == visibly) {
		erase(t, TERMINAL_KILL);
		return;
	}
	t->head = t->edge;
	if (!local(t, TERMINAL_ECHO))
		return;
	line_echo(t, t->settings.characters[TERMINAL_KILL]);
	if (local(t, TERMINAL_ECHOK))
		line_show(t, '\n');
}

static void reprint(struct terminal *t)
{
	line_echo(t, t->settings.characters[TERMINAL_REPRINT]);
	line_show(t, '\n');
	for (uint32_t at = t->edge; at != t->head; at++)
		line_echo(t, byte_at(t, at));
}

static void next_is_literal(struct terminal *t)
{
	t->literal = true;
	if (!local(t, TERMINAL_ECHO) || !local(t, TERMINAL_ECHOCTL))
		return;
	line_show(t, '^');
	line_show(t, '\b');
}

/* A command of the line editor; false: it is none. */
static bool edit(struct guest *g, struct terminal *t, uint8_t byte)
{
	const bool extended = local(t, TERMINAL_IEXTEN), echoes = local(t, TERMINAL_ECHO);

	if (is(t, byte, TERMINAL_ERASE)) {
		erase(t, TERMINAL_ERASE);
	} else if (is(t, byte, TERMINAL_WERASE) && extended) {
		erase(t, TERMINAL_WERASE);
	} else if (is(t, byte, TERMINAL_KILL)) {
		kill_line(t);
	} else if (is(t, byte, TERMINAL_LNEXT) && extended) {
		next_is_literal(t);
	} else if (is(t, byte, TERMINAL_REPRINT) && echoes && extended) {
		reprint(t);
	} else if (byte == '\n') {
		if (echoes || local(t, TERMINAL_ECHONL))
			line_show(t, '\n');
		put(g, t, byte, true);
	} else if (is(t, byte, TERMINAL_EOF)) {
		put(g, t, 0, true);
	} else if (is(t, byte, TERMINAL_EOL) || (is(t, byte, TERMINAL_EOL2) && extended)) {
		if (echoes)
			line_echo(t, byte);
		put(g, t, byte, true);
	} else {
		return false;
	}
	return true;
}

/* --- input --- */

static void add(struct guest *g, struct terminal *t, uint8_t byte)
{
	if (local(t, TERMINAL_ECHO)) {
		if (t->head == t->edge)
			t->first_column = t->column;
		line_echo(t, byte);
	}
	put(g, t, byte, false);
}

static int signal_of(const struct terminal *t, uint8_t byte)
{
	if (!local(t, TERMINAL_ISIG))
		return 0;
	return is(t, byte, TERMINAL_INTR)   ? GUEST_SIGINT
	       : is(t, byte, TERMINAL_QUIT) ? GUEST_SIGQUIT
	       : is(t, byte, TERMINAL_SUSP) ? GUEST_SIGTSTP
					    : 0;
}

static void interrupt(struct guest *g, struct terminal *t, uint8_t byte, int number)
{
	group_send(g, t->group, number);
	if (!local(t, TERMINAL_NOFLSH)) {
		t->head = t->edge = t->tail;
		t->shown_count = t->shown_before; /* an echo is shown when the write that it comes of is through */
		t->column = t->column_before;
	}
	if (has(t->settings.input, TERMINAL_IXON))
		t->held = false;
	if (local(t, TERMINAL_ECHO))
		line_echo(t, byte);
}

static uint8_t translate(const struct terminal *t, uint8_t byte)
{
	const uint32_t input = t->settings.input;

	if (has(input, TERMINAL_ISTRIP))
		byte &= 0x7f;
	if (has(input, TERMINAL_IUCLC) && local(t, TERMINAL_IEXTEN) && byte >= 'A' && byte <= 'Z')
		byte += 'a' - 'A';
	return byte;
}

static void receive(struct guest *g, struct terminal *t, uint8_t byte)
{
	const uint32_t input = t->settings.input;
	bool starts;
	int number;

	byte = translate(t, byte);
	if (t->literal) {
		t->literal = false;
		add(g, t, byte);
		return;
	}
	starts = has(input, TERMINAL_IXON) && is(t, byte, TERMINAL_START);
	if (starts || (has(input, TERMINAL_IXON) && is(t, byte, TERMINAL_STOP))) {
		t->held = !starts;
		return;
	}
	number = signal_of(t, byte);
	if (number) {
		interrupt(g, t, byte, number);
		return;
	}
	if (has(input, TERMINAL_IXON) && has(input, TERMINAL_IXANY))
		t->held = false;
	if (byte == '\r' && has(input, TERMINAL_IGNCR))
		return;
	if (byte == '\r' && has(input, TERMINAL_ICRNL))
		byte = '\n';
	else if (byte == '\n' && has(input, TERMINAL_INLCR))
		byte = '\r';
	if (!local(t, TERMINAL_ICANON) || !edit(g, t, byte))
		add(g, t, byte);
}

void line_type(struct guest *g, struct terminal *t, uint8_t byte)
{
	t->shown_before = t->shown_count;
	t->column_before = t->column;
	if (t->head - t->tail < LINE_ROOM - 1)
		receive(g, t, byte);
}

/* A line that is too long goes on: each byte takes the place of the last one, so that its end gets through. Bytes may
 * be signals to many processes, so the user is asked now and then. */
void line_feed(struct guest *g, struct terminal *t)
{
	t->shown_before = t->shown_count;
	t->column_before = t->column;
	while (t->typed_count && (t->typed_count % 64 || !guest_stopping(g))) {
		uint32_t used = t->head - t->tail;

		if (used >= LINE_ROOM - 1 && (!local(t, TERMINAL_ICANON) || t->edge != t->tail))
			break;
		if (used == LINE_ROOM)
			t->head--;
		uint8_t byte = t->typed[t->typed_at];

		t->typed_at = (t->typed_at + 1) % TYPED_ROOM;
		t->typed_count--;
		receive(g, t, byte);
	}
}

/* --- reading --- */

unsigned line_readable(const struct terminal *t)
{
	uint32_t end = local(t, TERMINAL_ICANON) ? t->edge : t->head;
	unsigned count = end - t->tail;

	for (uint32_t at = t->tail; local(t, TERMINAL_ICANON) && at != end; at++)
		count -= t->ends[at % LINE_ROOM] && !byte_at(t, at);
	return count;
}

/* A line is read to its end, or as much of it as is asked for; an end of file right behind that is passed. */
int64_t line_read(struct terminal *t, uint8_t *to, uint64_t size)
{
	const bool lines = local(t, TERMINAL_ICANON);
	uint32_t end = lines ? t->edge : t->head;
	uint64_t done = 0;

	while (done < size && t->tail != end) {
		bool ends = lines && t->ends[t->tail % LINE_ROOM];
		uint8_t byte = byte_at(t, t->tail++);

		if (!ends || byte)
			to[done++] = byte;
		if (ends)
			return (int64_t)done;
	}
	if (lines && t->tail != end && t->ends[t->tail % LINE_ROOM] && !byte_at(t, t->tail))
		t->tail++;
	return (int64_t)done;
}

void line_flush(struct terminal *t)
{
	t->tail = t->edge = t->head;
	t->typed_count = 0;
	t->literal = false;
}

/* What was read without lines becomes one. */
void line_set(struct terminal *t, const struct terminal_settings *settings)
{
	enum { SIZE = 060, SIZE_EIGHT = 060, READS = 0200, PARITY = 0400 };
	bool changes = has(t->settings.local ^ settings->local, TERMINAL_ICANON);

	t->settings = *settings;
	t->settings.control = (settings->control & ~(uint32_t)(SIZE | PARITY)) | SIZE_EIGHT | READS;
	if (!has(settings->input, TERMINAL_IXON))
		t->held = false;
	if (!changes)
		return;
	memset(t->ends, 0, sizeof(t->ends));
	t->edge = t->tail;
	if (local(t, TERMINAL_ICANON) && t->head != t->tail) {
		t->ends[(t->head - 1) % LINE_ROOM] = true;
		t->edge = t->head;
	}
	t->literal = false;
}
