package versus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// slow is a client with many concurrent downloads. Each of them reads a sip every second. The received
// bytes are compared with the file.
type slow struct {
	addr, path, file string
	conns            int
	finish           int // number of downloads to read to their end at last
}

const (
	sipBytes     = 4 << 10
	sweepSeconds = 1        // every download takes a sip in that time
	sweepSteps   = 1000     // spread the sips over a sweep, as those of independent clients are
	windowBytes  = 4 << 10  // SO_RCVBUF of a slow client; the kernel doubles it
	segmentBytes = 1448     // as on Ethernet; loopback has segments of 64 KiB
	fastBytes    = 1 << 20  // SO_RCVBUF of a client that reads to the end
	headMax      = 16 << 10 // of a response
)

// slowState is the output of slow: a line when all downloads have begun, another one at the end.
type slowState struct {
	Conns    int   `json:"connections"`
	Least    int64 `json:"least_bytes"` // received by the slowest download
	Finished int   `json:"finished"`
}

// slowDownload is one download. It does not use net.Conn: 10,000 goroutines and their buffers would
// compete with the server.
type slowDownload struct {
	fd    int
	head  []byte // the part of the response's header received so far; nil when it is complete
	off   int64
	ready int64 // value of off when all had begun
}

// run prints a line when all downloads have begun, and continues until stdin ends. Then it reads some
// downloads to their end, and prints another line.
func (s slow) run(stdin io.Reader, stdout io.Writer) error {
	f, err := os.Open(s.file)
	if err != nil {
		return err
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return err
	}
	want, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map %s: %w", s.file, err)
	}
	all, err := s.begin()
	defer func() {
		for _, d := range all {
			unix.Close(d.fd) // the rest is not needed
		}
	}()
	if err != nil {
		return errors.Join(err, unix.Munmap(want))
	}
	err = s.sipAndFinish(all, want, stdin, json.NewEncoder(stdout))
	return errors.Join(err, unix.Munmap(want))
}

// begin connects all downloads and sends their requests.
func (s slow) begin() (all []*slowDownload, err error) {
	to, err := net.ResolveTCPAddr("tcp4", s.addr)
	if err != nil {
		return nil, err
	}
	peer := unix.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())}
	request := "GET " + s.path + " HTTP/1.1\r\nHost: " + s.addr + "\r\n\r\n"
	for i := range s.conns {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return all, fmt.Errorf("socket of download %d: %w", i, err)
		}
		all = append(all, &slowDownload{fd: fd, head: []byte{}})
		err = errors.Join(
			unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, windowBytes),
			unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_MAXSEG, segmentBytes),
			unix.Connect(fd, &peer))
		if err == nil {
			_, err = unix.Write(fd, []byte(request))
		}
		if err != nil {
			return all, fmt.Errorf("download %d: %w", i, err)
		}
	}
	return all, nil
}

func (s slow) sipAndFinish(all []*slowDownload, want []byte, stdin io.Reader, out *json.Encoder) error {
	const underWayMax = 60 // seconds within which all must have begun
	for sweep := 0; ; sweep++ {
		if err := sip(all, want, nil); err != nil {
			return err
		}
		if least(all) > 0 {
			break
		}
		if sweep == underWayMax/sweepSeconds {
			return fmt.Errorf("after %d s some of %d downloads have not begun", underWayMax, len(all))
		}
	}
	for _, d := range all {
		d.ready = d.off
	}
	if err := out.Encode(slowState{Conns: len(all), Least: least(all)}); err != nil {
		return err
	}
	enough := make(chan struct{})
	go func() {
		defer close(enough)
		io.Copy(io.Discard, stdin) // ignore the error: only the end matters
	}()
	// At least two more sweeps: one is not enough to see that a download has stalled.
	for sweep, over := 0, false; sweep < 2 || !over; sweep++ {
		if err := sip(all, want, enough); err != nil {
			return err
		}
		select {
		case <-enough:
			over = true
		default:
		}
	}
	for i, d := range all {
		if d.off == d.ready && d.off < int64(len(want)) {
			return fmt.Errorf("download %d has stalled at byte %d", i, d.off)
		}
	}
	finish := all[:min(s.finish, len(all))]
	for i, d := range finish {
		if err := d.toEnd(want); err != nil {
			return fmt.Errorf("download %d: %w", i, err)
		}
	}
	return out.Encode(slowState{Conns: len(all), Least: least(all), Finished: len(finish)})
}

func least(all []*slowDownload) int64 {
	return slices.MinFunc(all, func(a, b *slowDownload) int { return int(a.off - b.off) }).off
}

// sip lets every download take a sip, spread over a second. Once enough is closed, it does not pause.
func sip(all []*slowDownload, want []byte, enough <-chan struct{}) error {
	buf := make([]byte, sipBytes)
	begin := time.Now()
	for step := range sweepSteps {
		select {
		case <-enough:
		case <-time.After(time.Until(begin.Add(sweepSeconds * time.Second / sweepSteps * time.Duration(step)))):
		}
		for i := step; i < len(all); i += sweepSteps {
			if _, err := all[i].take(buf, want, unix.MSG_DONTWAIT); err != nil {
				return fmt.Errorf("download %d at byte %d: %w", i, all[i].off, err)
			}
		}
	}
	return nil
}

// take receives once and compares the bytes. It returns false if there are none yet.
func (d *slowDownload) take(buf, want []byte, flags int) (bool, error) {
	if d.head == nil && d.off == int64(len(want)) {
		return false, nil
	}
	n, _, err := unix.Recvfrom(d.fd, buf, flags)
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return false, nil
	case err != nil:
		return false, err
	case n == 0:
		return false, io.ErrUnexpectedEOF
	}
	body := buf[:n]
	if d.head != nil {
		if body, err = d.takeHead(body, len(want)); err != nil || d.head != nil {
			return true, err
		}
	}
	if d.off+int64(len(body)) > int64(len(want)) || !bytes.Equal(body, want[d.off:d.off+int64(len(body))]) {
		return true, errors.New("these are not the file's bytes")
	}
	d.off += int64(len(body))
	return true, nil
}

// takeHead appends received bytes to the header. Once the header is complete, it returns the bytes
// after it.
func (d *slowDownload) takeHead(p []byte, size int) (body []byte, err error) {
	d.head = append(d.head, p...)
	end := bytes.Index(d.head, []byte("\r\n\r\n"))
	if end < 0 {
		if len(d.head) > headMax {
			return nil, fmt.Errorf("the header has more than %d bytes", headMax)
		}
		return nil, nil
	}
	end += len("\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(d.head[:end]))), nil)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK || response.ContentLength != int64(size) {
		return nil, fmt.Errorf("status %s, length %d, want %d", response.Status, response.ContentLength, size)
	}
	body = d.head[end:]
	d.head = nil
	return body, nil
}

// toEnd reads the rest of a download at full speed.
func (d *slowDownload) toEnd(want []byte) error {
	err := errors.Join(
		unix.SetsockoptInt(d.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, fastBytes),
		unix.SetsockoptTimeval(d.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 30}))
	if err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for d.off < int64(len(want)) {
		some, err := d.take(buf, want, 0)
		if err == nil && !some {
			err = errors.New("no bytes received for 30 s")
		}
		if err != nil {
			return fmt.Errorf("at byte %d of %d: %w", d.off, len(want), err)
		}
	}
	return nil
}
