package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/decompress"
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
	Raw     bool   // it is taken as it is
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
func (s *sources) open(ctx context.Context, name string, raw bool) (*run.Input, Input, error) {
	switch {
	case name == "-":
		return nil, Input{}, errors.New("standard input is read on one machine, and only alone")
	case source.IsRemote(name):
		return s.openObject(ctx, name, raw)
	case s.trial.failing > 0:
		return openFailing(ctx, name, s.trial.failing)
	}
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, Input{}, fmt.Errorf("open %s: it is no file for all machines, and is read on one machine, alone", name)
	}
	in, openErr := run.Open(name, raw)
	if openErr != nil {
		return nil, Input{}, openErr
	}
	known := Input{Name: name, Raw: raw}
	if err == nil { // and not the member of an archive
		known.Bytes, known.Version = info.Size(), versionOf(info)
	}
	return in, known.with(in), nil
}

// openObject opens an object. Every worker opens it for each of its cells, and all of them must get the same
// content, so that the object must have a version.
func (s *sources) openObject(ctx context.Context, name string, raw bool) (*run.Input, Input, error) {
	if u, err := url.Parse(name); err == nil && u.User != nil {
		return nil, Input{}, fmt.Errorf("open %s: a password in an address would be known to all of the cluster",
			u.Redacted())
	}
	o, err := s.objects.OpenObject(ctx, name)
	if err != nil {
		return nil, Input{}, err
	}
	known := Input{Name: name, Bytes: o.Bytes(), Version: o.Version(), Raw: raw}
	if known.Bytes < 0 || known.Version == "" && known.Bytes > 0 {
		return nil, Input{}, errors.Join(fmt.Errorf("open %s: the server has no ranges, or does not "+
			"say which version it sends, "+
			"so that workers might read different ones: ask thresh, or copy it to a store", name), o.Close())
	}
	in, err := run.FromObject(o, raw)
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
	in, now, err := s.open(ctx, want.Name, want.Raw)
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

// listed is an input, or why it cannot be opened.
type listed struct {
	Input
	name string
	err  error
}

// list returns the facts about inputs. Those that have vanished are left out.
func (s *sources) list(ctx context.Context, names iter.Seq2[string, error], v run.Callbacks) (all []listed, err error) {
	for name, err := range names {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var in *run.Input
		l := listed{name: name, err: err}
		if err == nil {
			if in, l.Input, l.err = s.open(ctx, name, v.Raw); l.err == nil {
				l.err = in.Close()
			}
		}
		var archive *failure.ArchiveError
		switch {
		case v.Archives && errors.As(l.err, &archive) && archive.Members != "" && !source.IsRemote(name):
			members, err := s.list(ctx, membersOf(name), v)
			if err != nil {
				return nil, err
			}
			all = append(all, members...)
		case l.err == nil || v.Vanished == nil || !v.Vanished(name, l.err):
			all = append(all, l)
		}
	}
	return all, nil
}

// membersOf returns the names of the members of an archive.
func membersOf(archive string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		f, err := source.Open(archive)
		if err != nil {
			yield(archive, err)
			return
		}
		defer f.Close() // only read from, so an error loses nothing
		members, err := decompress.AllMembers(f, f.Bytes)
		if err != nil {
			yield(archive, err)
			return
		}
		for member, err := range members {
			if !yield(archive+":"+member.Name, err) {
				return
			}
		}
	}
}
