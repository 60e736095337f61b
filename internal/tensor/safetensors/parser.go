package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/tensor"
)

// parser reads the JSON of a header, token by token: an object of objects, of which it keeps only
// the three fields of a tensor. So the memory does not depend on what else a header holds.
type parser struct {
	json       *json.Decoder
	data, size int64 // where the values begin, and the size of the file
}

func newParser(r io.Reader, data, size int64) *parser {
	d := json.NewDecoder(r)
	d.UseNumber()
	return &parser{d, data, size}
}

// fail returns an error at the parser's place.
func (p *parser) fail(format string, args ...any) error {
	return fail(8+p.json.InputOffset(), fmt.Errorf(format, args...))
}

// token returns the next token. Errors of JSON get their place.
func (p *parser) token() (json.Token, error) {
	t, err := p.json.Token()
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) || err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, p.fail("it is not valid JSON: %w", err)
	}
	return t, err
}

// delim takes a delimiter that must come next.
func (p *parser) delim(want json.Delim) error {
	t, err := p.token()
	if err == nil && t != want {
		err = p.fail("%v is missing", want)
	}
	return err
}

// text takes a string.
func (p *parser) text() (string, error) {
	t, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", p.fail("a string is missing")
	}
	return s, nil
}

// file reads the whole header.
func (p *parser) file() (*tensor.File, error) {
	f := &tensor.File{Format: "safetensors"}
	if err := p.delim('{'); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for p.json.More() {
		name, err := p.text()
		if err != nil {
			return nil, err
		}
		switch {
		case seen[name]:
			return nil, p.fail("tensor %q comes twice", name)
		case len(name) > tensor.NameBytesMost || !utf8.ValidString(name):
			return nil, p.fail("the name of a tensor has %d bytes or is not UTF-8; at most %d are allowed",
				len(name), tensor.NameBytesMost)
		case len(seen) > tensor.TensorsMost:
			return nil, p.fail("more than %d tensors", tensor.TensorsMost)
		}
		seen[name] = true
		if name == "__metadata__" {
			err = p.metadata()
		} else {
			var t tensor.Tensor
			if t, err = p.tensor(name); err == nil {
				f.Tensors = append(f.Tensors, t)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.delim('}'); err != nil {
		return nil, err
	}
	if _, err := p.json.Token(); err != io.EOF { // writers may pad with spaces
		return nil, p.fail("something follows the header's JSON")
	}
	return f, nil
}

// metadata skips an object of strings.
func (p *parser) metadata() error {
	if err := p.delim('{'); err != nil {
		return err
	}
	for p.json.More() {
		for range 2 {
			if _, err := p.text(); err != nil {
				return err
			}
		}
	}
	return p.delim('}')
}

// entry is what the header says about a tensor.
type entry struct {
	name, dtype string
	shape       []int64
	begin, end  int64
	placed      bool
}

func (p *parser) tensor(name string) (tensor.Tensor, error) {
	e := entry{name: name}
	if err := p.delim('{'); err != nil {
		return tensor.Tensor{}, err
	}
	seen := map[string]bool{}
	for p.json.More() {
		key, err := p.text()
		if err != nil {
			return tensor.Tensor{}, err
		}
		if seen[key] {
			return tensor.Tensor{}, p.fail("tensor %q: %q comes twice", name, key)
		}
		seen[key] = true
		switch key {
		case "dtype":
			e.dtype, err = p.text()
		case "shape":
			e.shape, err = p.numbers(tensor.DimensionsMost)
		case "data_offsets":
			var ends []int64
			if ends, err = p.numbers(2); err == nil && len(ends) != 2 {
				err = p.fail("tensor %q: data_offsets must be two numbers", name)
			}
			if err == nil {
				e.begin, e.end, e.placed = ends[0], ends[1], true
			}
		default:
			err = p.fail("tensor %q: %q is not known (known: dtype, shape, data_offsets)", name, key)
		}
		if err != nil {
			return tensor.Tensor{}, err
		}
	}
	if err := p.delim('}'); err != nil {
		return tensor.Tensor{}, err
	}
	t, err := e.place(p.data, p.size)
	if err != nil {
		err = p.fail("tensor %q: %w", name, err)
	}
	return t, err
}

// numbers takes a list of at most so many sizes. The list is not nil.
func (p *parser) numbers(most int) ([]int64, error) {
	if err := p.delim('['); err != nil {
		return nil, err
	}
	all := []int64{}
	for p.json.More() {
		t, err := p.token()
		if err != nil {
			return nil, err
		}
		number, ok := t.(json.Number)
		n, err := strconv.ParseUint(number.String(), 10, 64)
		if !ok || err != nil || n > math.MaxInt64 {
			return nil, p.fail("a list must hold whole numbers below 2^63, and not %v", t)
		}
		if all = append(all, int64(n)); len(all) > most {
			return nil, p.fail("a list of more than %d numbers", most)
		}
	}
	return all, p.delim(']')
}

// utf8Reader reads a header and checks that it is UTF-8, as JSON must be. Names that are not would become others.
type utf8Reader struct {
	r    io.Reader
	off  int64  // of rest in the file
	rest []byte // the beginning of a character
	err  error  // the header is not UTF-8
}

var errUTF8 = errors.New("it is not UTF-8")

func (u *utf8Reader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	text := append(u.rest, p[:n]...)
	for u.err == nil && len(text) > 0 && (utf8.FullRune(text) || err == io.EOF) {
		c, size := utf8.DecodeRune(text)
		if c == utf8.RuneError && size == 1 {
			u.err = fail(u.off, errUTF8)
		}
		u.off, text = u.off+int64(size), text[size:]
	}
	u.rest = append([]byte(nil), text...)
	return n, err
}
