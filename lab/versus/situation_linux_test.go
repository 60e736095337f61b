package versus

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// fakeThresh is a program that answers a few questions with the system's tools. WRONG is replaced by
// a test of its arguments: where it holds, the answers are wrong.
const fakeThresh = `#!/bin/sh
all="$*"
for last; do :; done
out=
prev=
for a; do [ "$prev" = -o ] && out=$a && last=$before; before=$prev; prev=$a; done
more=0
WRONG && more=1
case "$all" in
*--version*) echo fake 1 ;;
*"--engine uring"*) echo "thresh: engine uring cannot read $last: it is a test" >&2; exit 2 ;;
"count --lines"*) echo $(($(awk 'END { print NR }' "$last") + more)) ;;
"count --text"*-r*) echo "$(cat "$last"/*/* | grep -o -F -- "$3" | wc -l) total" ;;
minify*) (tr -d ' \n' <"$last"; [ $more = 0 ] || echo more) >"$out" ;;
table*) echo key,n; echo DE,$((7 + more)) ;;
*) echo "what is $all?" >&2; exit 2 ;;
esac
`

// fake installs the program; its answers are wrong where the arguments match the pattern of a shell.
func fake(t *testing.T, wrong string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "thresh")
	text := strings.Replace(fakeThresh, "WRONG", `case "$all" in `+wrong+`) true;; *) false;; esac`, 1)
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// runFake runs the situations on 1 MiB with a fake program, one round each.
func runFake(t *testing.T, thresh string, list []situation) (rows []*lab.Situation, errs []error) {
	t.Helper()
	folder := diskFolder(t)
	c := lab.Comparison{Thresh: thresh, Self: os.Args[0], Folder: folder, Bytes: 1 << 20, Rounds: 1, Log: io.Discard}
	for i := range list {
		got, err := compareSituation(t.Context(), c, &list[i])
		if err != nil && errors.Is(err, pagecache.ErrLost) {
			t.Skip("this file system keeps files in memory")
		}
		rows, errs = append(rows, got.Situation), append(errs, err)
	}
	if left, lerr := os.ReadDir(folder); lerr != nil || len(left) > 0 {
		t.Errorf("%d files are left, error %v", len(left), lerr)
	}
	return rows, errs
}

// diskFolder returns a folder on the user's disk: temporary folders often are in memory, where no file can be cold.
func diskFolder(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(cache, "thresh")
	if err := os.MkdirAll(base, 0o755); err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(base, "situations-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

const never = "'no arguments'"

// TestSituations runs every lie, and checks what comes out.
func TestSituations(t *testing.T) {
	const bytes = measureBytes / 4
	two := repeat(2, askLines)
	list := []situation{
		{name: "cold", bytes: bytes, text: logText, asks: two, peers: []rival{
			wcLinesTimes(2), {name: "absent", tool: "no-such-program"}, {name: "bad", steps: func(*matrix, *corpus) ([]contender, error) {
				return nil, errors.New("it is away")
			}},
		}},
		{name: "appended", bytes: bytes, text: logText, lie: lieAppended, asks: two},
		{name: "copied", bytes: bytes, text: logText, lie: lieCopied, asks: two},
		{name: "read", bytes: bytes, text: logText, lie: lieRead, asks: two, beside: []string{"spin"}},
		{name: "half", bytes: bytes, text: logText, lie: lieHalf, asks: two},
		{name: "striped", bytes: bytes, text: logText, lie: lieStriped, asks: two},
		{name: "sparse", bytes: 64 * bytes, text: logText, lie: lieSparse, asks: two},
		{name: "tmpfs", bytes: bytes, text: logText, lie: lieCopied, shm: true, asks: two},
		{name: "files", exact: 40_000, files: 10, text: logText, asks: repeat(1, askFolder)},
		{name: "json", exact: 1, text: jsonText, asks: []query{askMinify, askMinify}},
		{name: "table", exact: 1, text: rowText, asks: []query{askCountries}},
		{name: "tiny", exact: 1000, text: logText, lie: lieRead, asks: two},
	}
	rows, errs := runFake(t, fake(t, never), list)
	for i, row := range rows {
		s := list[i]
		ways := 1 + len(s.forced()) + len(s.peers)
		if errs[i] != nil || row == nil {
			t.Errorf("%s: error %v", s.name, errs[i])
			continue
		}
		if len(row.Ways) != ways || row.Bytes == 0 || row.Best == "" || row.Files != max(1, s.files) {
			t.Errorf("%s: %+v", s.name, row)
		}
		for _, v := range row.Ways {
			refused := v.Name == "uring" || v.Name == "absent" || v.Name == "bad"
			if refused != (v.Not != "") {
				t.Errorf("%s, %s: not measured: %q", s.name, v.Name, v.Not)
			}
			if !refused && (len(v.Laps) != len(s.asks) || len(v.After) != len(s.asks) || v.Total.Median <= 0) {
				t.Errorf("%s, %s: %+v", s.name, v.Name, v)
			}
			if v.Peer != (v.Ratio != nil) && !refused {
				t.Errorf("%s, %s: ratio %v", s.name, v.Name, v.Ratio)
			}
		}
		want := map[bool]float64{true: 1, false: 0}[s.lie.stays()]
		if s.lie == lieHalf || s.lie == lieStriped {
			want = 0.5
		}
		if row.Before < want-0.05 || row.Before > want+0.05 && !s.shm {
			t.Errorf("%s: %.2f of the bytes are cached before, want %.2f", s.name, row.Before, want)
		}
	}
}

func wcLinesTimes(n int) rival {
	return rival{name: "wc", tool: "wc", steps: func(b *matrix, c *corpus) ([]contender, error) {
		steps, err := wcLines.steps(b, c)
		return steps[:n], err
	}}
}

// TestSituationsFindWrongAnswers checks that an answer is compared with a plain loop, with other ways,
// and in what was written.
func TestSituationsFindWrongAnswers(t *testing.T) {
	one := func(q query, text func() (text, error)) []situation {
		return []situation{
			{name: "some", exact: 5000, text: text, lie: lieRead, asks: []query{q}},
			{name: "cold", exact: 5000, text: text, asks: []query{q, q}},
		}
	}
	for _, test := range []struct {
		name, wrong, message string
		list                 []situation
	}{
		{"auto", "*--lines*.txt", "wrong answer", one(askLines, logText)},
		{"one way", "*mmap*", "wrong answer", one(askLines, logText)},
		{"agreement", "*mmap*", "answers differ", one(askCountries, rowText)},
		{"output", "*pread*", "answers differ", one(askMinify, jsonText)},
		{"keep", "*keep*", "wrong answer", one(askLines, logText)[1:]},
	} {
		_, errs := runFake(t, fake(t, test.wrong), test.list)
		for i, err := range errs {
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("%s, %s: error %v, want %q", test.name, test.list[i].name, err, test.message)
			}
		}
	}
}

// TestTexts compares what is written with where it should be, and the plain loops with simpler ones.
func TestTexts(t *testing.T) {
	text, err := logText()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{earlyText, lateText, noText} {
		if bytes.Contains(text.block, []byte(word)) {
			t.Errorf("the block has %q", word)
		}
	}
	folder := t.TempDir()
	for _, size := range []int64{1000, 99_999, 1<<20 + 1, textBytes - 1, textBytes, textBytes + 7, textBytes + 70<<10, 2*textBytes + 1} {
		name := filepath.Join(folder, "file")
		if err := errors.Join(removeIfThere(name), write(name, text, size, lieCopied)); err != nil {
			t.Fatal(err)
		}
		file, err := pagecache.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		all, err := os.ReadFile(name)
		if err != nil || int64(len(all)) != size {
			t.Fatalf("%d bytes, want %d, error %v", len(all), size, err)
		}
		for _, at := range []struct {
			word string
			off  int64
		}{{earlyText, 40}, {lateText, size - min(64<<10, size/4)}, {noText, -1}} {
			if got := int64(bytes.Index(all, []byte(at.word))); got != at.off {
				t.Errorf("%d bytes: %q at %d, want %d", size, at.word, got, at.off)
			}
		}
		c := &corpus{files: []*pagecache.File{file}, bytes: size}
		lines := bytes.Count(all, []byte("\n"))
		if all[size-1] != '\n' {
			lines++
		}
		for _, want := range []struct {
			loop  func(*corpus) (string, error)
			value int
		}{
			{wantLines, lines},
			{wantNonzero, len(all) - bytes.Count(all, []byte{0})},
			{wantCount("status=500"), bytes.Count(all, []byte("status=500"))},
			{wantFirst(lateText), bytes.Index(all, []byte(lateText))},
		} {
			if got, err := want.loop(c); err != nil || got != strconv.Itoa(want.value) {
				t.Errorf("%d bytes: a loop says %s, want %d, error %v", size, got, want.value, err)
			}
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
	rows, err := rowText()
	if n := int64(len(rows.block)); err != nil || rows.size(1) != n || rows.size(3*n-1) != 2*n {
		t.Errorf("sizes of rows %d, %d, error %v", rows.size(1), rows.size(3*n-1), err)
	}
}

// TestWantAcrossPieces lays a text over the border of the pieces that the plain loops read.
func TestWantAcrossPieces(t *testing.T) {
	for back := range len(lateText) + 1 {
		all := bytes.Repeat([]byte("x\n"), 3<<19)
		at := 1<<20 - back
		copy(all[at:], lateText)
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, all, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := pagecache.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		c := &corpus{files: []*pagecache.File{file, file}}
		first, err := wantFirst(lateText)(c)
		n, nerr := wantCount(lateText)(c)
		if err := errors.Join(err, nerr, file.Close()); err != nil || first != strconv.Itoa(at) || n != "2" {
			t.Errorf("at %s, want %d; %s times in two files; error %v", first, at, n, err)
		}
	}
}

// TestLimits checks what is derived from the input, the first round and the lie.
func TestLimits(t *testing.T) {
	none, some, least := oneProcessor.of(1<<40), halfMemory.of(1<<30), halfMemory.of(1000)
	if none.bytes != 0 || some.bytes != 1<<29 || least.bytes != memoryLeast {
		t.Errorf("limits %+v, %+v, %+v", none, some, least)
	}
	if short, long := roundsAfter(5, roundLeast-1), roundsAfter(5, roundLeast); short != 15 || long != 5 {
		t.Errorf("%d rounds if they are short, %d if they are long", short, long)
	}
	if n := len((&situation{lie: lieCopied}).forced()); n != 3 {
		t.Errorf("%d forced ways of cached files", n)
	}
	if n := len((&situation{lie: lieHalf}).forced()); n != 5 {
		t.Errorf("%d forced ways of files that are half cached", n)
	}
	for _, test := range []struct {
		corpus
		part float64
		fits bool
	}{
		{corpus{lie: lieCold}, 0, true}, {corpus{lie: lieCold}, 0.01, false}, {corpus{lie: lieSparse}, 0.01, false},
		{corpus{lie: lieRead}, 1, true}, {corpus{lie: lieCopied}, 0.99, false},
		{corpus{lie: lieHalf}, 0.5, true}, {corpus{lie: lieHalf}, 0.4, false}, {corpus{lie: lieStriped}, 0.6, false},
		{corpus{lie: lieCopied, shm: true}, 1, true}, {corpus{lie: lieCopied, shm: true}, 0.5, false},
		{corpus{lie: lieSparse, shm: true}, 0.1, true},
	} {
		if err := test.expect(test.part); (err == nil) != test.fits {
			t.Errorf("%v, %v cached: error %v", test.lie, test.part, err)
		}
	}
}

// TestPieces checks that a file is written in the pieces that its lie asks for.
func TestPieces(t *testing.T) {
	all := make([]byte, 3<<20+1)
	for l, most := range map[lie]int{lieAppended: 500, lieCopied: 128 << 10, lieRead: 1 << 20, lieCold: 1 << 20} {
		var sizes []int
		w := &pieces{size: l.writeBytes(), w: writes(func(b []byte) (int, error) {
			sizes = append(sizes, len(b))
			return len(b), nil
		})}
		n, err := w.Write(all)
		if err != nil || n != len(all) || slices.Max(sizes) != most || len(sizes) != (len(all)+most-1)/most {
			t.Errorf("%v: %d bytes in %d writes of at most %d, error %v", l, n, len(sizes), slices.Max(sizes), err)
		}
	}
	full := &pieces{size: 5, w: writes(func([]byte) (int, error) { return 2, io.ErrShortWrite })}
	if n, err := full.Write(all); n != 2 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("%d bytes written, error %v", n, err)
	}
}

type writes func([]byte) (int, error)

func (w writes) Write(b []byte) (int, error) { return w(b) }

// TestSituationRow checks which way counts as the best, and what auto is compared with.
func TestSituationRow(t *testing.T) {
	lap := [][]float64{{1}}
	side := func(name string, totals ...float64) *side {
		return &side{name: name, totals: totals, cpu: totals, laps: lap, after: []float64{1}}
	}
	rg := side("rg", 0.1, 0.1, 0.1)
	rg.peer = true
	gone := side("uring")
	gone.not = "refused"
	s := &situation{name: "some", asks: repeat(1, askLines)}
	row, err := newSituation(s, &corpus{bytes: 10}, []*side_{side(auto, 2, 4, 9), side("pread", 3, 3, 3), side("mmap", 2, 2, 20), rg, gone})
	if err != nil || row.Best != "mmap" || row.Ratio.Median != 1 || row.Ratio.High != 2 || row.Least != 1 || row.CPU != 2 {
		t.Errorf("%+v, error %v", row, err)
	}
	if peer := row.Ways[3]; peer.Ratio == nil || peer.Ratio.Median != 40 || row.Ways[4].Not != "refused" {
		t.Errorf("%+v", row.Ways)
	}
	if _, err := newSituation(s, &corpus{}, []*side_{side(auto, 1), rg, gone}); err == nil {
		t.Error("no error without a forced way")
	}
}

// side_ lets a test have a function named side.
type side_ = side

func TestPeerAnswers(t *testing.T) {
	a, err := sameRows("key,sum(4)\nDE,12.50\n")
	b, berr := sameRows("header\nDE,12.5")
	if err != nil || berr != nil || a != b || a != "DE,12.5" {
		t.Errorf("%q and %q, errors %v, %v", a, b, err, berr)
	}
	if _, err := sameRows("header\n"); err == nil {
		t.Error("no error without rows")
	}
	if n, err := sumOfCounts("/a:b/c:3\n/d:39\n"); err != nil || n != "42" {
		t.Errorf("sum %s, error %v", n, err)
	}
	if n, err := sumOfCounts("/a:b\n"); err == nil {
		t.Errorf("no error, but %s", n)
	}
	if n, err := lastNumber("1 a\n2 b\n3 total\n"); err != nil || n != "3" {
		t.Errorf("%s, error %v", n, err)
	}
}

// TestRgFive asks ripgrep the questions about a log; wrong answers are errors.
func TestRgFive(t *testing.T) {
	if missing := peer.Missing("rg"); missing != "" {
		t.Skip("rg is not installed")
	}
	text, err := logText()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "log")
	if err := write(name, text, 300_000, lieCopied); err != nil {
		t.Fatal(err)
	}
	file, err := pagecache.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b := &matrix{answers: map[string]string{}}
	c := &corpus{folder: filepath.Dir(name), files: []*pagecache.File{file}}
	for _, p := range []rival{rgFive, rgLines, rgFiles, wcLines} {
		steps, err := p.steps(b, c)
		if err != nil {
			t.Fatal(p.name, err)
		}
		for i := range steps {
			if _, err := steps[i].exec(t.Context()); err != nil {
				t.Error(err)
			}
			steps[i].want += "1"
			if _, err := steps[i].exec(t.Context()); err == nil {
				t.Errorf("%q: no error for a wrong answer", steps[i].args)
			}
		}
	}
}

// TestGroup runs a program in a control group, or pinned where none can be made.
func TestGroup(t *testing.T) {
	g, what, err := newGroup(limits{cpus: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := contender{name: "cat", args: g.wrap([]string{"cat", "/proc/self/cgroup"}), answer: func(out string) (string, error) {
		return strconv.Itoa(strings.Count(out, "thresh-bench-"+strconv.Itoa(os.Getpid()))), nil
	}, want: map[bool]string{true: "0", false: "1"}[g.pin]}
	if _, err := c.exec(t.Context()); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if err := g.remove(); err != nil {
		t.Error(err)
	}
	for _, folder := range g.folders {
		if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", folder, err)
		}
	}
	if none, what, err := newGroup(limits{}); err != nil || what != "" || !slices.Equal(none.wrap([]string{"a"}), []string{"a"}) {
		t.Errorf("no limits: %+v, %q, %v", none, what, err)
	}
	m, _, err := newGroup(limits{memory: 0.5, bytes: memoryLeast})
	if err != nil {
		t.Skip(err)
	}
	defer m.remove()
	big := contender{name: "big", args: m.wrap([]string{"sh", "-c", `cat "$0" >/dev/null && echo read`, os.Args[0]}), want: "read"}
	if _, err := big.exec(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestNeighbours checks that a neighbour works until it is stopped.
func TestNeighbours(t *testing.T) {
	for _, args := range [][]string{{"spin"}, {"walk", "1048576"}} {
		stdin, stop := io.Pipe()
		ready, stdout := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			if args[0] == "spin" {
				ended <- childSpin(stdin, stdout)
			} else {
				ended <- childWalk(stdin, stdout, 1<<20)
			}
		}()
		if _, err := io.ReadFull(ready, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			t.Errorf("%v ended: %v", args, err)
		case <-time.After(5 * time.Millisecond):
		}
		stop.Close()
		if err := <-ended; err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	if err := child([]string{"walk", "many"}, io.Discard); err == nil {
		t.Error("no error for a size that is none")
	}
}

// TestArrangeFails checks that files that are not where they should be fail a situation, and that a
// file that lost pages is made again.
func TestArrangeFails(t *testing.T) {
	b := &matrix{Comparison: lab.Comparison{Folder: diskFolder(t), Bytes: measureBytes}}
	huge := &situation{name: "huge", exact: 1 << 60, text: logText, asks: repeat(1, askLines)}
	if c, err := b.lay(huge); err == nil || !strings.Contains(err.Error(), "too little") || c != nil {
		t.Errorf("%v, error %v for files that do not fit on the disk", c, err)
	}
	if left, err := os.ReadDir(b.Folder); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, error %v", len(left), err)
	}
	s := &situation{name: "some", exact: 1 << 20, text: logText, lie: lieAppended, asks: repeat(1, askLines)}
	c, err := b.lay(s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.remove()
	if before, err := c.arrange(); err != nil || before != 1 {
		t.Fatalf("%v cached, error %v", before, err)
	}
	var old, made unix.Stat_t
	if err := errors.Join(unix.Stat(c.files[0].Name, &old), c.files[0].Cold()); err != nil {
		t.Skip(err)
	}
	before, err := c.arrange()
	if serr := unix.Stat(c.files[0].Name, &made); err != nil || serr != nil || before != 1 || made.Mtim == old.Mtim {
		t.Errorf("%v cached, errors %v, %v; it was not made again", before, err, serr)
	}
	c.lie = lieCold
	c.shm = true // nothing is dropped, and a file on tmpfs is always cached
	if err := c.files[0].Cold(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.arrange(); err == nil || !strings.Contains(err.Error(), "is in the page cache, want") {
		t.Errorf("error %v for a file that is not where it should be", err)
	}
}

// TestSituationList checks the names, and that there are enough of them.
func TestSituationList(t *testing.T) {
	names := map[string]bool{}
	for _, s := range situationList {
		if names[s.name] || s.text == nil || len(s.asks) == 0 || s.bytes == 0 == (s.exact == 0) {
			t.Errorf("situation %q", s.name)
		}
		names[s.name] = true
	}
	if len(names) < 24 {
		t.Errorf("%d situations, want 24", len(names))
	}
}
