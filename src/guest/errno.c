/* Error numbers: from the host's to the guest's, by name. */
#include "guest/abi.h"

#include <errno.h>
#include <stddef.h>

int guest_errno_of_host(int host_errno)
{
	switch (host_errno) {
#define ERRNO(name, number) \
	case E##name:       \
		return number;
#include "guest/errno.def"
#undef ERRNO
	default:
		return GUEST_EIO;
	}
}

const char *guest_errno_name(int number)
{
	switch (number) {
#define ERRNO(name, value) \
	case value:        \
		return "E" #name;
#include "guest/errno.def"
#undef ERRNO
	default:
		return NULL;
	}
}
