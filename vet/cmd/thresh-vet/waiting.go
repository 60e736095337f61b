package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

const clearLine = "\r\x1b[K"

// shown does work that is silent for as long as it compiles what the packages import. A terminal shows for how
// long; what the work complains about follows.
func shown(stderr io.Writer, work func(complaints io.Writer) error) error {
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return work(stderr)
	}
	var complaints bytes.Buffer
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		began := time.Now()
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				fmt.Fprintf(f, "%schecking packages, %.0f s; the next time is faster", clearLine, time.Since(began).Seconds())
			}
		}
	}()
	err := work(&complaints)
	close(quit)
	<-gone
	fmt.Fprint(f, clearLine)
	if _, writeErr := f.Write(complaints.Bytes()); err == nil {
		err = writeErr
	}
	return err
}
