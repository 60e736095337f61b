package thresh

import (
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/tensor"
	"github.com/thresh-dev/thresh/question"
)

// TensorFile is an open file that says which arrays of numbers it holds. Find and Count read their
// values from the Input of each Tensor, one call at a time; Close closes them all.
type TensorFile struct {
	Format   string   // "npy", "npz", "safetensors" or "gguf"
	Tensors  []Tensor // in the order of the file
	Others   []string // members of an npz archive that are no arrays
	Trailing int64    // bytes after the array of an npy file

	file *run.TensorFile
}

// Tensor is an array of numbers in a file.
type Tensor struct {
	Name string // empty in an npy file, which holds a single one
	// Type is the type of the values; empty if they cannot be looked at, because they are quantised,
	// complex, or texts.
	Type        question.ValueType
	Stored      string  // the type as the file names it
	ItemBytes   int     // of a value; 0 if it is not known
	Shape       []int64 // outermost dimension first; empty for a single number
	ColumnMajor bool    // neighbours in the file differ in the first index
	Offset      int64   // of the first value in Input
	Length      int64   // in bytes; -1 if it is not known

	// Input holds the values: the file, or the content of a compressed member of an npz archive.
	Input *Input

	toEnd bool
}

// OpenTensors opens a file of tensors (npy, npz, safetensors or GGUF), which is recognised by its
// content, npz by its name; or, of "file:tensor", that tensor alone. Only headers are read. Of a name
// that ends like that of a format, a content of another format is a *failure.TensorError, and so is a header
// that does not fit the file.
//
// A header is not believed: lengths are compared with the file, tensors must lie in it and not overlap,
// and there are at most 262,144 of them, with names of up to 4096 bytes.
func OpenTensors(name string) (*TensorFile, error) {
	return newTensorFile(run.OpenTensors(name))
}

// TensorsOf opens an object as a file of tensors, like OpenTensors; only is the name of the one tensor that is
// wanted, "" for all. It owns the object, also if it returns an error.
func TensorsOf(o Object, only string) (*TensorFile, error) {
	if err := required("o", o); err != nil {
		return nil, err
	}
	return newTensorFile(run.TensorsOf(o, only))
}

func newTensorFile(f *run.TensorFile, err error) (*TensorFile, error) {
	if err != nil {
		return nil, err
	}
	t := &TensorFile{Format: f.Format, Others: f.Others, Trailing: f.Trailing, file: f}
	inputs := map[*run.Input]*Input{}
	for _, one := range f.Tensors {
		in := inputs[one.Input]
		if in == nil {
			in = &Input{one.Input}
			inputs[one.Input] = in
		}
		t.Tensors = append(t.Tensors, Tensor{Name: one.Name, Type: question.ValueType(one.Type), Stored: one.Stored,
			ItemBytes: one.ItemBytes, Shape: one.Shape, ColumnMajor: one.ColumnMajor, Offset: one.Offset,
			Length: one.Length, Input: in, toEnd: one.ToEnd})
	}
	return t, nil
}

// Range returns the range of the tensor's values in Input, for the options of a call. A nil length means to the end.
func (t *Tensor) Range() (off int64, length *int64) {
	if t.toEnd {
		return t.Offset, nil
	}
	return t.Offset, &t.Length
}

// Index returns the index of the value that begins at an offset of Input, outermost dimension first.
// It is nil if no value begins there, or ItemBytes is 0.
func (t *Tensor) Index(off int64) []int64 {
	inner := tensor.Tensor{ItemBytes: t.ItemBytes, Shape: t.Shape, ColumnMajor: t.ColumnMajor, Offset: t.Offset}
	return inner.Index(off)
}

// Close closes the file. Further calls do nothing.
func (f *TensorFile) Close() error {
	if f == nil || f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	for i := range f.Tensors {
		f.Tensors[i].Input.in = nil
	}
	return file.Close()
}
