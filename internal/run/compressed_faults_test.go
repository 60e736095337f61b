package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// packers are programs that compress standard input to standard output, and those that bring
// it back.
var packers = []struct{ pack, unpack []string }{
	{[]string{"gzip", "-1c"}, []string{"gzip", "-dc"}},
	{[]string{"bgzip", "-c"}, []string{"gzip", "-dc"}},
	{[]string{"zstd", "-qc"}, []string{"zstd", "-qdc"}},
	{[]string{"bzip2", "-1c"}, []string{"bzip2", "-dc"}},
	{[]string{"xz", "-1c"}, []string{"xz", "-dc"}},
	{[]string{"xz", "-1c", "-T2", "--block-size=20KiB"}, []string{"xz", "-dc"}},
	{[]string{"lz4", "-qc"}, []string{"lz4", "-qdc"}},
	{[]string{"lz4", "-qc", "-B4", "-BD"}, []string{"lz4", "-qdc"}},
	{[]string{"lz4", "-qlc"}, []string{"lz4", "-qdc"}},
}

// through returns what a program makes of data, false where it is not installed.
func through(t testing.TB, data []byte, args []string) ([]byte, bool) {
	t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		if os.Getenv("THRESH_REQUIRE") != "" {
			t.Errorf("%s is required: scripts/test-setup.sh installs it", args[0])
		}
		return nil, false
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out, true
}

// kinds are the ways in which the same bytes come in.
var kinds = []string{"file", "pipe", "standard input that is a file", "name without ending"}

// come returns an input of a kind.
func come(t *testing.T, kind string, data []byte) *Input {
	t.Helper()
	var in *Input
	var err error
	switch kind {
	case "pipe":
		in, err = FromFile("-", piped(t, func(w io.Writer) {
			w.Write(data) // the reader may have seen enough
		}), false)
	case "standard input that is a file":
		var f *os.File
		if f, err = os.Open(write(t, data)); err == nil {
			in, err = FromFile("-", f, false)
		}
	case "name without ending":
		in, err = Open(write(t, data), false)
	default:
		name := filepath.Join(t.TempDir(), "input.log.1")
		if err = os.WriteFile(name, data, 0o600); err == nil {
			in, err = Open(name, false)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// Whatever packs it, whatever it is called and however it comes: the answers are those of
// the content, as the program that packed it gives it out.
func TestCompressedByPrograms(t *testing.T) {
	data := letters(200_000, rand.New(rand.NewPCG(2, 1)))
	all := questions(t)
	want, n := plainly(all, data), 0
	for _, p := range packers {
		packed, ok := through(t, data, p.pack)
		if !ok {
			continue
		}
		if back, _ := through(t, packed, p.unpack); !bytes.Equal(back, data) {
			t.Fatalf("%v does not undo %v", p.unpack, p.pack)
		}
		for _, kind := range kinds {
			for i, q := range all {
				if n++; n%rounds.Every(3) != 0 { // each question has its turn with each program, and with each kind
					continue
				}
				got, report := search(t, come(t, kind, packed), q.query, Options{})
				if !slices.Equal(got, want[i]) || !report.Complete {
					t.Errorf("%v, %s, %s: %d hits, want %d; report %+v", p.pack, kind, q.name, len(got), len(want[i]), report)
				}
			}
			from, length := int64(50_001), int64(99_000)
			report, err := Count(context.Background(), come(t, kind, packed), Lines(), Options{Offset: from, Length: &length})
			if want := plainLines(data[from:][:length]); err != nil || report.Hits != want || !report.Complete {
				t.Errorf("%v, %s, a range: %d lines, want %d; error %v", p.pack, kind, report.Hits, want, err)
			}
		}
	}
}

// plainly answers all questions about data in the plain way.
func plainly(all []asked, data []byte) (hits [][]answer.Hit) {
	for _, q := range all {
		hits = append(hits, q.plain(data))
	}
	return hits
}

// Of packed bytes that are cut or damaged, every question answers for the same content: what
// lies before the fault, to the byte. The rest is named, and the report says that it is not
// complete.
func TestFaultsOfCompressedInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	data := letters(70_000, r)
	for _, p := range packers {
		packed, ok := through(t, data, p.pack)
		if !ok {
			continue
		}
		for _, fault := range []string{"cut after a third", "cut before the end", "flipped", "something behind"} {
			broken := slices.Clone(packed)
			switch fault {
			case "cut after a third":
				broken = broken[:len(broken)/3]
			case "cut before the end":
				broken = broken[:len(broken)-3]
			case "flipped":
				broken[len(broken)/2] ^= 0x10
			default:
				broken = append(broken, "this is not compressed"...)
			}
			before, failed := decompressed(t, broken)
			if !failed {
				// The old LZ4 format has no checksum.
				if p.pack[1] != "-qlc" || fault != "flipped" {
					t.Errorf("%v, %s: no error", p.pack, fault)
				}
				continue
			}
			if fault != "flipped" && !bytes.HasPrefix(data, before) {
				t.Errorf("%v, %s: %d bytes that are not those of the content", p.pack, fault, len(before))
			}
			faultsAre(t, fmt.Sprintf("%v, %s", p.pack, fault), broken, before)
		}
	}
}

// decompressed returns what the package that decompresses gives out before a fault.
func decompressed(t *testing.T, packed []byte) (content []byte, failed bool) {
	t.Helper()
	format, _, err := decompress.Recognise(packed, true)
	if err != nil || format == decompress.Plain {
		t.Fatalf("%v, error %v", format, err)
	}
	r := decompress.NewReader(bytes.NewReader(packed), format, decompress.Options{})
	defer r.Close()
	content, err = io.ReadAll(r)
	return content, err != nil
}

// faultsAre asks all questions of packed bytes whose content can be read as far as before, each of them
// in one of three ways: a file or a pipe, by one worker or several.
func faultsAre(t *testing.T, what string, packed, before []byte) {
	t.Helper()
	q := must(t)
	plain := write(t, before)
	counts := map[string]*Query{
		"lines": Lines(), "rows": Rows(','), "text": q(Text("ab")), "regex": q(Regexp("b+a")),
		"values": q(Values(column("i16", 0, question.Condition{Op: question.Less, Value: "0"}))), "statistics": q(Statistics(column("u8", 0))),
		"histogram": q(Histogram(column("u8", 0), question.Bins{})), "nonzero": NonZero(),
	}
	all, n := questions(t), len(what)
	plainHits, plainCounts := plainly(all, before), map[string]int64{}
	for name, q := range counts {
		report, err := Count(context.Background(), opened(t, plain), q, Options{})
		if err != nil {
			t.Fatal(err)
		}
		plainCounts[name] = report.Hits
	}
	for i, kind := range kinds[:2] {
		for k, o := range [][]Options{{{}, {Run: options.Run{Workers: 1}}}, {{Run: options.Run{Workers: 2, ChunkBytes: 5000}}}}[i] {
			n += 2*i + k
			for j, q := range all {
				if (n+j)%rounds.Every(3) > 0 {
					continue
				}
				got, report := search(t, come(t, kind, packed), q.query, o)
				accounted(t, what+", "+kind+", find "+q.name, report, len(before))
				if want := plainHits[j]; !slices.Equal(got, want) {
					t.Errorf("%s, %s, find %s: %d hits, want %d", what, kind, q.name, len(got), len(want))
				}
			}
			for name, q := range counts {
				report, err := Count(context.Background(), come(t, kind, packed), q, o)
				if want := plainCounts[name]; err != nil || report.Hits != want {
					t.Errorf("%s, %s, count %s: %d, want %d; error %v", what, kind, name, report.Hits, want, err)
				}
				accounted(t, what+", "+kind+", count "+name, report, len(before))
			}
		}
	}
}

// accounted checks that what was read, and what is named as unread, is all there is.
func accounted(t *testing.T, what string, r Report, read int) {
	t.Helper()
	if r.Complete || r.Bytes != int64(read) || len(r.Unread) != 1 || r.Unread[0].Off != int64(read) {
		t.Errorf("%s: %d bytes read, complete %v, unread %v, want %d bytes", what, r.Bytes, r.Complete, r.Unread, read)
	}
}

// With every size shrunk at which the code takes another way, the answers stay.
func TestCompressedShrunk(t *testing.T) {
	data := letters(3_000, rand.New(rand.NewPCG(2, 3)))
	want, turn := plainly(questions(t), data), 0
	for _, n := range []int{2, 3, 7, 64} {
		threshold.Shrink(t, n)
		all := questions(t)
		for _, p := range packers {
			packed, ok := through(t, data, p.pack)
			if !ok {
				continue
			}
			for _, kind := range kinds[:2] {
				for i, q := range all {
					if turn++; turn%rounds.Every(1) != 0 {
						continue
					}
					got, report := search(t, come(t, kind, packed), q.query, Options{})
					if !slices.Equal(got, want[i]) || !report.Complete {
						t.Errorf("%v, %s, %s, sizes of %d: %d hits, want %d", p.pack, kind, q.name, n, len(got), len(want[i]))
					}
				}
			}
		}
	}
}
