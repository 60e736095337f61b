// What the programs have in common: the two loops, the clock, and the line that they print. COUNT is
// defined as the loop when a program is compiled.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEN 10

// One integer after the other.
__attribute__((unused)) static uint64_t count_loop(const int32_t *p, size_t n)
{
	uint64_t tens = 0;
	for (size_t i = 0; i < n; i++)
		if (p[i] == TEN)
			tens++;
	return tens;
}

// Sixteen integers at a time, a counter for each and no branch: the compiler uses vectors for them.
__attribute__((unused)) static uint64_t count_unrolled(const int32_t *p, size_t n)
{
	uint64_t c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0;
	uint64_t c8 = 0, c9 = 0, c10 = 0, c11 = 0, c12 = 0, c13 = 0, c14 = 0, c15 = 0;
	size_t i = 0;
	for (; i + 16 <= n; i += 16) {
		c0 += p[i] == TEN;
		c1 += p[i + 1] == TEN;
		c2 += p[i + 2] == TEN;
		c3 += p[i + 3] == TEN;
		c4 += p[i + 4] == TEN;
		c5 += p[i + 5] == TEN;
		c6 += p[i + 6] == TEN;
		c7 += p[i + 7] == TEN;
		c8 += p[i + 8] == TEN;
		c9 += p[i + 9] == TEN;
		c10 += p[i + 10] == TEN;
		c11 += p[i + 11] == TEN;
		c12 += p[i + 12] == TEN;
		c13 += p[i + 13] == TEN;
		c14 += p[i + 14] == TEN;
		c15 += p[i + 15] == TEN;
	}
	for (; i < n; i++)
		c0 += p[i] == TEN;
	return ((c0 + c1) + (c2 + c3)) + ((c4 + c5) + (c6 + c7)) +
	       ((c8 + c9) + (c10 + c11)) + ((c12 + c13) + (c14 + c15));
}

__attribute__((noreturn)) static void fail(const char *what, int error)
{
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(2);
}

// What a process has used: seconds by the clock, by the processor in the program and in the kernel, and
// page faults.
struct used {
	double clock, user, system;
	long minor, major;
};

static double seconds_of(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

static struct used used_so_far(void)
{
	struct timespec t;
	struct rusage r;
	clock_gettime(CLOCK_MONOTONIC, &t);
	getrusage(RUSAGE_SELF, &r);
	return (struct used){t.tv_sec + t.tv_nsec / 1e9, seconds_of(r.ru_utime), seconds_of(r.ru_stime),
			     r.ru_minflt, r.ru_majflt};
}

// add adds what was used between two moments.
static void add(struct used *sum, struct used from, struct used to)
{
	sum->clock += to.clock - from.clock;
	sum->user += to.user - from.user;
	sum->system += to.system - from.system;
	sum->minor += to.minor - from.minor;
	sum->major += to.major - from.major;
}

// report prints the answer and what was used for it.
static void report(uint64_t tens, struct used u)
{
	printf("%llu %.9f %.6f %.6f %ld %ld\n", (unsigned long long)tens, u.clock, u.user, u.system, u.minor, u.major);
	if (fflush(stdout) != 0)
		fail("write", errno);
}

static int open_sized(const char *path, int flags, uint64_t *size)
{
	struct stat s;
	int fd = open(path, O_RDONLY | flags);
	if (fd < 0 || fstat(fd, &s) != 0)
		fail(path, errno);
	*size = (uint64_t)s.st_size;
	return fd;
}
