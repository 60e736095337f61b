package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
)

// formatError returns the error for an input that cannot be decompressed.
func formatError(name string, err error) error {
	e := &failure.FormatError{Name: name, Err: err, Do: "thresh.Raw reads it as it is"}
	if unsupported := (*decompress.UnsupportedError)(nil); errors.As(err, &unsupported) {
		e.Do = unsupported.Then + "; " + e.Do
	}
	return e
}

// recognised returns the input for a source: its content if it is compressed. Streams are
// examined later, when they are read. A block device is never decompressed: its first bytes
// belong to the first sector and say nothing about the rest.
func recognised(f *source.File) (*Input, error) {
	if f.Kind == source.Stream || f.Kind == source.Device {
		return &Input{file: f, unsettled: f.Kind == source.Stream}, nil
	}
	buf := make([]byte, decompress.HeadBytes)
	n, brought, err := f.Head(buf)
	var format decompress.Format
	if err == nil { // otherwise the scan meets the error and reports the range
		format, err = decompress.RecogniseFile(f, buf[:n], f.Bytes)
		if _, ok := errors.AsType[*decompress.UnsupportedError](err); ok {
			return nil, formatError(f.Name, err)
		}
	}
	if promised, _ := decompress.ByName(f.Name); format == decompress.Plain && promised == decompress.Zip && err == nil &&
		decompress.Members(f, f.Bytes) != "" {
		format = decompress.Zip // after a program that extracts it
	}
	switch format {
	case decompress.Plain:
		if err := checkName(f.Name, n == 0, err); err != nil {
			return nil, err
		}
		return &Input{file: f, brought: []source.Range{brought}}, nil
	case decompress.Zip:
		members := decompress.Members(f, f.Bytes)
		if members == "" {
			members = "none that can be read"
		}
		return nil, &failure.ArchiveError{Name: f.Name, Members: members}
	}
	return &Input{file: f.AsStream(f.Name), compressed: &compressed{file: f, format: format},
		brought: []source.Range{brought}}, nil
}

// checkName returns an error for content that is not compressed although the name ends as if it
// were: the file has probably lost its beginning, and a count of the rest would be wrong.
// readErr is the error of reading the first bytes.
func checkName(name string, empty bool, readErr error) error {
	promised, ok := decompress.ByName(name)
	switch {
	case !ok:
		return nil
	case readErr != nil:
	case empty:
		readErr = fmt.Errorf("it is empty, which no %s file is", promised)
	default:
		readErr = fmt.Errorf("not a %s file, despite its name", promised)
	}
	return formatError(name, readErr)
}

// openMember opens "archive.zip:member". It returns nil without an error if the name does not
// mean that, because there is no such archive.
func openMember(name string) (*Input, error) {
	for _, pair := range decompress.SplitMember(name) {
		f, err := source.Open(pair[0])
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, failure.ErrDirectory) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !isArchive(f) {
			if err := f.Close(); err != nil {
				return nil, err
			}
			continue
		}
		return memberOf(f, pair[1])
	}
	return nil, nil
}

// FromArchive returns the input for a member of a zip archive on another machine. It owns the object.
func FromArchive(o source.Object, member string) (*Input, error) {
	f := source.FromObject(o)
	if f.Kind != source.Remote {
		return nil, errors.Join(&failure.ArchiveError{Name: f.Name}, f.Close())
	}
	return memberOf(f, member)
}

// memberOf returns the input for a member of an archive, which it owns.
func memberOf(archive *source.File, member string) (*Input, error) {
	m, err := decompress.OpenMember(archive, archive.Bytes, member)
	if err != nil {
		return nil, errors.Join(&failure.MemberError{Archive: archive.Name, Member: member, Err: err}, archive.Close())
	}
	return memberInput(archive, archive.Name+":"+member, m), nil
}

// isArchive reports whether a file is a zip archive.
func isArchive(f *source.File) bool {
	if f.Kind != source.Regular {
		return false
	}
	buf := make([]byte, decompress.HeadBytes)
	n, _, _ := f.Head(buf) // what cannot be read is not recognised
	return decompress.IsArchive(f.Name, buf[:n], int64(n) == f.Bytes)
}

// memberInput returns the input for a member of an archive.
func memberInput(archive *source.File, name string, m *decompress.Member) *Input {
	return &Input{file: archive.AsStream(name), compressed: &compressed{file: archive, format: m.Format, member: m}}
}

// binaryFormats are formats that are often mistaken for tables, by their first bytes. No text
// begins like that.
var binaryFormats = []struct{ begin, is, do string }{
	{"PAR1\x15", "a Parquet file", "duckdb and others make CSV of it; thresh.Raw reads it as it is"},
	{"ARROW1\x00\x00", "an Arrow file", "duckdb and others make CSV of it; thresh.Raw reads it as it is"},
}

// checkFormat returns an error if an input is clearly not delimited text.
func (t *tableRun) checkFormat(in *Input, span source.Range, head []byte) error {
	if t.raw || span.Off > 0 {
		return nil
	}
	if isUTF16(head) {
		return &failure.NotTextError{Name: in.Name(), Is: "UTF-16", Do: "pass it through iconv -f UTF-16 -t UTF-8"}
	}
	for _, f := range binaryFormats {
		if bytes.HasPrefix(head, []byte(f.begin)) {
			return &failure.NotTextError{Name: in.Name(), Is: f.is, Do: f.do}
		}
	}
	return nil
}

// isUTF16 reports whether text begins with a byte-order mark of UTF-16 and an ASCII letter.
func isUTF16(head []byte) bool {
	return len(head) >= 4 && (head[0] == 0xff && head[1] == 0xfe && head[2] > 0 && head[3] == 0 ||
		head[0] == 0xfe && head[1] == 0xff && head[2] == 0 && head[3] > 0)
}

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
