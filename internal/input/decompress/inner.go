package decompress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// inner decompresses content that was compressed several times as often as that.
type inner struct {
	layers  []io.ReadCloser // each decompresses what the one before it gives out
	options Options
	settled bool   // the last layer gives out what is wanted
	head    []byte // read from it already
	err     error  // what it said after the head
}

// layersMax is how often content may be compressed.
const layersMax = 4

// errLayers refuses what is likely to be made to do harm.
var errLayers = fmt.Errorf("it is compressed more than %d times", layersMax)

// NewInner returns what is inside the content of r, which is itself inside some file: where
// that begins like compressed content, it is decompressed too. Close closes r.
func NewInner(r io.ReadCloser, o Options) io.ReadCloser {
	o.Workers = 1
	return &inner{layers: []io.ReadCloser{r}, options: o}
}

// Read returns what comes next.
func (r *inner) Read(p []byte) (int, error) {
	for !r.settled {
		r.look()
	}
	switch {
	case len(r.head) > 0:
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	case r.err != nil:
		return 0, r.err
	}
	return r.last().Read(p)
}

func (r *inner) last() io.ReadCloser { return r.layers[len(r.layers)-1] }

// look reads what the last layer gives out first, and adds another one if that is needed.
func (r *inner) look() {
	var f Format
	var err error
	buf := make([]byte, 0, HeadBytes)
	for settled := false; !settled && r.err == nil; {
		var n int
		n, r.err = r.last().Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		f, settled, err = Recognise(buf, r.err == io.EOF)
		settled = settled && len(buf) > 0
	}
	r.settled = true
	switch {
	case r.err != nil && r.err != io.EOF || f == Plain && err == nil:
		r.head = buf
	case err != nil:
		r.err = fmt.Errorf("the content cannot be read: %w", err)
	case f == Zip:
		r.err = errors.New("the content is a zip archive, which must be a file of its own to be read: decompress it before")
	case len(r.layers) == layersMax:
		r.err = errLayers
	default:
		packed := io.MultiReader(bytes.NewReader(buf), r.last())
		r.layers = append(r.layers, NewReader(packed, f, r.options))
		r.settled, r.err = false, nil
	}
}

// Close closes all layers.
func (r *inner) Close() (err error) {
	for i := range r.layers {
		err = errors.Join(err, r.layers[len(r.layers)-1-i].Close())
	}
	return err
}
