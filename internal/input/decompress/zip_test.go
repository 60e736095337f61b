package decompress

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

type entry struct {
	name   string
	method uint16
	data   []byte
}

func archive(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func member(compressed []byte, name string, workers int) ([]byte, error) {
	in := bytes.NewReader(compressed)
	m, err := OpenMember(in, int64(len(compressed)), name)
	if err != nil {
		return nil, err
	}
	r := m.Reader(in, Options{Workers: workers})
	defer r.Close()
	return io.ReadAll(r)
}

func TestMembers(t *testing.T) {
	entries := []entry{
		{"deflated", zip.Deflate, text(1<<20, 1)}, {"dir/", zip.Store, nil}, {"dir/stored", zip.Store, noise(700_000, 1)},
		{"dir/sub/zstd.txt", zstd.ZipMethodWinZip, text(900_000, 2)}, {"empty", zip.Deflate, nil}, {"twice", zip.Store, []byte("old")},
		{"twice", zip.Deflate, []byte("new")}, {"../up", zip.Store, []byte("x")},
	}
	compressed := archive(t, entries...)
	for _, compressed := range [][]byte{compressed, slices.Concat([]byte("#!/bin/sh\n"), compressed), append(slices.Clone(compressed), "behind"...)} {
		for i, e := range entries {
			if i == 1 || i == 5 {
				continue
			}
			for _, workers := range workerCounts {
				if got, err := member(compressed, e.name, workers); err != nil || !bytes.Equal(got, e.data) {
					t.Errorf("%s, %d workers: %d bytes of %d, error %v", e.name, workers, len(got), len(e.data), err)
				}
			}
		}
	}
}

func TestMembersThatCannotBe(t *testing.T) {
	compressed := archive(t, entry{"dir/", zip.Store, nil}, entry{"dir/a.txt", zip.Store, []byte("text")},
		entry{"b.txt", zip.Store, []byte("text")}, entry{"secret", zip.Store, []byte("text")}, entry{"strange", zip.Store, []byte("text")})
	list := bytes.Index(compressed, []byte("PK\x01\x02"))
	change := func(name string, at int, to byte) {
		i := list + bytes.Index(compressed[list:], []byte(name)) - 46
		compressed[i+at] = to
	}
	change("secret", 8, 1)
	change("strange", 10, 99)
	for name, want := range map[string]string{
		"a.txt": `no such member (it has "dir/a.txt", "b.txt"`, "dir/": "folder", "secret": "encrypted", "strange": "number 99",
	} {
		_, err := member(compressed, name, 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
		if name == "a.txt" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v is not fs.ErrNotExist", err)
		}
	}
	if _, err := member([]byte("no archive"), "x", 1); err == nil || !strings.Contains(err.Error(), "not a zip archive") {
		t.Errorf("no archive: %v", err)
	}
}

// Whatever bit of a member is wrong, the result is the right content or an error.
func TestDamagedMembers(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate, zstd.ZipMethodWinZip} {
		data := text(3000, 1)
		compressed := archive(t, entry{"x", method, data})
		for bit := 0; bit < 8*len(compressed); bit += 13 {
			compressed[bit/8] ^= 1 << (bit % 8)
			for _, workers := range []int{1, 3} {
				if got, err := member(compressed, "x", workers); err == nil && !bytes.Equal(got, data) {
					t.Errorf("method %d, bit %d, %d workers: %d bytes and no error", method, bit, workers, len(got))
				}
			}
			compressed[bit/8] ^= 1 << (bit % 8)
		}
	}
}

func TestSplitMember(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt": "", "a.zip": "", "a.zip:b": "a.zip|b", "d/A.ZIP:x/y:z": "d/A.ZIP|x/y:z d/A.ZIP:x/y|z", "a.zip:b.zip:c": "a.zip|b.zip:c a.zip:b.zip|c",
		"a.jar:B.class": "a.jar|B.class", ":a": "", "a:": "", ":": "",
	} {
		var got []string
		for _, pair := range SplitMember(name) {
			got = append(got, pair[0]+"|"+pair[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
