// Package follow reads a file as it grows, through rotations. Its path may get another file by a rename, a link or a
// new file of the same name: the old one is read to its end, and again after a moment, and then the new one. The file
// may be copied and truncated: see doubt.go.
//
// A file is looked at when the system says that something happened to it, and its path each second, too: that is all
// there is on network file systems, where no watch sees what other machines do, and when no more watches are allowed.
package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Options say where reading begins and ends. The times are for tests; 0 is the usual one.
type Options struct {
	Last int               // how many lines of a file that is there are read first
	Note func(text string) // is called with what happens to the file; may be nil
	Look time.Duration     // how often the path is looked at
	// Moment passes between two looks that decide: that a file has ended, or that it was truncated.
	Moment time.Duration
	Alone  bool // the system is not asked for watches
}

const (
	lookEvery = time.Second
	moment    = 250 * time.Millisecond
)

// File is a file that is followed. Its methods are for one goroutine at a time.
type File struct {
	path  string
	ctx   context.Context
	o     Options
	plain bool // the path was a regular file: no link is followed from then on
	seen  bool // the path was looked at when something was there

	files []*generation // the file that is read, and those that came after it
	watch *watch        // nil: there are only looks
	look  time.Time     // when the path is looked at next
	until time.Time     // following ends then; zero: never
	said  string        // the last problem with the path

	stop time.Time // reading ends then, because ctx has ended; zero: it has not

	idle bool // all that was there has been read, and nothing has happened since
	cut  bool // the last byte that was read is not a line feed
}

// Open begins to follow a path. Nothing need be there yet. The end of ctx is the end of the file.
func Open(ctx context.Context, path string, o Options) (*File, error) {
	if o.Look == 0 {
		o.Look = lookEvery
	}
	if o.Moment == 0 {
		o.Moment = moment
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	f := &File{path: path, ctx: ctx, o: o}
	if !o.Alone {
		f.watch = newWatch(path)
	}
	switch g, err := f.open(); {
	case errors.Is(err, fs.ErrNotExist):
		f.problem("is not there yet")
	case err != nil:
		return nil, errors.Join(err, f.watch.close())
	default:
		if err := g.begin(o.Last); err != nil {
			return nil, errors.Join(fmt.Errorf("follow %s: %w", path, err), g.f.Close(), f.watch.close())
		}
		f.add(g)
	}
	f.look = time.Now().Add(o.Look)
	return f, nil
}

// Name returns the path.
func (f *File) Name() string { return f.path }

// Current returns the file that is read, and its size; nil if there is none yet.
func (f *File) Current() (file *os.File, size int64) {
	if len(f.files) == 0 {
		return nil, 0
	}
	return f.files[0].f, f.files[0].size()
}

// Begin sets where reading begins in the file that is there, before the first read.
func (f *File) Begin(off int64) error { return f.files[0].seek(off) }

// Until ends following at a time, when all that is there by then has been read.
func (f *File) Until(t time.Time) { f.until = t }

// Close closes what is open.
func (f *File) Close() error {
	err := f.watch.close()
	for _, g := range f.files {
		err = errors.Join(err, g.f.Close())
	}
	f.files = nil
	return err
}

// Read waits for bytes.
func (f *File) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if n, _, err := f.ReadWithin(p, f.o.Look); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// ReadWithin reads what is there, and waits no longer than the given time. Idle reports that nothing more is there.
func (f *File) ReadWithin(p []byte, wait time.Duration) (n int, idle bool, err error) {
	for end := time.Now().Add(wait); ; {
		if !f.idle {
			n, err := f.read(p)
			if n > 0 || err != nil || len(p) == 0 {
				return n, n < len(p), err
			}
		}
		left := time.Until(end)
		if left <= 0 {
			return 0, true, nil
		}
		f.idle = !f.wait(left)
	}
}

// read reads what is there.
func (f *File) read(p []byte) (n int, err error) {
	now := time.Now()
	if f.ctx.Err() != nil && f.stop.IsZero() {
		f.stop = now.Add(f.o.Moment)
	}
	if !f.stop.IsZero() && now.After(f.stop) {
		return 0, io.EOF // too much is there to be read to its end
	}
	if !now.Before(f.look) || f.watch.moved() {
		f.find()
		f.look = now.Add(f.o.Look)
	}
	for again := len(f.files) > 0 && len(p) > 0; again; {
		g := f.files[0]
		if n, err = g.read(p); err != nil && !g.failed { // as on network file systems, of a file that was removed
			g.failed = true
			f.o.Note(err.Error())
		}
		if n == 0 && g.doubt != nil {
			n = f.decide(g, p)
		}
		if again = n == 0 && f.ended(g, now); again {
			n = f.next(p)
			again = n == 0
		}
	}
	if n > 0 {
		f.cut = p[n-1] != '\n'
		return n, nil
	}
	if f.ctx.Err() != nil || !f.until.IsZero() && now.After(f.until.Add(f.o.Moment)) {
		return 0, io.EOF
	}
	return 0, nil
}

// ended reports whether a file of which all was read is not written any more: another one has taken its place, and
// something was written to that, and a moment has passed since then.
func (f *File) ended(g *generation, now time.Time) bool {
	switch {
	case len(f.files) == 1 || len(f.files) == 2 && f.files[1].size() == 0:
		g.ended = time.Time{}
		return false
	case g.ended.IsZero():
		g.ended = now
	}
	return now.Sub(g.ended) >= f.o.Moment
}

// next goes on with the next file. A line that the old one has begun ends there.
func (f *File) next(p []byte) int {
	f.files[0].f.Close() // only read from, so an error loses nothing
	f.files = f.files[1:]
	f.watch.file(f.files[0].f)
	return f.endLine(p)
}

// endLine ends the line that was begun.
func (f *File) endLine(p []byte) int {
	if !f.cut {
		return 0
	}
	return copy(p, "\n")
}

// wait returns when something may have changed, after some time at the latest, and whether it may have.
func (f *File) wait(longest time.Duration) bool {
	next := time.Until(f.look)
	if len(f.files) > 1 || len(f.files) == 1 && f.files[0].doubt != nil {
		next = min(next, f.o.Moment/4)
	}
	happened := f.watch.wait(f.ctx, max(min(longest, next), time.Millisecond))
	return happened || next <= longest || f.ctx.Err() != nil
}

// find looks whether the path is another file now.
func (f *File) find() {
	if n := len(f.files); n > 0 {
		at, err := f.identify()
		if err == nil && at.same(f.files[n-1].identity) {
			f.said = ""
			return
		}
	}
	switch g, err := f.open(); {
	case errors.Is(err, fs.ErrNotExist):
		f.problem("is not there; what is written to the old file is still read")
	case err != nil:
		f.problem("cannot be opened: " + err.Error())
	case len(f.files) > 0 && g.same(f.files[len(f.files)-1].identity):
		g.f.Close() // it was back before it was opened; only read from, so an error loses nothing
	default:
		f.add(g)
	}
}

// add adds a file that has taken the path.
func (f *File) add(g *generation) {
	if f.files = append(f.files, g); len(f.files) == 1 {
		f.watch.file(g.f)
	}
	f.said = ""
}

// problem says what is wrong with the path, once.
func (f *File) problem(text string) {
	if f.said != text {
		f.said = text
		f.o.Note(f.path + " " + text)
	}
}

// identify returns what is at the path.
func (f *File) identify() (identity, error) {
	stat := os.Stat
	if f.plain {
		stat = os.Lstat
	}
	info, err := stat(f.path)
	if err != nil {
		return identity{}, err
	}
	return identity{info, bornPath(f.path)}, nil
}

// open opens what is at the path.
func (f *File) open() (*generation, error) {
	info, err := os.Lstat(f.path)
	if err != nil {
		return nil, err
	}
	if f.plain && info.Mode()&fs.ModeSymlink != 0 {
		return nil, errors.New("it was a file, and is a symbolic link now, which is not followed")
	}
	file, err := os.OpenFile(f.path, os.O_RDONLY|openFlags(f.plain), 0)
	if err != nil {
		return nil, err
	}
	opened, err := file.Stat()
	if err == nil && !opened.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file, and cannot be followed", filepath.Base(f.path))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if !f.seen {
		f.seen, f.plain = true, info.Mode().IsRegular()
	}
	return &generation{f: file, identity: identity{opened, born(file)}}, nil
}

// pause returns after some time, or when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
