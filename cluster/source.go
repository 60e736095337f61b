package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/remote"
)

// Input is an input as it was when the job was planned.
type Input struct {
	Name    string
	Bytes   int64  // size; of a compressed input the size of the file
	Version string // changes if the input is replaced
	Whole   bool   // it is compressed, or otherwise must be read from its beginning, by one worker
}

// sources knows where inputs come from: files of this machine, or of a file system that all machines share, and
// objects of HTTP servers and S3-compatible stores, which the driver and the workers reach as their environments say.
type sources struct {
	objects *remote.Client
	trial   trial
}

// newSources returns the sources of a driver or a worker. The trial is what trialVariable says.
func newSources(s3Endpoint, trial string) (*sources, error) {
	t, err := parseTrial(trial)
	if err != nil {
		return nil, err
	}
	return &sources{objects: remote.New(remote.Options{S3Endpoint: s3Endpoint}), trial: t}, nil
}

// close closes connections that are not in use.
func (s *sources) close() { s.objects.Close() }

// open opens an input and tells its version.
func (s *sources) open(ctx context.Context, name string) (*run.Input, Input, error) {
	switch {
	case source.IsRemote(name):
		return s.openObject(ctx, name)
	case s.trial.failing > 0:
		return openFailing(ctx, name, s.trial.failing)
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

// openObject opens an object. Every worker opens it for each of its cells, and all of them must get the same
// content, so that the object must have a version.
func (s *sources) openObject(ctx context.Context, name string) (*run.Input, Input, error) {
	if u, err := url.Parse(name); err == nil && u.User != nil {
		return nil, Input{}, fmt.Errorf("open %s: a password in an address would be known to all of the cluster",
			u.Redacted())
	}
	o, err := s.objects.OpenObject(ctx, name)
	if err != nil {
		return nil, Input{}, err
	}
	known := Input{Name: name, Bytes: o.Bytes(), Version: o.Version()}
	if known.Bytes < 0 || known.Version == "" && known.Bytes > 0 {
		return nil, Input{}, errors.Join(fmt.Errorf("open %s: the server has no ranges, or does not "+
			"say which version it sends, "+
			"so that workers might read different ones: ask thresh, or copy it to a store", name), o.Close())
	}
	in, err := run.FromObject(o, false)
	if err != nil {
		return nil, Input{}, err
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
func (s *sources) reopen(ctx context.Context, want Input) (*run.Input, error) {
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

func versionOf(info fs.FileInfo) string {
	return fmt.Sprintf("%x-%x", info.ModTime().UnixNano(), info.Size())
}

// list returns the files that arguments name, with their facts.
func (s *sources) list(ctx context.Context, args []string, recursive bool) (inputs []Input, err error) {
	listing := source.NewListing(args, recursive)
	listing.Remote = func(name string, recursive bool) iter.Seq2[string, error] {
		return s.objects.Files(ctx, name, recursive)
	}
	for name, err := range listing.Files() {
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
		if source.IsRemote(i.Name) {
			if slices.Contains(tensorEndings, strings.ToLower(path.Ext(i.Name))) {
				return fmt.Errorf("%s is a file of tensors by its name: ask thresh about its values, on one machine", i.Name)
			}
			continue
		}
		f, err := run.OpenTensors(i.Name)
		switch {
		case errors.Is(err, failure.ErrNoTensors):
		case err != nil:
			return err
		default:
			return errors.Join(fmt.Errorf("%s is a file of tensors (%s): ask thresh about its values, on one machine", i.Name,
				f.Format), f.Close())
		}
	}
	return nil
}

// tensorEndings end the names of files of tensors. Objects are told by their names: this saves a request for each.
var tensorEndings = []string{".npy", ".npz", ".safetensors", ".gguf"}
