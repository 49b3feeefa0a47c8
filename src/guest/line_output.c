/* The line discipline's output: what a byte that is written or echoed becomes, and where the cursor is then. */
#include "guest/line.h"

unsigned line_show_room(const struct terminal *t)
{
	return SHOWN_ROOM - t->shown_count;
}

void line_show_raw(struct terminal *t, uint8_t byte)
{
	if (t->shown_count < SHOWN_ROOM)
		t->shown[(t->shown_at + t->shown_count++) % SHOWN_ROOM] = byte;
}

static void show_tab(struct terminal *t)
{
	unsigned spaces = 8 - t->column % 8;

	t->column += spaces;
	if ((t->settings.output & TERMINAL_XTABS) != TERMINAL_XTABS) {
		line_show_raw(t, '\t');
		return;
	}
	while (spaces--)
		line_show_raw(t, ' ');
}

static void show_return(struct terminal *t)
{
	const uint32_t output = t->settings.output;

	if (has(output, TERMINAL_ONOCR) && !t->column)
		return;
	if (!has(output, TERMINAL_OCRNL) || has(output, TERMINAL_ONLRET))
		t->column = t->first_column = 0;
	line_show_raw(t, has(output, TERMINAL_OCRNL) ? '\n' : '\r');
}

static void show_newline(struct terminal *t)
{
	if (has(t->settings.output, TERMINAL_ONLRET | TERMINAL_ONLCR))
		t->column = 0;
	t->first_column = t->column;
	if (has(t->settings.output, TERMINAL_ONLCR))
		line_show_raw(t, '\r');
	line_show_raw(t, '\n');
}

void line_show(struct terminal *t, uint8_t byte)
{
	if (!has(t->settings.output, TERMINAL_OPOST)) {
		line_show_raw(t, byte);
	} else if (byte == '\n') {
		show_newline(t);
	} else if (byte == '\r') {
		show_return(t);
	} else if (byte == '\t') {
		show_tab(t);
	} else {
		if (byte == '\b')
			t->column -= t->column > 0;
		else if (!is_control(byte))
			t->column += !continues(t, byte);
		if (has(t->settings.output, TERMINAL_OLCUC) && byte >= 'a' && byte <= 'z')
			byte -= 'a' - 'A';
		line_show_raw(t, byte);
	}
}

void line_echo(struct terminal *t, uint8_t byte)
{
	if (!local(t, TERMINAL_ECHOCTL) || !is_control(byte) || byte == '\t') {
		line_show(t, byte);
		return;
	}
	line_show_raw(t, '^');
	line_show_raw(t, byte ^ 0100);
	t->column += 2;
}
