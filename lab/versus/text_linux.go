package versus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// text is what the files of situations contain: a block, over and over, with a few texts laid over it.
// The words of one block are as varied as a scan needs; making a gigabyte of new ones would take
// longer than the questions.
type text struct {
	block  []byte
	rows   bool   // only whole blocks: a file must not end within a row
	early  string // overwrites what is near the start
	late   string // overwrites what is near the end
	nEarly int64  // offset of early
}

// What is found early, late and never. Not one of them is in the blocks.
const (
	earlyText = "EARLY-7f3a9c01"
	lateText  = "LATE-481516234"
	noText    = "NOWHERE-4820193"
)

const textBytes = 8 << 20

var logText = sync.OnceValues(func() (text, error) {
	var b bytes.Buffer
	err := gen.Log(&b, textBytes, logSeed)
	return text{block: b.Bytes(), early: earlyText, late: lateText, nEarly: 40}, err
})

var rowText = sync.OnceValues(func() (text, error) {
	var b bytes.Buffer
	err := gen.OrdersPlain(&b, 1<<20, logSeed)
	_, rows, _ := bytes.Cut(b.Bytes(), []byte("\n")) // without the header: blocks are repeated
	return text{block: rows, rows: true}, err
})

var jsonText = sync.OnceValues(func() (text, error) {
	var b bytes.Buffer
	err := gen.JSON(&b, 1<<20, logSeed)
	return text{block: b.Bytes(), rows: true}, err
})

// size returns the size of a file that may have so many bytes.
func (t text) size(bytes int64) int64 {
	if !t.rows {
		return bytes
	}
	n := int64(len(t.block))
	return max(bytes/n, 1) * n
}

// write writes a file of that size.
func (t text) write(w io.Writer, size int64) error {
	for off := int64(0); off < size; off += int64(len(t.block)) {
		n := min(int64(len(t.block)), size-off)
		block := t.block[:n]
		if off <= t.nEarly || size-off-n <= t.nLate(size) {
			block = bytes.Clone(block)
			lay(block, t.early, t.nEarly-off)
			lay(block, t.late, size-t.nLate(size)-off)
		}
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}

// nLate is the distance of late from the end of a file.
func (t text) nLate(size int64) int64 { return min(64<<10, size/4) }

// lay writes text over the block at off, where both overlap.
func lay(block []byte, text string, off int64) {
	if off < 0 && -off < int64(len(text)) {
		text, off = text[-off:], 0
	}
	if off >= 0 && off < int64(len(block)) {
		copy(block[off:], text)
	}
}

// writeSparse writes the first MiB of every 16, and leaves holes between.
func (t text) writeSparse(f *os.File, size int64) error {
	name, data := f.Name(), t.block[:min(len(t.block), 1<<20)]
	g, err := os.OpenFile(name, os.O_WRONLY, 0) // f appends
	if err != nil {
		return err
	}
	err = g.Truncate(size)
	for off := int64(0); off < size && err == nil; off += 16 << 20 {
		_, err = g.WriteAt(data[:min(int64(len(data)), size-off)], off)
	}
	return errors.Join(err, g.Close())
}

// Plain loops over the files say what the answers are. They know nothing of thresh.

func wantLines(c *corpus) (string, error) {
	lines := 0
	for _, f := range c.files {
		one := &corpus{files: []*pagecache.File{f}}
		last := byte('\n')
		err := one.each(0, func(piece []byte, _ int, _ int64) {
			lines += bytes.Count(piece, []byte("\n"))
			last = piece[len(piece)-1]
		})
		if err != nil {
			return "", err
		}
		if last != '\n' {
			lines++
		}
	}
	return fmt.Sprint(lines), nil
}

func wantNonzero(c *corpus) (string, error) {
	n := 0
	err := c.each(0, func(piece []byte, _ int, _ int64) { n += len(piece) - bytes.Count(piece, []byte{0}) })
	return fmt.Sprint(n), err
}

// wantCount counts occurrences of a text that does not overlap itself.
func wantCount(text string) func(*corpus) (string, error) {
	return func(c *corpus) (string, error) {
		n := 0
		err := c.each(len(text)-1, func(piece []byte, _ int, _ int64) { n += bytes.Count(piece, []byte(text)) })
		return fmt.Sprint(n), err
	}
}

// wantFirst returns the offset of the first occurrence, "" if there is none.
func wantFirst(text string) func(*corpus) (string, error) {
	return func(c *corpus) (string, error) {
		at := ""
		err := c.each(len(text)-1, func(piece []byte, _ int, off int64) {
			if i := bytes.Index(piece, []byte(text)); i >= 0 && at == "" {
				at = fmt.Sprint(off + int64(i))
			}
		})
		return at, err
	}
}

// plainLocale is the locale in which grep is fastest.
var plainLocale = []string{"LC_ALL=C"}

// textQuestion is a search in the log, with the arguments for each program. Its only match is in the
// planted line.
type textQuestion struct {
	match string   // the text that matches
	find  []string // for thresh
	rg    []string // for ripgrep, nil if it cannot search for this
	grep  []string // for GNU grep

	target lab.Target // for thresh against ripgrep
}

// expression is a regular expression that has the same meaning in all programs.
func expression(re, match string, least float64) textQuestion {
	return textQuestion{match, []string{"--regex", re}, []string{re}, []string{"-E", re}, lab.AtLeast(least)}
}

const declined = "card declined, retry 3 of 3"

var (
	askLiterally = textQuestion{declined, []string{"--text", declined}, []string{"-F", declined}, []string{"-F", declined},
		lab.AtLeast(1.7)}
	regexCommon = expression(`user=[0-9]{9} card`, "user=481516234 card", 1.7)
	regexRare   = expression(`owner=[0-9]{9}`, "owner=481516234", 1.7)
	regexNone   = expression(`[A-Z]{4}[0-9]{7}[A-Z]{2}`, "KQXT4820193ZW", 1)
	regexDigits = expression(`[0-9]{4}[A-Z]{2}[0-9]{3}`, "4820KQ193", 1)
	askHex      = textQuestion{
		match: "KQXT4820193ZW",
		find:  []string{"--hex", "4B 51 ?? 54 34 38 3? 30 31 39 33 5A 57"},
		grep:  []string{"-P", `KQ.T48[0-9:;<=>?]0193ZW`},
	}
)

// search compares the programs on the log. The others print the offset of every match, so they read the
// log to its end; thresh stops at the planted line, 1 MiB before the end. ripgrep runs in the fastest
// way that prints offsets: it maps the file by default, and needs no --text, because the log has no
// zeros.
func search(q textQuestion) func(b *bench, log *pagecache.File) {
	return func(b *bench, log *pagecache.File) {
		at := find(log, planted) + indexOf(planted, q.match)
		sides := []contender{b.thresh(at, append(append([]string{"find"}, q.find...), log.Name)...)}
		if q.rg != nil {
			args := append(peer.Rg("-b", "-o"), q.rg...)
			sides = append(sides, contender{name: "rg", args: append(args, log.Name), want: matchAt(at, q.match),
				target: q.target, note: strings.Join(args, " ")})
		}
		args := append([]string{"grep", "-a", "-b", "-o"}, q.grep...)
		sides = append(sides, contender{name: "grep", args: append(args, log.Name), env: plainLocale,
			want: matchAt(at, q.match), note: "LC_ALL=C " + strings.Join(args, " ")})
		b.compare(warmState(log), log.Bytes, sides...)
	}
}

func indexOf(text, part string) int64 { return int64(strings.Index(text, part)) }

// matchAt returns a match at an offset as printed by rg -b -o and grep -b -o.
func matchAt(offset int64, match string) string {
	return strconv.FormatInt(offset, 10) + ":" + strings.TrimSpace(match)
}

// grepLog compares thresh grep with ripgrep on the log. Both get the same flags.
func grepLog(flags ...string) func(b *bench, log *pagecache.File) {
	return func(b *bench, log *pagecache.File) {
		args := append(flags[:len(flags):len(flags)], log.Name)
		b.besideRipgrep(warmState(log), log.Bytes, args, args, nil)
	}
}

// grepTexts is grepLog with a list of n texts.
func grepTexts(n int) func(b *bench, log *pagecache.File) {
	return func(b *bench, log *pagecache.File) { grepLog("-F", "-f", b.list(n))(b, log) }
}

// grepTree searches 100,000 cached files. ripgrep is asked for the order of names only where the answers are
// compared, because it then uses a single thread.
func grepTree(b *bench) {
	folder := b.tree()
	b.besideRipgrep(treeState(folder, readFile), treeFiles*treeFileBytes,
		[]string{"-r", treeWord, folder}, []string{"-uuu", treeWord, folder}, []string{"--sort=path"})
}

// besideRipgrep compares thresh grep and ripgrep, which gets more flags where the answers are compared. Both must
// print the same. Samples print to /dev/null: a pipe would measure its reader, too.
func (b *bench) besideRipgrep(st state, bytes int64, ours, theirs, sorted []string) {
	rg := func(more []string) []string {
		return append(peer.Rg(append([]string{"--no-heading", "--color=never"}, more...)...), theirs...)
	}
	thresh := append([]string{b.Thresh, "grep"}, ours...)
	got, want := try(printed(b.ctx, thresh)), try(printed(b.ctx, rg(sorted)))
	if got != want {
		check(fmt.Errorf("thresh grep %s prints %s, rg %s", strings.Join(ours, " "), got, want))
	}
	quiet := func(args []string) []string {
		return append([]string{"sh", "-c", `exec "$@" > /dev/null`, "sh"}, args...)
	}
	b.compare(st, bytes,
		contender{name: "thresh", args: quiet(thresh)},
		contender{name: "rg", args: quiet(rg(nil)), target: lab.AtLeast(1),
			note: "rg " + strings.Join(ours[:len(ours)-1], " ")})
}

// printed returns the length and the hash of what a command prints. Exit status 1 means that nothing was found.
func printed(ctx context.Context, args []string) (string, error) {
	h := hashed{Hash: sha256.New()}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = &h, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1 {
		err = nil
	}
	return h.String(), err
}

// hashed counts and hashes what is written.
type hashed struct {
	hash.Hash
	bytes int64
}

func (h *hashed) Write(p []byte) (int, error) {
	h.bytes += int64(len(p))
	return h.Hash.Write(p)
}

func (h *hashed) String() string { return fmt.Sprintf("%d bytes, SHA-256 %x", h.bytes, h.Sum(nil)) }
