package decompress

import (
	"bytes"
	"io"
	"math"
	"testing"

	"golang.org/x/sys/unix"
)

// instantDecoder returns content as fast as it can be copied.
type instantDecoder struct {
	in   input
	from []byte
	left int
}

func (d *instantDecoder) reset(in input, _ int64) error { d.in = in; return nil }
func (d *instantDecoder) off() int64                    { return d.in.pos() }
func (d *instantDecoder) stop()                         {}
func (d *instantDecoder) close()                        {}

func (d *instantDecoder) Read(p []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, d.from[:min(d.left, len(d.from))])
	d.left -= n
	return n, nil
}

// BenchmarkHandOver measures what the pipeline adds to a decoder: with one that costs nothing but a
// copy, the processor time for each byte beside that of the same decoder alone, and the time by the
// clock, which says how fast a decoder would have to be for the pipeline to hold it back.
func BenchmarkHandOver(b *testing.B) {
	const content = 256 << 20
	from := bytes.Repeat([]byte("some content\n"), 5000)
	for _, c := range []struct {
		name    string
		workers int
	}{{"alone", 1}, {"pipeline", 2}} {
		b.Run(c.name, func(b *testing.B) {
			k := &codec{row: &storedRow, decoder: func(bool) decoder { return &instantDecoder{from: from, left: content} }}
			fewest, total := math.Inf(1), 0
			b.SetBytes(content)
			for b.Loop() {
				var r io.ReadCloser = newSerial(bytes.NewReader(from), k)
				if c.workers > 1 {
					r = newPipeline(bytes.NewReader(from), k, c.workers)
				}
				buf := make([]byte, 1<<20)
				before := processorSeconds(b)
				for total = 0; ; {
					n, err := r.Read(buf)
					total += n
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				fewest = min(fewest, processorSeconds(b)-before)
				r.Close()
				if total != content {
					b.Fatalf("%d bytes, want %d", total, content)
				}
			}
			b.ReportMetric(fewest*1e9/content, "cpu-ns/B")
		})
	}
}

// processorSeconds returns the processor time of this process.
func processorSeconds(b *testing.B) float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return float64(t.Nano()) / 1e9
}
