package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const servedBytes = 512 << 20

func serveFile(ctx context.Context, b *bench, name string) error {
	return b.serveFile(ctx, name, servedBytes, 1, 2)
}

func serveFiles(ctx context.Context, b *bench, name string) error {
	return b.serveFile(ctx, name, servedBytes/2, 16, 1)
}

// serveFile compares the servers' processor time for a large file. Each connection requests it a
// number of times.
func (b *bench) serveFile(ctx context.Context, name string, size int64, conns, times int) (err error) {
	st, err := b.newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	file, err := b.servedFile("large", b.scaled(size))
	if err != nil {
		return err
	}
	defer file.Close() // read only
	folder, path := filepath.Dir(file.Name), "/"+filepath.Base(file.Name)
	_, terr := st.serveThresh(ctx, folder)
	_, nerr := st.serveNginx(ctx, folder)
	_, cerr := st.serveGo(ctx, folder, true)
	_, gerr := st.serveGo(ctx, folder, false)
	if err := errors.Join(terr, nerr, cerr, gerr); err != nil {
		return err
	}
	targets := []target{{}, atMost(1.1), atMost(0.6), {}}
	var sides []contender
	for i, s := range st.servers {
		if err := s.sameFile(ctx, path, file); err != nil {
			return err
		}
		pids, err := s.pidList()
		if err != nil {
			return err
		}
		c := st.client(s.name, "download", s.addr, path, "", strconv.Itoa(conns), strconv.Itoa(times), pids)
		c.want, c.target = fmt.Sprint(int64(conns*times)*file.Bytes), targets[i]
		c.note = pacedNote()
		sides = append(sides, c)
	}
	return b.compareCPU(ctx, name, servedState(file), int64(conns*times)*file.Bytes, sides)
}

// compareCPU measures sides whose rate is bytes per processor time. The first side is thresh; each
// other one gets a row.
func (b *bench) compareCPU(ctx context.Context, name string, st state, bytes int64, sides []contender) error {
	rates, err := b.measure(ctx, st, bytes, sides)
	if err != nil {
		return err
	}
	for i, peer := range sides[1:] {
		note := fmt.Sprintf("%s of processor a GiB, %s %s",
			perGiB(rates[0]), peer.name, perGiB(rates[i+1]))
		b.add(row{
			Case: name, Peer: peer.name, What: timesItsCPU, Target: peer.target,
			Number: summarize(ratios(rates[i+1], rates[0])), // costs are the inverses of rates
			Note:   strings.TrimSuffix(note+"; "+peer.note, "; "),
		})
	}
	return nil
}

// perGiB formats the processor time for a GiB at the median of these rates, in bytes per second.
func perGiB(rates []float64) string {
	return fmt.Sprintf("%.3f s", (1<<30)/summarize(rates).Median)
}

// callsMax is the limit of data system calls per GiB.
const callsMax = 1500

// asked is a request for a file, whole or in part.
type asked struct {
	what, ranges string
	bytes        int64 // of the file in the answer
}

// questions returns requests for the whole file, for a range, and for five ranges with gaps so large
// that no server merges the ranges.
func questions(size int64) []asked {
	fifth, gap := size/5, size/64
	var five []string
	for i := range int64(5) {
		five = append(five, fmt.Sprintf("%d-%d", i*fifth, (i+1)*fifth-gap-1))
	}
	return []asked{
		{"whole file", "", size},
		{"a range", fmt.Sprintf("bytes=%d-", gap), size - gap},
		{"five ranges", "bytes=" + strings.Join(five, ","), 5 * (fifth - gap)},
	}
}

// serveCalls counts the system calls of a whole file, of a range, and of several.
func serveCalls(ctx context.Context, b *bench, name string) error {
	file, err := b.servedFile("large", b.scaled(servedBytes))
	if err != nil {
		return err
	}
	defer file.Close() // read only
	for _, q := range questions(file.Bytes) {
		if err := b.countCalls(ctx, name, file, q); err != nil {
			return fmt.Errorf("%s: %w", q.what, err)
		}
	}
	return nil
}

// countCalls checks an answer, and then downloads about 1 GiB of such answers from a server under
// strace. It is not timed.
func (b *bench) countCalls(ctx context.Context, name string, file *subject, q asked) (err error) {
	st, err := b.newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	folder, path := filepath.Dir(file.Name), "/"+filepath.Base(file.Name)
	checked, err := st.serveThresh(ctx, folder)
	if err != nil {
		return err
	}
	if err := checked.sameParts(ctx, path, q, file); err != nil {
		return err
	}
	addr, err := freeAddr()
	if err != nil {
		return err
	}
	// With -D, strace is a child of the server, so signals reach the server.
	counts := filepath.Join(st.temp, "calls")
	args := append([]string{"strace", "-D", "-f", "-c", "-o", counts}, st.serveArgs(addr, folder)...)
	s, err := st.start(ctx, st.pins.server, "thresh", addr, args...)
	if err != nil {
		return err
	}
	pids, err := s.pidList()
	if err != nil {
		return err
	}
	times := max(1, int((1<<30+q.bytes/2)/q.bytes))
	c := st.client("thresh", "download", addr, path, q.ranges, "1", strconv.Itoa(times), pids)
	bytes := int64(times) * q.bytes
	c.want, c.answer = fmt.Sprint(bytes), func(stdout string) (string, error) {
		w, err := parseWork(stdout)
		// Several ranges are separated by headers.
		if strings.Contains(q.ranges, ",") && w.Bytes > bytes && w.Bytes < bytes+int64(times)*headMax {
			w.Bytes = bytes
		}
		return fmt.Sprint(w.Bytes), err
	}
	if _, err := c.exec(ctx); err != nil {
		return err
	}
	if err := s.stop(); err != nil { // also waits for strace, which holds its output
		return err
	}
	text, err := os.ReadFile(counts)
	if err != nil {
		return err
	}
	data, all, err := parseCalls(string(text))
	if err != nil {
		return err
	}
	gib := float64(bytes) / (1 << 30)
	b.add(row{
		Case: name, Peer: q.what, What: "data system calls a GiB", Target: atMost(callsMax),
		Number: summarize([]float64{float64(data) / gib}),
		Note:   fmt.Sprintf("%.0f system calls a GiB of all kinds, by strace -f -c", float64(all)/gib),
	})
	return nil
}
