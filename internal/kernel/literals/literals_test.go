package literals

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// occurrence is where a literal begins and its length.
type occurrence struct{ at, n int }

// naive compares every literal at every place.
func naive(list []Literal, fold bool, b []byte, starts int) (out []occurrence) {
	for at := range min(starts, len(b)) {
		for _, l := range list {
			if n := begins(l, fold, b[at:]); n > 0 {
				out = append(out, occurrence{at, n})
				break
			}
		}
	}
	return out
}

// begins returns the length of the literal that begins b, 0 if it does not.
func begins(l Literal, fold bool, b []byte) int {
	if fold {
		n := 0
		for _, want := range string(l.Value) {
			got, size := utf8.DecodeRune(b[n:])
			if size == 0 || got == utf8.RuneError && size == 1 || lowest(got) != lowest(want) {
				return 0
			}
			n += size
		}
		return n
	}
	if len(b) < len(l.Value) {
		return 0
	}
	for i, v := range l.Value {
		mask := byte(0xff)
		if l.Mask != nil {
			mask = l.Mask[i]
		}
		if b[i]&mask != v {
			return 0
		}
	}
	return len(l.Value)
}

func collect(s *Set, b []byte, starts int) (out []occurrence) {
	s.All(b, starts, func(at, n int) bool {
		out = append(out, occurrence{at, n})
		return true
	})
	return out
}

func must(t testing.TB, list []Literal, fold bool, f Marker) *Set {
	t.Helper()
	s, err := compile(list, fold, kernel.Variant[Marker]{Func: f})
	if err != nil {
		t.Fatalf("%v: %v", show(list), err)
	}
	return s
}

func show(list []Literal) (out []string) {
	for _, l := range list[:min(len(list), 20)] {
		text := fmt.Sprintf("%q", l.Value)
		if l.wild() {
			text += fmt.Sprintf("/%x", l.Mask)
		}
		out = append(out, text)
	}
	return out
}

func check(t *testing.T, list []Literal, fold bool, b []byte, starts int, f Marker) {
	t.Helper()
	got, want := collect(must(t, list, fold, f), b, starts), naive(list, fold, b, starts)
	if !slices.Equal(got, want) {
		i := 0
		for i < len(got) && i < len(want) && got[i] == want[i] {
			i++
		}
		t.Fatalf("%d literals %v, fold %v, in %d bytes %.200q, %d starts: %d occurrences, want %d; from number %d on got %v, want %v",
			len(list), show(list), fold, len(b), b, starts, len(got), len(want), i, got[i:min(i+3, len(got))], want[i:min(i+3, len(want))])
	}
}

// alphabets have few letters, so that literals occur, overlap, and begin alike.
var alphabets = []string{"ab", "abc", "aAkKsS", "0123456789", "ab\x00", "abcdefghijklmnopqrstuvwxyz ", "\xff\x00a"}

// folded are letters of several lengths in either case.
const folded = "kKKsSſaAäÄßẞiıIσΣς"

func text(r *rand.Rand, alphabet string, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return b
}

func runes(r *rand.Rand, n int) []byte {
	all := []rune(folded)
	var b []byte
	for range n {
		b = utf8.AppendRune(b, all[r.IntN(len(all))])
	}
	return b
}

// randomCase returns literals, whether case is ignored, and a text in which they occur.
func randomCase(r *rand.Rand) (list []Literal, fold bool, b []byte) {
	fold = r.IntN(3) == 0
	alphabet := alphabets[r.IntN(len(alphabets))]
	unicode := fold && r.IntN(2) == 0
	length := 1 + r.IntN(20)
	if r.IntN(10) == 0 {
		length = 1 + r.IntN(200)
	}
	prefix := text(r, "abc", r.IntN(10)*r.IntN(2))
	for range 1 + r.IntN(1<<r.IntN(8)) {
		n := length + r.IntN(length)*r.IntN(2)
		l := Literal{Value: append(bytes.Clone(prefix), text(r, alphabet, n)...)}
		if unicode {
			l.Value = runes(r, n)
		}
		if fold && !utf8.Valid(l.Value) {
			l.Value = []byte("kiss")
		}
		if !fold && r.IntN(20) == 0 {
			l.Mask = make([]byte, len(l.Value))
			for i := range l.Mask {
				l.Mask[i] = []byte{0xff, 0xff, 0xf0, 0x0f, 0}[r.IntN(5)]
				l.Value[i] &= l.Mask[i]
			}
			l.Mask[r.IntN(len(l.Mask))] = 0xff
			for i := range l.Mask {
				l.Value[i] &= l.Mask[i]
			}
		}
		list = append(list, l)
	}
	size := []int{0, 1, 5, 63, 64, 65, 70, 200, blockStarts - 1, blockStarts + 3, 3*blockStarts + 100}[r.IntN(11)]
	b = text(r, alphabet, size)
	if unicode {
		b = runes(r, size/2)
	}
	for range len(b) / 50 {
		copy(b[r.IntN(len(b)):], list[r.IntN(len(list))].Value)
	}
	return list, fold, b
}

// TestRandom compares with the comparison of every literal at every place.
func TestRandom(t *testing.T) {
	cases := rounds.Of(1000)
	kerneltest.Run(t, variants, func(t *testing.T, f Marker) {
		random(t, f, cases)
	})
	for _, n := range []int{2, 3, 7, 64} {
		t.Run(fmt.Sprintf("shrunk to %d", n), func(t *testing.T) {
			threshold.Shrink(t, n)
			random(t, kernel.Choose(variants).Func, cases/2)
		})
	}
}

func random(t *testing.T, f Marker, cases int) {
	r := rand.New(rand.NewPCG(1, 2))
	for range cases {
		list, fold, b := randomCase(r)
		starts := len(b)
		if r.IntN(2) == 0 && starts > 0 {
			starts = r.IntN(starts)
		}
		check(t, list, fold, b, starts, f)
	}
}

// TestSlowTexts looks for texts that nearly match everywhere, in texts of several lengths: the
// number of bytes examined grows linearly, and the answer is right.
func TestSlowTexts(t *testing.T) {
	long := bytes.Repeat([]byte("a"), 3000)
	lists := map[string][]Literal{
		"a tail that never fits": {{Value: append(bytes.Clone(long), 'b')}, {Value: []byte("b")}},
		"each is part of the next": func() (list []Literal) {
			for n := 2000; n > 1000; n -= 10 {
				list = append(list, Literal{Value: long[:n]})
			}
			return list
		}(),
		"fits everywhere": {{Value: long[:1500]}, {Value: []byte("c")}},
	}
	for name, list := range lists {
		for _, fold := range []bool{false, true} {
			s := must(t, list, fold, kernel.Choose(variants).Func)
			for _, size := range []int{50_000, 100_000, 200_000} {
				b := bytes.Repeat([]byte("a"), size)
				b[size/2] = 'b'
				var got []occurrence
				examined := s.all(b, len(b), func(at, n int) bool {
					got = append(got, occurrence{at, n})
					return true
				})
				if most := patience.Get() + patienceFactor*size + s.longest; examined > most {
					t.Errorf("%s, fold %v: examined at %d bytes of %d, more than %d", name, fold, examined, size, most)
				}
				if want := nearlyNaive(list, fold, b); !slices.Equal(got, want) {
					t.Errorf("%s, fold %v, %d bytes: %d occurrences, want %d", name, fold, size, len(got), len(want))
				}
			}
		}
	}
}

// nearlyNaive is naive for long runs of one letter.
func nearlyNaive(list []Literal, fold bool, b []byte) (out []occurrence) {
	runs := make([]int, len(b)+1) // of the letter, from each place on
	for i := len(b) - 1; i >= 0; i-- {
		if runs[i] = 0; b[i] == 'a' {
			runs[i] = runs[i+1] + 1
		}
	}
	for at := range b {
		for _, l := range list {
			letters := len(bytes.TrimRight(l.Value, "bc"))
			if runs[at] >= letters && begins(Literal{Value: l.Value[letters:]}, fold, b[at+letters:]) == len(l.Value)-letters {
				out = append(out, occurrence{at, len(l.Value)})
				break
			}
		}
	}
	return out
}

// TestFirstGivenCounts: of the literals that match at one place the one given first counts, with
// wildcards or not.
func TestFirstGivenCounts(t *testing.T) {
	plain, longer := Literal{Value: []byte("abc")}, Literal{Value: []byte("abcd")}
	wild := Literal{Value: []byte("a\x00"), Mask: []byte{0xff, 0}}
	kerneltest.Run(t, variants, func(t *testing.T, f Marker) {
		for _, list := range [][]Literal{
			{plain, wild, longer}, {wild, plain, longer}, {longer, wild, plain}, {longer, plain, wild}, {plain, longer, wild},
		} {
			check(t, list, false, []byte("abcd abce abx axcd ab a"), 100, f)
		}
	})
}

// TestErrors: literals that Compile must reject.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		list []Literal
		fold bool
	}{
		{nil, false},
		{[]Literal{{Value: []byte("a")}, {}}, false},
		{[]Literal{{Value: []byte{0}, Mask: []byte{0}}}, false},
		{[]Literal{{Value: []byte("\xff")}}, true},
		{[]Literal{{Value: []byte("a"), Mask: []byte{0xff}}}, true},
	} {
		if _, err := Compile(test.list, test.fold); err == nil {
			t.Errorf("%v, fold %v: no error", show(test.list), test.fold)
		}
	}
}

// TestFoldIsThatOfRegexp compares with the standard library's (?i), letter by letter.
func TestFoldIsThatOfRegexp(t *testing.T) {
	var letters []rune
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if unicode.SimpleFold(r) != r {
			letters = append(letters, r)
		}
	}
	for _, r := range letters {
		s, err := Compile([]Literal{{Value: []byte(string(r))}}, true)
		if err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile("(?i)" + regexp.QuoteMeta(string(r)))
		var text []byte
		orbit(r, func(f rune) { text = append(utf8.AppendRune(text, f), '-') })
		text = utf8.AppendRune(text, r+1)
		var got, want [][]int
		s.All(text, len(text), func(at, n int) bool {
			got = append(got, []int{at, at + n})
			return true
		})
		want = re.FindAllIndex(text, -1)
		if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Errorf("%q in %q: %v, want %v", r, text, got, want)
		}
	}
}

// FuzzAll looks for arbitrary texts in arbitrary text.
func FuzzAll(f *testing.F) {
	f.Add([]byte("ab,b,abc"), []byte("abcabab"), false)
	f.Add([]byte("kiss,S"), []byte("\u212ai\u017fs KISS"), true)
	f.Fuzz(func(t *testing.T, texts, b []byte, fold bool) {
		var list []Literal
		for text := range bytes.SplitSeq(texts, []byte(",")) {
			if len(text) > 0 && (!fold || utf8.Valid(text)) {
				list = append(list, Literal{Value: text})
			}
		}
		if len(list) > 0 && len(list)*len(b) < 1<<20 {
			check(t, list, fold, b, len(b), kernel.Choose(variants).Func)
		}
	})
}
