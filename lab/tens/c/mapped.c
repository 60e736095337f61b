// mapped FILE: maps the whole file and counts in the mapping.
#include "count.h"

int main(int argc, char **argv)
{
	uint64_t size, tens = 0;
	struct used sum = {0};
	if (argc != 2)
		fail("mapped FILE", EINVAL);
	int fd = open_sized(argv[1], 0, &size);
	if (size > 0) {
		const int32_t *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			fail("mmap", errno);
		struct used begin = used_so_far();
		tens = COUNT(p, size / sizeof *p);
		add(&sum, begin, used_so_far());
	}
	report(tens, sum);
	return 0;
}
