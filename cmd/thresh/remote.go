package main

import (
	"context"
	"iter"
	"net/url"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/remote"
)

// remotes opens objects on other machines. Its client is made when the first one is asked for.
type remotes struct {
	ctx      context.Context
	endpoint string
	client   *remote.Client
}

// open opens an object.
func (r *remotes) open(name string, options ...thresh.InputOption) (*thresh.Input, error) {
	return r.get().Open(r.ctx, name, options...)
}

// openTensors opens an object as a file of tensors.
func (r *remotes) openTensors(name string) (*thresh.TensorFile, error) {
	return r.get().OpenTensors(r.ctx, name)
}

// list lists the objects that a name means.
func (r *remotes) list(name string, recursive bool) iter.Seq2[string, error] {
	return r.get().Files(r.ctx, name, recursive)
}

func (r *remotes) get() *remote.Client {
	if r.client == nil {
		r.client = remote.New(remote.Options{S3Endpoint: r.endpoint})
	}
	return r.client
}

// connect lets the session open objects on other machines.
func (s *session) connect(ctx context.Context) {
	s.remotes = &remotes{ctx: ctx, endpoint: s.shared.s3Endpoint}
}

// openRemote opens an object for the runs over several inputs.
func (s *session) openRemote(name string) (*thresh.Input, error) {
	s.console.catch()
	return s.remotes.open(name, s.inputOptions()...)
}

// list lists the inputs that the arguments mean.
func (s *session) list(args []string) *thresh.Listing {
	l := thresh.NewListing(args, s.shared.recursive)
	l.SetRemote(s.remotes.list)
	return l
}

// mayBeSeveral reports whether the arguments may mean more than one input.
func (s *shared) mayBeSeveral(args []string) bool {
	return len(args) > 1 || s.recursive || len(args) == 1 && isPattern(args[0])
}

// isPattern reports whether a name stands for several objects of a store. No shell expands it.
func isPattern(name string) bool {
	return strings.HasPrefix(name, "s3://") && strings.ContainsAny(name, "*?[")
}

// openTensors opens a file or an object of tensors.
func (s *session) openTensors(name string) (*thresh.TensorFile, error) {
	if !thresh.IsRemote(name) {
		return thresh.OpenTensors(name)
	}
	s.console.catch()
	return s.remotes.openTensors(name)
}

// withoutPassword returns the name of an input as it may be shown.
func withoutPassword(name string) string {
	if u, err := url.Parse(name); thresh.IsRemote(name) && err == nil && u.User != nil {
		return u.Redacted()
	}
	return name
}
