package donations

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// chunkLines is how many lines a goroutine gets, from revision 2 on.
var chunkLines = 64 * 1024

// entry is a parsed line, as revisions 2 to 8 have it.
type entry struct {
	firstName, name, date string
}

// parser parses a line.
type parser func(text string) (entry, error)

// newParser returns a parser that finds first names in this way.
func newParser(firstName func(name string) string) parser {
	return func(text string) (entry, error) {
		fields, err := split(text)
		if err != nil {
			return entry{}, err
		}
		e := entry{name: strings.TrimSpace(fields[nameField])}
		e.firstName = firstName(e.name)
		digits := fields[imageField][:monthDigits]
		e.date = digits[:4] + "-" + digits[4:]
		return e, nil
	}
}

// eachChunk calls process in a goroutine of its own for each chunk of lines, and waits for all of them.
// fresh returns an empty slice for the next lines.
func eachChunk(path string, fresh func() []string, process func(chunk int, lines []string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	return eachChunkOf(path, f, fresh, process)
}

func eachChunkOf(path string, in io.Reader, fresh func() []string,
	process func(chunk int, lines []string) error) error {
	var (
		wg      sync.WaitGroup
		failure firstError
		chunk   int
		full    = chunkLines
		lines   = fresh()
	)
	flush := func() {
		number, toProcess := chunk, lines
		wg.Go(func() { failure.keep(process(number, toProcess)) })
		chunk++
		lines = fresh()
	}
	failure.keep(eachLineOf(path, in, func(text string) error {
		if lines = append(lines, text); len(lines) == full {
			flush()
		}
		return nil
	}))
	if len(lines) > 0 {
		flush()
	}
	wg.Wait()
	return failure.of(path)
}

// firstError keeps the first error of several goroutines.
type firstError struct {
	mu  sync.Mutex
	err error
}

func (f *firstError) keep(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *firstError) of(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return fmt.Errorf("answer questions about %s: %w", path, f.err)
	}
	return nil
}

// newLines returns a slice for the lines of a chunk, allocated anew.
func newLines() []string { return make([]string, 0, chunkLines) }
