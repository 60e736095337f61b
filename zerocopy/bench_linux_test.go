package zerocopy_test

import (
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// sinkhole discards what c receives, at the least cost to the process.
func sinkhole(c net.Conn) {
	buf := make([]byte, 4<<20)
	for {
		if _, err := c.Read(buf); err != nil {
			return
		}
	}
}

// BenchmarkFileToSocket sends 64 MiB over loopback. It reports the CPU seconds of the process,
// including the receiver's.
func BenchmarkFileToSocket(b *testing.B) {
	const bytes = 64 << 20
	var before float64
	var calls int64
	cases := []struct {
		name string
		copy func(c *net.TCPConn, f io.Reader) (int64, error)
	}{
		{"raw", func(c *net.TCPConn, f io.Reader) (int64, error) { return io.Copy(c, f) }},
		{"hidden", func(c *net.TCPConn, f io.Reader) (int64, error) { return io.Copy(c, struct{ io.Reader }{f}) }},
		{"copy", func(c *net.TCPConn, f io.Reader) (int64, error) {
			r, err := zerocopy.Copy(c, f)
			calls += r.Calls[zerocopy.BySendfile]
			return r.Total(), err
		}},
		{"hooks", func(c *net.TCPConn, f io.Reader) (int64, error) {
			var n zerocopy.Counter
			h := []zerocopy.Hook{
				zerocopy.Count(&n), zerocopy.Limit(zerocopy.NewLimiter(1 << 50)), zerocopy.WriteTimeout(c, time.Minute),
			}
			return io.Copy(zerocopy.NewConn(c, zerocopy.Hooks{Write: h}), zerocopy.NewReader(f, h...))
		}},
	}
	for _, bench := range cases {
		b.Run(bench.name, func(b *testing.B) {
			f, _ := made(b, bytes)
			near, far := pair(b, "tcp")
			near.SetDeadline(time.Time{})
			far.SetDeadline(time.Time{})
			go sinkhole(far)
			b.SetBytes(bytes)
			b.ReportAllocs()
			before, calls = cpu(b), 0
			for b.Loop() {
				must(f.Seek(0, io.SeekStart))
				if n, err := bench.copy(near.(*net.TCPConn), f); n != bytes || err != nil {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(b.N)*bytes/(cpu(b)-before)/1e9, "GB/cpu-s")
			if calls > 0 {
				b.ReportMetric(float64(calls)*(1<<30)/(float64(b.N)*bytes), "calls/GiB")
			}
		})
	}
}

func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkSmall sends 4 KiB: the fixed cost of a transfer.
func BenchmarkSmall(b *testing.B) {
	f, _ := made(b, 4<<10)
	near, far := pair(b, "tcp")
	go sinkhole(far)
	for name, dst := range map[string]io.Writer{"raw": near, "conn": zerocopy.NewConn(near, zerocopy.Hooks{
		Write: []zerocopy.Hook{zerocopy.Count(new(zerocopy.Counter))},
	})} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(f.Seek(0, io.SeekStart))
				if n, err := io.Copy(dst, io.LimitReader(f, 4<<10)); n != 4<<10 || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
}
