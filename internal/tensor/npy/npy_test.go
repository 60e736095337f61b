package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/tensor"
)

// file returns a file of a version with a header and so many bytes behind it.
func file(version byte, header string, data int) []byte {
	b := append([]byte(Magic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), make([]byte, data)...)
}

const usual = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"

func TestHeaders(t *testing.T) {
	for _, test := range []struct {
		header string
		data   int
		want   string // type, shape, order and bytes, or a part of the error
	}{
		{usual, 24, "f32 [2 3] false 24 0"},
		{"{\"shape\":(2,),\"descr\":\">i8\",\"fortran_order\":True}  \n", 20, "i64be [2] true 16 4"},
		{"{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 1, "u8 [] false 1 0"},
		{"{'descr': '>u1', 'fortran_order': False, 'shape': (0, 9223372036854775807,), }", 0, "u8 [0 9223372036854775807] false 0 0"},
		{"{'descr': '<f2', 'fortran_order': False, 'shape': (3L,), }", 6, "f16 [3] false 6 0"},
		{"{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }", 6, " [3] false 6 0"},
		{"{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", 24, " [3] false 24 0"},
		{"{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }", 24, " [2] false 24 0"},
		{"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2,), }", 16, " [2] false 16 0"},
		{"{'descr': '<f16', 'fortran_order': False, 'shape': (2,), }", 32, " [2] false 32 0"},
		{"{'descr': '=f4', 'fortran_order': False, 'shape': (2,), }", 32, `type "=f4" is not known`},
		{"{'descr': '<x4', 'fortran_order': False, 'shape': (2,), }", 32, `at byte`},
		{"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", 9, `type "|O" is not known`},
		{"{'descr': '|O8', 'fortran_order': False, 'shape': (2,), }", 9, "pickled"},
		{"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", 9, "a structured type"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 23, "takes 24 bytes from"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", 9, "more values than a file can hold"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387903,), }", 9, "more values than a file can hold"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 9, "no whole number"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 9, "no whole number"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (3), }", 12, "a comma is missing"},
		{"{'descr': '<f4', 'fortran_order': 0, 'shape': (3,), }", 12, "neither True nor False"},
		{"{'descr': '<f4', 'fortran_order': False, }", 12, `there is no "shape"`},
		{"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12, `"descr" comes twice`},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}", 12, `"x" is not known`},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} 1", 12, "something follows"},
		{"{'descr': '<f4", 12, "has no end"}, {"{'de\\x73cr': '<f4'}", 12, "an escape"}, {"", 12, "is missing"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (" + strings.Repeat("1,", 65) + "), }", 4, "more than 64 dimensions"},
		{"{'descr' '<f4'}", 0, `":" is missing`}, {"{'descr': '<f4' 'shape': ()}", 0, "a comma or } is missing"},
	} {
		for version := byte(1); version <= 3; version++ {
			b := file(version, test.header, test.data)
			f, err := Read(bytes.NewReader(b), int64(len(b)))
			got := fmt.Sprint(err)
			if err == nil {
				one := f.Tensors[0]
				got = fmt.Sprint(one.Type, " ", one.Shape, " ", one.ColumnMajor, " ", one.Length, " ", f.Trailing)
				if one.Offset+one.Length+f.Trailing != int64(len(b)) {
					t.Errorf("%s: %+v, of %d bytes", test.header, one, len(b))
				}
			}
			if err == nil && got != test.want || !strings.Contains(got, test.want) {
				t.Errorf("version %d, %s: got %s, want %s", version, test.header, got, test.want)
			}
		}
	}
}

func TestBeginnings(t *testing.T) {
	long := file(2, usual, 24)
	binary.LittleEndian.PutUint32(long[8:], 1<<31)
	for name, b := range map[string][]byte{"no numpy file": []byte("not numpy, but long enough"), "version 4.0": file(4, usual, 24), "at most 65536": long} {
		if _, err := Read(bytes.NewReader(b), int64(len(b))); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
	b := file(1, usual, 24)
	if _, err := Read(failing{}, int64(len(b))); !errors.Is(err, errFailing) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

var errFailing = errors.New("cannot be read")

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errFailing }

// FuzzRead accepts any bytes: the answer is an error of a header, or an array that lies in the file.
func FuzzRead(f *testing.F) {
	names, err := filepath.Glob("../testdata/*.npy")
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(file(2, usual, 24))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if wrong := (*tensor.Error)(nil); !errors.As(err, &wrong) || wrong.Off < 0 || wrong.Off > int64(len(b)) {
				t.Fatalf("%v", err)
			}
			return
		}
		one := got.Tensors[0]
		if one.Offset < 10 || one.Length < 0 || one.Offset+one.Length+got.Trailing != int64(len(b)) {
			t.Fatalf("%+v in %d bytes", got, len(b))
		}
	})
}
