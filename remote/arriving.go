package remote

import (
	"context"
	"io"
	"sync"
	"time"
)

// arriving is a body that is read once. A goroutine reads ahead, so that a reader need not wait for ever.
type arriving struct {
	parts  chan part
	free   chan []byte
	cancel context.CancelFunc
	done   chan struct{}
	close  sync.Once

	part part // of which the rest has not been read
}

type part struct {
	data []byte
	buf  []byte
	err  error
}

const (
	arrivingBytes = 256 << 10
	arrivingParts = 8
)

func newArriving(body io.ReadCloser, cancel context.CancelFunc) *arriving {
	a := &arriving{parts: make(chan part, arrivingParts), free: make(chan []byte, arrivingParts),
		cancel: cancel, done: make(chan struct{})}
	for range arrivingParts {
		a.free <- nil // allocated when it is needed
	}
	go a.pump(body)
	return a
}

// pump reads the body until it ends or Close is called.
func (a *arriving) pump(body io.ReadCloser) {
	defer close(a.done)
	defer body.Close()
	for buf := range a.free {
		if buf == nil {
			buf = make([]byte, arrivingBytes)
		}
		n, err := body.Read(buf)
		a.parts <- part{buf[:n], buf, err}
		if err != nil {
			return
		}
	}
}

// ReadWithin reads what has arrived, and waits no longer than the given time. Idle reports that it waited.
func (a *arriving) ReadWithin(p []byte, wait time.Duration) (n int, idle bool, err error) {
	if len(a.part.data) == 0 && a.part.err == nil {
		if a.part.buf != nil {
			a.free <- a.part.buf
			a.part = part{}
		}
		select {
		case a.part = <-a.parts:
		default:
			idle = true
			timer := time.NewTimer(wait)
			defer timer.Stop()
			select {
			case a.part = <-a.parts:
			case <-timer.C:
				return 0, true, nil
			}
		}
	}
	n = copy(p, a.part.data)
	a.part.data = a.part.data[n:]
	if n == 0 {
		err = a.part.err
	}
	return n, idle, err
}

func (a *arriving) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if n, _, err := a.ReadWithin(p, time.Minute); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// Close ends the request and waits for the goroutine.
func (a *arriving) Close() error {
	a.close.Do(func() {
		a.cancel()
		close(a.free)
		<-a.done
	})
	return nil
}
