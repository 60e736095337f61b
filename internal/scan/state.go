package scan

// state says how much of a scan still goes on. Each state also ends what the states before it
// ended:
//
//	running   pieces are handed out and searched, hits are emitted
//	draining  no more pieces in this phase; workers finish the pieces they hold
//	stopped   workers leave the pieces they hold; hits already found are still emitted
//	failed    no more hits are emitted
//	answered  the same, but as many hits as wanted were emitted, so a cancelled context that
//	          comes later is no error
//
// The transitions, and who asks for them:
//
//	running  -> draining        drain: the rate fell, or an engine refused the input;
//	                            deliver: too many hits wait for another phase
//	draining -> running         open: the next phase begins
//	up to draining -> stopped   stop: the context was cancelled, or a worker returned an error
//	up to stopped -> failed     fail: Emit, asking for holes, or dropping cached pages failed
//	up to stopped -> answered   emit: the last hit wanted was emitted
//
// Nothing leads out of failed and answered. The ledger's bound is not a state: it is the offset
// from which on hits do not matter, and pieces below it are still searched.
type state uint8

const (
	running state = iota
	draining
	stopped
	failed
	answered
)

// enter is the only place that changes the state. It ignores a transition that is not in the
// list, such as stopping a scan that has its answer. l.mu is held.
func (l *ledger) enter(next state) {
	nextPhase := next == running && l.state == draining
	if l.state >= failed || next <= l.state && !nextPhase {
		return
	}
	l.state = next
	if next >= stopped { // and never back: a searcher sets it too, to end the scan
		l.halt.Store(true)
	}
	l.moved.Broadcast()
}

// isStopped reports whether no more bytes need to be searched. It needs no lock, so that workers
// can ask often.
func (l *ledger) isStopped() bool { return l.halt.Load() }

// answered reports whether the last hit wanted was emitted.
func (l *ledger) answered() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == answered
}

// stop makes all workers stop. The flag comes first: an Emit that holds the lock may be waiting for
// a stream.
func (l *ledger) stop() {
	l.halt.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter(stopped)
}

// drain ends the phase after the pieces in hand.
func (l *ledger) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter(draining)
}

// abort makes all workers stop because of an error.
func (l *ledger) abort(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fail(err)
}

// fail records the first error, also of a scan that has its answer. l.mu is held.
func (l *ledger) fail(err error) {
	if l.failure == nil {
		l.failure = err
	}
	l.enter(failed)
}
