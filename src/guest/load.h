/* From a program's name to a process ready to run its first instruction. */
#ifndef CULPRIT_GUEST_LOAD_H
#define CULPRIT_GUEST_LOAD_H

#include "guest/elf.h"
#include "guest/path.h"
#include "guest/process.h"

struct loaded_program {
	uint64_t phdr_address, phdr_count, entry; /* the program's own */
	uint64_t interpreter_base;		  /* 0 = none */
	uint64_t start;				  /* where execution begins */
	bool stack_executable;
};

/* load.c: find, read, map; fills argv, program_path, the memory map. */
bool load_program(struct guest *g, const struct guest_options *options, struct loaded_program *program,
		  struct error *err);
/* The same of a program that has been found. */
bool load_place(struct guest *g, const struct place *place, const struct guest_options *options,
		struct loaded_program *program, struct error *err);
bool is_program(const struct place *place);
/* stack.c: argv, envp, auxv; the initial registers. */
bool stack_create(struct guest *g, const struct guest_options *options, const struct loaded_program *program,
		  struct error *err);
const char *const *default_environment(void);

/* objects.c */
bool object_add(struct guest *g, const char *host_path, const char *guest_path, uint64_t start, uint64_t end,
		uint64_t bias, uint64_t text); /* text: address of its code */
void object_note_mapping(struct guest *g, struct open_file *f, uint64_t address, uint64_t length, uint64_t offset);
void objects_destroy(struct guest *g);

#endif
