package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// grepLog compares thresh grep with ripgrep on the log. Both get the same flags, and must print the same.
// Samples print to /dev/null: a pipe would measure its reader, too.
func grepLog(flags ...string) func(ctx context.Context, b *bench, name string) error {
	return func(ctx context.Context, b *bench, name string) error {
		log, _, err := b.logFile()
		if err != nil {
			return err
		}
		defer log.Close()
		return b.besideRipgrep(ctx, name, warmState(log), log.Bytes, append(flags, log.Name), nil)
	}
}

// grepTexts is grepLog with a list of n texts.
func grepTexts(n int) func(ctx context.Context, b *bench, name string) error {
	return func(ctx context.Context, b *bench, name string) error {
		list := filepath.Join(b.data.folder, fmt.Sprintf("grep-%d", n))
		if err := os.WriteFile(list, []byte(strings.Join(identifiers(n), "\n")+"\n"), 0o644); err != nil {
			return err
		}
		return grepLog("-F", "-f", list)(ctx, b, name)
	}
}

// grepTree searches 100,000 cached files. ripgrep is asked for the order of names only where the answers are
// compared, because it then uses a single thread.
func grepTree(ctx context.Context, b *bench, name string) error {
	folder, err := b.tree()
	if err != nil {
		return err
	}
	st := state{before: func() error {
		return filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			_, err = os.ReadFile(path)
			return err
		})
	}}
	args := []string{"-r", treeWord, folder}
	return b.besideRipgrep(ctx, name, st, treeFiles*treeFileBytes, args, []string{"--sort=path"})
}

// besideRipgrep compares thresh grep and ripgrep, which gets more flags where the answers are compared. The flag -r
// means something else to it.
func (b *bench) besideRipgrep(
	ctx context.Context, name string, st state, bytes int64, args, sorted []string,
) error {
	theirs := append([]string{"rg", "--no-config", "--no-heading", "--color=never"}, args...)
	if args[0] == "-r" {
		theirs = append(append(theirs[:4:4], "-uuu"), args[1:]...)
	}
	ours := append([]string{b.thresh, "grep"}, args...)
	want, err := printed(ctx, append(theirs[:4:4], append(sorted, theirs[4:]...)...))
	if err != nil {
		return err
	}
	got, err := printed(ctx, ours)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("thresh grep %s prints %s, rg %s", strings.Join(args, " "), got, want)
	}
	silent := func(args []string) []string {
		return append([]string{"sh", "-c", `exec "$@" > /dev/null`, "sh"}, args...)
	}
	return b.compare(ctx, name, st, bytes,
		contender{name: "thresh", args: silent(ours)},
		contender{name: "rg", args: silent(theirs), target: atLeast(1), note: "rg " + strings.Join(args[:len(args)-1], " ")})
}

// printed returns the length and the hash of what a command prints. Exit status 1 means that nothing was found.
func printed(ctx context.Context, args []string) (string, error) {
	h := sha256.New()
	n := hashed{Writer: h}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout = &n
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	return fmt.Sprintf("%d bytes, SHA-256 %x", n.bytes, h.Sum(nil)), err
}

// hashed counts and hashes what is written.
type hashed struct {
	io.Writer
	bytes int64
}

func (c *hashed) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.Writer.Write(p)
}
