package copy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"github.com/thresh-dev/thresh/lab/processes"
)

func missing() string { return "" }

func (v variant) run(ctx context.Context, o options) (_ outcome, err error) {
	defer func() {
		if err != nil { // the processes end in any order after a cancellation, and may say only that
			err = fmt.Errorf("copy/%s: %w", v.id, errors.Join(context.Cause(ctx), err))
		}
	}()
	task, err := v.task(o)
	if err != nil {
		return outcome{}, err
	}
	own, others, err := processors()
	if err != nil {
		return outcome{}, err
	}
	target := o.file
	if v.relays() {
		upstream, address, err := startServer(ctx, others, nil, "raw", o.file)
		if err != nil {
			return outcome{}, err
		}
		defer func() { err = errors.Join(err, upstream.stop()) }()
		target = address
	}
	var t *tracer
	if o.trace {
		if t, err = newTracer(); err != nil {
			return outcome{}, err
		}
		defer func() { err = errors.Join(err, t.remove()) }()
	}
	server, address, err := startServer(ctx, own, t.command(), v.id, target)
	if err != nil {
		return outcome{}, err
	}
	task.Address = address
	measured, err := exchange(ctx, server, others, task)
	if err := errors.Join(err, server.stop()); err != nil {
		return outcome{}, err
	}
	if t != nil {
		if measured.calls, err = t.calls(); err != nil {
			return outcome{}, err
		}
	}
	return measured, nil
}

// task returns the client's task: how to get the file.
func (v variant) task(o options) (fetch, error) {
	f, err := os.Open(o.file)
	if err != nil {
		return fetch{}, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return fetch{}, err
	}
	size := info.Size() - v.asks.skipped()
	if size <= 0 {
		return fetch{}, fmt.Errorf("%s is too short: %d bytes", o.file, info.Size())
	}
	task := fetch{Asks: v.asks, URLPath: "/" + url.PathEscape(filepath.Base(o.file)), Bytes: size,
		Transfers: max(1, o.transfers)}
	if !o.hash {
		return task, nil
	}
	task.Hash, task.Prefix = true, make([]byte, v.asks.skipped())
	_, err = io.ReadFull(f, task.Prefix)
	return task, err
}

// startServer starts a server and returns its address.
func startServer(ctx context.Context, cpu int, tracer []string, id, target string) (*process, string, error) {
	p, err := start(ctx, cpu, tracer, "serve", id, target)
	if err != nil {
		return nil, "", err
	}
	var s started
	if err := p.read(&s); err != nil {
		return nil, "", errors.Join(err, p.stop())
	}
	return p, s.Address, nil
}

// exchange runs a client, and returns what the server used meanwhile.
func exchange(ctx context.Context, server *process, cpu int, task fetch) (outcome, error) {
	text, err := json.Marshal(task)
	if err != nil {
		return outcome{}, err
	}
	before, err := server.used()
	if err != nil {
		return outcome{}, err
	}
	client, err := start(ctx, cpu, nil, "fetch", string(text))
	if err != nil {
		return outcome{}, err
	}
	var f fetched
	err = client.read(&f)
	after, uerr := server.used()
	if err := errors.Join(err, client.stop(), uerr); err != nil {
		return outcome{}, err
	}
	return outcome{
		bytes:         task.Bytes * int64(task.Transfers),
		wallSeconds:   f.Seconds,
		userSeconds:   after.UserSeconds - before.UserSeconds,
		systemSeconds: after.SystemSeconds - before.SystemSeconds,
		io:            after.IO.minus(before.IO),
		sum:           f.Sum,
	}, nil
}

// used asks a server for its resource use so far. It returns an error if the server had errors.
func (p *process) used() (u usage, err error) {
	if _, err := fmt.Fprintln(p.stdin, "usage"); err != nil {
		return u, err
	}
	if err := p.read(&u); err != nil {
		return u, err
	}
	for _, e := range u.Errors {
		err = errors.Join(err, errors.New("server: "+e))
	}
	return u, err
}

// processors returns a CPU for the server and one for the other processes. They are the same if
// this process may use only one.
func processors() (own, others int, err error) {
	usable, err := processes.Processors()
	if err != nil {
		return 0, 0, err
	}
	return usable[0], usable[min(1, len(usable)-1)], nil
}
