package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/remote"
)

// toStore has the verb write to a temporary file if its output is an object of a store. It returns what puts the file
// there if the verb has succeeded. It finds out before whether that could never work: no such bucket, or wrong keys.
func (w *where) toStore(ctx context.Context) (put func(error) error, err error) {
	target := *w.output
	if !remote.Is(target) {
		return func(err error) error { return err }, nil
	}
	client := remote.New(remote.Options{S3Endpoint: *w.s3})
	if err := mayStore(ctx, client, target); err != nil {
		client.Close()
		return nil, err
	}
	*w.output = filepath.Join(os.TempDir(), filepath.Base(target)) // whose ending says the format
	return func(err error) error {
		defer client.Close()
		var exit *command.ExitError
		f, openErr := os.Open(*w.output)
		if openErr != nil { // it would have been incomplete
			return err
		}
		info, statErr := f.Stat()
		if statErr == nil && (err == nil || errors.As(err, &exit) && exit.Status == command.Nothing) {
			err = errors.Join(client.Put(ctx, target, f, info.Size()), err)
		}
		return errors.Join(err, statErr, f.Close())
	}, nil
}

// mayStore returns an error if nothing can be stored under a name.
func mayStore(ctx context.Context, client *remote.Client, name string) error {
	if len(name) < 5 || name[:5] != "s3://" {
		return fmt.Errorf("--output %s: only files and s3://BUCKET/KEY can be written", name)
	}
	o, err := client.OpenObject(ctx, name)
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
