package regex

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var benchmarked = []string{
	`[0-9]{3}-[a-z]+[0-9]`, `(\w+)@(\w+)\.com`, `[A-Z][a-z]+ [0-9]+ms`, `user=[0-9]{9}`,
	`(?i)upload|session`, `[a-z]+[0-9]+[a-z]+[0-9]+[a-z]+[0-9]+ `, `status=\d+`,
}

// logText returns n bytes of lines like those that services write.
func logText(n int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	levels := []string{"INFO", "WARN", "DEBUG", "ERROR"}
	words := []string{"Request", "Connection", "Cache", "Query", "Session", "Upload"}
	var b bytes.Buffer
	b.Grow(n + 256)
	for b.Len() < n {
		fmt.Fprintf(&b, "2026-11-%02dT%02d:%02d:%02d.%03dZ host-%d svc[%d]: "+
			"%s id=%08x path=/v1/items/%d ",
			1+rng.IntN(28), rng.IntN(24), rng.IntN(60), rng.IntN(60), rng.IntN(1000), rng.IntN(40),
			rng.IntN(30000), levels[rng.IntN(4)], rng.Uint32(), rng.IntN(100000))
		fmt.Fprintf(&b, "status=%d dur=%d", 200+rng.IntN(4)*100, rng.IntN(5000))
		switch rng.IntN(20) {
		case 0:
			fmt.Fprintf(&b, " user=%09d", rng.IntN(1e9))
		case 1:
			fmt.Fprintf(&b, " mail=%s@example.com", strings.ToLower(words[rng.IntN(6)]))
		case 2:
			fmt.Fprintf(&b, " %s %dms", words[rng.IntN(6)], rng.IntN(900))
		case 3:
			fmt.Fprintf(&b, " ticket %03d-abc%d", rng.IntN(1000), rng.IntN(10))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()[:bytes.LastIndexByte(b.Bytes()[:n], '\n')+1]
}

func count(s *Searcher, text []byte) int {
	const piece = 4 << 20
	n := 0
	for lo := 0; lo < len(text); {
		hi := min(lo+piece, len(text))
		hi = lo + bytes.LastIndexByte(text[lo:hi], '\n') + 1
		s.Reset(text[lo:hi])
		for start, _ := s.Next(); start >= 0; start, _ = s.Next() {
			n++
		}
		lo = hi
	}
	return n
}

func BenchmarkLog(b *testing.B) {
	text := logText(16 << 20)
	for _, expr := range benchmarked {
		std := regexp.MustCompile(expr)
		want := len(std.FindAllIndex(text, -1))
		b.Run("expr="+expr+"/impl=std", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if n := len(std.FindAllIndex(text, -1)); n != want {
					b.Fatalf("%d matches, want %d", n, want)
				}
			}
		})
		r, err := Compile(expr)
		if err != nil {
			b.Fatal(err)
		}
		ways := forced(r)
		delete(ways, "runes")
		for way, r := range ways {
			b.Run("expr="+expr+"/impl="+way+":"+r.Kernel(), func(b *testing.B) {
				s := r.Searcher()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if n := count(s, text); n != want {
						b.Fatalf("%d matches, want %d", n, want)
					}
				}
			})
		}
	}
}

// BenchmarkRipgrep runs ripgrep, if it is installed, over the same text in a file, on one thread
// and without its Unicode classes, which Go's do not have either. Its time includes the start of
// the process, so the text is larger here.
func BenchmarkRipgrep(b *testing.B) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("ripgrep is not installed")
	}
	text := logText(256 << 20)
	file := filepath.Join(b.TempDir(), "log")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	for _, expr := range benchmarked {
		r, err := Compile(expr)
		if err != nil {
			b.Fatal(err)
		}
		want := count(r.Searcher(), text)
		for _, flag := range []string{"--no-unicode", "--unicode"} {
			b.Run("expr="+expr+"/impl=rg"+flag, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					out, err := exec.Command(rg, flag, "-j1", "--count-matches", expr, file).Output()
					if err != nil {
						b.Fatal(err)
					}
					if n, err := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || n != want {
						b.Fatalf("rg counts %q matches, want %d", out, want)
					}
				}
			})
		}
		b.Run("expr="+expr+"/impl=thresh", func(b *testing.B) {
			s := r.Searcher()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if n := count(s, text); n != want {
					b.Fatalf("%d matches, want %d", n, want)
				}
			}
		})
	}
}
