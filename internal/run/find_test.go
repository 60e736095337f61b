package run

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asked is a query with the plain way to answer it.
type asked struct {
	name  string
	query *Query
	plain func(data []byte) []answer.Hit
}

// lines reports whether the question is about lines, which may reach across holes.
func (q *asked) lines() bool { return q.query.traits().Lines }

// alternatives reports whether the question has several texts: which of them counts in a hole
// is not worked out when they fit zeros.
func (q *asked) alternatives() bool {
	return q.query.selector != nil && q.query.selector.Set() != nil
}

func must(t testing.TB) func(*Query, error) *Query {
	return func(q *Query, err error) *Query {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
}

// Regexp looks for matches of an expression.
func Regexp(expr string) (*Query, error) { return Regexps([]string{expr}) }

func questions(t testing.TB) []asked {
	literal := func(s string) func([]byte) []answer.Hit {
		return func(data []byte) (out []answer.Hit) {
			for i := 0; ; i += len(s) {
				at := bytes.Index(data[i:], []byte(s))
				if at < 0 {
					return out
				}
				i += at
				out = append(out, answer.Hit{Off: int64(i), Len: int64(len(s))})
			}
		}
	}
	expression := func(s string) func([]byte) []answer.Hit {
		re := regexp.MustCompile(s)
		return func(data []byte) (out []answer.Hit) {
			off := 0
			for line := range bytes.Lines(data) {
				for _, m := range re.FindAllIndex(bytes.TrimSuffix(line, []byte("\n")), -1) {
					out = append(out, answer.Hit{Off: int64(off + m[0]), Len: int64(m[1] - m[0])})
				}
				off += len(line)
			}
			return out
		}
	}
	every := func(stride, width int, fits func([]byte) bool) func([]byte) []answer.Hit {
		return func(data []byte) (out []answer.Hit) {
			for i := 0; i+width <= len(data); i += stride {
				if fits(data[i : i+width]) {
					out = append(out, answer.Hit{Off: int64(i), Len: int64(width)})
				}
			}
			return out
		}
	}
	q := must(t)
	return []asked{
		{"nonzero", NonZero(), every(1, 1, func(b []byte) bool { return b[0] != 0 })},
		{"text", q(Text("ab")), literal("ab")},
		{"text that overlaps itself", q(Text("aba")), literal("aba")},
		{"zeros", q(Text("\x00\x00\x00")), literal("\x00\x00\x00")},
		{"hex", q(Hex("61 ?? 62")), func(data []byte) (out []answer.Hit) {
			for i := 0; i+3 <= len(data); i++ {
				if data[i] == 'a' && data[i+2] == 'b' {
					out = append(out, answer.Hit{Off: int64(i), Len: 3})
					i += 2
				}
			}
			return out
		}},
		{"texts", q(Any(question.Literals{Texts: []string{"ba", "ab", "aba", "b\n"}})), alternatives("ba", "ab", "aba", "b\n")},
		{"texts that begin alike", q(Any(question.Literals{Texts: []string{"aabb\n", "aab", "aaba\n", "aa"}})), alternatives("aabb\n", "aab", "aaba\n", "aa")},
		{"texts and zeros", q(Any(question.Literals{Texts: []string{"bb", "\x00\x00\x00", "\x00a"}})), alternatives("bb", "\x00\x00\x00", "\x00a")},
		{"texts of either case", q(Any(question.Literals{Texts: []string{"AB", "bA\nB"}, IgnoreCase: true})),
			alternatives("ab", "ba\nb")},
		{"texts and hex", q(Any(question.Literals{Texts: []string{"abab"}, Hex: []string{"61 0A 6?", "FF"}})),
			alternatives("abab", "a\na", "a\nb", "\xff")},
		{"many texts", q(Any(question.Literals{Texts: fourLetters})), alternatives(fourLetters...)},
		{"regex", q(Regexp("b+a")), expression("b+a")},
		{"several regexes", q(Regexps([]string{"ab$", "a+b?", "^b"})), expression("(?:ab$)|(?:a+b?)|(?:^b)")},
		{"regex at the edges of lines", q(Regexp("^a.*b$")), expression("^a.*b$")},
		{"regex that matches nothing", q(Regexp("a*")), expression("a*")},
		{"u8", q(Values(column("u8", 0, question.Condition{Op: question.Greater, Value: "97"}))), every(1, 1, func(b []byte) bool { return b[0] > 97 })},
		{"i16be", q(Values(column("i16be", 0, question.Condition{Op: question.Equal, Value: "0x6162"}))),
			every(2, 2, func(b []byte) bool { return binary.BigEndian.Uint16(b) == 0x6162 })},
		{"u32 every 7", q(Values(column("u32", 7, question.Condition{Op: question.NotEqual, Value: "0"}))),
			every(7, 4, func(b []byte) bool { return binary.LittleEndian.Uint32(b) != 0 })},
		{"i64 every 3", q(Values(column("i64", 3, question.Condition{Op: question.Less, Value: "0"}, question.Condition{Op: question.NotEqual, Value: "-1"}))),
			every(3, 8, func(b []byte) bool { v := int64(binary.LittleEndian.Uint64(b)); return v < 0 && v != -1 })},
	}
}

// fourLetters are texts of four to nine letters, many of which begin alike.
var fourLetters = func() (all []string) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		text := make([]byte, 4+r.IntN(6))
		for i := range text {
			text[i] = "aabb\n"[r.IntN(5)]
		}
		all = append(all, string(text))
	}
	return all
}()

// alternatives returns the plain way to look for texts: at each place the first that fits.
func alternatives(texts ...string) func([]byte) []answer.Hit {
	return func(data []byte) (out []answer.Hit) {
	next:
		for i := 0; i < len(data); {
			for _, text := range texts {
				if bytes.HasPrefix(data[i:], []byte(text)) {
					out = append(out, answer.Hit{Off: int64(i), Len: int64(len(text))})
					i += len(text)
					continue next
				}
			}
			i++
		}
		return out
	}
}

// letters returns n bytes of a small alphabet, with a stretch of zeros.
func letters(n int, r *rand.Rand) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = "aabb\n\xff\x00\x00"[r.IntN(8)]
	}
	if n > 100 {
		clear(b[n/3 : n/2])
	}
	return b
}

func write(t testing.TB, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func search(t testing.TB, in *Input, q *Query, o Options) ([]answer.Hit, Report) {
	t.Helper()
	var got []answer.Hit
	report, err := Find(context.Background(), in, q, o, func(hits []answer.Hit) error {
		got = append(got, hits...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, report
}

// engines returns those that can read regular files here.
func engines(t testing.TB, name string) []string {
	t.Helper()
	all := append([]string{"auto"}, catalog.Names()...)
	in := open(t, name)
	defer in.Close()
	return slices.DeleteFunc(all, func(e string) bool {
		_, err := Explain(in, NonZero(), Options{Run: options.Run{Engine: options.Engine(e)}})
		return err != nil
	})
}

func open(t testing.TB, name string) *Input {
	t.Helper()
	in, err := Open(name, false)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// casesOf is rounds.Of. With sizes shrunk it is a part of that: there are several of them, and a case takes longer.
func casesOf(named int) int {
	if os.Getenv("THRESH_TEST_SIZES") != "" { // which threshold.Shrink sets
		named = (named + 3) / 4
	}
	return rounds.Of(named)
}

// TestAnswersDependOnNothing asks all questions of random files, with engines, chunks,
// workers, ranges and limits chosen at random, and compares with the plain answers.
func TestAnswersDependOnNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range casesOf(30) {
		data := letters([]int{0, 1, 7, 100, 5000, 70_000, 300_000}[r.IntN(7)], r)
		name := write(t, data)
		usable := engines(t, name)
		for _, q := range questions(t) {
			o := Options{Run: options.Run{Engine: options.Engine(usable[r.IntN(len(usable))]), Workers: r.IntN(4), Cache: []options.Cache{options.CacheAuto,
				options.CacheNeutral}[r.IntN(2)], ChunkBytes: []int{0, 1 + r.IntN(100), 512, 4096, 65536}[r.IntN(5)]}, Limit: []int64{0, 0, 1, 3}[r.IntN(4)]}
			if len(data) > 20_000 && o.ChunkBytes > 0 {
				o.ChunkBytes = max(o.ChunkBytes, 512)
			}
			span := data
			if r.IntN(3) == 0 && len(data) > 0 {
				o.Offset = r.Int64N(int64(len(data)))
				length := r.Int64N(int64(len(data)) - o.Offset + 1)
				o.Length = &length
				span = data[o.Offset : o.Offset+length]
			}
			want := q.plain(span)
			if o.Limit > 0 && int64(len(want)) > o.Limit {
				want = want[:o.Limit]
			}
			for i := range want {
				want[i].Off += o.Offset
			}
			in := open(t, name)
			got, report := search(t, in, q.query, o)
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) || report.Hits != int64(len(want)) || !report.Complete {
				t.Fatalf("%s in %d bytes with %+v: %d hits %v..., report %+v, want %d %v...", q.name, len(data), o,
					len(got), got[:min(len(got), 5)], report, len(want), want[:min(len(want), 5)])
			}
		}
	}
}

// TestPipes asks all questions of pipes whose writers are slow and cut anywhere.
func TestPipes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for _, q := range questions(t) {
		data := letters(200_000, rnd)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		written := make(chan error, 1)
		go func() {
			rest := data
			for i := 0; len(rest) > 0; i++ {
				n := min(1+rnd.IntN(20_000), len(rest))
				if _, err := w.Write(rest[:n]); err != nil {
					break
				}
				rest = rest[n:]
				if i%4 == 0 {
					time.Sleep(15 * time.Millisecond)
				}
			}
			written <- w.Close()
		}()
		in, err := FromFile("pipe", r, false)
		if err != nil {
			t.Fatal(err)
		}
		got, report := search(t, in, q.query, Options{Run: options.Run{ChunkBytes: 64 << 10}})
		if err := errors.Join(in.Close(), <-written); err != nil {
			t.Fatal(err)
		}
		if want := q.plain(data); !slices.Equal(got, want) || !report.Complete {
			t.Errorf("%s: %d hits, report %+v, want %d", q.name, len(got), report, len(want))
		}
	}
}

func TestFindAll(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	folder := t.TempDir()
	want := map[string][]answer.Hit{}
	q := questions(t)[2]
	var names []string
	for i := range 60 {
		data := letters([]int{0, 10, 3000, 40_000, 400_000}[r.IntN(5)], r)
		name := filepath.Join(folder, fmt.Sprintf("%03d", i))
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		want[name] = q.plain(data)
		names = append(names, name)
	}
	for _, workers := range []int{1, 2, 8} {
		got := map[string][]answer.Hit{}
		var order []string
		_, err := FindAll(context.Background(), source.Expand([]string{folder}, true), q.query, Options{Run: options.Run{Workers: workers}}, Callbacks{
			Hits: func(name string, hits []answer.Hit) error { got[name] = append(got[name], hits...); return nil },
			Done: func(name string, report Report, err error) error {
				order = append(order, name)
				if err != nil || report.Hits != int64(len(want[name])) {
					t.Errorf("%s: report %+v, error %v, want %d hits", name, report, err, len(want[name]))
				}
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(order, names) {
			t.Errorf("the files came in the order %q", order)
		}
		for _, name := range names {
			if !slices.Equal(got[name], want[name]) {
				t.Errorf("%s: %d hits, want %d", name, len(got[name]), len(want[name]))
			}
		}
	}
	stop := errors.New("enough")
	_, err := FindAll(context.Background(), source.Expand([]string{folder}, true), q.query, Options{}, Callbacks{
		Hits: func(string, []answer.Hit) error { return stop },
		Done: func(string, Report, error) error { return nil },
	})
	if !errors.Is(err, stop) {
		t.Errorf("the callback's error came back as %v", err)
	}
}

// TestTruncatedWhileScanned shortens a file under the scan: the rest is reported unread,
// whatever the engine, and nothing crashes.
func TestTruncatedWhileScanned(t *testing.T) {
	const bytesAll, bytesLeft = 64 << 20, 20<<20 + 123
	for _, e := range []string{"pread", "mmap", "uring"} {
		t.Run(e, func(t *testing.T) {
			data := bytes.Repeat([]byte("x"), bytesAll)
			data[5] = 'n'
			name := write(t, data)
			if !slices.Contains(engines(t, name), e) {
				t.Skip("this engine cannot read files here")
			}
			in := open(t, name)
			defer in.Close()
			q := must(t)(Text("n"))
			report, err := Find(context.Background(), in, q, Options{Run: options.Run{Engine: options.Engine(e), Workers: 1, ChunkBytes: 1 << 20}},
				func([]answer.Hit) error {
					return os.Truncate(name, bytesLeft)
				})
			if err != nil {
				t.Fatal(err)
			}
			if report.Hits != 1 || report.Complete || len(report.Unread) == 0 {
				t.Fatalf("report %+v, want a hit and an unread range", report)
			}
			var unread int64
			for _, u := range report.Unread {
				unread += u.Len
			}
			// A mapping's last page stays readable, as zeros, up to its end.
			if lost := int64(bytesAll - bytesLeft); unread < lost-4096 || unread > lost+4096 {
				t.Errorf("%d bytes unread of %d that are gone: %v", unread, lost, report.Unread)
			}
		})
	}
}

func TestGrowingFileIsReadToItsFirstSize(t *testing.T) {
	name := write(t, bytes.Repeat([]byte("x"), 1<<20))
	in := open(t, name)
	defer in.Close()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("needle"); err != nil {
		t.Fatal(err)
	}
	if hits, report := search(t, in, must(t)(Text("needle")), Options{}); len(hits) > 0 || report.Bytes != 1<<20 {
		t.Errorf("hits %v, report %+v", hits, report)
	}
}

// TestSparse finds a byte at the end of a file of one tebibyte, without looking at holes.
func TestSparse(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const bytesAll = 1 << 40
	if err := f.Truncate(bytesAll); err != nil {
		t.Skipf("this file system has no such files: %v", err)
	}
	if _, err := f.WriteAt([]byte{0, 0, 7}, bytesAll-5000); err != nil {
		t.Fatal(err)
	}
	for _, q := range []*Query{NonZero(), must(t)(Hex("00 00 07")), must(t)(Values(column("u64", 0, question.Condition{Op: question.NotEqual, Value: "0"}))),
		must(t)(Regexp(`[^\x00]`))} {
		in := open(t, name)
		hits, report := search(t, in, q, Options{Limit: 1})
		in.Close()
		if len(hits) != 1 || bytesAll-5000+2-hits[0].Off > 7 || report.Bytes+report.Skipped > bytesAll || report.Bytes > 1<<20 {
			t.Errorf("%s: hits %v, scanned %d, skipped %d", q.Kernel(), hits, report.Bytes, report.Skipped)
		}
	}
}

// TestLongLines searches lines longer than any buffer.
func TestLongLines(t *testing.T) {
	line := bytes.Repeat([]byte("x"), 3<<20)
	data := slices.Concat([]byte("short needle\n"), line, []byte("needle"), line, []byte("end\nneedle"))
	name := write(t, data)
	for _, expr := range []string{"needle", "x+needle", "^needle", "x{3}end$"} {
		re := regexp.MustCompile("(?m)" + expr)
		var want []int64
		for _, m := range re.FindAllIndex(data, -1) {
			want = append(want, int64(m[0]))
		}
		for _, e := range []string{"pread", "mmap", "auto"} {
			in := open(t, name)
			hits, report := search(t, in, must(t)(Regexp(expr)), Options{Run: options.Run{Engine: options.Engine(e), ChunkBytes: 100_000}})
			in.Close()
			if got := offsets(hits); !slices.Equal(got, want) || !report.Complete {
				t.Errorf("%s by %s: %v, complete %v, want %v", expr, e, got, report.Complete, want)
			}
		}
		in := open(t, name)
		hits, report := search(t, in, must(t)(Regexp(expr)), Options{Run: options.Run{Engine: "stream"}})
		in.Close()
		if got := offsets(hits); !slices.Equal(got, want) || !report.Complete {
			t.Errorf("%s of a file as a stream: %v, complete %v, want %v", expr, got, report.Complete, want)
		}
	}
}

func offsets(hits []answer.Hit) (out []int64) {
	for _, h := range hits {
		out = append(out, h.Off)
	}
	return out
}

func TestCancelIsPrompt(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	in, err := FromFile("pipe", r, false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	report, err := Find(ctx, in, NonZero(), Options{}, func([]answer.Hit) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) || report.Complete {
		t.Errorf("a search of a pipe that nobody writes to: report %+v, error %v", report, err)
	}
}

func TestBadOptions(t *testing.T) {
	name := write(t, make([]byte, 100))
	in := open(t, name)
	defer in.Close()
	negative, beyond := int64(-1), int64(101)
	for _, o := range []Options{
		{Offset: -1}, {Offset: 101}, {Length: &negative}, {Length: &beyond}, {Run: options.Run{Workers: -1}}, {Run: options.Run{ChunkBytes: -1}},
		{Run: options.Run{MemoryBytes: -1}}, {Run: options.Run{MemoryBytes: 1 << 10}}, {Run: options.Run{Engine: "warp"}}, {Run: options.Run{Cache: "maybe"}},
	} {
		if _, err := Find(context.Background(), in, NonZero(), o, func([]answer.Hit) error { return nil }); err == nil {
			t.Errorf("options %+v were accepted", o)
		}
	}
}
