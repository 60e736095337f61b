package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
)

// Input is an input as it was when the job was planned.
type Input struct {
	Name    string
	Bytes   int64  // size; of a compressed input the size of the file
	Version string // changes if the input is replaced
	Whole   bool   // it is compressed, or otherwise must be read from its beginning, by one worker
}

// Reader reads ranges of an input that is not a local file. ReadAt may be called concurrently, and asks for
// the version that was opened: a replaced input is an error.
type Reader interface {
	io.ReaderAt
	io.Closer
	Bytes() int64
	Version() string
}

// Opener opens the inputs of a scheme, such as "s3".
type Opener func(ctx context.Context, name string) (Reader, error)

// Sources knows where inputs come from: files of this machine, or of a file system that all machines share,
// and what Schemes adds.
type Sources struct {
	Schemes map[string]Opener
	trial   trial
}

// open opens an input and tells its version.
func (s *Sources) open(ctx context.Context, name string) (*run.Input, Input, error) {
	scheme, _, ok := strings.Cut(name, "://")
	opener := s.Schemes[scheme]
	switch {
	case ok && opener == nil:
		return nil, Input{}, fmt.Errorf("open %s: no source is known for %s://", name, scheme)
	case ok:
		r, err := opener(ctx, name)
		if err != nil {
			return nil, Input{}, err
		}
		return ranged(name, r)
	case s.trial.failing > 0:
		r, err := openFile(name)
		if err != nil {
			return nil, Input{}, err
		}
		return ranged(name, retrying{ctx, failing{r, s.trial.failing}})
	}
	info, err := os.Stat(name)
	if err != nil && !strings.Contains(name, ".zip:") {
		return nil, Input{}, err
	}
	in, err := run.Open(name, false)
	if err != nil {
		return nil, Input{}, err
	}
	known := Input{Name: name}
	if info != nil {
		known.Bytes, known.Version = info.Size(), versionOf(info)
	}
	return in, known.with(in), nil
}

// with completes the facts about an input.
func (i Input) with(in *run.Input) Input {
	n, ok := in.Bytes()
	if i.Whole = !ok; ok {
		i.Bytes = n
	}
	return i
}

// reopen opens an input that must be the same as when the job was planned.
func (s *Sources) reopen(ctx context.Context, want Input) (*run.Input, error) {
	in, now, err := s.open(ctx, want.Name)
	if err != nil {
		return nil, err
	}
	if now != want {
		return nil,
			errors.Join(fmt.Errorf("%s changed while the job ran (it has %d bytes, version %s; had %d, %s): start again",
				want.Name, now.Bytes, now.Version, want.Bytes, want.Version), in.Close())
	}
	return in, nil
}

// ranged returns an input that is read in ranges, and closes the reader with it.
func ranged(name string, r Reader) (*run.Input, Input, error) {
	in, err := run.FromReaderAt(name, r, r.Bytes(), false)
	if err != nil {
		return nil, Input{}, errors.Join(err, r.Close())
	}
	in.CloseWith(r)
	return in, Input{Name: name, Bytes: r.Bytes(), Version: r.Version()}.with(in), nil
}

func versionOf(info fs.FileInfo) string {
	return fmt.Sprintf("%x-%x", info.ModTime().UnixNano(), info.Size())
}

// fileReader reads a local file as remote inputs are read.
type fileReader struct {
	*os.File
	info fs.FileInfo
}

func openFile(name string) (Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: it is not a regular file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return fileReader{f, info}, nil
}

func (r fileReader) Bytes() int64    { return r.info.Size() }
func (r fileReader) Version() string { return versionOf(r.info) }

// retrying reads again what could not be read, with pauses that double.
type retrying struct {
	ctx context.Context
	Reader
}

const (
	readTries = 8
	pauseMin  = 5 * time.Millisecond
)

// ReadAt reads at an offset. It gives up after readTries, and when the context ends.
func (r retrying) ReadAt(p []byte, off int64) (n int, err error) {
	for try := range readTries {
		if try > 0 {
			select {
			case <-r.ctx.Done():
				return n, errors.Join(err, r.ctx.Err())
			case <-time.After(pauseMin<<try + rand.N(pauseMin<<try)):
			}
		}
		var more int
		more, err = r.Reader.ReadAt(p[n:], off+int64(n))
		if n += more; err == nil || err == io.EOF {
			return n, err
		}
	}
	return n, fmt.Errorf("after %d tries: %w", readTries, err)
}

// list returns the files that arguments name, with their facts.
func (s *Sources) list(ctx context.Context, args []string, recursive bool) (inputs []Input, err error) {
	for name, err := range source.Expand(args, recursive) {
		if err != nil {
			return nil, err
		}
		if name == "-" {
			return nil, errors.New("standard input cannot be read by a cluster: name files")
		}
		in, known, err := s.open(ctx, name)
		if err == nil {
			err = in.Close()
		}
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, known)
	}
	if len(inputs) == 0 {
		return nil, errors.New("no input: name files")
	}
	return inputs, nil
}

// noTensors refuses files that say themselves which values they hold, and where: headers are no values.
func noTensors(inputs []Input) error {
	for _, i := range inputs {
		if strings.Contains(i.Name, "://") {
			continue
		}
		f, err := run.OpenTensors(i.Name)
		switch {
		case errors.Is(err, run.ErrNoTensors):
		case err != nil:
			return err
		default:
			return errors.Join(fmt.Errorf("%s is a file of tensors (%s): ask thresh about its values, on one machine", i.Name,
				f.Format), f.Close())
		}
	}
	return nil
}
