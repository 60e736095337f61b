package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkLatency measures how long after a line is written it is printed: of a file that is followed, and of a pipe.
func BenchmarkLatency(b *testing.B) {
	for _, through := range []string{"file", "pipe"} {
		b.Run(through, func(b *testing.B) {
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			must(b, err)
			defer null.Close()
			in, lines, err := os.Pipe()
			must(b, err)
			printed, out, err := os.Pipe()
			must(b, err)
			args := []string{"grep", "-m", strconv.Itoa(b.N), "line"}
			if through == "file" {
				name := filepath.Join(b.TempDir(), "log")
				lines, err = os.Create(name)
				must(b, err)
				args = append(args, "--follow", name)
			}
			go func() {
				runHere(args, in, out, null)
				out.Close()
			}()
			r := bufio.NewReader(printed)
			var took []time.Duration
			for i := range b.N {
				time.Sleep(2 * time.Millisecond) // it waits again
				began := time.Now()
				_, err := fmt.Fprintf(lines, "line %d\n", i)
				must(b, err)
				if line, err := r.ReadString('\n'); err != nil || line != fmt.Sprintf("line %d\n", i) {
					b.Fatalf("%q, error %v", line, err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
			b.ReportMetric(float64(took[len(took)*9/10].Microseconds())/1000, "p90-ms")
			lines.Close()
		})
	}
}
