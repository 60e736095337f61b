package wall

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// slots keeps evidence in slots of equal length. When there are too many, neighbours are merged, so a
// run of any length has a bounded timeline.
type slots struct {
	seconds float64 // of a slot
	list    []Evidence
}

const (
	slotSeconds    = 0.05
	slotsMax       = 600
	stepSecondsMax = 0.25
)

// add adds the evidence since the last call, which lies in one slot.
func (s *slots) add(e Evidence) {
	if s.seconds == 0 {
		s.seconds = slotSeconds
	}
	if n := len(s.list); n > 0 && s.list[n-1].Seconds < s.seconds*0.9 {
		s.list[n-1].Add(e)
		return
	}
	if len(s.list) == slotsMax {
		for i := range slotsMax / 2 {
			merged := s.list[2*i]
			merged.Add(s.list[2*i+1])
			s.list[i] = merged
		}
		s.list = s.list[:slotsMax/2]
		s.seconds *= 2
	}
	s.list = append(s.list, e)
}

// step returns how long to gather evidence for add: no longer than a slot, so in a long run longer.
func (s *slots) step() time.Duration {
	return time.Duration(min(max(s.seconds, slotSeconds), stepSecondsMax) * float64(time.Second))
}

// A phase lasts at least so long.
const (
	phaseSecondsMin = 0.5
	phaseShareMin   = 0.05
	rounding        = 1e-6 // sums of slots are not exact
)

// A part is shorter than that only if it is all of its phase. Of less time there are too few samples.
const partSecondsMin = 2 * slotSeconds

// part is evidence that is judged by itself. A phase may hold parts with other walls that are too short to be
// phases. Their evidence together would be that of a mixture, which no rule is about: many processes in the
// last tenth of a computation are not the wall of all of it.
type part struct {
	Evidence
	wall Wall
}

// stretch is what becomes a phase.
type stretch struct {
	from, to float64
	wall     Wall
	parts    []part
}

func (s *stretch) seconds() float64 { return s.to - s.from }

// stretches divides a run into stretches with one wall each. It begins with the slots, merges neighbours
// with the same wall, and then gives the shortest stretch that is too short to the neighbour that is
// longer, until none is.
func stretches(list []Evidence, m Machine) []stretch {
	var all []stretch
	var total float64
	for _, e := range list {
		wall := longest(&e, m)
		all = append(all, stretch{total, total + e.Seconds, wall, []part{{e, wall}}})
		total += e.Seconds
	}
	all = mergeEqual(all, m)
	for len(all) > 1 {
		shortest := 0
		for i := range all {
			if all[i].seconds() < all[shortest].seconds() {
				shortest = i
			}
		}
		if all[shortest].seconds() >= max(phaseSecondsMin, phaseShareMin*total)-rounding {
			break
		}
		first := max(shortest-1, 0) // of the two that become one
		if shortest > 0 && shortest+1 < len(all) && all[shortest+1].seconds() > all[shortest-1].seconds() {
			first = shortest
		}
		all[first] = merge(all[first], all[first+1], m)
		all = append(all[:first+1], all[first+2:]...)
		all = mergeEqual(all, m)
	}
	return all
}

// mergeEqual merges neighbours with the same wall.
func mergeEqual(all []stretch, m Machine) []stretch {
	kept := all[:0]
	for _, s := range all {
		if n := len(kept); n > 0 && kept[n-1].wall == s.wall {
			kept[n-1] = merge(kept[n-1], s, m)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

func merge(a, b stretch, m Machine) stretch {
	a.to = b.to
	a.parts = mergeParts(append(a.parts, b.parts...), m)
	a.wall = first(shares(wallsOf(a.parts, m)))
	return a
}

// phases returns the phases of a run, and all of their parts.
func phases(list []Evidence, m Machine) (all []Phase, parts []part) {
	for _, s := range stretches(list, m) {
		p := Phase{From: s.from, To: s.to}
		p.Evidence, p.Verdict = conclusion(s.parts, m)
		all, parts = append(all, p), append(parts, s.parts...)
	}
	return all, parts
}

// mergeParts merges parts with the same wall, and then the shortest one that is too short with the longest.
func mergeParts(parts []part, m Machine) []part {
	for {
		kept := parts[:0]
		for _, p := range parts {
			if i := slices.IndexFunc(kept, func(k part) bool { return k.wall == p.wall }); i >= 0 {
				kept[i].Add(p.Evidence)
				continue
			}
			kept = append(kept, p)
		}
		for i := range kept {
			kept[i].wall = longest(&kept[i].Evidence, m)
		}
		slices.SortStableFunc(kept, func(a, b part) int { return cmp.Compare(b.Seconds, a.Seconds) })
		last := len(kept) - 1
		switch {
		case last > 0 && kept[last].Seconds < partSecondsMin-rounding:
			kept[0].Add(kept[last].Evidence)
			parts = kept[:last]
			parts[0].wall = longest(&parts[0].Evidence, m)
		case len(kept) == len(parts):
			return kept
		default:
			parts = kept // a merged part may have another wall, which one more has
		}
	}
}

// wallsOf returns for how long each wall held the parts back.
func wallsOf(parts []part, m Machine) map[Wall]float64 {
	walls := map[Wall]float64{}
	for i := range parts {
		for w, seconds := range attribute(&parts[i].Evidence, m) {
			walls[w] += seconds
		}
	}
	return walls
}

// longest returns the wall that held a stretch back longest.
func longest(e *Evidence, m Machine) Wall { return first(shares(attribute(e, m))) }

func first(list []Share) Wall {
	if len(list) == 0 {
		return Unknown
	}
	return list[0].Wall
}

// conclusion returns the evidence of all parts and the verdict about them. Its numbers are those of the parts
// that have its wall.
func conclusion(parts []part, m Machine) (all Evidence, v Verdict) {
	list := shares(wallsOf(parts, m))
	var of Evidence
	for _, p := range parts {
		all.Add(p.Evidence)
		if p.wall == first(list) {
			of.Add(p.Evidence)
		}
	}
	if of.Seconds == 0 { // a wall of moments in parts that have others
		of = all
	}
	of.Seconds = all.Seconds // shares are of the whole
	return all, judge(&of, list, m)
}

// conclude fills in the parts of a report that follow from the evidence in its slots.
func (r *Report) conclude(list []Evidence) {
	var parts []part
	r.Phases, parts = phases(list, r.Machine)
	r.Walls = shares(wallsOf(parts, r.Machine))
	r.Evidence, r.Verdict = conclusion(parts, r.Machine)
	var from float64
	for _, e := range list {
		r.Timeline = append(r.Timeline, Slot{From: from, To: from + e.Seconds, Wall: longest(&e, r.Machine), Evidence: e})
		from += e.Seconds
	}
}

// function says what a thread waits for that sleeps in a function of the kernel.
type function struct {
	name string // or what it begins with, if it ends with a star
	wait waiting
	ask  bool // the system call says more
}

// functions are names that /proc/PID/wchan shows. They differ from release to release of the kernel;
// for those that are not here the system call that the thread is in decides.
var functions = []function{
	{"do_wait", waiting{kind: child, end: between}, false},
	{"kernel_wait4", waiting{kind: child, end: between}, false},
	{"kernel_waitid*", waiting{kind: child, end: between}, false},
	{"wait_for_vfork_done", waiting{kind: child, end: between}, false},
	{"kernel_clone", waiting{kind: child, end: between}, false}, // vfork
	{"hrtimer_nanosleep", waiting{end: asleep}, false},
	{"do_nanosleep", waiting{end: asleep}, false},
	{"futex_*", waiting{kind: sibling}, true}, // with a time limit?
	{"__futex_wait", waiting{kind: sibling}, true},
	{"flock_lock_inode*", waiting{end: onLock}, false},
	{"locks_lock_inode*", waiting{end: onLock}, false},
	{"posix_lock_inode*", waiting{end: onLock}, false},
	{"fcntl_setlk*", waiting{end: onLock}, false},
	{"do_lock_file_wait", waiting{end: onLock}, false},
	{"rwsem_down_*", waiting{end: onLock}, false},
	{"pipe_read", waiting{kind: pipe, end: onInput}, true},
	{"pipe_write", waiting{kind: pipe, end: onOutput, writes: true}, true},
	{"anon_pipe_read", waiting{kind: pipe, end: onInput}, true},
	{"anon_pipe_write", waiting{kind: pipe, end: onOutput, writes: true}, true},
	{"wait_for_partner", waiting{kind: anywhere, end: onInput}, true}, // opens a named pipe: for writing?
	{"n_tty_read", waiting{end: onInput}, false},
	{"n_tty_write", waiting{end: onOutput}, false},
	{"unix_stream_read_*", waiting{kind: anywhere, end: onInput}, false},
	{"unix_stream_data_wait", waiting{kind: anywhere, end: onInput}, false},
	{"unix_accept", waiting{kind: anywhere, end: onInput}, false},
	{"unix_wait_for_peer", waiting{kind: anywhere, end: onOutput}, false},
	{"sock_alloc_send_pskb", waiting{kind: anywhere, end: onOutput}, false},
	{"tcp_recvmsg*", waiting{end: onNetwork}, true}, // on which socket?
	{"sk_wait_data", waiting{end: onNetwork}, true},
	{"sk_stream_wait_*", waiting{end: onNetwork}, true},
	{"inet_csk_accept", waiting{end: onNetwork}, true},
	{"inet_wait_for_connect", waiting{end: onNetwork}, true},
	{"__inet_stream_connect", waiting{end: onNetwork}, true},
	{"balance_dirty_pages*", waiting{end: onStorage}, false},
	{"mem_cgroup_handle_over_high", waiting{end: onMemory}, false},
	{"__mem_cgroup_handle_over_high", waiting{end: onMemory}, false},
	{"throttle_direct_reclaim", waiting{end: onMemory}, false},
	{"reclaim_throttle", waiting{end: onMemory}, false},
	{"shrink_*", waiting{end: onMemory}, false},
	{"io_cqring_wait*", waiting{end: onStorage}, false},
	{"read_events", waiting{end: onStorage}, false},
	{"do_signal_stop", waiting{end: stopped}, false},
	{"ptrace_stop", waiting{end: stopped}, false},
	{"sigsuspend", waiting{kind: child, end: onUnknown}, false},
	{"do_sigtimedwait", waiting{kind: child, end: onUnknown}, true},
}

// waitOf returns what a thread waits for by the function that it sleeps in. It reports false if the
// system call must decide, or can say more.
func waitOf(name string, state byte) (w waiting, sure bool) {
	name, _, _ = strings.Cut(name, ".") // a compiler may add .isra.0 or .constprop.0
	for _, f := range functions {
		prefix, isPrefix := strings.CutSuffix(f.name, "*")
		if name == f.name || isPrefix && strings.HasPrefix(name, prefix) {
			w = f.wait
			w.name = name
			return w, !f.ask
		}
	}
	w.name = name
	switch state {
	case 'T', 't':
		w.end = stopped
		return w, true
	case 'D':
		w.end = onStorage
		return w, name != unnamed
	}
	w.end = onUnknown
	return w, false
}

// unnamed is what wchan says of a thread that runs, has just begun to sleep or been woken, or that
// this process may not look at.
const unnamed = "0"
