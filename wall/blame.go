package wall

// end is the state in which the way to progress ends.
type end uint8

// The states, by how much they count if several are reached: what moves comes first.
const (
	running end = iota
	between     // a child has just ended, or has not been seen yet
	onStorage
	onMemory
	onLock
	onNetwork
	onInput
	onOutput
	stopped
	asleep
	onUnknown
	nowhere // no end was reached
)

// waiting is what a thread waits for.
type waiting struct {
	end    end // if the thread waits for something outside of the tree
	kind   kind
	inode  uint64 // of the pipe, or of the socket
	writes bool   // it wants to write to the pipe or the socket
	timed  bool   // futex with a time limit
	more   []waiting
	name   string // of the kernel's function
}

// kind says whether a thread waits for other parts of the tree.
type kind uint8

const (
	outside  kind = iota // for what end says
	child                // for a child
	sibling              // for another thread of its process
	pipe                 // for the other end of a pipe, or if no process of the tree has it, for end
	anywhere             // for another process of the tree, or if none does anything, for end
	several              // for one of more
)

// task is a thread at the moment of a sample.
type task struct {
	state byte // R, S, D, T or Z
	wait  waiting
	// turns is the share of the time lately that it ran in short turns, yields how often it ended them itself, a second.
	turns, yields float64
}

// member is a process of the tree at the moment of a sample.
type member struct {
	pid, ppid int
	fresh     bool // it was not there in the sample before, or has just begun another
	tasks     []task
	pipes     []pipeEnd
}

// pipeEnd is an end of a pipe that a process has open.
type pipeEnd struct {
	inode       uint64
	read, write bool
}

// moment is what a sample says: where the way to progress ends.
type moment struct {
	end    end
	fresh  bool   // the process at the end had just begun, or begun another
	name   string // of the kernel's function
	ready  int    // threads that run or are ready to
	inode  uint64 // of the socket that is waited for
	writes bool
	turns  bool // a process has one thread that runs, and others that wait for it and have run lately
}

// search follows who waits for whom.
type search struct {
	tree    []member
	visited []bool
	best    moment
	spread  bool // the way has been followed to all processes
}

// blame returns where the way to progress ends that begins at the process root. It is a pure function.
func blame(tree []member, root int) moment {
	s := search{tree: tree, visited: make([]bool, len(tree)), best: moment{end: nowhere}}
	for i := range tree {
		if tree[i].pid == root {
			s.visit(i)
		}
	}
	if s.best.end == nowhere {
		// A circle of processes that hand something over, each seen while the other ran, or only
		// processes that are not on the way.
		s.reach(moment{end: between})
	}
	for i := range tree {
		ready, turns := tree[i].ready()
		s.best.ready += ready
		s.best.turns = s.best.turns || turns
	}
	return s.best
}

// yieldMax is how long threads that take turns run until one of them ends its turn itself. A runtime like Go's moves a
// piece of work to another thread every 10 ms, and other programs make turns short without that.
const yieldMax = 5e-3 // seconds

// recentShare is the share of the time for which threads must have run lately to be said to run now.
const recentShare = 0.2

// ready returns how many threads run or are ready to. It reports turns if that is one, which runs in short
// turns, as do others that now wait for it. Threads are looked at one after the other, so while one hands
// over to another both may be seen as ready. Many threads at a lock run for a small share of the time each.
func (m *member) ready() (n int, turns bool) {
	var all, most, yields float64
	long := false
	for _, t := range m.tasks {
		runs := t.state == 'R'
		if runs {
			n++
			long = long || t.turns == 0
		}
		if runs || t.wait.kind == sibling {
			all += t.turns
			yields += t.yields
			most = max(most, t.turns)
		}
	}
	return n, (n == 1 || n == 2) && !long && all-most >= recentShare && yields*yieldMax >= all
}

// reach remembers an end if it counts more than those that were reached before.
func (s *search) reach(m moment) {
	if m.end < s.best.end {
		s.best = m
	}
}

// visit follows the way through a process. A thread that runs or waits for storage is the process's
// progress, and so is what its first thread waits for. If that is another thread, any may be.
func (s *search) visit(i int) {
	if s.visited[i] {
		return
	}
	s.visited[i] = true
	p := &s.tree[i]
	var siblings, timed int
	for k, t := range p.tasks {
		switch {
		case t.state == 'R':
			s.reach(moment{end: running, fresh: p.fresh})
			return
		case t.state == 'Z' && k == 0 && len(p.tasks) == 1:
			s.reach(moment{end: between, fresh: p.fresh})
			return
		case t.wait.kind == outside && t.wait.end == onStorage && t.state == 'D':
			s.reach(moment{end: onStorage, fresh: p.fresh, name: t.wait.name})
		}
	}
	for k, t := range p.tasks {
		if t.wait.kind == sibling {
			siblings++
			if t.wait.timed {
				timed++
			}
			continue
		}
		s.follow(i, t.wait)
		if k == 0 {
			return
		}
	}
	if siblings == len(p.tasks) && siblings > 0 {
		if timed > 0 {
			s.reach(moment{end: asleep, name: p.tasks[0].wait.name})
		} else {
			s.reach(moment{end: onLock, name: p.tasks[0].wait.name})
		}
	}
}

// follow goes from a process to those that it waits for, or reaches an end.
func (s *search) follow(i int, w waiting) {
	p := &s.tree[i]
	outer := moment{end: w.end, fresh: p.fresh, name: w.name}
	if w.end == onNetwork {
		outer.inode, outer.writes = w.inode, w.writes
	}
	switch w.kind {
	case outside:
		s.reach(outer)
	case child:
		children := false
		for k := range s.tree {
			if s.tree[k].ppid == p.pid {
				children = true
				s.visit(k)
			}
		}
		if !children {
			outer.fresh = w.end == between
			s.reach(outer)
		}
	case pipe:
		if !s.followPipe(i, w) {
			s.reach(outer)
		}
	case anywhere:
		if !s.followAll() {
			s.reach(outer)
		}
	case several:
		for _, one := range w.more {
			s.follow(i, one)
		}
	}
}

// followPipe goes to the processes that have the other end of a pipe open. It reports false if there
// is none but the process itself.
func (s *search) followPipe(i int, w waiting) (found bool) {
	for k := range s.tree {
		if k == i {
			continue
		}
		for _, e := range s.tree[k].pipes {
			if e.inode == w.inode && (w.writes && e.read || !w.writes && e.write) {
				found = true
				s.visit(k)
			}
		}
	}
	return found
}

// followAll goes to all processes. It reports whether an end has been reached.
func (s *search) followAll() bool {
	if !s.spread {
		s.spread = true
		for k := range s.tree {
			s.visit(k)
		}
	}
	return s.best.end != nowhere
}
