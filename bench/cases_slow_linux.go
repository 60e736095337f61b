package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/thresh-dev/thresh/lab/peer"
)

const (
	slowConns     = 10_000
	slowFinish    = 8
	slowFileBytes = 64 << 20
	slowKiBMax    = 64 // own memory of a server per download
	probes        = 500
	probeTimesMax = 4 // times the time of a small request on an idle server
)

// serveSlow measures servers during many slow downloads: their memory, and the time of small requests
// meanwhile.
func serveSlow(ctx context.Context, b *bench, name string) error {
	large, err := b.servedFile("slow", slowFileBytes)
	if err != nil {
		return err
	}
	defer large.Close() // read only
	small, err := b.servedFile("small-00", servedSmallBytes)
	if err != nil {
		return err
	}
	defer small.Close() // read only
	if err := large.warm(); err != nil {
		return err
	}
	limit, err := descriptors()
	if err != nil {
		return err
	}
	const spare = 200 // open files of a server other than its connections
	conns := int(min(slowConns, limit-min(limit, spare)))
	thresh, err := b.slowly(ctx, (*stage).serveThresh, large, small, conns)
	if err != nil {
		return err
	}
	nginx := "nginx is not installed"
	if peer.Missing("nginx") == "" {
		peer, err := b.slowly(ctx, (*stage).serveNginx, large, small, conns)
		if err != nil {
			return err
		}
		nginx = fmt.Sprintf("nginx %.1f KiB, p99 %.2f times idle", peer.kib, summarize(peer.times).Median)
	}
	note := fmt.Sprintf("%d at once, limit of open files %d; %s", conns, limit, nginx)
	b.add(row{
		Case: name, Peer: "memory", What: "KiB of own memory a download", Target: atMost(slowKiBMax),
		Number: summarize([]float64{thresh.kib}), Note: note,
	})
	b.add(row{
		Case: name, Peer: "p99", What: "times that of a small request when idle", Target: atMost(probeTimesMax),
		Number: summarize(thresh.times), Note: fmt.Sprintf("%s; idle %.0f µs, beside %.0f µs at the medians",
			note, 1e6*summarize(thresh.idle).Median, 1e6*summarize(thresh.beside).Median),
	})
	return nil
}

// slowness is the result for a server.
type slowness struct {
	kib                 float64 // of own memory a download
	idle, beside, times []float64
}

// slowly starts a server and the slow downloads, and measures before and during them.
func (b *bench) slowly(
	ctx context.Context, serve func(*stage, context.Context, string) (*server, error),
	large, small *subject, conns int,
) (found slowness, err error) {
	st, err := b.newStage()
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	s, err := serve(st, ctx, filepath.Dir(large.Name))
	if err != nil {
		return found, err
	}
	path := "/" + filepath.Base(large.Name)
	if err := s.sameFile(ctx, path, large); err != nil {
		return found, err
	}
	smallPath := "/" + filepath.Base(small.Name)
	if found.idle, err = st.probe(ctx, s, smallPath, small.Bytes); err != nil {
		return found, err
	}
	before, err := s.ownMemory()
	if err != nil {
		return found, err
	}
	fmt.Fprintf(b.log, "  %s, %d slow downloads\n", s.name, conns)
	args := []string{b.self, childCommand, "slow", s.addr, path, large.Name, strconv.Itoa(conns), strconv.Itoa(slowFinish)}
	err = meanwhile(ctx, on(st.pins.client, args...), conns, func() (err error) {
		if found.beside, err = st.probe(ctx, s, smallPath, small.Bytes); err != nil {
			return err
		}
		after, err := s.ownMemory()
		found.kib = float64(after-before) / 1024 / float64(conns)
		return err
	})
	found.times = ratios(found.beside, found.idle)
	return found, err
}

// meanwhile runs the slow downloads, and calls do when all have begun.
func meanwhile(ctx context.Context, args []string, conns int, do func() error) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdin, ierr := cmd.StdinPipe()
	stdout, oerr := cmd.StdoutPipe()
	if err := errors.Join(ierr, oerr); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(stdout)
	_, err := slowLine(lines, conns)
	if err == nil {
		err = do()
	}
	err = errors.Join(err, stdin.Close())
	if err == nil {
		var s slowState
		if s, err = slowLine(lines, conns); err == nil && s.Finished != min(slowFinish, conns) {
			err = fmt.Errorf("%d downloads ran to their end, want %d", s.Finished, slowFinish)
		}
	}
	io.Copy(io.Discard, lines) // lets the client end; there is no more output
	if werr := cmd.Wait(); werr != nil {
		err = errors.Join(fmt.Errorf("slow downloads: %w: %s", werr, peer.FirstLine(stderr.String())), err)
	}
	return err
}

// slowLine reads a line of the slow downloads.
func slowLine(lines *bufio.Reader, conns int) (s slowState, err error) {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return s, fmt.Errorf("slow downloads ended: %w", err)
	}
	if err := json.Unmarshal(line, &s); err != nil {
		return s, fmt.Errorf("output of the slow downloads: %q: %w", line, err)
	}
	if s.Conns != conns || s.Least <= 0 {
		return s, fmt.Errorf("output of the slow downloads: %q, want %d connections in progress", line, conns)
	}
	return s, nil
}

// first returns a command that runs another one ahead of all ordinary processes, or nothing without
// the right to do so. The probe shares its processor with the client of the slow downloads; without it,
// most of what it measures is the wait for that.
func first(ctx context.Context) []string {
	args := []string{"chrt", "-f", "1"}
	if exec.CommandContext(ctx, args[0], append(args[1:], "true")...).Run() != nil {
		return nil
	}
	return args
}

// probe returns the 99th percentile of a small request's time, in seconds, for each of several runs.
func (st *stage) probe(ctx context.Context, s *server, path string, bytes int64) (p99 []float64, err error) {
	c := st.client(s.name, "probe", s.addr, path, strconv.FormatInt(bytes, 10), strconv.Itoa(probes))
	c.args = append(first(ctx), c.args...)
	c.answer = func(string) (string, error) { return "", nil } // the child process checks it
	for range st.rounds + 1 {
		o, err := c.exec(ctx)
		if err != nil {
			return nil, err
		}
		var l latency
		if err := json.Unmarshal([]byte(o.stdout), &l); err != nil || l.P99 <= 0 {
			return nil, fmt.Errorf("output of the probe: %q: %w", peer.FirstLine(o.stdout), err)
		}
		p99 = append(p99, l.P99)
	}
	return p99[1:], nil
}
