/* What bash, zsh and fish complete `culprit` from. Each script holds the commands, the options of each, and what stands
 * behind an option; the names of machines it asks the program for. What stands behind the program is the program's. */
#include "cli/pages.h"

#include "base/nearest.h"
#include "cli/values.h"

#include <string.h>

static const struct command_row *next_command(size_t *next)
{
	while (*next < command_row_count)
		if (command_rows[(*next)++].command)
			return &command_rows[*next - 1];
	return NULL;
}

static bool takes(const struct command_row *c, const struct option_row *row)
{
	return row->users & c->command->user;
}

static bool runs_program(const struct command_row *c)
{
	return c->command->user & FOR_GUEST;
}

/* --- bash --- */

static void bash_commands(FILE *out)
{
	const struct command_row *c;
	for (size_t next = 0; (c = next_command(&next));)
		fprintf(out, "%s%s", next > 2 ? " " : "", c->name);
}

/* Of a command: its options, and those of them that have a value in the word behind them. */
static void bash_options(const struct command_row *c, bool with_value, FILE *out)
{
	for (const struct option_row *row = option_rows; row < option_rows + option_row_count; row++) {
		if (!takes(c, row) || (with_value && !row->argument))
			continue;
		fprintf(out, " --%s", row->name);
		if (row->letter)
			fprintf(out, " -%c", row->letter);
	}
}

/* "run:--json|run:-j|truth:--json)" */
static void bash_pattern(const struct option_row *row, FILE *out)
{
	const struct command_row *c;
	const char *before = "\t";
	for (size_t next = 0; (c = next_command(&next));) {
		if (!takes(c, row))
			continue;
		fprintf(out, "%s%s:--%s", before, c->name, row->name);
		before = " | ";
		if (row->letter)
			fprintf(out, "%s%s:-%c", before, c->name, row->letter);
	}
	fputs(")\n", out);
}

static void bash_value(const struct option_row *row, FILE *out)
{
	static const char *const calls[] = {
		[VALUE_ANY] = "",
		[VALUE_FILE] = "_culprit_words -f",
		[VALUE_DIRECTORY] = "_culprit_words -d",
		[VALUE_MACHINE] = "_culprit_words -f -W \"$(culprit machines 2>/dev/null | cut -d ' ' -f 1)\"",
		[VALUE_WORD] = "_culprit_words -W",
		[VALUE_WORDS] = "_culprit_list",
	};
	const char *words;
	enum value_kind kind = value_of(row, &words);
	if (!row->argument || kind == VALUE_ANY)
		return;
	bash_pattern(row, out);
	fprintf(out, kind >= VALUE_WORD ? "\t\t%s \"%s\"\n\t\t;;\n" : "\t\t%s\n\t\t;;\n", calls[kind], words);
}

static void bash_print(FILE *out)
{
	static const char head[] = "# shellcheck shell=bash\n"
				   "# What bash completes `culprit` from; made by `culprit help --completion bash`.\n"
				   "_culprit_words() { # WHAT...: what compgen finds of it\n"
				   "\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
				   "}\n"
				   "_culprit_list() { # WORDS: the last of words with commas between\n"
				   "\tlocal before=\n"
				   "\t[[ $cur != *,* ]] || before=${cur%,*},\n"
				   "\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\")\n"
				   "\tcompopt -o nospace 2>/dev/null\n"
				   "}\n"
				   "_culprit() {\n"
				   "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
				   "\tlocal command=${COMP_WORDS[1]} options='' values='' program='' i\n"
				   "\tCOMPREPLY=()\n"
				   "\tif ((COMP_CWORD == 1)); then\n\t\t_culprit_words -W '";
	static const char find[] =
		"\t*) return ;;\n\tesac\n"
		"\t# behind the program all is the program's\n"
		"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
		"\t\tcase ${COMP_WORDS[i]} in\n"
		"\t\t--) return ;;\n"
		"\t\t=) ((i++)) ;;\n"
		"\t\t-*) [[ $values != *\" ${COMP_WORDS[i]} \"* || ${COMP_WORDS[i+1]} == = ]] || ((i++)) ;;\n"
		"\t\t*) [[ -z $program ]] || return ;;\n"
		"\t\tesac\n"
		"\tdone\n"
		"\tif [[ $cur == = ]]; then\n\t\tcur=''\n"
		"\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
		"\tcase $command:$prev in\n";
	static const char tail[] = "\t*)\n"
				   "\t\tif [[ $cur == -* ]]; then\n"
				   "\t\t\t_culprit_words -W \"$options\"\n"
				   "\t\telif [[ $command == help ]]; then\n"
				   "\t\t\t_culprit_words -W \"$commands\"\n"
				   "\t\telif [[ $command == machines ]]; then\n"
				   "\t\t\t_culprit_words -f -W \"$(culprit machines 2>/dev/null | cut -d ' ' -f 1)\"\n"
				   "\t\tfi\n"
				   "\t\t;;\n"
				   "\tesac\n"
				   "}\n"
				   "complete -o filenames -o bashdefault -o default -F _culprit culprit\n";
	const struct command_row *c;
	fputs(head, out);
	bash_commands(out);
	fputs(" --help --version'\n\t\treturn\n\tfi\n\tlocal commands='", out);
	bash_commands(out);
	fputs("'\n\tcase $command in\n", out);
	for (size_t next = 0; (c = next_command(&next));) {
		fprintf(out, "\t%s)\n\t\tprogram=%s\n\t\toptions='", c->name, runs_program(c) ? "yes" : "");
		bash_options(c, false, out);
		fputs(" '\n\t\tvalues='", out);
		bash_options(c, true, out);
		fputs(" '\n\t\t;;\n", out);
	}
	fputs(find, out);
	for (const struct option_row *row = option_rows; row < option_rows + option_row_count; row++)
		bash_value(row, out);
	fputs(tail, out);
}

/* --- zsh --- */

/* In single quotes, where zsh's own marks of a description are letters. */
static void zsh_text(const char *text, const char *marks, FILE *out)
{
	for (; *text; text++) {
		if (strchr(marks, *text))
			fputc('\\', out);
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	}
}

static void zsh_action(const struct option_row *row, FILE *out)
{
	static const char *const actions[] = {
		[VALUE_ANY] = " ",
		[VALUE_FILE] = "_files",
		[VALUE_DIRECTORY] = "_files -/",
		[VALUE_MACHINE] = "_culprit_machines",
		[VALUE_WORD] = "(",
		[VALUE_WORDS] = "_values -s , word ",
	};
	const char *words;
	enum value_kind kind = value_of(row, &words);
	fprintf(out, "%s%s%s", actions[kind], words, kind == VALUE_WORD ? ")" : "");
}

static void zsh_option(const struct option_row *row, FILE *out)
{
	const char *again = row->kind == LIST ? "*" : "", *plus = row->argument ? "+" : "";
	if (row->letter && !*again)
		fprintf(out, " \\\n\t\t\t'(-%c --%s)'", row->letter, row->name);
	else
		fputs(" \\\n\t\t\t", out);
	if (row->letter)
		fprintf(out, "%s{-%c%s,--%s%s}'[", *again ? "\\*" : "", row->letter, plus, row->name,
			row->argument ? "=" : "");
	else
		fprintf(out, "'%s--%s%s[", again, row->name, row->argument ? "=" : "");
	zsh_text(option_text(row), "[]", out);
	fputc(']', out);
	if (row->argument) {
		fputc(':', out);
		zsh_text(row->argument, ":", out);
		fputc(':', out);
		zsh_action(row, out);
	}
	fputc('\'', out);
}

static const char *zsh_operands(const struct command_row *c)
{
	if (runs_program(c))
		return "'(-)1:program:_files' '*::argument:_files'";
	if (!strcmp(c->name, "machines"))
		return "'1:machine:_culprit_machines'";
	return strcmp(c->name, "help") ? "'*:file:_files'" : "'1:command:(${commands[@]%%:*})'";
}

static void zsh_print(FILE *out)
{
	const struct command_row *c;
	fputs("#compdef culprit\n# What zsh completes `culprit` from; made by `culprit help --completion zsh`.\n"
	      "_culprit_machines() {\n"
	      "\t_alternative 'machines:machine:('\"$(culprit machines 2>/dev/null | cut -d ' ' -f 1 | tr '\\n' ' "
	      "')\"')' "
	      "'files:file:_files'\n}\n"
	      "_culprit() {\n\tlocal -a commands=(\n",
	      out);
	for (size_t next = 0; (c = next_command(&next));) {
		fprintf(out, "\t\t'%s:", c->name);
		zsh_text(c->help, "", out);
		fputs("'\n", out);
	}
	fputs("\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tshift words\n\t((CURRENT--))\n\tcase $words[1] in\n",
	      out);
	for (size_t next = 0; (c = next_command(&next));) {
		fprintf(out, "\t%s)\n\t\t_arguments -s -S", c->name);
		for (const struct option_row *row = option_rows; row < option_rows + option_row_count; row++)
			if (takes(c, row))
				zsh_option(row, out);
		fprintf(out, " \\\n\t\t\t%s\n\t\t;;\n", zsh_operands(c));
	}
	fputs("\tesac\n}\n_culprit \"$@\"\n", out);
}

/* --- fish --- */

static void fish_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void fish_value(const struct option_row *row, FILE *out)
{
	const char *words;
	switch (value_of(row, &words)) {
	case VALUE_FILE:
		fputs(" -r -F", out);
		break;
	case VALUE_DIRECTORY:
		fputs(" -x -a '(__fish_complete_directories)'", out);
		break;
	case VALUE_MACHINE:
		fputs(" -r -F -a '(culprit machines 2>/dev/null | string replace -r \" .*\" \"\")'", out);
		break;
	case VALUE_WORD:
		fprintf(out, " -x -a '%s'", words);
		break;
	case VALUE_WORDS:
		fprintf(out, " -x -a '(__fish_append , %s)'", words);
		break;
	default:
		fputs(" -x", out);
	}
}

static void fish_option(const struct command_row *c, const struct option_row *row, FILE *out)
{
	fprintf(out, "complete -c culprit -n '__fish_seen_subcommand_from %s' -l %s", c->name, row->name);
	if (row->letter)
		fprintf(out, " -s %c", row->letter);
	if (row->argument)
		fish_value(row, out);
	fputs(" -d '", out);
	fish_text(option_text(row), out);
	fputs("'\n", out);
}

static void fish_print(FILE *out)
{
	const struct command_row *c;
	fputs("# What fish completes `culprit` from; made by `culprit help --completion fish`.\n", out);
	for (size_t next = 0; (c = next_command(&next));) {
		fprintf(out, "complete -c culprit -f -n __fish_use_subcommand -a %s -d '", c->name);
		fish_text(c->help, out);
		fputs("'\n", out);
		for (const struct option_row *row = option_rows; row < option_rows + option_row_count; row++)
			if (takes(c, row))
				fish_option(c, row, out);
	}
}

/* --- which --- */

static const struct {
	const char *name;
	void (*print)(FILE *out);
} shells[] = {{"bash", bash_print}, {"zsh", zsh_print}, {"fish", fish_print}};
enum { SHELLS = sizeof shells / sizeof *shells };

bool completion_known(const char *shell, struct error *err)
{
	struct nearest near;
	nearest_begin(&near, shell, strlen(shell));
	for (size_t i = 0; i < SHELLS; i++) {
		if (!strcmp(shell, shells[i].name))
			return true;
		nearest_consider(&near, shells[i].name);
	}
	return error_set(err, ERROR_USAGE, "--completion: no shell '%.60s'%s (there are bash, zsh, fish)", shell,
			 nearest_hint(&near));
}

void completion_print(const char *shell, FILE *out)
{
	for (size_t i = 0; i < SHELLS; i++)
		if (!strcmp(shell, shells[i].name))
			shells[i].print(out);
}
