/* What the two parts of the line discipline share. */
#ifndef CULPRIT_GUEST_LINE_H
#define CULPRIT_GUEST_LINE_H

#include "guest/terminal.h"

static inline bool has(uint32_t flags, uint32_t flag)
{
	return (flags & flag) != 0;
}

static inline bool is_control(uint8_t byte)
{
	return byte < 32 || byte == 127;
}

static inline bool continues(const struct terminal *t, uint8_t byte)
{
	return has(t->settings.input, TERMINAL_IUTF8) && (byte & 0xc0) == 0x80;
}

static inline bool local(const struct terminal *t, uint32_t flag)
{
	return has(t->settings.local, flag);
}

/* line_output.c */
void line_show_raw(struct terminal *t, uint8_t byte); /* as it is; lost where there is no room */
void line_echo(struct terminal *t, uint8_t byte);     /* a control character as two, where that is wanted */

#endif
