package decompress

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/flate"
	"golang.org/x/sys/unix"
)

// BenchmarkTwoStages says from how many cores on it would pay to decompress one member of gzip on
// several, as pugz (Kerbiriou and Chikhi, 2019) and rapidgzip do. Nothing here is used otherwise.
//
//	stage 1, chunks at once:  find a block, decode it into symbols of 16 bits: a byte, or a marker, which
//	                          is a place in the 32 KiB before the chunk that are not known yet
//	between, in order:        resolve the last 32 KiB of a chunk, which the next one needs
//	stage 2, chunks at once:  replace the markers by bytes, compute the checksum
//
// It measures the cost of each step on four kinds of content, then simulates the schedule for 1 to 16
// cores, for the decoder that is used now and for one of 2.5 times its rate. A core that decodes
// symbols needs this decoder's time and, for each byte, the difference between plain decoders of
// symbols and of bytes. The results are metrics: "x4" is how much faster four cores are than one that
// decompresses while another computes the checksum.
func BenchmarkTwoStages(b *testing.B) {
	for _, kind := range []string{"log", "csv", "json", "binary"} {
		b.Run(kind, func(b *testing.B) {
			content := contentOfKind(kind, 8<<20)
			c := measure(b, content)
			for b.Loop() { // the result is the same for each
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(1e3/c.decode, "MB/s-decoder")
			b.ReportMetric(c.marker, "ns/B-more-for-symbols")
			b.ReportMetric(100*c.marked, "%-with-markers")
			b.ReportMetric(1e3/c.find, "MB/s-finder")
			b.ReportMetric(1e3/c.replace, "MB/s-replace")
			b.ReportMetric(1e3/c.sum, "MB/s-checksum")
			for _, faster := range []float64{1, 2.5} {
				f := c
				f.decode /= faster
				one := simulateOne(f)
				for _, cores := range []int{2, 4, 8, 16} {
					b.ReportMetric(one/simulateTwoStages(f, cores), fmt.Sprintf("x%d-at-%v", cores, faster))
				}
			}
		})
	}
}

// costs are nanoseconds for each byte: of content, except find, of compressed data.
type costs struct {
	decode, marker, replace, sum, find float64
	marked                             float64 // the part of the content that is decoded as symbols
	ratio                              float64 // content to compressed data
	blockBytes                         float64 // of compressed data
}

const (
	simulatedBytes = 1 << 30 // content
	simulatedChunk = 2 << 20 // compressed data
)

// simulateOne is the time on one core, with the checksum on another.
func simulateOne(c costs) float64 { return simulatedBytes * max(c.decode, c.sum) }

// simulateTwoStages returns the time of the schedule: a free core takes the earliest second stage that
// is ready, otherwise the next chunk, of which at most two for each core are in memory.
func simulateTwoStages(c costs, cores int) float64 {
	chunkContent := simulatedChunk * c.ratio
	chunks := int(simulatedBytes/chunkContent) + 1
	first := c.find*c.blockBytes/2 + chunkContent*(c.decode+c.marked*c.marker)
	second := chunkContent * (c.marked*c.replace + c.sum)
	between := 32 << 10 * c.replace
	free := make([]float64, cores)
	ready := make([]float64, 0, chunks) // when the second stage of a chunk may begin
	resolved := 0.0
	var decoded []float64
	done := make([]float64, 0, chunks)
	for len(done) < chunks {
		core := 0
		for i := range free {
			if free[i] < free[core] {
				core = i
			}
		}
		now := free[core]
		next := len(done)
		canSecond := next < len(ready) && ready[next] <= now
		canFirst := len(decoded) < chunks && len(decoded)-len(done) < 2*cores
		switch {
		case canSecond || !canFirst:
			begin := max(now, ready[next])
			free[core] = begin + second
			done = append(done, free[core])
		default:
			work := first
			if len(decoded) == 0 {
				work = chunkContent * c.decode // the first chunk has no markers
			}
			free[core] = now + work
			decoded = append(decoded, free[core])
			resolved = max(resolved, free[core]) + between
			ready = append(ready, resolved)
		}
	}
	return slices.Max(done)
}

// measure measures the costs for some content, each as the best of several runs.
func measure(b *testing.B, content []byte) (c costs) {
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, 6)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	deflated := z.Bytes()[10 : z.Len()-8]
	padded := append(slices.Clone(deflated), make([]byte, 16)...)
	n := float64(len(content))
	c.ratio = n / float64(len(deflated))
	c.decode = best(b, func() {
		r := flate.NewReader(bytes.NewReader(deflated))
		if got, err := io.Copy(io.Discard, r); err != nil || got != int64(len(content)) {
			b.Fatal(got, err)
		}
	}) / n
	c.sum = best(b, func() { _ = crc32.ChecksumIEEE(content) }) / n

	// The chunk that is found first behind the first quarter.
	var start int
	from := 8 * len(deflated) / 4
	start = findBlock(padded, from)
	if start < 0 {
		b.Fatal("no block was found")
	}
	searched := 0
	c.find = best(b, func() { searched = (findBlock(padded, start+1) - start) / 8 }) / float64(max(searched, 1))
	searched = max(searched, 1)
	c.blockBytes = float64(searched)
	plain := make([]byte, len(content)+windowBytes)
	var got int
	asBytes := best(b, func() { got = inflatePlain(padded, start, plain) })
	marked := make([]uint16, len(content)+windowBytes)
	for i := range windowBytes {
		marked[i] = markerBit | uint16(i)
	}
	asSymbols := best(b, func() { got = inflatePlain(padded, start, marked) })
	c.marker = max(asSymbols-asBytes, 0) / float64(got)
	symbols := marked[windowBytes : windowBytes+got]

	// What the markers are replaced by is known here, and must give the content.
	at := len(content) - got
	var table [1 << 16]byte
	for i := range 256 {
		table[i] = byte(i)
	}
	copy(table[markerBit:], content[at-windowBytes:at])
	out := make([]byte, got)
	c.replace = best(b, func() {
		for i, s := range symbols {
			out[i] = table[s]
		}
	}) / float64(got)
	if !bytes.Equal(out, content[at:]) {
		b.Fatal("the two stages give other bytes")
	}
	// Bytes are decoded from where a whole window has no marker.
	last := 0
	for i, s := range symbols {
		if s&markerBit != 0 {
			last = i
		}
		if i-last > windowBytes {
			break
		}
	}
	c.marked = min(float64(last+windowBytes)/(simulatedChunk*c.ratio), 1)
	return c
}

// best returns the fewest nanoseconds of processor time that one of some runs took. Other work on the
// machine disturbs that less than the time by the clock.
func best(b *testing.B, f func()) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() int64 {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
			b.Fatal(err)
		}
		return t.Nano()
	}
	fewest := int64(math.MaxInt64)
	for range 5 {
		began := now()
		f()
		fewest = min(fewest, now()-began)
	}
	return float64(fewest)
}

// contentOfKind returns n bytes of content.
func contentOfKind(kind string, n int) (b []byte) {
	r := rand.New(rand.NewPCG(7, 7))
	words := []string{"checkout", "search", "api-gateway", "upload", "orders", "carts/items", "users", "invoice"}
	value := 1e4
	for i := 0; len(b) < n; i++ {
		word := words[r.IntN(len(words))]
		switch kind {
		case "log":
			b = fmt.Appendf(b, "2026-01-02T03:%02d:%02d.%03dZ INFO  %s req=%08x user=%d GET /api/v2/%s status=200 took %dus\n",
				i/60000%60, i/1000%60, i%1000, word, r.Uint32(), r.IntN(1e9), words[r.IntN(8)], r.IntN(9000))
		case "csv":
			b = fmt.Appendf(b, "%d,%s,%d.%02d,2026-%02d-%02d,%d\n", i, word, r.IntN(5000), r.IntN(100), 1+r.IntN(12), 1+r.IntN(28), r.IntN(1e5))
		case "json":
			b = fmt.Appendf(b, `{"id":%d,"name":%q,"labels":[%d,%d],"ok":true,"time":"2026-01-02T03:04:%02dZ"}`+"\n",
				i, word, r.IntN(100), r.IntN(100), r.IntN(60))
		default:
			value += r.NormFloat64()
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(value)))
		}
	}
	return b[:n]
}
