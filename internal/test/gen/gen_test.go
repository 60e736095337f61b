package gen

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"unicode/utf8"
)

func TestLogIsSeededAndExact(t *testing.T) {
	var a, b, c bytes.Buffer
	for _, make := range []struct {
		to   *bytes.Buffer
		seed uint64
	}{{&a, 1}, {&b, 1}, {&c, 2}} {
		if err := Log(make.to, 3_000_001, make.seed); err != nil {
			t.Fatal(err)
		}
	}
	if a.Len() != 3_000_001 || !bytes.Equal(a.Bytes(), b.Bytes()) || bytes.Equal(a.Bytes(), c.Bytes()) {
		t.Errorf("%d, %d and %d bytes: equal seeds must give equal logs, different seeds different ones", a.Len(), b.Len(), c.Len())
	}
}

func TestLogLooksLikeOne(t *testing.T) {
	var log bytes.Buffer
	const text = "the planted line"
	if err := Log(&log, 2_000_000, 5, Line{0, "first"}, Line{1_000_000, text}); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(log.Bytes(), []byte("first\n")) {
		t.Error("the line planted at 0 is not the first line")
	}
	at := bytes.Index(log.Bytes(), []byte("\n"+text+"\n"))
	if at < 999_999 || at > 1_000_500 || bytes.Count(log.Bytes(), []byte(text)) != 1 {
		t.Errorf("the planted line is at %d", at)
	}
	shape := regexp.MustCompile(`^2026-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z `)
	lines := bytes.Split(log.Bytes(), []byte("\n"))
	seen := map[string]bool{}
	for _, line := range lines[1 : len(lines)-1] {
		if string(line) == text {
			continue
		}
		if !shape.Match(line) || !utf8.Valid(line) {
			t.Fatalf("a line is %q", line)
		}
		seen[string(line)] = true
	}
	if len(seen) < len(lines)*9/10 {
		t.Errorf("only %d of %d lines differ", len(seen), len(lines))
	}
	if n := len(regexp.MustCompile(`user=\d{9} `).FindAll(log.Bytes(), -1)); n < len(lines)/2 {
		t.Errorf("only %d of %d lines have a user", n, len(lines))
	}
}

func TestHaystack(t *testing.T) {
	name := filepath.Join(t.TempDir(), "haystack")
	if err := Haystack(name, 40_000_005); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := append(make([]byte, 39_999_992), 1, 0, 0, 0, 0, 0, 0, 0)
	if !bytes.Equal(data, want) {
		t.Errorf("%d bytes, want %d zeros and a word of 1", len(data), len(want)-8)
	}
	if Haystack(name, 7) == nil {
		t.Error("no error for 7 bytes, which cannot hold a word")
	}
}

func TestFloats(t *testing.T) {
	var b bytes.Buffer
	if err := Floats(&b, 1000, 1, 7, 999); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(b.Bytes()[8*i:]))
		if math.IsNaN(v) != (i == 7 || i == 999) {
			t.Errorf("value %d is %v", i, v)
		}
	}
}

func TestDisk(t *testing.T) {
	var b bytes.Buffer
	if err := Disk(&b, 1<<20+100, 1); err != nil {
		t.Fatal(err)
	}
	if b.Len() != 1<<20+100 || !bytes.Contains(b.Bytes(), []byte("\x7fELF")) || b.Bytes()[510] != 0x55 {
		t.Errorf("%d bytes do not look like a disk", b.Len())
	}
}

func BenchmarkLog(b *testing.B) {
	b.SetBytes(64 << 20)
	for b.Loop() {
		if err := Log(io.Discard, 64<<20, 1); err != nil {
			b.Fatal(err)
		}
	}
}
