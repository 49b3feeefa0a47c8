/* The process's life: created, run, asked, destroyed. */
#include "guest/ipc.h"
#include "guest/guest.h"

#include "guest/files.h"
#include "guest/load.h"
#include "guest/memory_map.h"
#include "guest/memory_tree.h"
#include "guest/path.h"
#include "guest/watches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool guest_first_process(struct guest *g, struct error *err)
{
	struct process *first;

	g->next_tid = GUEST_PID;
	first = process_create(g, NULL);
	if (!first)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	g->process = first;
	first->space = space_create(g, err);
	TRY(first->space != NULL);
	space_enter(g, first->space);
	g->code = riscv_code_create(&g->memory, err);
	TRY(g->code != NULL);
	first->space->code = riscv_code_space_current(g->code);
	riscv_code_frames(g->code, frame_tag, g);
	return true;
}

static bool guest_set_up(struct guest *g, const struct guest_options *options, struct error *err)
{
	struct loaded_program program;

	TRY(guest_first_process(g, err));
	g->isa = options->isa;
	riscv_code_extend(g->code, g->isa.extensions);
	random_seed(g, options->seed);
	TRY(names_create(g, options, err));
	TRY(tree_create(g) || error_set(err, ERROR_SYSTEM, "out of memory"));
	TRY(files_create(g, err));
	if (options->program)
		TRY(load_program(g, options, &program, err));
	else
		TRY((g->space->program_path = strdup("no program")) || error_set(err, ERROR_SYSTEM, "out of memory"));
	g->hart.reservation = ~0ull;
	g->current = thread_create(g, g->process);
	if (!g->current)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	g->hart.vector = g->current->vector;
	thread_name(g->current, g->space->program_path);
	program_note(g, g->process, g->space->program_path);
	g->process->begins = true;
	return !options->program || stack_create(g, options, &program, err);
}

struct guest *guest_create(const struct guest_options *options, struct error *err)
{
	struct guest *g = calloc(1, sizeof(*g));
	bool good;

	if (!g) {
		error_set(err, ERROR_SYSTEM, "out of memory");
		return NULL;
	}
	g->memory_limit = options->memory ? options->memory : GUEST_MEMORY_DEFAULT;
	g->strace = options->strace;
	g->one_process = options->one_process;
	g->stack_size = options->stack_size;
	g->shared = -1;
	g->interrupted = options->interrupted;
	errno = 0;
	good = guest_set_up(g, options, err);
	if (good && errno != ENOMEM)
		return g;
	if (errno == ENOMEM && (good || err->code != ERROR_SYSTEM)) /* whatever it was taken for */
		error_set(err, ERROR_SYSTEM, "%s: out of memory", options->program ? options->program : "no program");
	guest_destroy(g);
	return NULL;
}

void guest_destroy(struct guest *g)
{
	if (!g)
		return;
	processes_destroy(g);
	parcels_destroy(g);
	locks_destroy(g);
	segments_destroy(g);
	semaphores_destroy(g);
	messages_destroy(g);
	watches_destroy(g);
	tree_destroy(g);
	threads_destroy(g);
	objects_destroy(g);
	frames_destroy(g);
	programs_destroy(g);
	isolate_clean_up(g);
	names_destroy(g);
	free(g->inodes);
	free(g->inode_index);
	if (g->code)
		riscv_code_destroy(g->code);
	if (g->shared >= 0)
		close(g->shared);
	free(g);
}

struct riscv_hart *guest_hart(struct guest *g)
{
	return &g->hart;
}

struct address_space *guest_memory(struct guest *g)
{
	return &g->memory;
}

struct riscv_code *guest_code(struct guest *g)
{
	return g->code;
}

bool guest_check(const struct guest *g, struct error *err)
{
	if (g->state == GUEST_FAILED || riscv_code_exhausted(g->code))
		return error_set(err, ERROR_SYSTEM, "%s: out of memory for the guest", g->space->program_path);
	return true;
}

int guest_exit_status(const struct guest *g)
{
	return g->exit_status;
}

bool guest_has_other_threads(const struct guest *g)
{
	return g->thread_count > 1 || g->armed_timers;
}

static void handle_call(struct guest *g)
{
	struct wait *wait = &g->current->wait;
	int64_t result;

	wait->number = g->hart.r[17];
	memcpy(wait->args, &g->hart.r[10], sizeof(wait->args));
	wait->timed_out = wait->interrupted = wait->retrying = false;
	wait->progress = 0;
	g->hart.pc += 4;
	g->hart.instret++;
	g->hart.reservation = ~0ull;
	if (g->strace && !g->silent)
		strace_call(g, wait->number, wait->args);
	result = syscall_dispatch(g, wait->number, wait->args);
	if (g->strace && !g->silent)
		strace_result(g, wait->number, result);
	if (result != CALL_BLOCKED && result != CALL_NO_RESULT)
		g->hart.r[10] = (uint64_t)result;
}

static struct signal_info fault_info(struct guest *g, enum riscv_stop stop, const struct riscv_outcome *outcome)
{
	enum { MAPPING_ERROR = 1, ACCESS_ERROR = 2, ILLEGAL_OPCODE = 1, BREAKPOINT = 1, ALIGNMENT = 1 };
	struct signal_info info = {.cause = SIGNAL_FAULT, .stop = stop, .address = g->hart.pc};

	switch (stop) {
	case RISCV_STOP_BREAK:
		info.number = GUEST_SIGTRAP;
		info.code = BREAKPOINT;
		break;
	case RISCV_STOP_ILLEGAL:
		info.number = GUEST_SIGILL;
		info.code = ILLEGAL_OPCODE;
		break;
	case RISCV_STOP_MISALIGNED:
		info.number = GUEST_SIGBUS;
		info.code = ALIGNMENT;
		info.address = outcome->value;
		break;
	default:
		info.number = GUEST_SIGSEGV;
		info.address = outcome->value;
		info.code = region_at(g, outcome->value) ? ACCESS_ERROR : MAPPING_ERROR;
	}
	return info;
}

enum guest_state guest_handle(struct guest *g, enum riscv_stop stop, const struct riscv_outcome *outcome)
{
	bool yield = false;

	if (stop == RISCV_STOP_ECALL) {
		handle_call(g);
		yield = g->yielding;
		g->yielding = false;
	} else if (stop == RISCV_STOP_FETCH_FAULT && riscv_code_exhausted(g->code)) {
		g->state = GUEST_FAILED;
	} else if (stop >= RISCV_STOP_BREAK && stop <= RISCV_STOP_MISALIGNED) {
		struct signal_info info = fault_info(g, stop, outcome);

		signal_force(g, &info);
	}
	if (g->armed_timers)
		timers_fire(g);
	schedule(g, yield);
	return g->state;
}

bool guest_preempt(struct guest *g)
{
	struct thread *before = g->current;
	uint64_t pc = g->hart.pc, sp = g->hart.r[2];

	schedule(g, true);
	return g->current != before || g->hart.pc != pc || g->hart.r[2] != sp;
}

uint64_t guest_turn_left(const struct guest *g)
{
	return GUEST_TURN - g->hart.instret % GUEST_TURN;
}

static uint64_t run_limit(const struct guest *g, uint64_t left)
{
	uint64_t turn = guest_turn_left(g);

	return guest_has_other_threads(g) && turn < left ? turn : left;
}

/* At the point's instruction, and not for the last time. */
static void pass_over(struct guest *g)
{
	struct riscv_outcome outcome;
	enum riscv_stop stop = riscv_step_over(&g->hart, g->code, &g->memory, &outcome);

	if (stop == RISCV_STOP_FENCE_I)
		riscv_code_flush(g->code);
	else if (stop != RISCV_CONTINUE)
		guest_handle(g, stop, &outcome);
}

static enum guest_state run_to(struct guest *g, struct guest_point *point, uint64_t max_insns, uint64_t *executed)
{
	uint64_t start = g->hart.instret;

	while (g->state == GUEST_RUNNING && g->hart.instret - start < max_insns && !program_awaited(g, point)) {
		struct riscv_outcome outcome;
		uint64_t limit = run_limit(g, max_insns - (g->hart.instret - start));
		enum riscv_stop stop = riscv_run(&g->hart, g->code, &g->memory, limit, &outcome);

		if (stop == RISCV_STOP_PLACE && point && !--point->left)
			break;
		if (stop == RISCV_STOP_PLACE)
			pass_over(g);
		else if (stop != RISCV_STOP_LIMIT)
			guest_handle(g, stop, &outcome);
		if (g->state == GUEST_RUNNING && guest_has_other_threads(g) && g->hart.instret % GUEST_TURN == 0)
			guest_preempt(g);
		riscv_code_reclaim(g->code);
		if (guest_stopping(g) && max_insns > g->hart.instret - start + GUEST_TURN)
			max_insns = g->hart.instret - start + GUEST_TURN; /* time for it to end by itself */
	}
	*executed = g->hart.instret - start;
	return g->state;
}

bool guest_ended(const struct guest *g)
{
	return g->state != GUEST_RUNNING;
}

enum guest_state guest_run(struct guest *g, uint64_t max_insns, uint64_t *executed)
{
	return run_to(g, NULL, max_insns, executed);
}

enum guest_state guest_run_until(struct guest *g, struct guest_point *point, uint64_t max_insns, uint64_t *executed,
				 bool *reached)
{
	enum guest_state state;

	if (!point->program)
		riscv_code_watch(g->code, point->at);
	state = run_to(g, point, max_insns, executed);
	if (!point->program)
		riscv_code_watch(g->code, (struct riscv_watch){.pc = RISCV_NOWHERE});
	*reached = !point->left;
	return state;
}
