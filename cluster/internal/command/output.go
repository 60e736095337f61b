package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/thresh-dev/thresh/internal/output/outfile"
	"github.com/thresh-dev/thresh/remote"
)

// output is where results go. They appear there with commit, all at once.
type output interface {
	io.Writer
	commit() error
	abort() error
}

// create returns the output that --output names; without it, standard output.
func (p *printer) create(ctx context.Context) (output, error) {
	switch {
	case p.output == "":
		return standard{p.stdout}, nil
	case remote.Is(p.output):
		f, err := os.CreateTemp("", "thresh-cluster-*") // the folder is removed at the end, see temporary
		if err != nil {
			return nil, fmt.Errorf("keep the results until they are complete: %w", err)
		}
		return &object{ctx: ctx, name: p.output, endpoint: p.s3Endpoint, File: f}, nil
	}
	f, err := outfile.Create(p.output)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

// checkOutput finds out before a job whether its results could never be stored: no such bucket, or wrong keys.
func (p *printer) checkOutput(ctx context.Context) error {
	if !remote.Is(p.output) {
		return nil
	}
	client := remote.New(remote.Options{S3Endpoint: p.s3Endpoint})
	defer client.Close()
	o, err := client.OpenObject(ctx, p.output)
	var refused *remote.StatusError
	switch {
	case err == nil:
		return o.Close() // it will be replaced
	case errors.As(err, &refused) && refused.Status == http.StatusNotFound && refused.Code != "NoSuchBucket",
		errors.As(err, &refused) && refused.Code == "AccessDenied": // to read it, but perhaps not to write it
		return nil
	}
	return fmt.Errorf("--output: %w", err)
}

// standard is standard output.
type standard struct{ io.Writer }

func (standard) commit() error { return nil }
func (standard) abort() error  { return nil }

// file is a file that appears when it is complete.
type file struct{ *outfile.File }

func (f file) commit() error { return f.Commit(true) }
func (f file) abort() error  { return f.Abort() }

// object is an object of a store. Its content is in a temporary file until it is complete.
type object struct {
	*os.File
	ctx            context.Context
	name, endpoint string
}

func (o *object) commit() error {
	client := remote.New(remote.Options{S3Endpoint: o.endpoint})
	defer client.Close()
	info, err := o.Stat()
	if err == nil {
		err = client.Put(o.ctx, o.name, o.File, info.Size())
	}
	return errors.Join(err, o.Close())
}

func (o *object) abort() error { return o.Close() }
