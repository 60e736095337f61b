package source

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
)

// Object is content on another machine. Package remote has those of HTTP servers and S3 stores. All
// methods but Close are safe for concurrent use.
type Object interface {
	// Name returns the name that results and errors use.
	Name() string
	// Bytes returns the size; -1 if the content can only be read once, from its start.
	Bytes() int64
	// ReadRange returns the bytes from off to end, all of them of the version that was opened. An object of
	// unknown size is read from 0 to -1. Errors come from Read; a cancelled context ends a Read that waits.
	ReadRange(ctx context.Context, off, end int64) io.ReadCloser
	// Traffic returns how long the server takes until an answer begins, and how often it asked for fewer
	// requests.
	Traffic() (latency time.Duration, throttled int64)
	// Close releases what the object holds. No read may be in progress.
	Close() error
}

// IsRemote reports whether a name is that of an object: it begins with https://, http:// or s3://.
func IsRemote(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && (scheme == "https" || scheme == "http" || scheme == "s3")
}

// FromObject returns an input that reads an object. Close closes the object.
func FromObject(o Object) *File {
	if o.Bytes() >= 0 {
		w := newWindow(o)
		return &File{Name: o.Name(), Kind: Remote, Bytes: o.Bytes(), object: o, at: w, window: w, closer: closers{w, o}}
	}
	r := o.ReadRange(context.Background(), 0, -1)
	return &File{Name: o.Name(), Kind: Stream, Bytes: -1, object: o, r: r, closer: closers{r, o}}
}

// Object returns the object that the input reads, nil for every other input.
func (f *File) Object() Object { return f.object }

// Interrupt ends reads of an object that wait for the network, and those that follow until Resume is
// called. It does nothing to other inputs.
func (f *File) Interrupt() {
	if f.window != nil {
		f.window.interrupt()
	}
}

// Resume allows reads again.
func (f *File) Resume() {
	if f.window != nil {
		f.window.resume()
	}
}

// closers are closed in order.
type closers []io.Closer

func (c closers) Close() (err error) {
	for _, each := range c {
		err = errors.Join(err, each.Close())
	}
	return err
}
