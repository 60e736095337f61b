package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// literals counts in the log as many texts as a list of identifiers has, one of which is the
// planted one. ripgrep reads them from a file, thresh from its arguments.
func literals(n int) func(ctx context.Context, b *bench, name string) error {
	return func(ctx context.Context, b *bench, name string) error {
		log, _, err := b.logFile()
		if err != nil {
			return err
		}
		defer log.Close()
		texts := identifiers(n)
		var hits int64
		for _, text := range texts[:2] { // the others are not in the log, which has no such letters
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

// identifiers returns n texts: two of the planted line, and others like those of a log that
// have a letter which its identifiers lack.
func identifiers(n int) []string {
	texts := []string{"ref=KQXT4820193ZW", "owner=481516234"}
	r := rand.New(rand.NewPCG(1, 2))
	for len(texts) < n {
		texts = append(texts, fmt.Sprintf("req=%08x#", r.Uint32()))
	}
	return texts
}
