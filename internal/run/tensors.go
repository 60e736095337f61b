package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/tensor"
	"github.com/thresh-dev/thresh/internal/tensor/gguf"
	"github.com/thresh-dev/thresh/internal/tensor/npy"
	"github.com/thresh-dev/thresh/internal/tensor/safetensors"
)

// TensorFile is an open file that says which arrays of numbers it holds.
type TensorFile struct {
	Name, Format string
	Tensors      []Tensor
	Others       []string // members of an archive that are no arrays
	Trailing     int64    // bytes after the array of an npy file

	inputs []*Input
}

// Tensor is an array, and the input that its values are read from.
type Tensor struct {
	tensor.Tensor
	Input *Input
	// ToEnd says that the values end where the input does, which is decompressed: read without a
	// length, its checksum is verified.
	ToEnd bool
}

// tensorFormat is a format that has a header.
type tensorFormat struct {
	ending    string // of names
	recognise func(head []byte, size int64) bool
	read      func(r io.ReaderAt, size int64) (*tensor.File, error)
}

var tensorFormats = []tensorFormat{
	{".npy", func(head []byte, _ int64) bool { return bytes.HasPrefix(head, []byte(npy.Magic)) }, npy.Read},
	{".gguf", func(head []byte, _ int64) bool { return bytes.HasPrefix(head, []byte(gguf.Magic)) }, gguf.Read},
	{".safetensors", safetensors.Recognise, safetensors.Read},
}

// npzEnding is how the names of zip archives of .npy files end. Their content is that of any archive.
const npzEnding = ".npz"

// OpenTensors opens a file of tensors, by its content or its name, or "file:tensor", one of them. The
// error is failure.ErrNoTensors for other files, and for what is no regular file.
func OpenTensors(name string) (*TensorFile, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, failure.ErrNoTensors // opening and closing a FIFO would end its writer
	}
	f, err := source.Open(name)
	if err == nil {
		return tensorsOf(f, "")
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, pair := range decompress.SplitMember(name) {
		f, openErr := source.Open(pair[0])
		if openErr != nil {
			continue
		}
		t, openErr := tensorsOf(f, pair[1])
		if !errors.Is(openErr, failure.ErrNoTensors) {
			return t, openErr
		}
	}
	return nil, err
}

// TensorsOf opens an object on another machine as a file of tensors, or one of them if only is its name. It owns
// the object.
func TensorsOf(o source.Object, only string) (*TensorFile, error) {
	return tensorsOf(source.FromObject(o), only)
}

// tensorsOf reads the header of a file, and closes it if it cannot be used.
func tensorsOf(f *source.File, only string) (*TensorFile, error) {
	t := &TensorFile{Name: f.Name}
	err := t.read(f)
	if err == nil && only != "" {
		err = t.choose(only)
	}
	if err == nil {
		return t, nil
	}
	if !errors.Is(err, failure.ErrNoTensors) {
		wrong := &failure.TensorError{Name: f.Name, Off: -1, Err: err}
		if header := (*tensor.Error)(nil); errors.As(err, &header) {
			wrong.Off = header.Off
		}
		err = wrong
	}
	if len(t.inputs) > 0 {
		return nil, errors.Join(err, t.Close())
	}
	return nil, errors.Join(err, f.Close())
}

func (t *TensorFile) read(f *source.File) error {
	if f.Kind != source.Regular && f.Kind != source.ReaderAt && f.Kind != source.Remote {
		return failure.ErrNoTensors
	}
	ending := strings.ToLower(filepath.Ext(f.Name))
	if ending == npzEnding {
		return t.readArchive(f)
	}
	r := &noted{f: f}
	head := make([]byte, min(16, f.Bytes))
	if n, err := r.ReadAt(head, 0); n < len(head) {
		return err
	}
	for _, format := range tensorFormats {
		if !format.recognise(head, f.Bytes) && format.ending != ending {
			continue
		}
		in := &Input{file: f, raw: true}
		t.inputs = append(t.inputs, in)
		header, err := format.read(r, f.Bytes)
		in.brought = r.brought
		if err != nil {
			return err
		}
		t.Format, t.Trailing = header.Format, header.Trailing
		for _, one := range header.Tensors {
			t.Tensors = append(t.Tensors, Tensor{Tensor: one, Input: in})
		}
		return nil
	}
	return failure.ErrNoTensors
}

// noted reads a file and notes what that brings into the page cache.
type noted struct {
	f       *source.File
	brought []source.Range
}

func (n *noted) ReadAt(p []byte, off int64) (int, error) {
	if n.f.Kind == source.Regular {
		missing, err := n.f.Uncached(source.Range{Off: off, End: min(off+int64(len(p)), n.f.Bytes)})
		if err == nil { // otherwise the pages stay
			n.brought = append(n.brought, missing...)
		}
	}
	return n.f.ReadAt(p, off)
}

// readArchive reads the headers of the arrays in an archive. The values of members that are not
// compressed are read where they lie.
func (t *TensorFile) readArchive(f *source.File) error {
	t.Format = "npz"
	archive := &Input{file: f, raw: true}
	t.inputs = append(t.inputs, archive)
	members, err := decompress.AllMembers(f, f.Bytes)
	if err != nil {
		return err
	}
	for m, err := range members {
		name, isArray := strings.CutSuffix(m.Name, ".npy")
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if !isArray {
			t.Others = append(t.Others, m.Name)
			continue
		}
		if len(t.Tensors) >= tensor.TensorsMost {
			return fmt.Errorf("more than %d arrays", tensor.TensorsMost)
		}
		one, err := t.member(archive, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		one.Name = name
		t.Tensors = append(t.Tensors, one)
	}
	return nil
}

// member reads the header of an array in an archive.
func (t *TensorFile) member(archive *Input, m decompress.MemberName) (Tensor, error) {
	f := archive.file
	if off, ok := m.InPlace(); ok {
		if off > f.Bytes-m.Bytes {
			return Tensor{}, tensor.ErrEnded
		}
		header, err := npy.Read(io.NewSectionReader(f, off, m.Bytes), m.Bytes)
		if err != nil {
			return Tensor{}, err
		}
		one := Tensor{Tensor: header.Tensors[0], Input: archive}
		one.Offset += off
		return one, nil
	}
	in := memberInput(f, f.Name+":"+m.Name, m.Member)
	in.borrowed = true
	t.inputs = append(t.inputs, in)
	header, err := npy.Read(in, m.Bytes)
	if err == nil {
		err = in.compressed.again.Close()
		in.compressed.again = nil // and its memory
	}
	if err != nil {
		return Tensor{}, err
	}
	one := Tensor{Tensor: header.Tensors[0], Input: in}
	one.ToEnd = one.Offset+one.Length == m.Bytes
	return one, nil
}

// choose keeps only the tensor with a name.
func (t *TensorFile) choose(name string) error {
	var names []string
	for _, one := range t.Tensors {
		if one.Name == name || t.Format == "npz" && one.Name+".npy" == name {
			t.Tensors, t.Others, t.Trailing = []Tensor{one}, nil, 0
			return nil
		}
		names = append(names, one.Name)
	}
	if t.Format == "npy" {
		return fmt.Errorf("it holds a single array without a name, and none called %q", name)
	}
	return fmt.Errorf("there is no tensor %q (there is %s)", name, decompress.Near(names, name))
}

// Close closes the file.
func (t *TensorFile) Close() (err error) {
	for i := len(t.inputs) - 1; i >= 0; i-- { // the archive, which the others borrow, last
		err = errors.Join(err, t.inputs[i].Close())
	}
	t.inputs = nil
	return err
}
