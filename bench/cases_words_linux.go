package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
)

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

// wordsFile returns a file of lines, or of random bytes.
func (b *bench) wordsFile(name, line string) (*subject, error) {
	size := b.scaled(128_000_000)
	return b.data.file("words-"+name, size, func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		var from io.Reader = shortChars{rand.NewChaCha8([32]byte{1})}
		if line != "" {
			from = strings.NewReader(strings.Repeat(line, int(size)/len(line)+1))
		}
		_, err = io.CopyN(f, from, size)
		return errors.Join(err, f.Sync(), f.Close())
	})
}

// countWords compares with wc in a UTF-8 locale, whose answers are those to give.
func countWords(ctx context.Context, b *bench, name string) error {
	env := []string{"LC_ALL=C.UTF-8"}
	for _, text := range wordsTexts {
		file, err := b.wordsFile(text.name, text.line)
		if err != nil {
			return err
		}
		for _, asked := range [][2]string{{"--words", "-w"}, {"--chars", "-m"}} {
			wc := exec.CommandContext(ctx, "wc", asked[1], file.Name)
			wc.Env = append(os.Environ(), env...)
			out, err := wc.Output()
			if err != nil {
				return errors.Join(fmt.Errorf("%v: %w", wc.Args, err), file.Close())
			}
			n, _, _ := strings.Cut(string(out), " ")
			err = b.compare(ctx, name, warmState(file), file.Bytes,
				contender{name: "thresh", args: []string{b.thresh, "count", asked[0], file.Name}, want: n},
				contender{
					name: "wc " + asked[1] + ", " + text.name, args: wc.Args, env: env, want: n,
					answer: firstField, target: atLeast(5),
				})
			if err != nil {
				return errors.Join(err, file.Close())
			}
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}
