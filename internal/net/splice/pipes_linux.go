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
	// A slot of a pipe holds at most a page, and from a network card often no more than the
	// 1448 bytes of a frame. With 256 slots a busy line takes an eighth less CPU than with
	// 128, since it waits less often. But a budget has few such pipes, and one of 64 slots
	// still takes half of what a copy does. So the first half of the budget goes to large
	// ones, enough for as many lines as run at once, and the rest to small ones, for lines
	// whose readers are behind.
	largeBytes = 1 << 20
	smallBytes = 256 << 10
	// Less is not worth it: the kernel gives 8 KiB to a user who is over the budget, and
	// two slots a call are slower than to copy.
	leastBytes = 64 << 10
	// The soft budget of a user where nobody changed it, and how much of it is ours, so that
	// the user's other programs get theirs: 48 MiB, for 24 large pipes and 96 small ones.
	budgetPagesDefault    = 16384
	shareOver, shareUnder = 3, 4
	// Pipes that went unused for that long are closed, and a kernel that refused one is not
	// asked again before.
	idleMax = time.Second
)

// Pipes is a pool of pipes within the budget that the kernel gives an ordinary user. It is
// safe for concurrent use.
//
// The budget is fs.pipe-user-pages-soft, in pages for all pipes of a user. Beyond it a new
// pipe has two slots and no pipe can grow, so the pool stops before, also for root: what
// was measured as one user is then true for another. When the pool is empty there is no
// waiting: the caller copies.
type PipePool struct {
	budget int // bytes of all pipes

	mu       sync.Mutex
	spent    int     // of the budget
	idle     []*pipe // the one used last is the last
	unused   int     // of idle, from the front: not taken since the last sweep
	open     int     // idle ones and those in use
	refused  time.Time
	sweeper  *time.Timer
	sweeping bool // the sweeper runs, as it does while pipes are idle
}

// pipe is the two ends, its size, and the bytes inside.
type pipe struct{ r, w, size, inside int }

func (p *pipe) close() {
	// Nothing is buffered on the way to a pipe: closing has nothing to report.
	_ = unix.Close(p.r)
	_ = unix.Close(p.w)
}

var shared = sync.OnceValue(func() *PipePool {
	pages := procNumber("/proc/sys/fs/pipe-user-pages-soft", budgetPagesDefault)
	if pages == 0 {
		pages = budgetPagesDefault // the kernel sets no limit, we do
	}
	return NewPool(pages * shareOver / shareUnder * os.Getpagesize())
})

// Shared returns the pool of the process.
func SharedPool() *PipePool { return shared() }

// NewPipes returns a pool of pipes of 1 MiB in half of the budget, which is in bytes, and
// of 256 KiB in what is left. A pipe that the kernel makes smaller than 64 KiB is not used.
func NewPool(budget int) *PipePool { return &PipePool{budget: budget} }

// procNumber returns the number in a file, or otherwise where it cannot be read.
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

// Open returns the number of pipes that exist, and of those in use.
func (p *PipePool) Open() (open, used int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open, p.open - len(p.idle)
}

// take returns an empty pipe, or nil where none is to be had.
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

// newPipe returns nil where the descriptors or the budget are used up.
func newPipe(size int) *pipe {
	var ends [2]int
	if unix.Pipe2(ends[:], unix.O_NONBLOCK|unix.O_CLOEXEC) != nil {
		return nil
	}
	t := &pipe{r: ends[0], w: ends[1], size: size}
	// EPERM: the user is at the budget, or the size above fs.pipe-max-size; the pipe may
	// still have the size it was born with.
	if got, err := unix.FcntlInt(uintptr(t.w), unix.F_SETPIPE_SZ, size); err != nil || got < size {
		got, err = unix.FcntlInt(uintptr(t.w), unix.F_GETPIPE_SZ, 0)
		if err != nil || got < leastBytes {
			t.close()
			return nil
		}
	}
	return t
}

// put gives a pipe back. One with bytes inside is closed: they would come out in another's
// connection.
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

// sweep closes the pipes that were not taken since the last time: those at the front of
// the stack, below its lowest height meanwhile.
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

// Trim closes the pipes that nobody uses.
func (p *PipePool) CloseIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.idle {
		p.closePipe(t)
	}
	p.idle, p.unused = p.idle[:0], 0
}

// end closes a pipe of the pool, which is locked.
func (p *PipePool) closePipe(t *pipe) {
	t.close()
	p.open--
	p.spent -= t.size
}
