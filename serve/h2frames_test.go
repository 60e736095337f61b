package serve

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// TestH2Frames: frames are recognized however their bytes are cut.
func TestH2Frames(t *testing.T) {
	var sent, block bytes.Buffer
	framer, fields := http2.NewFramer(&sent, nil), hpack.NewEncoder(&block)
	headers := func(stream uint32, pieces int, pairs ...string) {
		block.Reset()
		for i := 0; i < len(pairs); i += 2 {
			if err := fields.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}); err != nil {
				t.Fatal(err)
			}
		}
		size := (block.Len() + pieces - 1) / pieces
		err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Next(size), EndHeaders: pieces == 1})
		for n := 2; n <= pieces && err == nil; n++ {
			err = framer.WriteContinuation(stream, n == pieces, block.Next(size))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(framer.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 20000}))
	headers(1, 1, ":status", "200", "content-length", "12", "x", "y")
	must(framer.WriteData(1, true, []byte("a body of 12")))
	headers(3, 3, ":status", "431", "content-length", "67", "long", strings.Repeat("z", 300))
	must(framer.WriteData(3, true, nil))
	headers(5, 1, ":status", "100")
	must(framer.WriteRSTStream(5, http2.ErrCodeNo))
	must(framer.WriteRSTStream(5, http2.ErrCodeInternal))
	must(framer.WriteRSTStream(7, http2.ErrCodeProtocol))
	headers(9, 2, ":status", "431", "x", "y") // by reference to the fields above
	headers(9, 1, "trailer", "t")
	must(framer.WriteGoAway(9, http2.ErrCodeNo, []byte("debug data")))
	must(framer.WriteGoAway(9, http2.ErrCodeEnhanceYourCalm, []byte("debug data")))
	must(framer.WriteRSTStream(9, 99))

	want := []string{"200 12", "431 67", "RST_STREAM PROTOCOL_ERROR", "431 0", "GOAWAY ENHANCE_YOUR_CALM", "RST_STREAM 0x63"}
	for _, cut := range []int{1, 2, 3, 8, 9, 10, 13, 64, sent.Len()} {
		var got []string
		f := newH2Frames(func(status int, bodyBytes int64) { got = append(got, fmt.Sprint(status, " ", bodyBytes)) },
			func(frame string, code int) { got = append(got, frame+" "+h2ErrorName(code)) })
		for piece := range slices.Chunk(sent.Bytes(), cut) {
			f.sent(piece)
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: %q, want %q", cut, got, want)
		}
	}
	f := newH2Frames(func(int, int64) { t.Error("a header that cannot be read") }, func(string, int) {})
	f.sent([]byte{0, 0, 1, h2Headers, h2EndHeaders, 0, 0, 0, 1, 0xff}) // an index without an end
	f.sent([]byte{0, 0, 1, h2Headers, h2EndHeaders, 0, 0, 0, 3, 0x88}) // depends on it
	f = newH2Frames(func(int, int64) { t.Error("a padded header") }, func(string, int) {})
	f.sent([]byte{0, 0, 2, h2Headers, h2EndHeaders | 8, 0, 0, 0, 1, 0, 0x88}) // net/http never sends it
}
