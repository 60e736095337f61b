package wall

import (
	"math/rand/v2"
	"testing"
)

// Tasks in the states of the tests.
var (
	runs      = task{state: 'R'}
	sleeps    = task{state: 'S', wait: waiting{end: asleep, name: "hrtimer_nanosleep"}}
	waits     = task{state: 'S', wait: waiting{kind: child, end: between}}
	pauses    = task{state: 'S', wait: waiting{kind: child, end: onUnknown}}
	stores    = task{state: 'D', wait: waiting{end: onStorage}}
	receives  = task{state: 'S', wait: waiting{end: onNetwork}}
	joins     = task{state: 'S', wait: waiting{kind: sibling}}
	joinsLong = task{state: 'S', wait: waiting{kind: sibling, timed: true}}
	zombie    = task{state: 'Z'}
	locked    = task{state: 'S', wait: waiting{end: onLock}}
	asks      = task{state: 'S', wait: waiting{kind: anywhere, end: onInput}}
	turned    = task{state: 'S', wait: waiting{kind: sibling}, turns: 0.4, yields: 90}
	turns     = task{state: 'R', turns: 0.4, yields: 90}
	turnsRare = task{state: 'S', wait: waiting{kind: sibling}, turns: 0.12, yields: 30}
)

func readsPipe(inode uint64) task {
	return task{state: 'S', wait: waiting{kind: pipe, inode: inode, end: onInput}}
}

func writesPipe(inode uint64) task {
	return task{state: 'S', wait: waiting{kind: pipe, inode: inode, end: onOutput, writes: true}}
}

func polls(all ...task) task {
	w := waiting{kind: several}
	for _, one := range all {
		w.more = append(w.more, one.wait)
	}
	return task{state: 'S', wait: w}
}

func process1(pid, ppid int, tasks ...task) member { return member{pid: pid, ppid: ppid, tasks: tasks} }

func (m member) with(ends ...pipeEnd) member {
	m.pipes = ends
	return m
}

func TestBlame(t *testing.T) {
	reads, writes := pipeEnd{inode: 7, read: true}, pipeEnd{inode: 7, write: true}
	reads8, writes8 := pipeEnd{inode: 8, read: true}, pipeEnd{inode: 8, write: true}
	for name, test := range map[string]struct {
		tree []member
		want end
	}{
		"runs":                           {[]member{process1(1, 0, runs)}, running},
		"asleep":                         {[]member{process1(1, 0, sleeps)}, asleep},
		"a shell and its child":          {[]member{process1(1, 0, waits), process1(2, 1, sleeps)}, asleep},
		"a child that runs":              {[]member{process1(1, 0, waits), process1(2, 1, sleeps), process1(3, 1, runs)}, running},
		"a child not seen yet":           {[]member{process1(1, 0, waits)}, between},
		"pause without a child":          {[]member{process1(1, 0, pauses)}, onUnknown},
		"a child that has ended":         {[]member{process1(1, 0, waits), process1(2, 1, zombie)}, between},
		"storage before sleep":           {[]member{process1(1, 0, waits), process1(2, 1, sleeps), process1(3, 1, stores)}, onStorage},
		"an orphan does not count":       {[]member{process1(1, 0, sleeps), process1(2, 99, runs)}, asleep},
		"a child that nothing waits for": {[]member{process1(1, 0, sleeps), process1(2, 1, runs)}, asleep},
		"grandchildren":                  {[]member{process1(1, 0, waits), process1(2, 1, waits), process1(3, 2, receives)}, onNetwork},
		"a pipe from outside":            {[]member{process1(1, 0, readsPipe(7)).with(reads)}, onInput},
		"its own writing end":            {[]member{process1(1, 0, readsPipe(7)).with(reads, writes)}, onInput},
		"a pipe to outside":              {[]member{process1(1, 0, writesPipe(7)).with(writes)}, onOutput},
		"the writer sleeps":              {[]member{process1(1, 0, readsPipe(7)).with(reads), process1(2, 9, sleeps).with(writes)}, asleep},
		"the reader sleeps":              {[]member{process1(1, 0, writesPipe(7)).with(writes), process1(2, 9, sleeps).with(reads)}, asleep},
		"another reader is no writer":    {[]member{process1(1, 0, readsPipe(7)).with(reads), process1(2, 9, runs).with(reads)}, onInput},
		"another pipe":                   {[]member{process1(1, 0, readsPipe(8)).with(reads), process1(2, 9, runs).with(writes)}, onInput},
		"the writer waits for a shell's child": {[]member{process1(1, 0, readsPipe(7)).with(reads), process1(2, 9, readsPipe(8)).with(writes, reads8),
			process1(3, 9, waits).with(writes8)}, between},
		"a circle": {[]member{process1(1, 0, readsPipe(7)).with(reads, writes8),
			process1(2, 9, readsPipe(8)).with(writes, reads8)}, between},
		"threads: one runs":                {[]member{process1(1, 0, joins, runs)}, running},
		"threads: the first decides":       {[]member{process1(1, 0, sleeps, receives)}, asleep},
		"threads: storage decides":         {[]member{process1(1, 0, sleeps, stores)}, onStorage},
		"threads: the first joins another": {[]member{process1(1, 0, joins, receives)}, onNetwork},
		"threads: all wait":                {[]member{process1(1, 0, joins, joins)}, onLock},
		"threads: all wait, one a while":   {[]member{process1(1, 0, joins, joinsLong)}, asleep},
		"a lock of a file":                 {[]member{process1(1, 0, waits), process1(2, 1, locked), process1(3, 1, sleeps)}, onLock},
		"a local socket":                   {[]member{process1(1, 0, asks)}, onInput},
		"a local socket inside":            {[]member{process1(1, 0, asks), process1(2, 9, stores)}, onStorage},
		"poll":                             {[]member{process1(1, 0, polls(readsPipe(7), receives)).with(reads)}, onNetwork},
		"poll on a pipe of its child":      {[]member{process1(1, 0, polls(readsPipe(7))).with(reads), process1(2, 1, runs).with(writes)}, running},
		"vfork":                            {[]member{process1(1, 0, task{state: 'D', wait: waiting{kind: child, end: between}}), process1(2, 1, runs)}, running},
	} {
		if got := blame(test.tree, 1); got.end != test.want {
			t.Errorf("%s: %v, want %v", name, got.end, test.want)
		}
		// The order in which processes are known does not matter.
		for range 5 {
			rand.Shuffle(len(test.tree), func(i, k int) { test.tree[i], test.tree[k] = test.tree[k], test.tree[i] })
			if got := blame(test.tree, 1); got.end != test.want {
				t.Errorf("%s, shuffled: %v, want %v", name, got.end, test.want)
			}
		}
	}
}

func TestBlameDetails(t *testing.T) {
	fresh := process1(2, 1, runs)
	fresh.fresh = true
	if m := blame([]member{process1(1, 0, waits), fresh}, 1); !m.fresh || m.ready != 1 {
		t.Errorf("a new process: %+v", m)
	}
	if m := blame([]member{process1(1, 0, runs, runs, joins), process1(2, 9, runs)}, 1); m.ready != 3 || m.turns {
		t.Errorf("three threads: %+v", m)
	}
	for name, test := range map[string]struct {
		tasks []task
		want  bool
	}{
		"one runs, one waits for it":     {[]task{turns, turned}, true},
		"one hands over to another":      {[]task{turns, turns}, true},
		"one of two runs for long":       {[]task{turns, runs, turned}, false},
		"three run":                      {[]task{turns, turns, turns, turned}, false},
		"its turns are long":             {[]task{runs, turned}, false},
		"the other's turns are long":     {[]task{turns, joins}, false},
		"many run little each":           {[]task{turns, turnsRare, turnsRare}, true},
		"one runs little":                {[]task{turns, turnsRare}, false},
		"others end their turns":         {[]task{{state: 'R', turns: 0.4, yields: 60}, turned}, false},
		"it waits with a limit of time":  {[]task{turns, {state: 'S', wait: joinsLong.wait, turns: 0.4, yields: 90}}, true},
		"it waits for something outside": {[]task{turns, {state: 'S', wait: sleeps.wait, turns: 0.4, yields: 90}}, false},
	} {
		if m := blame([]member{process1(1, 0, test.tasks...)}, 1); m.turns != test.want {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if m := blame([]member{process1(1, 0, sleeps)}, 1); m.name != "hrtimer_nanosleep" {
		t.Errorf("the function: %+v", m)
	}
}

func TestWaitOf(t *testing.T) {
	for _, test := range []struct {
		name  string
		state byte
		end   end
		kind  kind
		sure  bool
	}{
		{"hrtimer_nanosleep", 'S', asleep, outside, true},
		{"do_wait", 'S', between, child, true},
		{"sigsuspend.isra.0", 'S', onUnknown, child, true},
		{"kernel_clone", 'D', between, child, true},
		{"anon_pipe_read", 'S', onInput, pipe, false},
		{"pipe_write", 'S', onOutput, pipe, false},
		{"futex_wait_queue", 'S', running, sibling, false},
		{"folio_wait_bit_common", 'D', onStorage, outside, true},
		{"flock_lock_inode_wait", 'S', onLock, outside, true},
		{"do_signal_stop", 'T', stopped, outside, true},
		{"0", 'T', stopped, outside, true},
		{"0", 'D', onStorage, outside, false},
		{"0", 'S', onUnknown, outside, false},
		{"a_new_function", 'S', onUnknown, outside, false},
		{"do_wait_for_something_else", 'S', onUnknown, outside, false},
	} {
		w, sure := waitOf(test.name, test.state)
		if w.end != test.end || w.kind != test.kind || sure != test.sure {
			t.Errorf("%s in state %c: %+v, %v", test.name, test.state, w, sure)
		}
	}
}
