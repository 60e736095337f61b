package run

import (
	"bytes"
	"errors"
	"io"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// prefix is what was read of a stream before the scan; the scan begins with it.
type prefix struct {
	bytes []byte
	err   error // that followed; nil if the stream goes on
}

// comesOnce reports whether the input is a pipe or something like it, compressed or not.
func (in *Input) comesOnce() bool {
	return in.file.Kind == source.Stream && (in.compressed == nil || in.compressed.file.Kind == source.Stream)
}

// fromStart returns a reader of a stream from its start. Before the scan it keeps what it reads,
// so that the scan can begin with it.
func (in *Input) fromStart(stop func() bool) io.Reader {
	rest := stream.NewReader(in.file, stop)
	switch {
	case in.prefix.err != nil:
		rest = ended{in.prefix.err}
	case !in.scanned:
		rest = &keeper{rest, &in.prefix}
	}
	return io.MultiReader(bytes.NewReader(in.prefix.bytes), rest)
}

// ended is a reader that always returns the error a stream ended with.
type ended struct{ err error }

func (e ended) Read([]byte) (int, error) { return 0, e.err }

// keeper adds what it reads to a prefix.
type keeper struct {
	io.Reader
	prefix *prefix
}

func (k *keeper) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	k.prefix.bytes = append(k.prefix.bytes, p[:n]...)
	if !errors.Is(err, stream.ErrStopped) {
		k.prefix.err = err
	}
	return n, err
}

// settle finds out whether a stream is compressed, and reads no more of it than that takes.
// When stop becomes true it returns early, and the stream stays unsettled.
func (in *Input) settle(stop func() bool) error {
	if !in.unsettled {
		return nil
	}
	r := &keeper{stream.NewReader(in.file, stop), &in.prefix}
	buf := make([]byte, decompress.HeadBytes)
	for {
		head := in.prefix.bytes
		if len(head) > 0 || in.prefix.err != nil {
			format, settled, err := decompress.Recognise(head, in.prefix.err != nil)
			switch {
			case err != nil:
				return formatError(in.Name(), err)
			case settled:
				return in.settled(format)
			}
		}
		if _, err := r.Read(buf[:decompress.HeadBytes-len(head)]); errors.Is(err, stream.ErrStopped) {
			return nil
		}
	}
}

// settled records the format that a stream was found to have.
func (in *Input) settled(format decompress.Format) error {
	in.unsettled = false
	switch format {
	case decompress.Plain:
		ended := in.prefix.err == io.EOF
		if ended || in.prefix.err == nil {
			return checkName(in.Name(), ended && len(in.prefix.bytes) == 0, nil)
		}
		return nil // the scan reports the error
	case decompress.Zip:
		return &failure.ArchiveError{Name: in.Name()}
	}
	in.compressed = &compressed{file: in.file, format: format}
	return nil
}

// openStream opens the engine for a stream. It keeps the given number of bytes around hits.
func (in *Input) openStream(f *source.File, c engine.Config, u decompress.Options,
	around int64) (engine.Engine, error) {
	if err := in.settle(c.Stop); err != nil {
		return nil, err
	}
	in.scanned = true
	var e engine.Engine
	var err error
	switch {
	case in.compressed != nil:
		e, err = in.openArriving(f.Name, in.streamReader(u, c.Stop), c)
	case in.filter != nil:
		e, err = in.openArriving(f.Name, io.NopCloser(in.fromStart(c.Stop)), c)
	default:
		e, err = stream.OpenBehind(in.prefix.bytes, in.prefix.err, f, c)
	}
	if err == nil && around > 0 {
		in.view = stream.Keep(e, int(around))
	}
	return e, err
}

// openArriving opens the engine for what the filter passes on of a stream.
func (in *Input) openArriving(name string, r io.ReadCloser, c engine.Config) (engine.Engine, error) {
	r, err := in.filtered(r)
	if err != nil {
		return nil, err
	}
	return stream.OpenArriving(name, r, c)
}
