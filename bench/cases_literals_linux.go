package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// literals counts n texts in the log, like a list of identifiers. One of them is planted. ripgrep reads
// the texts from a file, thresh from its arguments.
func literals(n int) func(ctx context.Context, b *bench, name string) error {
	return func(ctx context.Context, b *bench, name string) error {
		log, _, err := b.logFile()
		if err != nil {
			return err
		}
		defer log.Close()
		texts := identifiers(n)
		var hits int64
		for _, text := range texts[:2] { // the others do not occur: they have a letter that the log's identifiers lack
			found, err := occurrences(log, text)
			if err != nil {
				return err
			}
			hits += found
		}
		list := filepath.Join(b.data.folder, fmt.Sprintf("literals-%d", n))
		if err := os.WriteFile(list, []byte(strings.Join(texts, "\n")+"\n"), 0o644); err != nil {
			return err
		}
		var args []string
		for _, text := range texts {
			args = append(args, "--text", text)
		}
		return b.compare(ctx, name, warmState(log), log.Bytes,
			b.count(hits, append(args, log.Name)...),
			contender{
				name: "rg --count-matches -F -f", want: fmt.Sprint(hits), target: atLeast(1),
				args: []string{"rg", "--no-config", "--count-matches", "-F", "-f", list, log.Name},
			})
	}
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
