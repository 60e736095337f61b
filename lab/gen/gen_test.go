package gen

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func makeLog(t *testing.T, size int64, seed uint64, needles ...Needle) ([]byte, []int64) {
	t.Helper()
	var b bytes.Buffer
	places, err := Log(&b, size, seed, needles...)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), places
}

var logLine = regexp.MustCompile(`^2026-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (INFO |DEBUG|WARN |ERROR) ` +
	`[a-z]+-[1-8] req=[0-9a-f]{16} user=[0-9]{9} \S.*\S$`)

func TestLogLines(t *testing.T) {
	log, _ := makeLog(t, 4<<20, 1)
	if len(log) != 4<<20 || !utf8.Valid(log) {
		t.Fatalf("%d bytes, valid UTF-8: %v", len(log), utf8.Valid(log))
	}
	lines := strings.SplitAfter(string(log), "\n")
	before := ""
	for i, line := range lines[:len(lines)-2] { // behind the last line feed is nothing, before it the cut line
		line = strings.TrimSuffix(line, "\n")
		if !logLine.MatchString(line) {
			t.Fatalf("line %d is %q", i, line)
		}
		if line[:24] < before {
			t.Fatalf("line %d: time goes back from %s", i, before)
		}
		before = line[:24]
	}
	if mean := len(log) / len(lines); mean < 100 || mean > 170 {
		t.Errorf("lines are %d bytes long in the mean", mean)
	}
	for _, want := range []string{"Müller", "佐藤", `"type":"order.paid"`, "slow query", "orders.go:214"} {
		if !bytes.Contains(log, []byte(want)) {
			t.Errorf("no %s in the log", want)
		}
	}
}

func TestLogSizesAreExact(t *testing.T) {
	for size := int64(0); size < 700; size++ {
		log, _ := makeLog(t, size, 3)
		if int64(len(log)) != size || !utf8.Valid(log) || size > 0 && log[size-1] != '\n' {
			t.Fatalf("size %d: %q", size, log)
		}
	}
}

// TestDigests holds the makers to the bytes that they made when figures were taken from
// them: who changes these makes older figures about other data.
func TestDigests(t *testing.T) {
	makers := map[string]struct {
		make func(io.Writer, uint64) error
		want string
	}{
		"log":    {func(w io.Writer, s uint64) error { _, err := Log(w, 3<<20, s); return err }, "eb994fc7fee3e128"},
		"image":  {func(w io.Writer, s uint64) error { _, err := Image(w, 9<<20, s); return err }, "f73eb20453cb4398"},
		"floats": {func(w io.Writer, s uint64) error { return Floats(w, 1<<20+1, s) }, "cee1f598112fc77c"},
	}
	for name, m := range makers {
		var digests []string
		for _, seed := range []uint64{7, 7, 8} {
			h := sha256.New()
			if err := m.make(h, seed); err != nil {
				t.Fatal(err)
			}
			digests = append(digests, hex.EncodeToString(h.Sum(nil)[:8]))
		}
		if digests[0] != digests[1] || digests[0] == digests[2] {
			t.Errorf("%s: the same seed must give the same, another one other bytes: %v", name, digests)
		}
		if digests[0] != m.want {
			t.Errorf("%s: digest %s, want %s", name, digests[0], m.want)
		}
	}
}

func TestNeedles(t *testing.T) {
	const size = 1 << 20
	needles := []Needle{
		{Text: "first line"}, {Line: 5, Text: "sixth line"}, {Line: 5, Text: "one a line"},
		{Off: size - 4096, Text: "near the end"},
	}
	log, places := makeLog(t, size, 2, needles...)
	if len(places) != len(needles) {
		t.Fatalf("%d places for %d needles", len(places), len(needles))
	}
	for i, at := range places {
		text := needles[i].Text
		if !bytes.HasPrefix(log[at:], []byte(text+"\n")) || bytes.Count(log, []byte(text)) != 1 {
			t.Errorf("needle %q is not once, and at %d", text, at)
		}
	}
	if lines := bytes.Count(log[:places[1]], []byte("\n")); lines != 5 {
		t.Errorf("the second needle is in line %d, want 5", lines)
	}
	if places[3] < size-4096 || places[3] > size-4096+400 {
		t.Errorf("the last needle is at %d", places[3])
	}
	for _, n := range []Needle{{Off: size, Text: "behind"}, {Line: 1 << 40, Text: "behind"}, {Text: "two\nlines"}} {
		if _, err := Log(io.Discard, size, 2, n); err == nil {
			t.Errorf("no error for needle %+v", n)
		}
	}
}

// TestNeedleThatIsCutIsAnError: whatever the size, a needle is there whole or is an error.
func TestNeedleThatIsCutIsAnError(t *testing.T) {
	for size := int64(1); size < 400; size++ {
		var b bytes.Buffer
		places, err := Log(&b, size, 2, Needle{Text: "needle"})
		if err == nil && !bytes.HasPrefix(b.Bytes()[places[0]:], []byte("needle\n")) {
			t.Fatalf("size %d: needle is not at %d of %q", size, places[0], b.Bytes())
		}
		if err == nil != (bytes.Contains(b.Bytes(), []byte("needle"))) {
			t.Fatalf("size %d: error %v, log %q", size, err, b.Bytes())
		}
	}
}

func TestHaystack(t *testing.T) {
	for _, size := range []int64{8, 4096, bufferBytes, 3*bufferBytes + 8} {
		path := filepath.Join(t.TempDir(), "haystack")
		if err := Haystack(path, size); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(b)) != size || len(bytes.TrimLeft(b[:size-8], "\x00")) > 0 ||
			binary.LittleEndian.Uint64(b[size-8:]) == 0 {
			t.Errorf("size %d: wrong content in %d bytes", size, len(b))
		}
	}
	for _, size := range []int64{-8, 0, 7, 12} {
		path := filepath.Join(t.TempDir(), "haystack")
		if err := Haystack(path, size); err == nil {
			t.Errorf("no error for %d bytes", size)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("a file of %d bytes was left", size)
		}
	}
}

func TestImageStructures(t *testing.T) {
	var b bytes.Buffer
	found, err := Image(&b, 64<<20, 5)
	if err != nil {
		t.Fatal(err)
	}
	if b.Len() != 64<<20 {
		t.Errorf("%d bytes", b.Len())
	}
	want := map[string]string{"mbr": "\x55\xaa", "gpt": "EFI PART", "ext4": "\x53\xef"}
	for _, m := range magics {
		want[m.kind] = m.bytes
	}
	kinds := map[string]bool{}
	last := int64(-1)
	for _, s := range found {
		kinds[s.Kind] = true
		if s.Off <= last || !bytes.HasPrefix(b.Bytes()[s.Off:], []byte(want[s.Kind])) {
			t.Errorf("no %s at %d", s.Kind, s.Off)
		}
		last = s.Off
	}
	if len(kinds) < 7 {
		t.Errorf("only the kinds %v", kinds)
	}
	if _, err := Image(io.Discard, imageBytesMin-1, 5); err == nil {
		t.Error("no error for a small image")
	}
}

func TestFloats(t *testing.T) {
	const n = bufferBytes/4 + 1001
	nanAt := []int64{0, 77, bufferBytes/4 - 1, bufferBytes / 4, n - 1}
	var b bytes.Buffer
	if err := Floats(&b, n, 9, nanAt...); err != nil {
		t.Fatal(err)
	}
	if b.Len() != 4*n {
		t.Fatalf("%d bytes", b.Len())
	}
	var nans []int64
	for i := range int64(n) {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b.Bytes()[4*i:]))
		if v != v {
			nans = append(nans, i)
		} else if v <= -1 || v >= 1 {
			t.Fatalf("value %d is %v", i, v)
		}
	}
	if len(nans) != len(nanAt) {
		t.Errorf("NaN at %v, want %v", nans, nanAt)
	}
	for i := range nans {
		if nans[i] != nanAt[i] {
			t.Errorf("NaN at %v, want %v", nans, nanAt)
		}
	}
	for _, bad := range [][]int64{{-1}, {n}, {5, 5}, {6, 5}} {
		if err := Floats(io.Discard, n, 9, bad...); err == nil {
			t.Errorf("no error for NaN at %v", bad)
		}
	}
}

type fullDisk struct{ left int }

var errFull = errors.New("no space left")

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.left -= len(b); d.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteErrorsAreReturned(t *testing.T) {
	for _, room := range []int{0, 5 << 20} {
		_, logErr := Log(&fullDisk{room}, 8<<20, 1)
		_, imageErr := Image(&fullDisk{room}, 8<<20, 1)
		for _, err := range []error{logErr, imageErr, Floats(&fullDisk{room}, 2<<20, 1)} {
			if !errors.Is(err, errFull) {
				t.Errorf("room for %d bytes: error %v", room, err)
			}
		}
	}
}

func BenchmarkMakers(b *testing.B) {
	const size = 64 << 20
	makers := map[string]func() error{
		"log":    func() error { _, err := Log(io.Discard, size, 1); return err },
		"image":  func() error { _, err := Image(io.Discard, size, 1); return err },
		"floats": func() error { return Floats(io.Discard, size/4, 1) },
	}
	for name, make := range makers {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				if err := make(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
