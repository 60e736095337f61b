// uring FILE WORKERS: worker threads keep many direct reads in flight, each with a ring of its own, and the
// main thread counts in the buffers as they fill. The threads pass buffers through queues that they poll.
#include "count.h"
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#define BLOCK_BYTES (16 << 10)
#define DEPTH 8192 // of all workers together

// A queue with one thread that puts and one that takes. It has room for all slots of a worker.
struct queue {
	uint32_t *items, mask;
	_Atomic uint32_t head, tail;
};

static void put(struct queue *q, uint32_t item)
{
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
	q->items[tail & q->mask] = item;
	atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
}

static int take(struct queue *q, uint32_t *item)
{
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
	if (head == atomic_load_explicit(&q->tail, memory_order_acquire))
		return 0;
	*item = q->items[head & q->mask];
	atomic_store_explicit(&q->head, head + 1, memory_order_release);
	return 1;
}

// A ring of the kernel's interface, without a library.
struct ring {
	int fd;
	_Atomic uint32_t *sq_tail, *cq_head, *cq_tail;
	uint32_t sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

struct worker {
	pthread_t thread;
	struct ring ring;
	char *memory;
	uint64_t *offs;	    // of the blocks in the slots
	struct queue free, full; // slots: from and to the main thread
};

static int file;
static uint64_t file_bytes;
static _Atomic uint64_t cursor; // offset of the next block
static _Atomic int started;

static void *zeroed(size_t count, size_t bytes)
{
	void *p = calloc(count, bytes);
	if (p == NULL)
		fail("memory", ENOMEM);
	return p;
}

static void open_ring(struct ring *r, uint32_t entries)
{
	struct io_uring_params p = {0};
	r->fd = (int)syscall(__NR_io_uring_setup, entries, &p);
	if (r->fd < 0)
		fail("io_uring_setup", errno);
	size_t sq_bytes = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
	size_t cq_bytes = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	int prot = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_POPULATE;
	char *sq = mmap(NULL, sq_bytes, prot, flags, r->fd, IORING_OFF_SQ_RING);
	char *cq = mmap(NULL, cq_bytes, prot, flags, r->fd, IORING_OFF_CQ_RING);
	r->sqes = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe), prot, flags, r->fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || (void *)r->sqes == MAP_FAILED)
		fail("map the ring", errno);
	r->sq_tail = (void *)(sq + p.sq_off.tail);
	r->sq_mask = p.sq_entries - 1;
	for (uint32_t i = 0; i < p.sq_entries; i++)
		((uint32_t *)(sq + p.sq_off.array))[i] = i;
	r->cq_head = (void *)(cq + p.cq_off.head);
	r->cq_tail = (void *)(cq + p.cq_off.tail);
	r->cq_mask = p.cq_entries - 1;
	r->cqes = (void *)(cq + p.cq_off.cqes);
}

static void prepare(struct worker *w, uint32_t slot, uint64_t off)
{
	struct ring *r = &w->ring;
	uint32_t tail = atomic_load_explicit(r->sq_tail, memory_order_relaxed);
	struct io_uring_sqe *e = &r->sqes[tail & r->sq_mask];
	memset(e, 0, sizeof *e);
	e->opcode = IORING_OP_READ;
	e->fd = file;
	e->off = off;
	e->addr = (uint64_t)(uintptr_t)(w->memory + (size_t)slot * BLOCK_BYTES);
	e->len = BLOCK_BYTES;
	e->user_data = slot;
	w->offs[slot] = off;
	atomic_store_explicit(r->sq_tail, tail + 1, memory_order_release);
}

static uint64_t bytes_at(uint64_t off)
{
	return file_bytes - off < BLOCK_BYTES ? file_bytes - off : BLOCK_BYTES;
}

// A worker keeps a read in flight for each slot that is free.
static void *work(void *argument)
{
	struct worker *w = argument;
	struct ring *r = &w->ring;
	uint32_t prepared = 0, in_flight = 0, slot;
	while (!atomic_load(&started))
		sched_yield();
	for (int ended = 0; !ended || in_flight + prepared > 0;) {
		while (!ended && take(&w->free, &slot)) {
			uint64_t off = atomic_fetch_add(&cursor, BLOCK_BYTES);
			if (off >= file_bytes) {
				ended = 1;
				break;
			}
			prepare(w, slot, off);
			prepared++;
		}
		if (prepared + in_flight == 0) {
			sched_yield(); // all slots wait to be counted
			continue;
		}
		long n = syscall(__NR_io_uring_enter, r->fd, prepared, 1, IORING_ENTER_GETEVENTS, NULL, 0);
		if (n < 0 && errno != EINTR && errno != EAGAIN && errno != EBUSY)
			fail("io_uring_enter", errno);
		if (n > 0) {
			prepared -= (uint32_t)n;
			in_flight += (uint32_t)n;
		}
		uint32_t head = atomic_load_explicit(r->cq_head, memory_order_relaxed);
		for (; head != atomic_load_explicit(r->cq_tail, memory_order_acquire); head++) {
			struct io_uring_cqe *c = &r->cqes[head & r->cq_mask];
			slot = (uint32_t)c->user_data;
			if (c->res < 0)
				fail("read", -c->res);
			if ((uint64_t)c->res < bytes_at(w->offs[slot]))
				fail("the file ended early", EIO);
			in_flight--;
			put(&w->full, slot);
		}
		atomic_store_explicit(r->cq_head, head, memory_order_release);
	}
	return NULL;
}

static void open_queue(struct queue *q, uint32_t slots)
{
	uint32_t room = 1;
	while (room < slots)
		room *= 2;
	q->items = zeroed(room, sizeof *q->items);
	q->mask = room - 1;
}

static void open_worker(struct worker *w, uint32_t slots)
{
	void *memory;
	int error = posix_memalign(&memory, 4096, (size_t)slots * BLOCK_BYTES);
	if (error != 0)
		fail("memory", error);
	memset(memory, 0, (size_t)slots * BLOCK_BYTES); // the page faults are not timed
	w->memory = memory;
	w->offs = zeroed(slots, sizeof *w->offs);
	open_ring(&w->ring, slots);
	open_queue(&w->free, slots);
	open_queue(&w->full, slots);
	for (uint32_t slot = 0; slot < slots; slot++)
		put(&w->free, slot);
	error = pthread_create(&w->thread, NULL, work, w);
	if (error != 0)
		fail("pthread_create", error);
}

int main(int argc, char **argv)
{
	int workers = argc == 3 ? atoi(argv[2]) : 0;
	if (workers < 1 || workers > DEPTH)
		fail("uring FILE WORKERS", EINVAL);
	file = open_sized(argv[1], O_DIRECT, &file_bytes);
	struct worker *all = zeroed((size_t)workers, sizeof *all);
	for (int i = 0; i < workers; i++)
		open_worker(&all[i], DEPTH / (uint32_t)workers);

	uint64_t tens = 0, blocks = (file_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
	struct used sum = {0}, begin = used_so_far();
	atomic_store(&started, 1);
	while (blocks > 0) {
		uint64_t before = blocks;
		for (int i = 0; i < workers; i++) {
			struct worker *w = &all[i];
			for (uint32_t slot; take(&w->full, &slot); blocks--) {
				const void *p = w->memory + (size_t)slot * BLOCK_BYTES;
				tens += COUNT(p, bytes_at(w->offs[slot]) / sizeof(int32_t));
				put(&w->free, slot);
			}
		}
		if (blocks == before)
			sched_yield();
	}
	add(&sum, begin, used_so_far());
	for (int i = 0; i < workers; i++)
		pthread_join(all[i].thread, NULL);
	report(tens, sum);
	return 0;
}
