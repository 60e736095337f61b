package run

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"syscall"
	"testing"

	"github.com/thresh-dev/thresh/answer"
)

// TestAroundTheLastHit: what follows the only hit wanted arrives when the hit has been passed on, and
// the scan is over. It can be read all the same, also of a compressed stream.
func TestAroundTheLastHit(t *testing.T) {
	for _, packed := range []bool{false, true} {
		asked := make(chan struct{})
		pipe := piped(t, func(w io.Writer) {
			var flush func() error
			if packed {
				z := gzip.NewWriter(w)
				defer z.Close()
				w, flush = z, z.Flush
			}
			for _, text := range []string{"a needle", " in a line\n"} {
				_, err := io.WriteString(w, text)
				if err == nil && flush != nil {
					err = flush()
				}
				if err != nil && !errors.Is(err, syscall.EPIPE) { // the reader needs no flush to its end
					t.Error(err)
				}
				<-asked
			}
		})
		in, err := FromFile("-", pipe, false)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		_, err = Find(context.Background(), in, must(t)(Text("needle")), Options{Limit: 1, Context: 100}, func(hits []answer.Hit) error {
			close(asked)
			got = make([]byte, len(" in a line\n"))
			_, err := in.ReadAt(got, hits[0].Off+hits[0].Len)
			return err
		})
		in.Close()
		if err != nil || !bytes.Equal(got, []byte(" in a line\n")) {
			t.Errorf("packed %v: %q, error %v", packed, got, err)
		}
	}
}
