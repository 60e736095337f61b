package wall

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// Of each thread, how much it ran lately is kept, and how often it came onto a processor. In this process,
// a thread that runs counts only if it did for recentShare of the time: the sampler wakes threads of the
// runtime. Threads that take turns at a lock run for turnMax each time, at most. A runtime like Go's, which
// moves a single piece of work between its threads, leaves it there for longer, 10 ms.
const (
	recentTime = 100 * time.Millisecond
	turnMax    = 3 * time.Millisecond
)

// look reads the state of all threads that are watched, except for one of this process, and returns
// how long they waited for a processor since the last time.
func (t *tree) look(except int) (queued time.Duration) {
	t.now = time.Now()
	for _, p := range t.list {
		kept := p.threads[:0]
		for i, th := range p.threads {
			if th.tid == except {
				th.task = task{state: 'S', wait: waiting{kind: sibling}}
				kept = append(kept, th)
				continue
			}
			wait, err := t.lookAt(p, th)
			if err != nil {
				if i == 0 && th.tid == p.pid && errors.Is(err, unix.ESRCH) {
					p.gone = true
				}
				t.forget(p, th)
				continue
			}
			if except != 0 && th.task.state == 'R' && th.recent < recentShare {
				th.task = task{state: 'S', wait: waiting{kind: sibling, name: unnamed}}
			}
			queued += wait
			kept = append(kept, th)
		}
		p.threads = kept
		p.state = 0
		if len(kept) == 0 {
			p.gone = true
		} else if kept[0].tid == p.pid {
			p.state = kept[0].task.state
		}
	}
	t.reap()
	t.remove()
	return queued
}

// lookAt reads the state of a thread. A thread that has not come onto a processor since it was seen
// asleep still sleeps in the same place, unless it has just been woken.
func (t *tree) lookAt(p *process, th *thread) (queued time.Duration, err error) {
	text, err := th.sched.Read(t.buf)
	if err == nil {
		s, err := proc.ParseSched(text)
		if err != nil {
			return 0, err
		}
		slept := th.task.state != 0 && th.task.state != 'R'
		same := s.Slices == th.last.Slices && s.Run == th.last.Run && s.Wait == th.last.Wait
		queued = th.ran(s, t.now)
		if slept && same && th.task.wait.name != unnamed {
			th.task.turns, th.task.yields = th.turns(), t.yields(p, th)
			return queued, nil
		}
	} else if !errors.Is(err, unix.EBADF) {
		return 0, err
	}
	text, err = th.stat.Read(t.buf)
	if err != nil {
		return 0, err
	}
	s, err := proc.ParseStat(text)
	if err != nil {
		return 0, err
	}
	p.threadsN = s.Threads
	if th.tid == p.pid {
		p.ppid = s.PPID
	}
	th.task = task{state: s.State}
	th.task.turns, th.task.yields = th.turns(), t.yields(p, th)
	if s.State == 'R' || s.State == 'Z' || s.State == 'X' {
		return queued, nil
	}
	wait, woken := t.waitOf(p, th)
	if woken {
		th.task.state = 'R'
		return queued, nil
	}
	th.task.wait = wait
	return queued, nil
}

// ran notes how long a thread ran, and returns how long it waited for a processor since the last time.
func (th *thread) ran(s proc.Sched, now time.Time) (queued time.Duration) {
	if passed := now.Sub(th.lastAt); passed > 0 && th.last.Slices > 0 {
		share := min(1, (s.Run-th.last.Run).Seconds()/passed.Seconds())
		slices := float64(s.Slices-th.last.Slices) / passed.Seconds()
		weight := min(1, passed.Seconds()/recentTime.Seconds())
		th.recent += (share - th.recent) * weight
		th.slices += (slices - th.slices) * weight
		queued = s.Wait - th.last.Wait
		th.queued += (queued.Seconds()/passed.Seconds() - th.queued) * weight
	}
	th.last, th.lastAt = s, now
	return queued
}

// turns returns the share of the time lately that the thread ran in short turns, 0 if they were long, or if they
// may be short because other threads wanted the processor: it waited for one longer than it ran.
func (th *thread) turns() float64 {
	if th.recent > th.slices*turnMax.Seconds() || th.queued > th.recent {
		return 0
	}
	return th.recent
}

// yieldsShareMin is how much a thread must run for a look at how often it yielded its processor.
const yieldsShareMin = 0.05

// yields returns how often a thread that runs in short turns ended them itself lately, a second; 0 until two looks
// were taken.
func (t *tree) yields(p *process, th *thread) float64 {
	passed := t.now.Sub(th.yieldedAt)
	if passed < recentTime/2 || th.turns() < yieldsShareMin {
		return th.yields
	}
	text := t.readOnce(fmt.Sprintf("/proc/%d/task/%d/status", p.pid, th.tid))
	_, rest, found := strings.Cut(text, "\nvoluntary_ctxt_switches:\t")
	line, _, _ := strings.Cut(rest, "\n")
	n := proc.AppendNumbers(nil, []byte(line))
	if !found || len(n) == 0 {
		return th.slices // the system does not tell
	}
	if !th.yieldedAt.IsZero() {
		th.yields = float64(n[0]-th.yielded) / passed.Seconds()
	}
	th.yielded, th.yieldedAt = n[0], t.now
	return th.yields
}

// waitOf returns what a sleeping thread waits for. It reports woken if it has been woken meanwhile.
func (t *tree) waitOf(p *process, th *thread) (w waiting, woken bool) {
	name := t.readOnce(fmt.Sprintf("/proc/%d/task/%d/wchan", p.pid, th.tid))
	if name == "" {
		name = unnamed
	}
	w, sure := waitOf(name, th.task.state)
	if sure {
		return w, false
	}
	text := t.readOnce(fmt.Sprintf("/proc/%d/task/%d/syscall", p.pid, th.tid))
	call, asleep := proc.ParseCall([]byte(text))
	if !asleep && text != "" { // it runs by now, or is just falling asleep: look again next time
		w.name = unnamed
		if th.task.state == 'D' { // a short wait for storage, or in vfork for a child
			if p.forked >= t.age-1 {
				w.kind, w.end = child, between
			}
			return w, false
		}
		return w, name == unnamed
	}
	if !asleep {
		return w, false // denied
	}
	return t.waitInCall(p, call, w), false
}

// readOnce returns the content of a small file, "" if it cannot be read.
func (t *tree) readOnce(name string) string {
	f, err := proc.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := f.Read(t.buf)
	if err != nil {
		return ""
	}
	return string(text)
}

// members returns the tree as blame takes it.
func (t *tree) members() []member {
	t.findPipes()
	list := make([]member, len(t.list))
	for i, p := range t.list {
		list[i] = member{pid: p.pid, ppid: p.ppid, fresh: p.born >= t.age || p.forked >= t.age-1, pipes: p.pipes}
		list[i].tasks = make([]task, len(p.threads))
		for k, th := range p.threads {
			list[i].tasks[k] = th.task
		}
	}
	return list
}
