// ram FILE BYTES: reads BYTES of the file into its own memory and counts there, until the file ends. Only
// the counting is timed. The reads bypass the page cache where the system can.
#include "count.h"

#ifndef O_DIRECT
#define O_DIRECT 0
#endif

#define READ_BYTES (1 << 20)

// fill reads until the buffer is full or the file ends.
static size_t fill(int fd, char *buffer, size_t bytes, uint64_t off)
{
	size_t have = 0;
	while (have < bytes) {
		size_t want = bytes - have < READ_BYTES ? bytes - have : READ_BYTES;
		ssize_t n = pread(fd, buffer + have, want, (off_t)(off + have));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			fail("read", errno);
		have += (size_t)n;
		if ((size_t)n < want)
			break; // the end, or an error that the next read of the file would show
	}
	return have;
}

int main(int argc, char **argv)
{
	uint64_t size, tens = 0;
	struct used sum = {0};
	if (argc != 3)
		fail("ram FILE BYTES", EINVAL);
	int fd = open(argv[1], O_RDONLY | O_DIRECT);
	if (fd >= 0)
		close(fd);
	fd = open_sized(argv[1], fd < 0 && errno == EINVAL ? 0 : O_DIRECT, &size);
	// A whole number of blocks, so that the last direct read may reach past the end of the file.
	size_t bytes = (strtoull(argv[2], NULL, 10) + READ_BYTES - 1) / READ_BYTES * READ_BYTES;
	void *memory;
	int error = posix_memalign(&memory, 4096, bytes);
	if (error != 0)
		fail("memory", error);
	for (uint64_t off = 0; off < size;) {
		size_t n = fill(fd, memory, bytes, off);
		if (n == 0 || (n < bytes && off + n < size))
			fail("the file ended early", EIO);
		struct used begin = used_so_far();
		tens += COUNT(memory, n / sizeof(int32_t));
		add(&sum, begin, used_so_far());
		off += n;
	}
	report(tens, sum);
	return 0;
}
