/* events: an epoll instance that watches a timer, a counter, a pipe (edge-triggered) and another instance with a counter of its
 * own, and what each reports, in turn. Prints a line for every hundredth event. */
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void watch(int instance, int fd, unsigned events, unsigned data)
{
	epoll_ctl(instance, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = events, .data.u32 = data});
}

int main(void)
{
	int all = epoll_create1(0), other = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	int counter = eventfd(0, 0), second = eventfd(0, EFD_SEMAPHORE), ends[2];
	uint64_t sums[4] = {0}, value, one = 1, events = 0;

	if (pipe(ends))
		return 1;
	watch(all, timer, EPOLLIN, 0);
	watch(all, counter, EPOLLIN | EPOLLET, 1);
	watch(all, ends[0], EPOLLIN, 2);
	watch(all, other, EPOLLIN, 3);
	watch(other, second, EPOLLIN, 0);
	timerfd_settime(timer, 0, &(struct itimerspec){.it_interval.tv_nsec = 1700, .it_value.tv_nsec = 900}, NULL);
	while (events < 1200) {
		struct epoll_event got[4];
		int count = epoll_wait(all, got, 4, -1);
		for (int i = 0; i < count; i++) {
			unsigned which = got[i].data.u32;
			events++;
			value = 1;
			if (which != 1 &&
			    read((int[]){timer, counter, ends[0], second}[which], &value, sizeof value) < 0)
				return 2;
			sums[which] = sums[which] * 31 + value;
			if (which == 0 && (events & 1) && write(counter, &one, sizeof one) < 0)
				return 3;
			if (which == 1 && write(ends[1], &events, sizeof events) < 0)
				return 4;
			if (which == 2 && write(second, &one, sizeof one) < 0)
				return 5;
			if (events % 100)
				continue;
			printf("%lu: %lx %lx %lx %lx\n", (unsigned long)events, (unsigned long)sums[0],
			       (unsigned long)sums[1], (unsigned long)sums[2], (unsigned long)sums[3]);
			fflush(stdout);
		}
	}
	return 0;
}
