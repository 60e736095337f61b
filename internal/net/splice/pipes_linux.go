package splice

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// A slot of a pipe holds at most a page, and often only the 1448 bytes of one frame from a
	// network card. With 256 slots a busy connection takes an eighth less CPU than with 128,
	// because it waits less often. But only few such pipes fit into the budget, and splicing
	// through one of 64 slots still takes half the CPU of copying. So the first half of the budget
	// goes to large pipes, enough for all connections that run at once, and the rest to small ones,
	// for connections whose readers are behind.
	largeBytes = 1 << 20
	smallBytes = 256 << 10
	// Smaller pipes are useless: a user who is over the budget gets 8 KiB, and moving two slots per
	// call is slower than copying.
	leastBytes = 64 << 10
	// The default of the kernel's soft budget per user, and our share of it, which leaves the rest
	// to the user's other programs: 48 MiB, for 24 large pipes and 96 small ones.
	budgetPagesDefault    = 16384
	shareOver, shareUnder = 3, 4
	// Pipes unused for this long are closed. After the kernel refused a pipe we ask again only
	// after this time.
	idleMax = time.Second
)

// PipePool is a pool of pipes within the budget that the kernel gives an ordinary user. It is safe
// for concurrent use.
//
// The budget is fs.pipe-user-pages-soft, in pages for all pipes of a user. Beyond it a new pipe has
// two slots and no pipe can grow, so the pool stops before. That holds for root too, so that
// measurements made as one user hold for another. When the pool is empty the caller does not wait
// but copies.
type PipePool struct {
	budget int // bytes of all pipes together

	mu       sync.Mutex
	spent    int     // bytes of the budget in use
	idle     []*pipe // a stack: the last one was used last
	unused   int     // idle[:unused] was not taken since the last sweep
	open     int     // idle and in use
	refused  time.Time
	sweeper  *time.Timer
	sweeping bool // the sweeper's timer runs; it does while pipes are idle
}

// pipe has two ends, a size, and bytes inside.
type pipe struct{ r, w, size, inside int }

func (p *pipe) close() {
	// Nothing is buffered before a pipe, so closing has no error to report.
	_ = unix.Close(p.r)
	_ = unix.Close(p.w)
}

var shared = sync.OnceValue(func() *PipePool {
	pages := procNumber("/proc/sys/fs/pipe-user-pages-soft", budgetPagesDefault)
	if pages == 0 {
		pages = budgetPagesDefault // the kernel sets no limit, but we do
	}
	return NewPool(pages * shareOver / shareUnder * os.Getpagesize())
})

// SharedPool returns the pool of the process.
func SharedPool() *PipePool { return shared() }

// NewPool returns a pool with a budget in bytes. Pipes in the first half of the budget have 1 MiB,
// the others 256 KiB. A pipe that the kernel makes smaller than 64 KiB is not used.
func NewPool(budget int) *PipePool { return &PipePool{budget: budget} }

// procNumber returns the number in a file, or otherwise if it cannot be read.
func procNumber(name string, otherwise int) int {
	text, err := os.ReadFile(name)
	if err != nil {
		return otherwise
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

// Open returns the number of pipes, and how many of these are in use.
func (p *PipePool) Open() (open, used int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open, p.open - len(p.idle)
}

// take returns an empty pipe, or nil if none is available.
func (p *PipePool) take() *pipe {
	p.mu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		t := p.idle[last]
		p.idle = p.idle[:last]
		p.unused = min(p.unused, last)
		p.mu.Unlock()
		return t
	}
	size := largeBytes
	if p.spent+size > p.budget/2 {
		size = smallBytes
	}
	if p.spent+size > p.budget || !p.refused.IsZero() && time.Since(p.refused) < idleMax {
		p.mu.Unlock()
		return nil
	}
	p.open++
	p.spent += size
	p.mu.Unlock()
	t := newPipe(size)
	if t == nil {
		p.mu.Lock()
		p.open--
		p.spent -= size
		p.refused = time.Now()
		p.mu.Unlock()
	}
	return t
}

// newPipe returns nil if the descriptors or the budget are used up.
func newPipe(size int) *pipe {
	var ends [2]int
	if unix.Pipe2(ends[:], unix.O_NONBLOCK|unix.O_CLOEXEC) != nil {
		return nil
	}
	t := &pipe{r: ends[0], w: ends[1], size: size}
	// EPERM: the user has used up the budget, or size is above fs.pipe-max-size. The pipe may still
	// have its initial size.
	if got, err := unix.FcntlInt(uintptr(t.w), unix.F_SETPIPE_SZ, size); err != nil || got < size {
		got, err = unix.FcntlInt(uintptr(t.w), unix.F_GETPIPE_SZ, 0)
		if err != nil || got < leastBytes {
			t.close()
			return nil
		}
	}
	return t
}

// put returns a pipe to the pool. It closes a pipe with bytes inside, which would otherwise appear
// in another connection.
func (p *PipePool) put(t *pipe) {
	if t.inside > 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.closePipe(t)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, t)
	if p.sweeping {
		return
	}
	p.sweeping = true
	if p.sweeper == nil {
		p.sweeper = time.AfterFunc(idleMax, p.sweep)
	} else {
		p.sweeper.Reset(idleMax)
	}
}

// sweep closes the pipes that were not taken since the last sweep: those at the bottom of the stack
// that stayed there even when it was lowest.
func (p *PipePool) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.idle[:p.unused] {
		p.closePipe(t)
	}
	p.idle = append(p.idle[:0], p.idle[p.unused:]...)
	p.unused = len(p.idle)
	if p.sweeping = p.unused > 0; p.sweeping {
		p.sweeper.Reset(idleMax)
	}
}

// CloseIdle closes the pipes that are not in use.
func (p *PipePool) CloseIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.idle {
		p.closePipe(t)
	}
	p.idle, p.unused = p.idle[:0], 0
}

// closePipe closes a pipe. The caller holds mu.
func (p *PipePool) closePipe(t *pipe) {
	t.close()
	p.open--
	p.spent -= t.size
}
