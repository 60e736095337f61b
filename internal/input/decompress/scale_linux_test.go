package decompress

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"testing"
)

// BenchmarkBlocks says what it costs to begin at the blocks of a member, by the kind of content: the
// processor time of all stages together, beside that of one decoder in order, and the most that so many
// cores gain. The reader computes a checksum of the content, as a search would also read it.
func BenchmarkBlocks(b *testing.B) {
	const content = 64 << 20
	for _, kind := range []string{"log", "csv", "json", "binary"} {
		want := contentOfKind(kind, content)
		compressed := gzippedAt(b, want, 6)
		var inOrder float64
		for _, c := range []struct {
			name    string
			workers int // from how many on runs begin at blocks
		}{{"in order", 100}, {"blocks", 4}} {
			b.Run(kind+", "+c.name, func(b *testing.B) {
				old := blockWorkersMin.Get()
				defer blockWorkersMin.Set(old)
				blockWorkersMin.Set(c.workers)
				buf := make([]byte, 1<<20)
				began, taken := processorSeconds(b), 0
				b.SetBytes(content)
				for b.Loop() {
					p := newPipeline(bytes.NewReader(compressed), newCodec(Gzip, Options{}, 0), 4)
					crc := crc32.NewIEEE()
					if n, err := io.CopyBuffer(struct{ io.Writer }{crc}, struct{ io.Reader }{p}, buf); err != nil || n != content {
						b.Fatal(n, err)
					}
					if crc.Sum32() != crc32.ChecksumIEEE(want) {
						b.Fatal("other content")
					}
					taken = p.taken
					p.Close()
				}
				each := (processorSeconds(b) - began) / float64(b.N)
				b.ReportMetric(each*1e9/content, "cpu-ns/B")
				if c.workers > 4 {
					inOrder = each
					return
				}
				b.ReportMetric(100*float64(taken)*float64(segmentBytes.Get())/float64(len(compressed)), "%-at-blocks")
				for _, cores := range []float64{4, 8} {
					b.ReportMetric(inOrder/each*cores, fmt.Sprintf("x%v-at-most", cores))
				}
			})
		}
	}
}
