package remote

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// tensorText describes a file of tensors: what its header says, and how many of the values are 7.
func tensorText(t *testing.T, f *thresh.TensorFile) string {
	t.Helper()
	defer f.Close()
	var out strings.Builder
	fmt.Fprintln(&out, f.Format, f.Others, f.Trailing)
	for i := range f.Tensors {
		one := &f.Tensors[i]
		sevens := []question.Condition{{Op: question.Equal, Value: "7"}}
		q, err := thresh.Values(question.Values{Type: one.Type, Conditions: sevens})
		if err != nil {
			t.Fatal(err)
		}
		o := options.Scan{Run: options.Run{ChunkBytes: 100_000}}
		o.Offset, o.Length = one.Range()
		r, err := thresh.Count(t.Context(), one.Input, q, o)
		if err != nil || !r.Complete {
			t.Fatal(one.Name, err, r.Unread)
		}
		fmt.Fprintln(&out, one.Name, one.Type, one.Shape, one.Offset, one.Length, r.Hits)
	}
	return out.String()
}

// TestTensors opens files of tensors from servers, and the same ones from a folder. Without ranges they are so small
// that they are kept in memory.
func TestTensors(t *testing.T) {
	values := make([]byte, 2*250_000)
	for i := range len(values) / 2 {
		binary.LittleEndian.PutUint16(values[2*i:], uint16(i%100))
	}
	header := fmt.Sprintf("%-117s\n", "{'descr': '<i2', 'fortran_order': False, 'shape': (500, 500), }")
	array := append([]byte("\x93NUMPY\x01\x00v\x00"+header), values...)
	tensors := fmt.Sprintf(`{"a:b":{"dtype":"I16","shape":[250000],"data_offsets":[0,%d]}}`, len(values))
	named := append(binary.LittleEndian.AppendUint64(nil, uint64(len(tensors))), tensors+string(values)...)
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, method := range map[string]uint16{"packed.npy": zip.Deflate, "plain.npy": zip.Store} {
		m, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		m.Write(array)
	}
	w.Close()
	folder := t.TempDir()
	files := map[string][]byte{
		"x.npy": array, "y.safetensors": named, "z.npz": archive.Bytes(), "text.npy": text(1000), "text": text(70_000),
	}
	for name, data := range files {
		write(t, filepath.Join(folder, name), data)
	}
	for _, kind := range []string{"ranges", "short answers", "no ranges"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if data, err := os.ReadFile(filepath.Join(folder, r.URL.Path)); err == nil {
				servers[kind](data)(w, r)
			} else {
				http.NotFound(w, r)
			}
		}))
		c := newClient(t, quick)
		for _, name := range []string{
			"x.npy", "y.safetensors", "z.npz", "y.safetensors:a:b", "z.npz:packed", "z.npz:plain.npy",
			"y.safetensors:c", "text.npy", "text", "none", "text:a",
		} {
			want, wantErr := thresh.OpenTensors(filepath.Join(folder, name))
			got, err := c.OpenTensors(t.Context(), s.URL+"/"+name)
			var wrong *failure.TensorError
			same := (err == nil) == (wantErr == nil) && errors.As(err, &wrong) == errors.As(wantErr, &wrong) &&
				errors.Is(err, failure.ErrNoTensors) == errors.Is(wantErr, failure.ErrNoTensors) &&
				errors.Is(err, fs.ErrNotExist) == errors.Is(wantErr, fs.ErrNotExist)
			if !same {
				t.Errorf("%s, %s: %v, want %v", kind, name, err, wantErr)
			} else if err == nil {
				if got, want := tensorText(t, got), tensorText(t, want); got != want {
					t.Errorf("%s, %s: got\n%s\nwant\n%s", kind, name, got, want)
				}
			}
		}
		s.Close()
	}
}
