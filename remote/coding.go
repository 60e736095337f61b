package remote

import (
	"bufio"
	"compress/flate"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/thresh-dev/thresh"
)

// coding returns how a server says that it has compressed the content, in lower case, "" if not. It was asked not
// to, but an object may be stored that way.
func coding(h http.Header) string {
	var codings []string
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")), ",") {
		switch name = strings.TrimSpace(name); name {
		case "", "identity", "aws-chunked": // the last is of an upload; some stores keep it
		default:
			codings = append(codings, name)
		}
	}
	return strings.Join(codings, ", ")
}

// uncoded returns an error if the bytes of the object are not its content. Gzip and zstd are found by the first
// bytes, wherever they come from.
func (o *Object) uncoded() error {
	for name := range strings.SplitSeq(o.coding, ", ") {
		switch name {
		case "", "gzip", "x-gzip", "zstd":
		default:
			return fmt.Errorf("open %s: its server compresses it (Content-Encoding: %s), which is not known here; "+
				"use a pipe from a program that decodes it, such as curl", o.Name(), o.coding)
		}
	}
	return nil
}

// openUncoded opens an object whose bytes are its content.
func (c *Client) openUncoded(ctx context.Context, name string) (*Object, error) {
	o, err := c.OpenObject(ctx, name)
	if err == nil {
		if err = o.uncoded(); err != nil {
			return nil, errors.Join(err, o.Close())
		}
	}
	return o, err
}

// decoded returns the object with the coding removed that no first bytes tell. If it cannot, it closes the object.
func (o *Object) decoded() (thresh.Object, error) {
	if o.coding == "deflate" {
		return deflated{o}, nil
	}
	if err := o.uncoded(); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// deflated is the content of an object that its server sends with Content-Encoding: deflate.
type deflated struct{ *Object }

// Bytes returns -1: the size of the content is not known.
func (deflated) Bytes() int64 { return -1 }

// ReadRange returns all of the content.
func (d deflated) ReadRange(ctx context.Context, _, _ int64) io.ReadCloser {
	body := d.Object.ReadRange(ctx, 0, d.bytes)
	return &inflating{body: body, coded: bufio.NewReaderSize(body, 64<<10), name: d.Name()}
}

// inflating decodes deflate: the format of zlib, as RFC 9110 has it, or without its header, as some servers send it.
type inflating struct {
	body    io.Closer
	coded   *bufio.Reader
	content io.Reader // nil: nothing has been read
	name    string
}

func (i *inflating) Read(p []byte) (n int, err error) {
	if i.content == nil {
		head, err := i.coded.Peek(2)
		if err != nil && err != io.EOF {
			return 0, err
		}
		i.content = flate.NewReader(i.coded)
		// A header is a multiple of 31, with 8 in the low half of its first byte: a block of bare deflate that
		// begins so would be stored with a length that disagrees with its complement.
		if len(head) == 2 && head[0]&15 == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			if i.content, err = zlib.NewReader(i.coded); err != nil {
				return 0, err
			}
		}
	}
	n, err = i.content.Read(p)
	if err == io.EOF {
		if _, err := i.coded.ReadByte(); err != io.EOF {
			return n, errors.Join(fmt.Errorf("read %s: bytes follow the deflate data", i.name), err)
		}
	}
	return n, err
}

func (i *inflating) Close() error { return i.body.Close() }
