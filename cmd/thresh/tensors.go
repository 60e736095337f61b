package main

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// tensors opens the files of tensors among the inputs of a question about values. Each of their
// tensors answers by its own type. To other questions such files are bytes like all others.
type tensors struct {
	session  *session
	selector *selector
	flags    *pflag.FlagSet
	asked    bool  // the question is about values
	typeless error // of inputs that are no files of tensors, because there is no --type; nil if there is
	explain  func(*tensorFile) error

	seen  bool // a file of tensors was opened
	named bool // tensors were printed with their names
}

func newTensors(s *session, selector *selector, flags *pflag.FlagSet, typeless error) *tensors {
	about := append([]string{"type", "stats", "histogram"}, valueFlags...)
	return &tensors{session: s, selector: selector, flags: flags, typeless: typeless,
		asked: firstOf(flags, about) != "" && !s.shared.noDecompress}
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
	if t == nil || !t.asked || name == "-" {
		if t == nil {
			return nil, nil
		}
		return nil, t.typeless
	}
	file, err := t.session.openTensors(name)
	var wrong *thresh.TensorError
	switch {
	case err == nil:
		f := &tensorFile{TensorFile: file, name: withoutPassword(name)}
		if err := t.take(f); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return f, nil
	case errors.As(err, &wrong):
		return nil, &hintedError{err, "with --type, --no-decompress reads the file as it is"}
	case t.typeless == nil: // it is opened like any other, and so are its errors
		return nil, nil
	case errors.Is(err, thresh.ErrNoTensors):
		return nil, t.typeless
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(name, "-"):
		return nil, t.typeless
	}
	return nil, err
}

// take checks the flags against the tensors of a file, and names them.
func (t *tensors) take(f *tensorFile) error {
	if flag := firstOf(t.flags, []string{"offset", "length", "stride"}); flag != "" {
		err := fmt.Errorf("--%s counts bytes, and %s holds tensors: their places come from its header", flag, f.name)
		return &hintedError{err,
			"name a tensor, as FILE:TENSOR; with --type, --no-decompress reads the file as it is"}
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
	given := thresh.ValueType("")
	if t.flags.Changed("type") {
		given = thresh.ValueType(t.selector.typ)
	}
	for i := range f.Tensors {
		one := namedTensor{Tensor: &f.Tensors[i], file: f.name, typ: f.Tensors[i].Type}
		if one.typ == "" && given != "" && one.ItemBytes == given.Bytes() && strings.Contains(one.Stored, "V") {
			one.typ = given // numpy saves bf16 and the like as bytes without a meaning
		}
		switch {
		case given != "" && one.typ != "" && one.typ != given:
			err := fmt.Errorf("--type %s contradicts the header of %s: %s is %s", given, f.name, one.what(), one.typ)
			return &hintedError{err,
				"leave --type out: each tensor has its own; with --no-decompress the file is read as it is"}
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
	typ  thresh.ValueType // of its values; empty if they cannot be looked at
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
	sized.ItemBytes = t.typ.Bytes()
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
	b = appendJSON(b, jsonText(t.file))
	if t.Tensor.Name != "" {
		b = append(b, `,"tensor":`...)
		b = appendJSON(b, jsonText(t.Tensor.Name))
	}
	b = append(append(append(b, `,"type":"`...), t.typ...), `","index":`...)
	return t.appendIndex(b, off)
}

// notes says on standard error what of a file is not looked at.
func (t *tensors) notes(f *tensorFile) {
	if t.session.shared.quiet {
		return
	}
	note := func(format string, args ...any) {
		fmt.Fprintf(t.session.console.err, "thresh: note: %s: %s\n", f.name, fmt.Sprintf(format, args...))
	}
	var packed []string
	for i := range f.all {
		if one := &f.all[i]; one.typ == "" {
			packed = append(packed, fmt.Sprintf("%s (%s)", one.Tensor.Name, one.Stored))
		}
	}
	if len(packed) > 0 {
		note("%s not looked at, because the values are no plain numbers: %s",
			plural(int64(len(packed)), "tensor"), few(packed))
	}
	if len(f.Others) > 0 {
		note("%s not looked at, because they are no arrays: %s", plural(int64(len(f.Others)), "member"), few(f.Others))
	}
	if f.Behind > 0 {
		note("%s behind the array not looked at", plural(f.Behind, "byte"))
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

// segments passes the names of a run to plain, up to a file of tensors, which it passes to special; and
// so on to the end. So answers come in the order of the names.
func (t *tensors) segments(names iter.Seq2[string, error], plain func(iter.Seq2[string, error]) error,
	special func(*tensorFile, error) error) error {
	if !t.asked && t.typeless == nil {
		return plain(names)
	}
	if t.typeless != nil { // there is no question for other files
		for name, err := range names {
			var file *tensorFile
			if err == nil {
				if file, err = t.open(name); err == t.typeless {
					err = fmt.Errorf("%s: %w", name, err)
				}
			}
			if err := special(file, err); err != nil {
				return err
			}
		}
		return nil
	}
	next, stop := iter.Pull2(names)
	defer stop()
	for {
		var file *tensorFile
		var wrong error
		more := false // plain has come to a file of tensors
		err := plain(func(yield func(string, error) bool) {
			for {
				name, err, ok := next()
				if !ok {
					return
				}
				if err == nil {
					if file, wrong = t.open(name); file != nil || wrong != nil {
						more = true
						return
					}
				}
				if !yield(name, err) {
					return
				}
			}
		})
		switch {
		case err != nil && file != nil:
			return errors.Join(err, file.Close())
		case err != nil || !more:
			return err
		}
		if err := special(file, wrong); err != nil {
			return err
		}
	}
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
func (s *selector) conditionsFor(typ thresh.ValueType) (out []thresh.Condition, ok bool, err error) {
	all, err := s.conditions()
	special, left := 0, 0
	for _, c := range all {
		if c.Op == thresh.IsNaN || c.Op == thresh.IsInf {
			special++
			if !typ.Has(c.Op) {
				continue
			}
			left++
		}
		out = append(out, c)
	}
	return out, special == 0 || left > 0, err
}
