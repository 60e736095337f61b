//go:build linux

package servetest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
	"golang.org/x/net/http2"
)

// TestFloods prints what floods do to servers: their memory, descriptors and processor time, and the
// answers of another client meanwhile. SERVETEST_FLOODS names the binaries, to compare versions:
//
//	SERVETEST_FLOODS='old=/tmp/thresh-old new=bin/thresh' go test ./serve/servetest -run TestFloods -v
func TestFloods(t *testing.T) {
	binaries := strings.Fields(os.Getenv("SERVETEST_FLOODS"))
	if len(binaries) == 0 {
		t.Skip("SERVETEST_FLOODS names no binaries")
	}
	root := t.TempDir()
	for name, text := range map[string]string{"one": "1", "3m.bin": string(noise(3 << 20))} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range floodFiles {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprint("fresh", i)), []byte("1"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var table strings.Builder
	table.WriteString("\n| flood | server | memory before, at most | descriptors at most | processor s | " +
		"others: answered | p50, p99 before | p50, p99 meanwhile |\n|---|---|---|---|---|---|---|---|\n")
	for _, f := range floods {
		if f.listing {
			fillFolder(t, filepath.Join(root, "many"), 100_000)
		}
		for _, b := range binaries {
			name, path, _ := strings.Cut(b, "=")
			row := f.measure(t, path, root)
			fmt.Fprintf(&table, "| %s | %s | %s |\n", f.name, name, row)
			t.Logf("%s, %s: %s", f.name, name, row)
		}
	}
	t.Log(table.String())
}

const (
	floodFiles   = floodProbes
	floodSeconds = 5
	floodProbes  = 200
	floodUsers   = floodProbes // each has to be checked: a password that was right is remembered
)

func floodUser(i int) string { return fmt.Sprint("user", i%floodUsers) }

// flood is a way to press a server. send keeps pressing until done is closed.
type flood struct {
	name    string
	tls     bool
	listing bool // needs a folder of 100,000 files
	auth    bool
	send    func(t *testing.T, addr string, done <-chan struct{})
}

var floods = []flood{
	{"1,100 silent connections, of 1,024 descriptors", false, false, false, floodSilent},
	{"100 slow readers of a listing of 100,000 files", false, true, false, floodListings},
	{"60 clients with wrong passwords", false, false, true, floodPasswords},
	{"streams opened and reset, 4 connections", true, false, false, floodResets},
	{"90 streams without a window on each of 100 connections", true, false, false, floodWindows},
}

// fillFolder makes a folder with empty files, unless it is there.
func fillFolder(t *testing.T, dir string, n int) {
	t.Helper()
	if _, err := os.Stat(dir); err == nil {
		return
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("a file with a name of usual length %06d.txt", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// measure runs a server under the flood, and returns a row of the table.
func (f *flood) measure(t *testing.T, bin, root string) string {
	t.Helper()
	const descriptors = 1024
	args := []string{fmt.Sprint("--nofile=", descriptors), bin, "serve", "--addr", "127.0.0.1:0"}
	if f.tls {
		cert, key := certificate(t)
		args = append(args, "--tls-cert", cert, "--tls-key", key)
	}
	if f.auth {
		hash, err := bcrypt.GenerateFromPassword([]byte("right"), bcrypt.DefaultCost)
		if err != nil {
			t.Fatal(err)
		}
		for i := range floodUsers {
			args = append(args, "--auth", fmt.Sprintf("%s:%s", floodUser(i), hash))
		}
	}
	cmd := exec.Command("prlimit", append(args, root)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGKILL) // with the flood's connections open
		_ = cmd.Wait()
	}()
	lines := bufio.NewScanner(stderr)
	addr := ""
	for addr == "" && lines.Scan() {
		if m := servingAt.FindStringSubmatch(lines.Text()); m != nil {
			addr = m[1]
		}
	}
	if addr == "" {
		t.Fatalf("%s does not say where it serves", bin)
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }() // until the server ends
	const first = floodProbes / 2
	before := f.probe(addr, 0, first)
	idle := f.sizes(t, cmd.Process.Pid)
	done := make(chan struct{})
	var flooding sync.WaitGroup
	flooding.Go(func() { f.send(t, addr, done) })
	time.Sleep(time.Second)
	most := idle
	watching := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-watching:
				return
			case <-time.After(50 * time.Millisecond):
				now := f.sizes(t, cmd.Process.Pid)
				most = sizes{max(most.kib, now.kib), max(most.descriptors, now.descriptors), now.cpu}
			}
		}
	})
	meanwhile := f.probe(addr, first, first)
	close(watching)
	watch.Wait()
	close(done)
	flooding.Wait()
	return fmt.Sprintf("%d, %d MiB | %d | %.1f | %d of %d | %s | %s", idle.kib>>10, most.kib>>10, most.descriptors,
		most.cpu-idle.cpu, meanwhile.right, meanwhile.all, before, meanwhile)
}

// sizes are a process's own memory, open descriptors and processor time.
type sizes struct {
	kib, descriptors int
	cpu              float64
}

func (f *flood) sizes(t *testing.T, pid int) (s sizes) {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d/", pid)
	for line := range strings.Lines(string(body(t, proc+"status"))) {
		if value, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			s.kib, _ = strconv.Atoi(strings.Fields(value)[0]) // the kernel's format
		}
	}
	open, err := os.ReadDir(proc + "fd")
	if err != nil {
		t.Fatal(err)
	}
	s.descriptors = len(open)
	_, stat, _ := strings.Cut(string(body(t, proc+"stat")), ") ")
	for _, field := range strings.Fields(stat)[11:13] {
		ticks, _ := strconv.Atoi(field)
		s.cpu += float64(ticks) / 100
	}
	return s
}

// answers is what another client got.
type answers struct {
	right, all int
	took       []time.Duration
}

func (a answers) String() string {
	if len(a.took) == 0 {
		return "none"
	}
	ms := func(d time.Duration) string { return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) }
	return ms(a.took[len(a.took)/2]) + ", " + ms(a.took[len(a.took)*99/100]) + " ms"
}

// probe requests n files that were not requested before, each on its own connection and as another user, for
// a few seconds at most. It comes from another address than the flood.
func (f *flood) probe(addr string, first, n int) (a answers) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DialContext: dialer.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // we only ask whether it responds
	}}
	scheme := map[bool]string{false: "http://", true: "https://"}[f.tls]
	for end := time.Now().Add(floodSeconds * time.Second); a.all < n && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		r, err := http.NewRequest("GET", fmt.Sprintf("%s%s/fresh%d", scheme, addr, first+a.all), nil)
		if err != nil {
			return a
		}
		if f.auth {
			r.SetBasicAuth(floodUser(first+a.all), "right")
		}
		a.all++
		began := time.Now()
		resp, err := client.Do(r)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode == 200 && string(text) == "1" {
			a.right++
		}
		a.took = append(a.took, time.Since(began))
	}
	slices.Sort(a.took)
	return a
}

// hold keeps connections open until done is closed.
func hold(conns []net.Conn, done <-chan struct{}) {
	<-done
	for _, c := range conns {
		_ = c.Close() // the server may have closed it first
	}
}

func floodSilent(_ *testing.T, addr string, done <-chan struct{}) {
	var held []net.Conn
	for range 1100 {
		if c, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
			held = append(held, c)
		}
	}
	hold(held, done)
}

func floodListings(_ *testing.T, addr string, done <-chan struct{}) {
	var held []net.Conn
	for i := range 100 {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			continue
		}
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		_, _ = io.WriteString(c, get("GET", fmt.Sprintf("/many/?order=%s&n=%d", []string{"asc", "desc"}[i%2], i), "HTTP/1.1"))
		held = append(held, c)
	}
	hold(held, done)
}

func floodPasswords(_ *testing.T, addr string, done <-chan struct{}) {
	var clients sync.WaitGroup
	for i := range 60 {
		clients.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				r, err := http.NewRequest("GET", "http://"+addr+"/one", nil)
				if err != nil {
					return
				}
				r.SetBasicAuth(floodUser(i), fmt.Sprintf("wrong %d %d", i, n))
				client := &http.Client{Timeout: 2 * time.Second}
				if resp, err := client.Do(r); err == nil {
					_ = resp.Body.Close()
				}
			}
		})
	}
	clients.Wait()
}

// dialFlood opens an HTTP/2 connection at the level of frames, or returns nil.
func dialFlood(addr string, settings ...http2.Setting) *frames {
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: 5 * time.Second}, "tcp", addr,
		&tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		return nil
	}
	f := newFrames(conn)
	if _, err = io.WriteString(conn, http2.ClientPreface); err == nil {
		err = f.WriteSettings(settings...)
	}
	if err != nil {
		return nil
	}
	return f
}

func floodResets(_ *testing.T, addr string, done <-chan struct{}) {
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for {
				f := dialFlood(addr)
				for id := uint32(1); f != nil && id < 1<<20; id += 2 {
					select {
					case <-done:
						_ = f.conn.Close()
						return
					default:
					}
					if id == 1 {
						go func() { _, _ = io.Copy(io.Discard, f.conn) }() // what the server says
					}
					if errors.Join(f.get(id, "/3m.bin"), f.WriteRSTStream(id, http2.ErrCodeCancel)) != nil {
						_ = f.conn.Close()
						break
					}
				}
				select {
				case <-done:
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
		})
	}
	clients.Wait()
}

func floodWindows(_ *testing.T, addr string, done <-chan struct{}) {
	var held []net.Conn
	for range 100 {
		f := dialFlood(addr, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		if f == nil {
			continue
		}
		for n := range uint32(90) {
			if f.get(2*n+1, "/3m.bin") != nil {
				break
			}
		}
		held = append(held, f.conn)
	}
	hold(held, done)
}
