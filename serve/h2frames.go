package serve

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"golang.org/x/net/http2/hpack"
)

// The parts of HTTP/2 frames that h2Frames reads (RFC 9113, sections 4.1 and 6).
const (
	h2HeadBytes     = 9
	h2Headers       = 0x1
	h2ResetStream   = 0x3
	h2GoAway        = 0x7
	h2Continuation  = 0x9
	h2EndHeaders    = 0x4
	h2PaddedOrPrior = 0x8 | 0x20 // net/http sends header blocks without padding and priority
	h2ErrorBytesMax = 8          // of RST_STREAM and GOAWAY up to the error code
	h2TableBytes    = 4096       // the size of the compression table that net/http uses at most
)

// h2Frames follows the frames that net/http sends on an HTTP/2 connection. It sees what no handler
// does: responses of net/http itself, refused streams and failed connections.
type h2Frames struct {
	answered func(status int, bodyBytes int64) // the header of a final response
	failed   func(frame string, code int)      // RST_STREAM or GOAWAY with an error code

	head      [h2HeadBytes]byte
	headHave  int
	left      int // bytes of the payload to come
	payload   [h2ErrorBytesMax]byte
	have      int // bytes of the payload in payload
	fields    *hpack.Decoder
	status    int   // of the header block in progress
	bodyBytes int64 // its Content-Length
	lost      bool  // a header block could not be read; the next ones depend on it
}

func newH2Frames(answered func(status int, bodyBytes int64), failed func(frame string, code int)) *h2Frames {
	f := &h2Frames{answered: answered, failed: failed}
	f.fields = hpack.NewDecoder(h2TableBytes, func(field hpack.HeaderField) {
		switch n, err := strconv.ParseInt(field.Value, 10, 64); {
		case err != nil:
		case field.Name == ":status":
			f.status = int(n)
		case field.Name == "content-length":
			f.bodyBytes = n
		}
	})
	return f
}

// sent takes the next bytes of the connection, which may begin and end anywhere.
func (f *h2Frames) sent(p []byte) {
	for len(p) > 0 {
		if f.headHave < h2HeadBytes {
			n := copy(f.head[f.headHave:], p)
			f.headHave += n
			p = p[n:]
			if f.headHave < h2HeadBytes {
				return
			}
			f.left = int(f.head[0])<<16 | int(f.head[1])<<8 | int(f.head[2])
			f.have = 0
		}
		part := p[:min(f.left, len(p))]
		p = p[len(part):]
		f.left -= len(part)
		f.read(part)
		if f.left == 0 {
			f.end()
			f.headHave = 0
		}
	}
}

// read takes a part of a payload.
func (f *h2Frames) read(part []byte) {
	switch f.head[3] {
	case h2Headers, h2Continuation:
		f.lost = f.lost || f.head[3] == h2Headers && f.head[4]&h2PaddedOrPrior != 0
		if !f.lost {
			_, err := f.fields.Write(part)
			f.lost = err != nil
		}
	case h2ResetStream, h2GoAway:
		f.have += copy(f.payload[f.have:], part)
	}
}

// end finishes a frame.
func (f *h2Frames) end() {
	switch f.head[3] {
	case h2Headers, h2Continuation:
		if f.head[4]&h2EndHeaders == 0 || f.lost {
			return
		}
		f.lost = f.fields.Close() != nil
		if f.status >= 200 && !f.lost {
			f.answered(f.status, f.bodyBytes)
		}
		f.status, f.bodyBytes = 0, 0
	case h2ResetStream:
		if f.have >= 4 {
			f.fail("RST_STREAM", binary.BigEndian.Uint32(f.payload[:4]))
		}
	case h2GoAway:
		if f.have >= 8 {
			f.fail("GOAWAY", binary.BigEndian.Uint32(f.payload[4:8]))
		}
	}
}

// fail leaves out the codes that are no error of the client: NO_ERROR ends a connection or the
// upload of a request that is answered, and INTERNAL_ERROR ends a stream whose handler gave up,
// which has a line of its own.
func (f *h2Frames) fail(frame string, code uint32) {
	const noError, internalError = 0, 2
	if code != noError && code != internalError {
		f.failed(frame, int(code))
	}
}

// h2ErrorNames are the names of the error codes of HTTP/2 (RFC 9113, section 7).
var h2ErrorNames = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
	"FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
	"INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

func h2ErrorName(code int) string {
	if code < len(h2ErrorNames) {
		return h2ErrorNames[code]
	}
	return fmt.Sprintf("0x%x", code)
}
