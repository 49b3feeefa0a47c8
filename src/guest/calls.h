/* The system call handlers, declared from the table's rows. */
#ifndef CULPRIT_GUEST_CALLS_H
#define CULPRIT_GUEST_CALLS_H

#include "guest/process.h"

/* Rows that share a handler repeat its declaration, which C allows. */
#define SYSCALL(number, name, handler, arguments) call_handler sys_##handler;
#include "guest/syscalls.def"
#undef SYSCALL

#endif
