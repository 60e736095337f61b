package versus

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// count returns thresh count with these arguments as a contender. The count must be n.
func (b *bench) count(n int64, args ...string) contender {
	return b.thresh(n, append([]string{"count"}, args...)...)
}

// wc returns wc, which does not count a last line without a line feed.
func (b *bench) wc(file *pagecache.File) contender {
	feeds := fmt.Sprint(occurrences(file, "\n"))
	return contender{name: "wc -l", args: peer.WcLines(file.Name), want: feeds, answer: firstField}
}

func countLines(b *bench, log *pagecache.File) {
	b.compare(warmState(log), log.Bytes,
		b.count(linesOf(log), "--lines", log.Name), b.wc(log).as("wc -l", lab.AtLeast(3), ""))
}

func countSmall(b *bench, file *pagecache.File) {
	b.processes(file, b.count(linesOf(file), "--lines", file.Name), b.wc(file))
}

func firstField(stdout string) (string, error) {
	first, _, _ := strings.Cut(strings.TrimSpace(stdout), " ")
	return first, nil
}

// wordsTexts are what words and characters are counted in, by name: ASCII, several scripts, and random bytes.
var wordsTexts = []struct{ name, line string }{
	{"ascii", "203.0.113.9 - - [12/Mar/2026:10:41:07 +0000] \"GET /static/app.js HTTP/1.1\" 200 5123\n"},
	{"utf-8", "Съешь ещё этих мягких французских булок. 色は匂へど 散りぬるを 我が世誰ぞ 常ならむ naïve café\n"},
	{"bytes", ""},
}

// shortChars makes random bytes that are at most two of a character: which of the others can be printed depends on the
// version of Unicode, and that of wc is another one.
type shortChars struct{ io.Reader }

func (s shortChars) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	for i := range p[:n] {
		if p[i] >= 0xe0 {
			p[i] -= 0x60
		}
	}
	return n, err
}

// countWords compares with wc in a UTF-8 locale, whose answers are those to give.
func countWords(b *bench) {
	size := b.scaled(128_000_000)
	for _, text := range wordsTexts {
		file := b.file("words-"+text.name, size, func(f *os.File) error {
			var from io.Reader = shortChars{rand.NewChaCha8([32]byte{1})}
			if text.line != "" {
				from = strings.NewReader(strings.Repeat(text.line, int(size)/len(text.line)+1))
			}
			_, err := io.CopyN(f, from, size)
			return err
		})
		for _, asked := range [][2]string{{"--words", "-w"}, {"--chars", "-m"}} {
			wc := contender{name: "wc " + asked[1] + ", " + text.name, args: []string{"wc", asked[1], file.Name},
				env: []string{"LC_ALL=C.UTF-8"}, answer: firstField, target: lab.AtLeast(5)}
			wc.want = try(firstField(b.answers(wc)))
			b.compare(warmState(file), file.Bytes, b.thresh(wc.want, "count", asked[0], file.Name), wc)
		}
	}
}

// frequent is a word that most lines of the log contain.
const frequent = "status="

// countText counts a very frequent word: some 10 million hits in 1.5 GB.
func countText(b *bench, log *pagecache.File) {
	n := occurrences(log, frequent)
	b.logf("  %d hits of %q", n, frequent)
	b.compare(warmState(log), log.Bytes,
		b.count(n, "--text", frequent, log.Name),
		contender{
			name: "grep -o | wc -l", env: plainLocale, want: fmt.Sprint(n), target: lab.AtLeast(2),
			args: []string{"sh", "-c", "grep -a -o -F " + frequent + " \"$0\" | wc -l", log.Name},
		},
		contender{
			name: "rg --count-matches", want: fmt.Sprint(n), target: lab.AtLeast(1.5),
			args: peer.Rg("--count-matches", "-F", frequent, log.Name),
		})
}

// literals counts n texts in the log, like a list of identifiers. One of them is planted. ripgrep reads
// the texts from a file, thresh from its arguments.
func literals(n int) func(b *bench, log *pagecache.File) {
	return func(b *bench, log *pagecache.File) {
		texts := identifiers(n)
		// The others do not occur: they have a letter that the log's identifiers lack.
		hits := occurrences(log, texts[0]) + occurrences(log, texts[1])
		var args []string
		for _, text := range texts {
			args = append(args, "--text", text)
		}
		b.compare(warmState(log), log.Bytes, b.count(hits, append(args, log.Name)...), contender{
			name: "rg --count-matches -F -f", want: fmt.Sprint(hits), target: lab.AtLeast(1),
			args: peer.Rg("--count-matches", "-F", "-f", b.list(n), log.Name),
		})
	}
}

// list returns a file with a list of n identifiers.
func (b *bench) list(n int) string {
	name := filepath.Join(b.data.folder, fmt.Sprintf("literals-%d", n))
	check(os.WriteFile(name, []byte(strings.Join(identifiers(n), "\n")+"\n"), 0o644))
	return name
}

// identifiers returns n texts: two from the planted line, and others like a log's identifiers, but with
// a letter that those of our log lack.
func identifiers(n int) []string {
	texts := []string{"ref=KQXT4820193ZW", "owner=481516234"}
	r := rand.New(rand.NewPCG(1, 2))
	for len(texts) < n {
		texts = append(texts, fmt.Sprintf("req=%08x#", r.Uint32()))
	}
	return texts
}

// overTree compares with ripgrep on the tree. prepare is called for each file before every sample.
// Folders and inodes stay in memory.
func overTree(prepare func(path string) error) func(b *bench) {
	return func(b *bench) {
		folder := b.tree()
		const hits = treeFiles / treeWordInEvery
		thresh := b.count(hits, "--text", treeWord, "-r", folder)
		thresh.answer = lastNumber
		b.compare(treeState(folder, prepare), treeFiles*treeFileBytes, thresh, contender{
			name: "rg -uuu -c", args: peer.Rg("-uuu", "-c", treeWord, folder),
			answer: func(stdout string) (string, error) { return strconv.Itoa(strings.Count(stdout, "\n")), nil },
			want:   fmt.Sprint(hits), target: lab.AtLeast(1),
		})
	}
}

// treeState is the state of a folder after prepare was called for each file.
func treeState(folder string, prepare func(path string) error) state {
	return state{before: func() error {
		return filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			return prepare(path)
		})
	}}
}

func readFile(path string) error {
	_, err := os.ReadFile(path)
	return err
}

func dropFile(path string) error {
	s, err := pagecache.Open(path)
	if err != nil {
		return err
	}
	return s.Drop(s.Whole())
}

var equalsTen = []string{"--type", "i32", "--eq", "10"}

// countTens compares with the same kernel on its own memory, and with the published loop.
func countTens(b *bench) {
	file, n := b.numbers(b.Bytes)
	thresh := b.count(n, append(equalsTen, "--receipt=json", file.Name)...)
	thresh.rate = byReceipt
	memory, bytes := b.ownMemoryBeside("memory-tens")
	memory.note = fmt.Sprintf("the same kernel on %d MiB in huge pages, timed by itself", bytes>>20)
	b.compare(warmState(file), b.Bytes, thresh, memory)
	b.compare(warmState(file), b.Bytes, b.count(n, append(equalsTen, file.Name)...),
		b.child("", n, "tens", "unrolled", file.Name, b.workers).as("tens/unrolled", lab.AtLeast(1.5), ""))
}

// countCold compares with direct reads by fio, with all workers and with one.
func countCold(b *bench) {
	file, n := b.numbers(2 * b.Bytes)
	fio := b.fiosBest(file)
	all := b.count(n, append(equalsTen, file.Name)...)
	one := b.count(n, append(equalsTen, "--engine", "uring", "--workers", "1", file.Name)...)
	rates := b.measure(coldState(file), file.Bytes, all, one, fio)
	for i, side := range []contender{all, one} {
		r := beside(lab.TimesItsRate, fio, rates[i], rates[2])
		r.Spent = b.spent(coldState(file), side)
		r.Note = []string{"all workers; ", "--engine uring --workers 1; "}[i] + fio.note
		b.add(r)
	}
}

// bf16Bits returns the upper half of a float32. Pairs of these, read as f32, look like weights, too.
func bf16Bits(v float64) uint16 { return uint16(math.Float32bits(float32(v)) >> 16) }

// f16Bits returns a number as f16. Those below the smallest normal one become 0.
func f16Bits(v float64) uint16 {
	raw := math.Float32bits(float32(v))
	sign, exponent := uint16(raw>>16)&0x8000, int(raw>>23&0xff)-127
	if exponent < -14 {
		return sign
	}
	return sign | uint16(exponent+15)<<10 | uint16(raw>>13)&0x3ff
}

// weights returns a file of normally distributed values of 16 bits.
func (b *bench) weights(name string, size int64, encode func(float64) uint16) *pagecache.File {
	return b.file(name, size, func(f *os.File) error {
		random := rand.New(rand.NewPCG(1, tableSeed))
		values := make([]byte, 2<<16) // repeated: only the kernel's branches depend on values
		for i := 0; i < len(values); i += 2 {
			binary.LittleEndian.PutUint16(values[i:], encode(random.NormFloat64()/32))
		}
		for left := size; left > 0; {
			n, err := f.Write(values[:min(left, int64(len(values)))])
			if err != nil {
				return err
			}
			left -= int64(n)
		}
		return nil
	})
}

// stats16 compares the statistics of floats of 16 bits with those of 32, byte for byte.
func stats16(b *bench) {
	const width = 4
	size := b.scaled(1_000_000_000) &^ (width - 1)
	bf16, f16 := b.weights("weights-bf16", size, bf16Bits), b.weights("weights-f16", size, f16Bits)
	wide, st := b.statsOf(bf16, "f32"), warmState(bf16, f16)
	for i, typ := range []string{"bf16", "f16"} {
		b.compare(st, size, b.statsOf([]*pagecache.File{bf16, f16}[i], typ),
			wide.as("f32 beside "+typ, lab.AtLeast(0.8), fmt.Sprintf("%d MB of weights each", size/1e6)))
	}
}

// statsOf asks for the statistics of a file; the plain twin says what is right.
func (b *bench) statsOf(file *pagecache.File, typ string) contender {
	ask := b.thresh("", "count", "--type", typ, "--stats", file.Name)
	twin := ask
	twin.env = []string{"THRESH_ISA=plain"}
	ask.want = strings.TrimSpace(b.answers(twin))
	return ask
}
