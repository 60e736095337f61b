package run

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
)

// watchEvery is how often a scan that is over is noticed while a compressed object is waited for.
const watchEvery = 40 * time.Millisecond

// watchedObject is the content of a compressed object. Its reads end when the scan is over.
type watchedObject struct {
	io.ReadCloser
	file *source.File
	over chan struct{}
	wg   sync.WaitGroup
}

// openRemote opens an engine for an object. Reads in order end when the scan is over, as ranges do by themselves.
func openRemote(name string, f *source.File, c engine.Config) (engine.Engine, error) {
	e, err := openEngine(name, f, c)
	if err != nil || name != plan.Stream {
		return e, err
	}
	return &watchedEngine{e, watchObject(io.NopCloser(nil), f, c.Stop)}, nil
}

// watchedEngine reads an object in order.
type watchedEngine struct {
	engine.Engine
	watch io.Closer
}

func (e *watchedEngine) Close() error { return errors.Join(e.watch.Close(), e.Engine.Close()) }

// watchObject returns the content r of a compressed object.
func watchObject(r io.ReadCloser, file *source.File, stop func() bool) io.ReadCloser {
	file.Resume()
	w := &watchedObject{ReadCloser: r, file: file, over: make(chan struct{})}
	w.wg.Go(func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-w.over:
				return
			case <-tick.C:
				if stop() {
					file.Interrupt()
					return
				}
			}
		}
	})
	return w
}

// Close ends the requests, so that no goroutine of the decompressor waits for one.
func (w *watchedObject) Close() error {
	close(w.over)
	w.wg.Wait()
	w.file.Interrupt()
	err := w.ReadCloser.Close()
	w.file.Resume() // to look around hits
	return err
}
