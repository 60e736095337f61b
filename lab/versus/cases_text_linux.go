package versus

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// plainLocale is the locale in which grep is fastest.
var plainLocale = []string{"LC_ALL=C"}

// question is a search in the log, with the arguments for each program. Its only match is in the
// planted line.
type question struct {
	match string   // the text that matches
	find  []string // for thresh
	rg    []string // for ripgrep, nil if it cannot search for this
	grep  []string // for GNU grep

	target lab.Target // for thresh against ripgrep
}

// expression is a regular expression that has the same meaning in all programs.
func expression(re, match string, least float64) question {
	return question{match, []string{"--regex", re}, []string{re}, []string{"-E", re}, lab.AtLeast(least)}
}

const declined = "card declined, retry 3 of 3"

var (
	askLiterally = question{declined, []string{"--text", declined}, []string{"-F", declined}, []string{"-F", declined},
		lab.AtLeast(1.7)}
	regexCommon = expression(`user=[0-9]{9} card`, "user=481516234 card", 1.7)
	regexRare   = expression(`owner=[0-9]{9}`, "owner=481516234", 1.7)
	regexNone   = expression(`[A-Z]{4}[0-9]{7}[A-Z]{2}`, "KQXT4820193ZW", 1)
	regexDigits = expression(`[0-9]{4}[A-Z]{2}[0-9]{3}`, "4820KQ193", 1)
	askHex      = question{
		match: "KQXT4820193ZW",
		find:  []string{"--hex", "4B 51 ?? 54 34 38 3? 30 31 39 33 5A 57"},
		grep:  []string{"-P", `KQ.T48[0-9:;<=>?]0193ZW`},
	}
)

// search compares the programs on the log. The others print the offset of every match, so they read the
// log to its end; thresh stops at the planted line, 1 MiB before the end. ripgrep runs in the fastest
// way that prints offsets: it maps the file by default, and needs no --text, because the log has no
// zeros.
func search(q question) func(b *bench, log *pagecache.File) {
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
