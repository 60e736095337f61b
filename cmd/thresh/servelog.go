package main

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// logFile is a file that lines are appended to, and that can be opened anew under its name
// when the old one was moved away.
type logFile struct {
	path string
	mu   sync.Mutex
	file *os.File
}

func openLog(path string) (*logFile, error) {
	l := &logFile{path: path}
	return l, l.reopen()
}

// reopen changes over when the new file is there, so that no line is lost.
func (l *logFile) reopen() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		return fmt.Errorf("open the access log: %w", err)
	}
	l.mu.Lock()
	old := l.file
	l.file = f
	l.mu.Unlock()
	if old == nil {
		return nil
	}
	return old.Close()
}

func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Write(p)
}

// Close closes the file.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// rate is a flag of bytes a second: a size, with or without /s.
type rate int64

func (r *rate) String() string {
	if *r == 0 {
		return ""
	}
	return fmt.Sprintf("%dB/s", int64(*r))
}

func (r *rate) Type() string { return "rate" }

func (r *rate) Set(text string) error {
	n, err := bytesize.Parse(strings.TrimSuffix(text, "/s"))
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s sends nothing; leave the flag out for no limit", text)
	}
	*r = rate(n)
	return nil
}
