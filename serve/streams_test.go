package serve

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

func get2(t *testing.T, c *h2Client, stream uint32, path string) {
	t.Helper()
	c.request(t, stream, ":method", "GET", ":scheme", "https", ":authority", "x", ":path", path)
}

func startH2(t *testing.T, change func(*Options)) *running {
	folder := t.TempDir()
	newPair(t, folder, "first")
	return start(t, func(o *Options) {
		o.TLSCert, o.TLSKey = filepath.Join(folder, "c.pem"), filepath.Join(folder, "k.pem")
		change(o)
	})
}

// TestStreamsMakeRoom: when there are too many streams, the one that has stood still longest is reset
// for the next one, but not if it moved of late. The first of each connection always has room.
func TestStreamsMakeRoom(t *testing.T) {
	r := startH2(t, func(*Options) {})
	r.streams.max, r.streams.idleMin = 3, 300*time.Millisecond
	c := r.dialH2()
	for stream := uint32(1); stream <= 7; stream += 2 { // one, and three extra ones
		get2(t, c, stream, "/big.bin")
	}
	extra := func() int {
		r.streams.mu.Lock()
		defer r.streams.mu.Unlock()
		return r.streams.extra
	}
	eventually(t, "three streams are extra", func() bool { return extra() == 3 })
	other := r.dialH2()
	get2(t, other, 1, "/small.txt")
	if status, _, _ := other.response(t, 1); status != 200 {
		t.Errorf("the first stream of a connection gets %d", status)
	}
	get2(t, c, 9, "/small.txt")
	if status := statusOf(t, c, 9); status != 503 {
		t.Errorf("one more gets %d while none has stood still", status)
	}
	time.Sleep(2 * r.streams.idleMin)
	get2(t, c, 11, "/small.txt")
	if status := statusOf(t, c, 11); status != 200 {
		t.Errorf("one more gets %d when others have stood still", status)
	}
	r.counts("thresh_serve_http2_streams_given_up_total", 1)
	_ = c.conn.Close() // with streams open
	eventually(t, "all streams are forgotten", func() bool {
		r.streams.mu.Lock()
		defer r.streams.mu.Unlock()
		return r.streams.extra == 0 && len(r.streams.open) == 0
	})
}

// statusOf reads until the header of a response.
func statusOf(t *testing.T, c *h2Client, stream uint32) int {
	t.Helper()
	for {
		frame, err := c.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if h, ok := frame.(*http2.MetaHeadersFrame); ok && h.StreamID == stream {
			n := 0
			for _, digit := range h.PseudoValue("status") {
				n = 10*n + int(digit-'0')
			}
			return n
		}
	}
}

// TestSlowStreams: downloads over a connection that is slow but moves are not cut, although each of
// them takes longer than every time-out, and waits longer for its turn than one. Meanwhile a stream
// without a window, on a connection that is not busy, is given up.
func TestSlowStreams(t *testing.T) {
	const wait, streams, bodyBytes = 300 * time.Millisecond, 20, 64 << 10
	r := startH2(t, func(o *Options) { o.SendTimeout, o.IdleTimeout, o.HeaderTimeout = wait, wait, wait })
	save(t, filepath.Join(r.folder, "part.bin"), make([]byte, bodyBytes))
	still := r.dialH2()
	get2(t, still, 1, "/big.bin")

	slow := r.dialH2()
	if err := rawConn(slow.conn).SetReadBuffer(16 << 10); err != nil {
		t.Fatal(err)
	}
	if err := slow.WriteWindowUpdate(0, 1<<30); err != nil {
		t.Fatal(err)
	}
	var got [2*streams + 1]int
	for n := range uint32(streams) {
		get2(t, slow, 2*n+1, "/part.bin")
		if err := slow.WriteWindowUpdate(2*n+1, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	began, ended := time.Now(), 0
	for ended < streams {
		frame, err := slow.ReadFrame()
		if err != nil {
			t.Fatalf("after %v: %v", time.Since(began), err)
		}
		switch frame := frame.(type) {
		case *http2.DataFrame:
			got[frame.StreamID] += len(frame.Data())
			if frame.StreamEnded() {
				ended++
			}
			time.Sleep(40 * time.Millisecond) // per 16 KiB: a round of all streams takes 800 ms
		case *http2.RSTStreamFrame:
			t.Fatalf("stream %d is reset after %v with %d bytes", frame.StreamID, time.Since(began), got[frame.StreamID])
		}
	}
	for n := range streams {
		if got[2*n+1] != bodyBytes {
			t.Errorf("stream %d got %d bytes", 2*n+1, got[2*n+1])
		}
	}
	for {
		frame, err := still.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if reset, ok := frame.(*http2.RSTStreamFrame); ok {
			if reset.StreamID != 1 {
				t.Errorf("stream %d is reset", reset.StreamID)
			}
			return
		}
	}
}

// TestStalledBesideMoving: a stream without a window is given up while another one of its connection
// goes on.
func TestStalledBesideMoving(t *testing.T) {
	const wait = 300 * time.Millisecond
	r := startH2(t, func(o *Options) { o.SendTimeout = wait })
	c := r.dialH2()
	get2(t, c, 1, "/big.bin") // and no window
	get2(t, c, 3, "/big.bin")
	if err := c.WriteWindowUpdate(0, 1<<30); err != nil {
		t.Fatal(err)
	}
	reset, granted, got := false, false, 0
	for began := time.Now(); !reset || got < bigBytes; {
		frame, err := c.ReadFrame()
		if err != nil {
			t.Fatalf("after %v with %d bytes, stream 1 reset: %v: %v", time.Since(began), got, reset, err)
		}
		switch frame := frame.(type) {
		case *http2.RSTStreamFrame:
			if frame.StreamID != 1 {
				t.Fatalf("stream %d is reset after %v with %d bytes", frame.StreamID, time.Since(began), got)
			}
			reset = true
		case *http2.DataFrame:
			if frame.StreamID == 3 {
				got += len(frame.Data())
				time.Sleep(time.Millisecond)
				n := uint32(len(frame.Data()))
				if !granted && time.Since(began) > 6*wait {
					n, granted = 1<<25, true
				}
				if n > 0 {
					if err := c.WriteWindowUpdate(3, n); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// TestSmallStalled: a small response without a window is given up, too: it is sent when its handler
// has ended.
func TestSmallStalled(t *testing.T) {
	const wait = 300 * time.Millisecond
	r := startH2(t, func(o *Options) { o.SendTimeout = wait })
	if err := os.WriteFile(filepath.Join(r.folder, "one"), []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := r.dialH2()
	if err := c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
		t.Fatal(err)
	}
	get2(t, c, 1, "/one")
	get2(t, c, 3, "/one")
	for resets := 0; resets < 2; {
		frame, err := c.ReadFrame()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%d resets: %v", resets, err)
		}
		if _, ok := frame.(*http2.RSTStreamFrame); ok {
			resets++
		}
	}
}

// TestStreamsAtLowRate: behind a proxy, streams that wait longer than the time-out for the rate of their
// client's address are not given up.
func TestStreamsAtLowRate(t *testing.T) {
	const wait, bodyBytes, rate = 300 * time.Millisecond, 48 << 10, 20 << 10 // 16 KiB take 800 ms
	r := startH2(t, func(o *Options) {
		trustLoopback(o)
		o.SendTimeout, o.LimitRatePerIP = wait, rate
	})
	save(t, filepath.Join(r.folder, "part.bin"), make([]byte, bodyBytes))
	c := r.dialH2()
	if err := c.WriteWindowUpdate(0, 1<<30); err != nil {
		t.Fatal(err)
	}
	get := func(stream uint32, path string) {
		c.request(t, stream, ":method", "GET", ":scheme", "https", ":authority", "x", ":path", path,
			"x-forwarded-for", "192.0.2.1")
	}
	get(1, "/part.bin")
	if err := c.WriteWindowUpdate(1, bodyBytes); err != nil {
		t.Fatal(err)
	}
	get(3, "/small.txt")
	want := map[uint32]int{1: bodyBytes, 3: len(smallBody)}
	for len(want) > 0 {
		frame, err := c.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		switch frame := frame.(type) {
		case *http2.DataFrame:
			want[frame.StreamID] -= len(frame.Data())
			if frame.StreamEnded() {
				if left := want[frame.StreamID]; left != 0 {
					t.Errorf("stream %d lacks %d bytes", frame.StreamID, left)
				}
				delete(want, frame.StreamID)
			}
		case *http2.RSTStreamFrame:
			t.Fatalf("stream %d is reset, it lacks %d bytes: %v", frame.StreamID, want[frame.StreamID], frame.ErrCode)
		}
	}
}

// TestConnectionsAtLowRate: two connections of one address, without a proxy between, share its rate. Their
// downloads wait longer than the time-out, and are not cut.
func TestConnectionsAtLowRate(t *testing.T) {
	const wait, bodyBytes, rate = 300 * time.Millisecond, 32 << 10, 40 << 10 // 16 KiB of each take 800 ms
	r := startH2(t, func(o *Options) { o.SendTimeout, o.LimitRatePerIP = wait, rate })
	save(t, filepath.Join(r.folder, "part.bin"), make([]byte, bodyBytes))
	errs := make(chan error, 2)
	for range 2 {
		c := r.dialH2()
		if err := c.WriteWindowUpdate(0, 1<<30); err != nil {
			t.Fatal(err)
		}
		for stream := uint32(1); stream <= 3; stream += 2 {
			get2(t, c, stream, "/part.bin")
			if err := c.WriteWindowUpdate(stream, bodyBytes); err != nil {
				t.Fatal(err)
			}
		}
		go func() { errs <- c.readBodies(2, bodyBytes) }()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// readBodies reads until so many streams have ended, each after size bytes.
func (c *h2Client) readBodies(streams, size int) error {
	got := map[uint32]int{}
	for ended := 0; ended < streams; {
		frame, err := c.ReadFrame()
		if err != nil {
			return fmt.Errorf("%d streams ended, bytes by stream: %v: %w", ended, got, err)
		}
		switch frame := frame.(type) {
		case *http2.DataFrame:
			got[frame.StreamID] += len(frame.Data())
			if frame.StreamEnded() {
				if n := got[frame.StreamID]; n != size {
					return fmt.Errorf("stream %d ended after %d bytes", frame.StreamID, n)
				}
				ended++
			}
		case *http2.RSTStreamFrame:
			return fmt.Errorf("stream %d was reset after %d bytes: %v", frame.StreamID, got[frame.StreamID], frame.ErrCode)
		case *http2.GoAwayFrame:
			return fmt.Errorf("the connection ends: %v", frame.ErrCode)
		}
	}
	return nil
}
