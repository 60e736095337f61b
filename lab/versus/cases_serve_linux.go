package versus

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/lab/processes"
)

const servedBytes = 512 << 20

// serveFile compares the servers' processor time for a large file. Each connection requests it a
// number of times.
func serveFile(size int64, conns, times int) func(b *bench) {
	return func(b *bench) {
		b.staged(func(st *stage) {
			file := b.servedFile("large", b.scaled(size))
			folder := filepath.Dir(file.Name)
			st.serveThresh(folder, nil)
			st.serveNginx(folder)
			st.serveGo(folder, true)
			st.serveGo(folder, false)
			bytes := int64(conns*times) * file.Bytes
			var sides []contender
			for i, s := range st.servers {
				st.sameFile(s, file)
				c := st.client("", bytes, "download", s.addr, path(file), "", conns, times, try(s.pidList()))
				target := []lab.Target{{}, lab.AtMost(1.1), lab.AtMost(0.6), {}}[i]
				sides = append(sides, c.as(s.name, target, pacedNote()))
			}
			b.compareCPU(servedState(file), bytes, sides...)
		})
	}
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

// serveCalls counts the system calls of a whole file, of a range, and of several. It checks an answer, and then
// downloads about 1 GiB of such answers from a server under strace. It is not timed.
func serveCalls(b *bench) {
	file := b.servedFile("large", b.scaled(servedBytes))
	for _, q := range questions(file.Bytes) {
		b.staged(func(st *stage) {
			folder := filepath.Dir(file.Name)
			check(st.serveThresh(folder, nil).sameParts(st.ctx, path(file), q, file))
			// With -D, strace is a child of the server, so signals reach the server.
			counts := filepath.Join(st.temp, "calls")
			s := st.serveThresh(folder, []string{"strace", "-D", "-f", "-c", "-o", counts})
			times := max(1, int((1<<30+q.bytes/2)/q.bytes))
			bytes := int64(times) * q.bytes
			c := st.client("thresh", bytes, "download", s.addr, path(file), q.ranges, 1, times, try(s.pidList()))
			c.answer = func(stdout string) (string, error) {
				w, err := parseWork(stdout)
				// Several ranges are separated by headers.
				if strings.Contains(q.ranges, ",") && w.Bytes > bytes && w.Bytes < bytes+int64(times)*headMax {
					w.Bytes = bytes
				}
				return fmt.Sprint(w.Bytes), err
			}
			try(c.exec(st.ctx))
			check(s.stop()) // also waits for strace, which holds its output
			data, all, err := parseCalls(string(try(os.ReadFile(counts))))
			check(err)
			gib := float64(bytes) / (1 << 30)
			b.add(lab.Row{
				Peer: q.what, What: "data system calls a GiB", Target: lab.AtMost(callsMax),
				Number: lab.Summarize([]float64{float64(data) / gib}),
				Note:   fmt.Sprintf("%.0f system calls a GiB of all kinds, by strace -f -c", float64(all)/gib),
			})
		})
	}
}

//go:embed peers/files.lua
var askFiles string

const (
	servedSmallFiles = 100
	servedSmallBytes = 4 << 10
	smallConns       = 100
)

// serveSmall compares requests per second for many small files in turn, and for a single one.
func serveSmall(b *bench) {
	b.staged(func(st *stage) {
		script := filepath.Join(st.temp, "files.lua")
		check(os.WriteFile(script, []byte(askFiles), 0o644))
		var files []*pagecache.File
		var paths []string
		for i := range servedSmallFiles {
			files = append(files, b.servedFile(fmt.Sprintf("small-%02d", i), servedSmallBytes))
			paths = append(paths, path(files[i]))
		}
		folder := filepath.Dir(files[0].Name)
		st.serveThresh(folder, nil)
		st.serveNginx(folder)
		st.serveGo(folder, false)
		for _, s := range st.servers {
			for _, file := range files {
				st.sameFile(s, file)
			}
		}
		targets := []lab.Target{{}, lab.AtLeast(0.7), lab.AtLeast(1.3)}
		st.compareRequests(script, 2, paths, targets, "100 files in turn")
		st.compareRequests(script, 1, paths[:1], make([]lab.Target, len(targets)), "one file")
	})
}

// compareRequests measures the requests per second of the stage's servers. The first one is thresh;
// each other one gets a row.
func (st *stage) compareRequests(script string, seconds int, paths []string, targets []lab.Target, what string) {
	cpu := make([][]float64, len(st.servers)) // share of its processor that a server used, by sample
	var sides []contender
	for i, s := range st.servers {
		pids := try(s.pids())
		args := append(on(st.pins.client, "wrk", "-t1", fmt.Sprintf("-c%d", smallConns),
			fmt.Sprintf("-d%ds", seconds), "-s", script, "http://"+s.addr, "--"), paths...)
		begin := 0.0
		sides = append(sides, contender{
			name: s.name, args: args, target: targets[i],
			answer: silent, // the rate checks it
			before: func() (err error) {
				begin, err = processes.Seconds(pids...)
				return err
			},
			rate: func(o peer.Output) (float64, error) {
				end, err := processes.Seconds(pids...)
				if err != nil {
					return 0, err
				}
				r, err := parseWrk(o.Stdout, servedSmallBytes)
				took := float64(r.Micros) / 1e6
				cpu[i] = append(cpu[i], (end-begin)/took)
				return float64(r.Requests) / took, err
			},
		})
	}
	rates := st.measure(anyState, servedSmallBytes, sides...)
	// The rates do not include the first round.
	perCPU := func(i int) []float64 { return quantile.Ratios(rates[i], cpu[i][1:]) }
	note := func(i int) string {
		return fmt.Sprintf("%s %.0f a second by %.0f %% of its processor",
			sides[i].name, median(rates[i]), 100*median(cpu[i]))
	}
	for i := 1; i < len(sides); i++ {
		sides[i].note = fmt.Sprintf("%s; %s, %s; by processor time %.2f times",
			what, note(0), note(i), median(quantile.Ratios(perCPU(0), perCPU(i))))
		st.add(beside(lab.TimesItsRequests, sides[i], rates[0], rates[i]))
	}
}

// listed are the folders that are listed, and how often in a sample.
var listed = []struct{ entries, times int }{{1_000, 50}, {100_000, 2}}

// caddyEntriesMax is how many entries Caddy lists; it leaves out the others.
const caddyEntriesMax = 10_000

// listedFolder returns a folder of so many small files.
func (b *bench) listedFolder(entries int) string {
	folder := filepath.Join(b.served(), fmt.Sprintf("list-%d", entries))
	check(b.data.once(folder, 0, func(part string) error {
		if err := os.Mkdir(part, 0o755); err != nil {
			return err
		}
		for i := range entries {
			name := filepath.Join(part, fmt.Sprintf("%s%0*d.txt", listedName, listedDigits, i))
			if err := os.WriteFile(name, []byte("text")[:i%5], 0o644); err != nil {
				return err
			}
		}
		return nil
	}))
	return folder
}

// serveListing compares the processor time of complete listings.
func serveListing(b *bench) {
	for _, l := range listed {
		entries := max(10, int(b.scaled(int64(l.entries))))
		folder := b.listedFolder(entries)
		for _, accept := range []string{"text/html", "application/json"} {
			b.staged(func(st *stage) { st.compareListings(folder, accept, entries, l.times) })
		}
	}
}

// compareListings compares listings of a folder. Before each sample the folder changes, so that each server reads it
// at least once.
func (st *stage) compareListings(folder, accept string, entries, times int) {
	served, path := filepath.Dir(folder), "/"+filepath.Base(folder)+"/"
	st.serveThresh(served, nil)
	st.serveNginx(served)
	if entries <= caddyEntriesMax && peer.Missing("caddy") == "" {
		st.serveCaddy(served)
	}
	var sides []contender
	for _, s := range st.servers {
		at := path
		if s.name == "nginx" && accept == "application/json" {
			at = peer.NginxJSON + at
		}
		sides = append(sides, st.client(s.name, times*entries, "list", s.addr, at, accept, times, try(s.pidList())))
	}
	changed := state{before: func() error {
		now := time.Now()
		return os.Chtimes(folder, now, now)
	}}
	rates := st.measure(changed, int64(times*entries), sides...)
	perListing := func(i int) string { return fmt.Sprintf("%.2f ms", 1e3*float64(entries)/median(rates[i])) }
	for i, c := range sides[1:] {
		c.note = fmt.Sprintf("%s, %d entries, %d times; %s of processor a listing, %s %s", accept, entries, times,
			perListing(0), c.name, perListing(i+1))
		st.add(beside("times its CPU per entry", c, rates[0], rates[i+1]))
	}
}
