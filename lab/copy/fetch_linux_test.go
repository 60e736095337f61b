package copy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// TestFetch gives wrong answers to the client, which must report them.
func TestFetch(t *testing.T) {
	const body = "twenty bytes of body"
	hash := sha256.Sum256([]byte(body))
	sum := hex.EncodeToString(hash[:])
	ok := "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, test := range []struct {
		name   string
		answer string
		asks   request
		want   string // of the error; empty: none
	}{
		{"raw", body, nothing, ""},
		{"raw, short", body[1:], nothing, "19 bytes"},
		{"raw, long", body + "!", nothing, "21 bytes"},
		{"length", ok + body, get, ""},
		{"length, short", ok + body[1:], get, "bytes received|unexpected EOF"},
		{"length, other", strings.Replace(ok, "20\r", "19\r", 1) + body, get, "19 bytes"},
		{"chunks", chunked + "5\r\n" + body[:5] + "\r\nf\r\n" + body[5:] + "\r\n0\r\n\r\n", get, ""},
		{"chunks, short", chunked + "5\r\n" + body[:5] + "\r\n0\r\n\r\n", get, "5 bytes"},
		{"chunks, no end", chunked + "14\r\n" + body + "\r\n", get, "EOF"},
		{"chunks, no head", chunked + "z\r\n" + body + "\r\n", get, "chunk|invalid"},
		{"status", strings.Replace(ok, "200 OK", "404 Not Found", 1) + body, get, "404"},
		{"no range", ok + body, getRange, "200 OK"},
		{"range", strings.Replace(ok, "200 OK", "206 Partial Content", 1) + body, getRange, ""},
		{"nothing", "", get, "EOF"},
	} {
		for _, hashed := range []bool{false, true} {
			f := fetch{Asks: test.asks, URLPath: "/file", Bytes: int64(len(body)), Transfers: 1, Hash: hashed}
			got, err := answered(t, &f, test.answer)
			if !matches(err, test.want) {
				t.Errorf("%s, hashed %t: error %v, want %q", test.name, hashed, err, test.want)
			}
			if err == nil && (got == sum) != hashed {
				t.Errorf("%s, hashed %t: sum %q, want %q", test.name, hashed, got, sum)
			}
		}
	}
	f := fetch{Bytes: int64(len(body)) - 3, Hash: true, Prefix: []byte(body[:3])}
	if got, err := answered(t, &f, body[3:]); got != sum || err != nil {
		t.Errorf("with the prefix that the answer omits: sum %q, want %q; error %v", got, sum, err)
	}
}

func matches(err error, want string) bool {
	if err == nil || want == "" {
		return err == nil && want == ""
	}
	for w := range strings.SplitSeq(want, "|") {
		if strings.Contains(err.Error(), w) {
			return true
		}
	}
	return false
}

// answered runs f with a server that sends the answer and closes the connection.
func answered(t *testing.T, f *fetch, answer string) (sum string, err error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.Address = l.Addr().String()
	served := make(chan error)
	go func() { served <- serveOnce(l, f.Asks, answer) }()
	sum, err = f.once()
	if serr := errors.Join(<-served, l.Close()); serr != nil {
		t.Fatal(serr)
	}
	return sum, err
}

func serveOnce(l net.Listener, asks request, answer string) error {
	c, err := l.Accept()
	if err != nil {
		return err
	}
	if asks != nothing {
		for asked := ""; !strings.HasSuffix(asked, "\r\n\r\n"); {
			var b [512]byte
			n, err := c.Read(b[:])
			if err != nil {
				return fmt.Errorf("after %q: %w", asked, err)
			}
			asked += string(b[:n])
		}
	}
	_, err = io.WriteString(c, answer)
	return errors.Join(err, c.Close())
}
