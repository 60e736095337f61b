package versus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
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
func serveSlow(b *bench) {
	large, small := b.servedFile("slow", slowFileBytes), b.servedFile("small-00", servedSmallBytes)
	check(large.Warm())
	limit := try(descriptors())
	const spare = 200 // open files of a server other than its connections
	conns := int(min(slowConns, limit-min(limit, spare)))
	slowly := func(serve func(st *stage, folder string) *server) (found slowness) {
		b.staged(func(st *stage) { found = st.slowly(serve(st, filepath.Dir(large.Name)), large, small, conns) })
		return found
	}
	thresh := slowly(func(st *stage, folder string) *server { return st.serveThresh(folder, nil) })
	nginx := "nginx is not installed"
	if peer.Missing("nginx") == "" {
		peer := slowly((*stage).serveNginx)
		nginx = fmt.Sprintf("nginx %.1f KiB, p99 %.2f times idle", peer.kib, median(peer.times))
	}
	note := fmt.Sprintf("%d at once, limit of open files %d; %s", conns, limit, nginx)
	b.add(lab.Row{
		Peer: "memory", What: "KiB of own memory a download", Target: lab.AtMost(slowKiBMax),
		Number: lab.Summarize([]float64{thresh.kib}), Note: note,
	})
	b.add(lab.Row{
		Peer: "p99", What: "times that of a small request when idle", Target: lab.AtMost(probeTimesMax),
		Number: lab.Summarize(thresh.times), Note: fmt.Sprintf("%s; idle %.0f µs, beside %.0f µs at the medians",
			note, 1e6*median(thresh.idle), 1e6*median(thresh.beside)),
	})
}

// slowness is the result for a server.
type slowness struct {
	kib                 float64 // of own memory a download
	idle, beside, times []float64
}

// slowly starts the slow downloads of a server, and measures before and during them.
func (st *stage) slowly(s *server, large, small *pagecache.File, conns int) (found slowness) {
	st.sameFile(s, large)
	found.idle = st.probe(s, small)
	before := try(s.ownMemory())
	st.logf("  %s, %d slow downloads", s.name, conns)
	client := st.client("", "", "slow", s.addr, path(large), large.Name, conns, slowFinish)
	check(st.meanwhile(client.args, conns, func() {
		found.beside = st.probe(s, small)
		found.kib = float64(try(s.ownMemory())-before) / 1024 / float64(conns)
	}))
	found.times = quantile.Ratios(found.beside, found.idle)
	return found
}

// meanwhile runs the slow downloads, and calls do when all have begun.
func (st *stage) meanwhile(args []string, conns int, do func()) error {
	cmd := exec.CommandContext(st.ctx, args[0], args[1:]...)
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
	err := ended(func() {
		try(slowLine(lines, conns))
		do()
		check(stdin.Close())
		if s := try(slowLine(lines, conns)); s.Finished != min(slowFinish, conns) {
			check(fmt.Errorf("%d downloads ran to their end, want %d", s.Finished, slowFinish))
		}
	})
	stdin.Close()              // also after an error: it ends the client
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
func (b *bench) first() []string {
	args := []string{"chrt", "-f", "1"}
	if exec.CommandContext(b.ctx, args[0], append(args[1:], "true")...).Run() != nil {
		return nil
	}
	return args
}

// probe returns the 99th percentile of a small request's time, in seconds, for each of several runs.
func (st *stage) probe(s *server, file *pagecache.File) (p99 []float64) {
	c := st.client(s.name, "", "probe", s.addr, path(file), file.Bytes, probes)
	c.args = append(st.first(), c.args...)
	for range st.Rounds + 1 {
		var l latency
		out := st.answers(c)
		if err := json.Unmarshal([]byte(out), &l); err != nil || l.P99 <= 0 {
			check(fmt.Errorf("output of the probe: %q: %w", peer.FirstLine(out), err))
		}
		p99 = append(p99, l.P99)
	}
	return p99[1:]
}
