package decompress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// inner decompresses content that may have been compressed several times.
type inner struct {
	layers  []io.ReadCloser // each decompresses the output of the one before it
	options Options
	settled bool   // the output of the last layer is not compressed
	head    []byte // bytes already read from the last layer
	err     error  // the last layer's error behind head
}

// layersMax is how many times content may be compressed.
const layersMax = 4

// errLayers refuses content with too many layers, which is probably malicious.
var errLayers = fmt.Errorf("it is compressed more than %d times", layersMax)

// NewInner returns a reader of the content of r, which was decompressed from a file. If the content
// is compressed too, NewInner decompresses it again, until it is not. Close closes r.
func NewInner(r io.ReadCloser, o Options) io.ReadCloser {
	o.Workers = 1
	return &inner{layers: []io.ReadCloser{r}, options: o}
}

// Read returns the next bytes of the innermost content.
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

// look reads the beginning of the last layer's output, and adds a layer if that is compressed.
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
		r.err = errors.New("the content is a zip archive, which can only be read as a file of its own: decompress it first")
	case len(r.layers) == layersMax:
		r.err = errLayers
	default:
		compressed := io.MultiReader(bytes.NewReader(buf), r.last())
		r.layers = append(r.layers, NewReader(compressed, f, r.options))
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
