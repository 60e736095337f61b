package verbs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/question"
)

// tensors opens the files of tensors among the inputs of a question about values. Each of their
// tensors answers by its own type. To other questions such files are bytes like all others.
type tensors struct {
	scan     *command.Scan[answer.Report]
	selector *selector
	typeless error // of inputs that are no files of tensors, because there is no --type; nil if there is
	ask      func(context.Context, *tensorFile) error

	seen  bool // a file of tensors was opened
	named bool // tensors were printed with their names
}

// newTensors has a scan ask files of tensors apart, by ask, if the question is about values.
func newTensors(scan *command.Scan[answer.Report], selector *selector, typeless error,
	ask func(context.Context, *tensorFile) error) *tensors {
	t := &tensors{scan: scan, selector: selector, typeless: typeless, ask: ask}
	if scan.First("type stats histogram "+valueFlags) != "" && !scan.NoDecompress || typeless != nil {
		scan.Apart = t.apart
	}
	return t
}

// apart returns how to ask a file of tensors; nil for other inputs. It is an error if these lack a type.
func (t *tensors) apart(name string) (func(context.Context) error, error) {
	f, err := t.open(name)
	if err != nil && err == t.typeless && t.scan.Several {
		err = fmt.Errorf("%s: %w", name, err)
	}
	if f == nil || err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		defer f.Close() // only read from, so an error loses nothing
		t.seen = true
		t.named = t.named || !f.single
		t.notes(f)
		if !t.scan.Several {
			bar := t.scan.Bar(f.name, 0, t.scan.Lines)
			defer bar.Stop()
		}
		return t.ask(ctx, f)
	}, nil
}

// typeless returns the part of a query's error that only concerns inputs that are no files of tensors,
// and the rest of it.
func (s *selector) typeless(err error) (typeless, rest error) {
	var missing *typelessError
	if errors.As(err, &missing) && err.Error() == missing.Error() { // nothing else is wrong
		return missing, nil
	}
	return nil, err
}

// tensorFile is an open file of tensors.
type tensorFile struct {
	*thresh.TensorFile
	name   string // of the file, without that of the tensor
	all    []namedTensor
	single bool // one tensor was asked for, or the file has one that needs no name
}

// open opens a file of tensors. It returns nil for other inputs; it is an error if these lack a type.
func (t *tensors) open(name string) (*tensorFile, error) {
	if name == "-" || t.scan.Apart == nil || t.scan.NoDecompress {
		return nil, t.typeless
	}
	file, err := t.scan.OpenTensors(name)
	var wrong *failure.TensorError
	switch {
	case err == nil:
		f := &tensorFile{TensorFile: file, name: command.ShownName(name)}
		if err := t.take(f); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return f, nil
	case errors.As(err, &wrong):
		return nil, command.Hint(err, "with --type, --no-decompress reads the file as it is")
	case t.typeless == nil: // it is opened like any other, and so are its errors
		return nil, nil
	case errors.Is(err, failure.ErrNoTensors):
		return nil, t.typeless
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(name, "-"):
		return nil, t.typeless
	}
	return nil, err
}

// take checks the flags against the tensors of a file, and names them.
func (t *tensors) take(f *tensorFile) error {
	if flag := t.scan.First("offset length stride"); flag != "" {
		err := fmt.Errorf("--%s counts bytes, and %s holds tensors: their places come from its header", flag, f.name)
		return command.Hint(err,
			"name a tensor, as FILE:TENSOR; with --type, --no-decompress reads the file as it is")

	}
	f.single = f.Format == "npy"
	if len(f.Tensors) == 1 {
		member := f.name
		if f.Format == "npz" {
			member = strings.TrimSuffix(f.name, ".npy")
		}
		if file, chosen := strings.CutSuffix(member, ":"+f.Tensors[0].Name); chosen {
			f.name, f.single = file, true
		}
	}
	given := question.ValueType("")
	if t.scan.Given("type") {
		given = question.ValueType(t.selector.typ)
	}
	for i := range f.Tensors {
		one := namedTensor{Tensor: &f.Tensors[i], file: f.name, typ: f.Tensors[i].Type}
		untold := strings.Contains(one.Stored, "V") || strings.HasSuffix(one.Stored, "f1")
		if one.typ == "" && given != "" && one.ItemBytes == compare.TypeOf(given).Width() && untold {
			one.typ = given // numpy saves bf16 as bytes without a meaning, and all floats of 8 bits as f1
		}
		switch {
		case given != "" && one.typ != "" && one.typ != given:
			err := fmt.Errorf("--type %s contradicts the header of %s: %s is %s", given, f.name, one.what(), one.typ)
			return command.Hint(err,
				"leave --type out: each tensor has its own; with --no-decompress the file is read as it is")

		case f.single && one.typ == "" && untold && given == "":
			return command.Hint(fmt.Errorf("%s: %s holds %s, which does not say how its values are written",
				f.name, one.what(), one.Stored), "give --type, such as --type bf16 or --type f8e4m3")

		case f.single && one.typ == "":
			return fmt.Errorf("%s: %s holds %s, whose values cannot be looked at", f.name, one.what(), one.Stored)
		}
		f.all = append(f.all, one)
	}
	return nil
}

// namedTensor is a tensor, and the file that it is in. It is the source of its hits.
type namedTensor struct {
	*thresh.Tensor
	file string
	typ  question.ValueType // of its values; empty if they cannot be looked at
}

// Name returns the name under which results are printed.
func (t *namedTensor) Name() string {
	if t.Tensor.Name == "" {
		return t.file
	}
	return t.file + ":" + t.Tensor.Name
}

// what returns what to call the tensor in an error about its file.
func (t *namedTensor) what() string {
	if t.Tensor.Name == "" {
		return "its array"
	}
	return fmt.Sprintf("tensor %q", t.Tensor.Name)
}

// ReadAt reads the values of the tensor, and what is around them.
func (t *namedTensor) ReadAt(p []byte, off int64) (int, error) { return t.Input.ReadAt(p, off) }

// ReadSome does the same.
func (t *namedTensor) ReadSome(p []byte, off int64) (int, error) { return t.Input.ReadSome(p, off) }

// appendLabel appends FILE:TENSOR[i,j] of the value at an offset.
func (t *namedTensor) appendLabel(b []byte, off int64) []byte {
	b = append(b, t.Name()...)
	return t.appendIndex(b, off)
}

func (t *namedTensor) appendIndex(b []byte, off int64) []byte {
	sized := *t.Tensor
	sized.ItemBytes = compare.TypeOf(t.typ).Width()
	b = append(b, '[')
	for i, n := range sized.Index(off) {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Append(b, n)
	}
	return append(b, ']')
}

// appendJSON appends the file, and what a JSON line says about a value of a tensor.
func (t *namedTensor) appendJSON(b []byte, off int64) []byte {
	b = command.Text(t.file).AppendJSON(b)
	if t.Tensor.Name != "" {
		b = append(b, `,"tensor":`...)
		b = command.Text(t.Tensor.Name).AppendJSON(b)
	}
	b = append(append(append(b, `,"type":"`...), t.typ...), `","index":`...)
	return t.appendIndex(b, off)
}

// notes says on standard error what of a file is not looked at.
func (t *tensors) notes(f *tensorFile) {
	note := func(format string, args ...any) { t.scan.Notef("%s: %s", f.name, fmt.Sprintf(format, args...)) }
	var packed []string
	for i := range f.all {
		if one := &f.all[i]; one.typ == "" {
			packed = append(packed, fmt.Sprintf("%s (%s)", one.Tensor.Name, one.Stored))
		}
	}
	if len(packed) > 0 {
		note("%s not looked at, because the values are no plain numbers: %s",
			numeral.Count(len(packed), "tensor"), few(packed))
	}
	if len(f.Others) > 0 {
		note("%s not looked at, because they are no arrays: %s", numeral.Count(len(f.Others), "member"), few(f.Others))
	}
	if f.Trailing > 0 {
		note("%s after the array not looked at", numeral.Count(f.Trailing, "byte"))
	}
}

// few returns the first names of a list, and how many there are more.
func few(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// others returns the names of the inputs that are no files of tensors.
func (t *tensors) others(names iter.Seq2[string, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for name, err := range names {
			if err == nil {
				file, wrong := t.open(name)
				if file != nil {
					err = file.Close()
				}
				if (file != nil || wrong != nil) && err == nil {
					continue
				}
			}
			if !yield(name, err) {
				return
			}
		}
	}
}

// conditionsFor returns the conditions for values of a type: without NaN and infinities if it has
// none. Ok is false if then no value can meet them.
func (s *selector) conditionsFor(typ question.ValueType) (out []question.Condition, ok bool, err error) {
	all, err := s.conditions()
	special, left := 0, 0
	for _, c := range all {
		if c.Op == question.IsNaN || c.Op == question.IsInf {
			special++
			if !compare.TypeOf(typ).Float() || c.Op == question.IsInf && !compare.TypeOf(typ).HasInf() {
				continue
			}
			left++
		}
		out = append(out, c)
	}
	return out, special == 0 || left > 0, err
}
