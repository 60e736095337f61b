package thresh_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
	"github.com/thresh-dev/thresh/receipt"
)

const tensorData = "internal/tensor/testdata"

// figures is what the formats' own libraries, and Python's fractions, say about a tensor.
type figures struct {
	Shape               []int64
	N, NaN, Inf         int64
	Min, Max, Sum, Mean *float64
	NaNAt               [][]int64 `json:"nan_at"`
	Offset              int64
	Stored              string
}

func wantedTensors(t *testing.T) map[string]map[string]figures {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(tensorData, "values.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]figures
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// The tensors of files that numpy, safetensors and gguf wrote have the shapes, the statistics and the
// NaNs that these libraries find.
func TestTensorsAgainstTheirLibraries(t *testing.T) {
	for name, tensors := range wantedTensors(t) {
		f, err := thresh.OpenTensors(filepath.Join(tensorData, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(f.Tensors) != len(tensors) || f.Trailing != 0 || len(f.Others) != 0 {
			t.Errorf("%s: %d tensors, want %d; %d bytes behind, others %v", name, len(f.Tensors), len(tensors), f.Trailing, f.Others)
		}
		for i := range f.Tensors {
			one := &f.Tensors[i]
			want, ok := tensors[one.Name]
			if !ok || !slices.Equal(one.Shape, want.Shape) || want.Offset != 0 && one.Offset != want.Offset {
				t.Errorf("%s:%s: shape %v at %d, want %v at %d", name, one.Name, one.Shape, one.Offset, want.Shape, want.Offset)
			}
			if want.Stored != "" {
				if one.Stored != want.Stored || one.Type != "" {
					t.Errorf("%s:%s is %q, %q; want %q, which is not looked at", name, one.Name, one.Stored, one.Type, want.Stored)
				}
				continue
			}
			checkTensor(t, name, one, want)
		}
		if err := errors.Join(f.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	}
}

func checkTensor(t *testing.T, file string, one *thresh.Tensor, want figures) {
	t.Helper()
	q, err := thresh.Statistics(question.Values{Type: one.Type})
	if err != nil {
		t.Fatalf("%s:%s: %v", file, one.Name, err)
	}
	r, err := thresh.Count(context.Background(), one.Input, q, ranged(one).Scan())
	if err != nil || !r.Complete || r.Trailing != 0 {
		t.Fatalf("%s:%s: %v, %+v", file, one.Name, err, r)
	}
	if s := r.Stats; s.N != want.N || s.NaN != want.NaN || s.Inf != want.Inf {
		t.Errorf("%s:%s: %d values, %d NaN, %d infinite; want %d, %d, %d", file, one.Name, s.N, s.NaN, s.Inf, want.N, want.NaN, want.Inf)
	}
	typ, err := compare.ParseType(string(one.Type))
	if err != nil {
		t.Fatal(err)
	}
	for _, figure := range []struct {
		what, text string
		want       *float64
		typed      bool
	}{{"min", r.Stats.Min, want.Min, true}, {"max", r.Stats.Max, want.Max, true}, {"sum", r.Stats.Sum, want.Sum, false},
		{"mean", r.Stats.Mean, want.Mean, false}} {
		if figure.want == nil {
			continue
		}
		got, err := strconv.ParseFloat(figure.text, 64)
		if figure.typed && typ.Float() {
			got, err = typ.ParseFloat(figure.text)
		}
		if err != nil || got != *figure.want {
			t.Errorf("%s:%s: %s is %s, want %v (%v)", file, one.Name, figure.what, figure.text, *figure.want, err)
		}
	}
	if !compare.TypeOf(one.Type).Float() {
		return
	}
	q, err = thresh.Values(question.Values{Type: one.Type, Conditions: []question.Condition{{Op: question.IsNaN}}})
	if err != nil {
		t.Fatal(err)
	}
	var at [][]int64
	_, err = thresh.Find(context.Background(), one.Input, q, ranged(one), func(hits []answer.Hit) error {
		for _, h := range hits {
			at = append(at, one.Index(h.Off))
		}
		return nil
	})
	slices.SortFunc(at, slices.Compare) // numpy lists them in the order of indexes
	if err != nil || !slices.EqualFunc(at, want.NaNAt, slices.Equal) {
		t.Errorf("%s:%s: NaN at %v, want %v (%v)", file, one.Name, at, want.NaNAt, err)
	}
}

func TestOpenOneTensor(t *testing.T) {
	for name, want := range map[string]string{
		"mixed.safetensors:half": "half f16 [3 2 4]", "small.gguf:c": "c bf16 [2 3]", "stored.npz:steps": "steps i64 [9]",
		"stored.npz:w.npy": "w f32 [4 5]", "deflated.npz:w": "w f32 [4 5]",
		"mixed.safetensors:hulf": `there is no tensor "hulf" (there is "half"`, "c.npy:x": "a single array without a name",
		"nosuch.npy": "no such file", "nosuch.npy:x": "no such file", "values.json": failure.ErrNoTensors.Error(),
		".": "directory",
	} {
		got := ""
		f, err := thresh.OpenTensors(filepath.Join(tensorData, name))
		if err != nil {
			got = err.Error()
		} else {
			one := f.Tensors[0]
			got = one.Name + " " + string(one.Type) + " " + strings.ReplaceAll(strings.Trim(strings.Join(strings.Fields(shapeText(one.Shape)), " "), " "), ",", " ")
			if err := f.Close(); err != nil || len(f.Tensors) != 1 {
				t.Errorf("%s: %v, %d tensors", name, err, len(f.Tensors))
			}
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func shapeText(shape []int64) string {
	var all []string
	for _, n := range shape {
		all = append(all, strconv.FormatInt(n, 10))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// A file that is cut off anywhere is an error, or says that it holds no tensors; nothing is read
// beyond it. Bytes behind an npy array are reported.
func TestCutTensors(t *testing.T) {
	folder := t.TempDir()
	for name := range wantedTensors(t) {
		whole, err := os.ReadFile(filepath.Join(tensorData, name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, name)
		for n := 0; n < len(whole); n += 1 + n/64*5 {
			if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := thresh.OpenTensors(path)
			var wrong *failure.TensorError
			if err == nil && name == "small.gguf" && packedIsCut(f, int64(n)) {
				err = errors.Join(&failure.TensorError{}, f.Close())
			}
			if !errors.As(err, &wrong) {
				t.Fatalf("the first %d of %d bytes of %s: %v", n, len(whole), name, err)
			}
		}
		if strings.HasSuffix(name, ".npy") {
			if err := os.WriteFile(path, append(whole, "12345"...), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := thresh.OpenTensors(path)
			if err != nil || f.Trailing != 5 {
				t.Fatalf("%s with five bytes behind: %v, %+v", name, err, f)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// packedIsCut reports whether only the last tensor, whose size is not looked at, is cut off.
func packedIsCut(f *thresh.TensorFile, size int64) bool {
	last := f.Tensors[len(f.Tensors)-1]
	return last.Length < 0 && last.Offset <= size
}

func TestReceiptAdd(t *testing.T) {
	var r receipt.Receipt
	r.Add(receipt.Receipt{Bytes: 10, Seconds: 1, Wall: "storage", Engines: []receipt.EngineUse{{Engine: "mmap", Workers: 1, Bytes: 10}}})
	r.Add(receipt.Receipt{Bytes: 30, Skipped: 5, Seconds: 3, Wall: "memory", Kernel: "k",
		Engines: []receipt.EngineUse{{Engine: "mmap", Workers: 2, Bytes: 20}, {Engine: "pread", Workers: 1, Bytes: 10}}})
	r.Add(receipt.Receipt{Bytes: 1, Seconds: 0.5, Wall: "storage"})
	if r.Bytes != 41 || r.Skipped != 5 || r.Seconds != 4.5 || r.Wall != "memory" || r.Kernel != "k" || len(r.Engines) != 2 ||
		r.Engines[0] != (receipt.EngineUse{Engine: "mmap", Workers: 2, Bytes: 30}) || math.Abs(r.BytesPerSecond-41/4.5) > 1e-9 {
		t.Errorf("got %+v", r)
	}
}

func TestValueTypes(t *testing.T) {
	if typ, err := thresh.ParseValueType("bfloat16"); typ != question.BFloat16 || err != nil {
		t.Errorf("bfloat16 is %q, %v", typ, err)
	}
	var wrong *failure.QueryError
	if _, err := thresh.ParseValueType("flaot16"); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "did you mean f16") {
		t.Errorf("flaot16: %v", err)
	}
	if len(thresh.ValueTypes()) != 14 {
		t.Error("types without a name, or names without a type")
	}
}

// ranged returns the options for the range of a tensor's values.
func ranged(t *thresh.Tensor) (o options.Find) {
	o.Offset, o.Length = t.Range()
	return o
}
