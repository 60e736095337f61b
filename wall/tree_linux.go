package wall

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// Limits on what is watched. A process takes up to three open files, and each of its threads two.
const (
	filesMax      = 4000 // and at most three quarters of what this process may open
	descriptors   = 256  // of a process, looked at for pipes
	pipesAge      = 250 * time.Millisecond
	discoverEvery = 25 // samples, also if no process seems to have begun
)

// tree holds the processes of a command that have been seen and have not ended.
type tree struct {
	root, self int
	orphans    bool
	list       []*process // parents before their children
	byPID      map[int]*process
	limit      int  // of processes, and of threads that are not the first of their process
	threads    int  // that are watched and are not the first of their process
	partly     bool // the limit was reached

	loadavg, ownChildren proc.File
	lastPID, age         int // age counts samples
	now                  time.Time

	buf     []byte
	numbers []int
	sockets map[uint64]bool // whether a socket is a local one
	asked   time.Time       // when the system was asked for local sockets
	scan    bool            // the kernel does not list children

	// sums of processes that ended and whose parent is this process
	ended sums
}

// process is a process of the tree.
type process struct {
	pid, ppid int
	name      string
	threads   []*thread
	threadsN  int // as the system counts
	stat, io  proc.File
	folder    proc.File
	born      int // the sample in which it was seen first
	forked    int // the last sample in which a child of it was seen first
	gone      bool
	state     byte // of the first thread
	sums      sums
	pipes     []pipeEnd
	pipesAt   time.Time
}

// thread is a thread that is watched.
type thread struct {
	tid         int
	sched, stat proc.File
	last        proc.Sched
	lastAt      time.Time
	recent      float64 // share of the time lately that it ran
	queued      float64 // share of the time lately that it waited for a processor
	slices      float64 // how often it came onto a processor lately, a second
	yields      float64 // how often it ended its turn itself lately, a second; yielded in all at yieldedAt
	yielded     int
	yieldedAt   time.Time
	task        task
}

// sums are what a process and its children that it has waited for have consumed.
type sums struct {
	user, system time.Duration
	minor, major int64
	io           proc.IO
}

func (s *sums) add(o sums) {
	s.user += o.user
	s.system += o.system
	s.minor += o.minor
	s.major += o.major
	s.io.Add(o.io)
}

func newTree(root int, orphans bool) (*tree, error) {
	t := &tree{
		root: root, self: unix.Getpid(), orphans: orphans,
		byPID: map[int]*process{}, buf: make([]byte, 32<<10), sockets: map[uint64]bool{}, now: time.Now(),
	}
	files := unix.Rlimit{Cur: 1024}
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &files)  // otherwise the usual one
	t.limit = int(min(files.Cur/4*3, filesMax)) / 7 // 3 for a process, 2 for its first thread, 2 for another one
	t.add(root, t.self)
	if t.byPID[root] == nil {
		return nil, fmt.Errorf("read /proc/%d/stat: %w", root, unix.ESRCH)
	}
	t.loadavg, _ = proc.Open("/proc/loadavg") // without it every sample looks for new processes
	if f, err := proc.Open(fmt.Sprintf("/proc/%d/task/%[1]d/children", t.self)); err != nil {
		t.scan = true
	} else {
		t.ownChildren = f
	}
	return t, nil
}

func (t *tree) close() {
	for _, p := range t.list {
		p.close()
	}
	t.loadavg.Close()
	t.ownChildren.Close()
}

func (p *process) close() {
	for _, th := range p.threads {
		th.close()
	}
	p.stat.Close()
	p.io.Close()
	p.folder.Close()
}

func (th *thread) close() {
	th.sched.Close()
	th.stat.Close()
}

// add begins to watch a process, if it is still there.
func (t *tree) add(pid, ppid int) {
	if t.byPID[pid] != nil {
		return
	}
	if len(t.list) >= t.limit {
		t.partly = true
		return
	}
	p := &process{pid: pid, ppid: ppid, born: t.age, forked: -2}
	var err error
	if p.stat, err = proc.Open(fmt.Sprintf("/proc/%d/stat", pid)); err != nil {
		return
	}
	text, err := p.stat.Read(t.buf)
	s, err2 := proc.ParseStat(text)
	if err != nil || err2 != nil {
		p.stat.Close()
		return
	}
	p.name, p.threadsN = proc.Name(text), s.Threads
	p.io, _ = proc.Open(fmt.Sprintf("/proc/%d/io", pid)) // denied for programs of other users: then there are no bytes
	t.addThread(p, pid)
	t.byPID[pid] = p
	t.list = append(t.list, p)
	if parent := t.byPID[ppid]; parent != nil {
		parent.forked = t.age
	}
	if s.Threads > 1 {
		t.listThreads(p)
	}
}

func (t *tree) addThread(p *process, tid int) {
	first := tid == p.pid
	if !first && t.threads >= t.limit {
		t.partly = true
		return
	}
	th := &thread{tid: tid, lastAt: t.now}
	var err error
	if th.stat, err = proc.Open(fmt.Sprintf("/proc/%d/task/%d/stat", p.pid, tid)); err != nil {
		return
	}
	th.sched, _ = proc.Open(fmt.Sprintf("/proc/%d/task/%d/schedstat", p.pid, tid)) // without it stat is read each time
	p.threads = append(p.threads, th)
	if !first {
		t.threads++
	}
}

// listThreads begins to watch the threads of a process that are new.
func (t *tree) listThreads(p *process) {
	if p.folder == (proc.File{}) {
		p.folder, _ = proc.Open(fmt.Sprintf("/proc/%d/task", p.pid)) // if it has just ended, there are none
	}
	t.numbers, _ = p.folder.AppendNumbered(t.numbers[:0], t.buf)
	p.threadsN = max(len(t.numbers), 1)
	if t.threads >= t.limit {
		t.partly = t.partly || len(t.numbers) > len(p.threads)
		return
	}
	known := make(map[int]bool, len(p.threads))
	for _, th := range p.threads {
		known[th.tid] = true
	}
	for _, tid := range t.numbers {
		if !known[tid] {
			t.addThread(p, tid)
		}
	}
}

// discover looks for new processes and threads, if the system has begun any since the last time.
func (t *tree) discover() (forks int) {
	t.age++
	text, err := t.loadavg.Read(t.buf)
	last, err2 := proc.ParseLastPID(text)
	if err == nil && err2 == nil {
		if last == t.lastPID && t.age%discoverEvery != 0 {
			t.listMissing()
			return 0
		}
		if t.lastPID > 0 && last > t.lastPID {
			forks = last - t.lastPID
		}
		t.lastPID = last
	}
	if t.scan {
		t.discoverByParents()
		return forks
	}
	for i := 0; i < len(t.list); i++ { // the list grows
		p := t.list[i]
		if p.threadsN > 1 {
			t.listThreads(p)
		}
		for _, th := range p.threads {
			t.addChildren(p.pid, th.tid)
		}
	}
	if t.orphans {
		text, err := t.ownChildren.Read(t.buf)
		if err == nil {
			t.addAll(text, t.self)
		}
	}
	return forks
}

// listMissing looks for threads of processes that have more than are watched: they began when the
// process was taken for one with a single thread.
func (t *tree) listMissing() {
	for i := 0; i < len(t.list); i++ { // the list grows
		p := t.list[i]
		if known := len(p.threads); p.threadsN > known && t.threads < t.limit {
			t.listThreads(p)
			for _, th := range p.threads[known:] {
				t.addChildren(p.pid, th.tid)
			}
		}
	}
}

// addChildren adds the processes that a thread has begun.
func (t *tree) addChildren(pid, tid int) {
	f, err := proc.Open(fmt.Sprintf("/proc/%d/task/%d/children", pid, tid))
	if err != nil {
		return // it has ended
	}
	defer f.Close()
	if text, err := f.Read(t.buf); err == nil {
		t.addAll(text, pid)
	}
}

func (t *tree) addAll(text []byte, ppid int) {
	t.numbers = proc.AppendNumbers(t.numbers[:0], text)
	for _, pid := range slices.Clone(t.numbers) {
		t.add(pid, ppid)
	}
}

// discoverByParents looks at all processes of the system: for kernels that do not list children.
func (t *tree) discoverByParents() {
	folder, err := proc.Open("/proc")
	if err != nil {
		return
	}
	defer folder.Close()
	all, _ := folder.AppendNumbered(nil, t.buf)
	for _, pid := range all {
		if t.byPID[pid] != nil || pid == t.self {
			continue
		}
		f, err := proc.Open(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		text, err := f.Read(t.buf)
		f.Close()
		s, err2 := proc.ParseStat(text)
		if err == nil && err2 == nil && (t.byPID[s.PPID] != nil || t.orphans && s.PPID == t.self) {
			t.add(pid, s.PPID)
		}
	}
}

// forget ends watching a thread.
func (t *tree) forget(p *process, th *thread) {
	th.close()
	if th.tid != p.pid {
		t.threads--
	}
}

// remove forgets the processes that have ended.
func (t *tree) remove() {
	t.list = slices.DeleteFunc(t.list, func(p *process) bool {
		if !p.gone {
			return false
		}
		for _, th := range p.threads {
			t.forget(p, th)
		}
		p.close()
		delete(t.byPID, p.pid)
		return true
	})
}

// reap ends orphans that wait for their parent, which is now this process.
func (t *tree) reap() {
	if !t.orphans {
		return
	}
	for _, p := range t.list {
		if p.state != 'Z' || p.pid == t.root {
			continue
		}
		t.count(p)
		if pid, err := unix.Wait4(p.pid, nil, unix.WNOHANG, nil); err == nil && pid == p.pid {
			t.ended.add(p.sums)
			p.sums = sums{}
			p.gone = true
		} // otherwise it has a parent in the tree, which has not waited for it yet
	}
}

// count reads what a process has consumed.
func (t *tree) count(p *process) {
	text, err := p.stat.Read(t.buf)
	s, err2 := proc.ParseStat(text)
	if err != nil || err2 != nil {
		p.sums = sums{} // it has ended, and its parent has what it consumed
		return
	}
	p.ppid, p.threadsN = s.PPID, s.Threads
	p.sums = sums{
		user: s.User + s.ChildrenUser, system: s.System + s.ChildrenSystem,
		minor: s.MinorFaults + s.ChildrenMinorFaults, major: s.MajorFaults + s.ChildrenMajorFaults,
		io: p.sums.io,
	}
	if text, err = p.io.Read(t.buf); err == nil {
		if io, err := proc.ParseIO(text); err == nil {
			p.sums.io = io
		}
	}
}

// total returns what all processes have consumed.
func (t *tree) total() sums {
	all := t.ended
	for _, p := range t.list {
		t.count(p)
		all.add(p.sums)
	}
	return all
}
