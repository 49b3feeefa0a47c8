/* A C translation unit, already preprocessed, for the compiler proper (cc1): structures, tables, and functions full of
 * loops, switches, floating point and calls to earlier functions. Nothing of it is ever run, so it need only compile. */
#include "inputs.h"

#include <stdio.h>

enum { LOCALS = 6, STRUCTS = 12, DEPTH = 2 };

static void indent(uint32_t depth)
{
	for (uint32_t i = 0; i <= depth; i++)
		putchar('\t');
}

static void leaf(struct random *r)
{
	switch (random_below(r, 6)) {
	case 0:
		printf("%u", random_below(r, 100));
		break;
	case 1:
		printf("p->count");
		break;
	case 2:
		printf("p->items[v%u & 15]", random_below(r, LOCALS));
		break;
	case 3:
		printf("table%u[(unsigned)v%u %% 64]", random_below(r, STRUCTS), random_below(r, LOCALS));
		break;
	default:
		printf("v%u", random_below(r, LOCALS));
	}
}

static void expression(struct random *r, uint32_t depth)
{
	static const char *const operators[] = {"+", "-", "*", "&", "|", "^", "+", "-"};
	if (depth == 0 || random_below(r, 4) == 0) {
		leaf(r);
		return;
	}
	putchar('(');
	expression(r, depth - 1);
	if (random_below(r, 8) == 0)
		printf(" %s %u", random_below(r, 2) ? "<<" : ">>", 1 + random_below(r, 15));
	else
		printf(" %s ", operators[random_below(r, 8)]), expression(r, depth - 1);
	putchar(')');
}

static void condition(struct random *r)
{
	static const char *const relations[] = {"<", ">", "<=", ">=", "==", "!="};
	expression(r, 1);
	printf(" %s ", relations[random_below(r, 6)]);
	expression(r, 1);
}

static void assignment(struct random *r, uint32_t function, uint32_t depth)
{
	indent(depth);
	switch (random_below(r, 6)) {
	case 0:
		printf("p->items[%u] = ", random_below(r, 16));
		break;
	case 1:
		printf("p->weight += 0.%u * ", 1 + random_below(r, 9));
		break;
	default:
		printf("v%u = ", random_below(r, LOCALS));
	}
	if (function && random_below(r, 6) == 0) {
		uint32_t callee = random_below(r, function);
		printf("f%u((struct s%u *)p->next, v%u, ", callee, callee % STRUCTS, random_below(r, LOCALS));
		expression(r, 1);
		printf(");\n");
	} else {
		expression(r, 3);
		printf(";\n");
	}
}

static void block(struct random *r, uint32_t function, uint32_t depth);

static void choice(struct random *r, uint32_t function, uint32_t depth)
{
	uint32_t cases = 3 + random_below(r, 6);
	printf("switch (v%u & 15) {\n", random_below(r, LOCALS));
	for (uint32_t i = 0; i < cases; i++) {
		indent(depth);
		printf("case %u:\n", i);
		assignment(r, function, depth + 1);
		if (random_below(r, 4)) {
			indent(depth + 1);
			printf("break;\n");
		}
	}
	indent(depth);
	printf("default:\n");
	assignment(r, function, depth + 1);
	indent(depth);
	printf("}\n");
}

static void statement(struct random *r, uint32_t function, uint32_t depth)
{
	uint32_t kind = depth < DEPTH ? random_below(r, 8) : 7;
	if (kind > 4) {
		assignment(r, function, depth);
		return;
	}
	indent(depth);
	if (kind == 4) {
		choice(r, function, depth);
		return;
	}
	if (kind < 2) {
		printf("for (int i%u = 0; i%u < v%u; i%u++) {\n", depth, depth, random_below(r, LOCALS), depth);
	} else {
		printf("if (");
		condition(r);
		printf(") {\n");
	}
	block(r, function, depth + 1);
	indent(depth);
	printf("}\n");
}

static void block(struct random *r, uint32_t function, uint32_t depth)
{
	for (uint32_t left = 1 + random_below(r, 3); left > 0; left--)
		statement(r, function, depth);
}

static void declarations(struct random *r)
{
	for (uint32_t i = 0; i < STRUCTS; i++) {
		printf("struct s%u {\n\tint count;\n\tint items[16];\n\tdouble weight;\n\tvoid *next;\n};\n", i);
		printf("static const int table%u[64] = {", i);
		for (uint32_t j = 0; j < 64; j++)
			printf("%s%u", j ? ", " : "", random_below(r, 100000));
		printf("};\n");
	}
}

void input_csource(uint64_t functions)
{
	struct random r = {7};
	declarations(&r);
	for (uint32_t f = 0; f < functions; f++) {
		printf("\nint f%u(struct s%u *p, int v0, int v1)\n{\n", f, f % STRUCTS);
		for (uint32_t i = 2; i < LOCALS; i++)
			printf("\tint v%u = p->items[%u];\n", i, random_below(&r, 16));
		for (uint32_t left = 2; left > 0; left--)
			block(&r, f, 0);
		printf("\treturn ");
		expression(&r, 2);
		printf(";\n}\n");
	}
}
