package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/tensor"
)

func file(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, data)...)
}

func TestHeaders(t *testing.T) {
	const a = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	for _, test := range []struct {
		header string
		data   int
		want   string // names, types, shapes and places, or a part of the error
	}{
		{"{" + a + "}", 8, "a f32 [2] 0 8;"},
		{"{}", 0, ""},
		{`{"__metadata__":{"format":"pt"},"b":{"data_offsets":[8,9],"shape":[],"dtype":"F8_E4M3"},` + a + "}   ", 9, "a f32 [2] 0 8;b f8e4m3 [] 8 1;"},
		{`{"b":{"data_offsets":[0,0],"shape":[0,7],"dtype":"BF16"},` + a + "}", 8, "b bf16 [0 7] 0 0;a f32 [2] 0 8;"},
		{`{"x":{"data_offsets":[0,6],"shape":[3,4],"dtype":"F4"}}`, 6, "x  [3 4] 0 6;"},
		{`{"x":{"data_offsets":[0,16],"shape":[2],"dtype":"C64"}}`, 16, "x  [2] 0 16;"},
		{"{" + a + "}", 9, "1 bytes behind tensor \"a\" belong to nothing"},
		{"{" + a + "}", 7, "ends at 8 of the 7 bytes behind the header"},
		{"{" + a + "," + a + "}", 8, `tensor "a" comes twice`},
		{"{" + a + `,"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}}`, 8, `tensor "b" begins in the middle of tensor "a"`},
		{"{" + a + `,"b":{"dtype":"U8","shape":[4],"data_offsets":[9,13]}}`, 13, `1 bytes between tensor "a" and tensor "b"`},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8, "before it begins"},
		{`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8, "takes 12 bytes, and its data has 8"},
		{`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}}`, 8, "more values than a file can hold"},
		{`{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, 8, "whole numbers"},
		{`{"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}}`, 8, "whole numbers"},
		{`{"a":{"dtype":"F32","shape":[1e0],"data_offsets":[0,8]}}`, 8, "whole numbers"},
		{`{"a":{"dtype":"F32","shape":["2"],"data_offsets":[0,8]}}`, 8, "whole numbers"},
		{`{"a":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}}`, 8, "whole numbers"},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}}`, 8, "more than 2 numbers"},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8]}}`, 8, "must be two numbers"},
		{`{"a":{"dtype":"F32","shape":[2]}}`, 8, "data_offsets is missing"},
		{`{"a":{"shape":[2],"data_offsets":[0,8]}}`, 8, "dtype, shape"},
		{`{"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8, `"dtype" comes twice`},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}}`, 8, `"x" is not known`},
		{`{"a":{"dtype":32,"shape":[2],"data_offsets":[0,8]}}`, 8, "a string is missing"},
		{`{"a":[]}`, 8, "{ is missing"}, {`[]`, 8, "{ is missing"}, {`{"a":`, 8, "not valid JSON"}, {`{"a" 1}`, 8, "not valid JSON"},
		{"{" + a + "} x", 8, "something follows"}, {`{"__metadata__":{"a":1},` + a + "}", 8, "a string is missing"},
		{`{"a":{"dtype":"F32","shape":` + strings.Repeat("[", 1000), 8, "whole numbers"},
		{`{"a":{"dtype":"F32","shape":[` + strings.Repeat("1,", 64) + `1],"data_offsets":[0,4]}}`, 4, "more than 64 numbers"},
		{`{"` + strings.Repeat("n", 5000) + `":{}}`, 8, "at most 4096"},
	} {
		b := file(test.header, test.data)
		f, err := Read(bytes.NewReader(b), int64(len(b)))
		got := fmt.Sprint(err)
		if err == nil {
			got = ""
			for _, one := range f.Tensors {
				got += fmt.Sprintf("%s %s %v %d %d;", one.Name, one.Type, one.Shape, one.Offset-int64(len(b)-test.data), one.Length)
			}
			if got != test.want {
				t.Errorf("%.100s: got %s, want %s", test.header, got, test.want)
			}
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%.100s: got %s, want %s", test.header, got, test.want)
		}
	}
}

func TestBeginnings(t *testing.T) {
	huge := file("{}", 8)
	binary.LittleEndian.PutUint64(huge, 1<<40)
	long := file("{}", 8)
	binary.LittleEndian.PutUint64(long, 20)
	for want, b := range map[string][]byte{"at most 100000000": huge, "the file ends before": long, "it has 3 bytes": []byte("abc")} {
		if _, err := Read(bytes.NewReader(b), int64(len(b))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if Recognise(b, int64(len(b))) {
			t.Errorf("recognised: %q", b)
		}
	}
	good := file(`{"a":{}}`, 0)
	if !Recognise(good[:16], int64(len(good))) || Recognise(good[:9], int64(len(good))) || Recognise(file(`[{"a"`, 9), 99) {
		t.Error("what is recognised is wrong")
	}
}

// FuzzRead accepts any header: the answer is an error, or tensors that fill the rest of the file.
func FuzzRead(f *testing.F) {
	b, err := os.ReadFile("../testdata/mixed.safetensors")
	if err != nil {
		f.Fatal(err)
	}
	n := 8 + binary.LittleEndian.Uint64(b)
	f.Add(b[8:n], len(b)-int(n))
	f.Add([]byte(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[0],"data_offsets":[8,8]}}`), 8)
	f.Fuzz(func(t *testing.T, header []byte, data int) {
		b := file(string(header), min(max(data, 0), 1<<16))
		got, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if wrong := (*tensor.Error)(nil); !errors.As(err, &wrong) || wrong.Off < 0 || wrong.Off > int64(len(b)) {
				t.Fatalf("%v", err)
			}
			return
		}
		at := int64(8 + len(header))
		for _, one := range got.Tensors {
			if one.Offset != at {
				t.Fatalf("%+v is not at %d", one, at)
			}
			at += one.Length
		}
		if at != int64(len(b)) {
			t.Fatalf("the tensors end at %d of %d", at, len(b))
		}
	})
}
