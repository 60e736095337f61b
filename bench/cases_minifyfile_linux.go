package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/thresh-dev/thresh/lab/gen"
)

// minifyFileBytes is a size for which jq takes most of a minute.
const minifyFileBytes = 500_000_000

// minifyFile minifies a file to another, new file. It compares with jq, with thresh without validation
// and with thresh with one worker, and measures own memory.
func minifyFile(ctx context.Context, b *bench, name string) error {
	file, err := b.prettyFile(ctx)
	if err != nil {
		return err
	}
	defer file.Close()
	want, err := minifiedSum(file.Name)
	if err != nil {
		return err
	}
	out := filepath.Join(filepath.Dir(file.Name), "minified")
	answer := func(string) (string, error) {
		sum, err := fileSum(out)
		return sum, errors.Join(err, os.Remove(out))
	}
	ours := contender{name: "thresh", answer: answer, want: want,
		args: []string{b.thresh, "minify", "-o", out, file.Name}}
	jq := contender{name: "jq -c", answer: answer, want: want, target: atLeast(8),
		args: []string{"sh", "-c", `exec jq -c . "$0" > "$1"`, file.Name, out}}
	itself := func(name string, target target, flags ...string) contender {
		return contender{name: name, answer: answer, want: want, target: target,
			args: append([]string{b.thresh, "minify", "-o", out, file.Name}, flags...)}
	}
	peers := []contender{ours, jq, itself("thresh --trust", atLeast(0.9), "--trust")}
	if b.workers > 1 {
		peers = append(peers, itself("thresh --workers 1", atLeast(1.7), "--workers", "1"))
	}
	if err := b.compare(ctx, name, warmState(file), file.Bytes, peers...); err != nil {
		return err
	}
	return b.memory(ctx, name, "own memory", warmState(file), ours, noInput)
}

// minifyLines minifies values that lie one to a line, and validates them. It compares with
// thresh without validation and with thresh with one worker.
func minifyLines(ctx context.Context, b *bench, name string) error {
	size := b.scaled(minifyFileBytes)
	file, err := b.tableFile(fmt.Sprintf("orders-%d.ndjson", size), size, func(w io.Writer) error {
		return gen.NDJSON(w, size, tableSeed)
	})
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := os.ReadFile(file.Name)
	if err != nil {
		return err
	}
	want, err := compactedLines(text)
	if err != nil {
		return err
	}
	out := filepath.Join(filepath.Dir(file.Name), "minified")
	side := func(name string, target target, flags ...string) contender {
		return contender{name: name, want: want, target: target,
			args: append([]string{b.thresh, "minify", "--ndjson", "-o", out, file.Name}, flags...),
			answer: func(string) (string, error) {
				text, err := os.ReadFile(out)
				return hashOf(text), errors.Join(err, os.Remove(out))
			}}
	}
	sides := []contender{side("thresh", target{}), side("thresh --trust", atLeast(0.9), "--trust")}
	if b.workers > 1 {
		sides = append(sides, side("thresh --workers 1", atLeast(1.7), "--workers", "1"))
	}
	return b.compare(ctx, name, warmState(file), file.Bytes, sides...)
}

// compactedLines returns the checksum of lines without their white space, by encoding/json.
func compactedLines(text []byte) (string, error) {
	var kept bytes.Buffer
	for line := range bytes.Lines(text) {
		if err := json.Compact(&kept, bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return "", err
		}
		kept.WriteByte('\n')
	}
	return hashOf(kept.Bytes()), nil
}

func hashOf(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// prettyFile returns JSON that was written by jq, so that jq does not change the numbers when it
// reads it again.
func (b *bench) prettyFile(ctx context.Context) (*subject, error) {
	size := b.scaled(minifyFileBytes)
	return b.data.rows(fmt.Sprintf("pretty-%d", size), size+size/4, func(path string) error {
		raw := path + ".raw"
		f, err := os.Create(raw)
		if err != nil {
			return err
		}
		err = errors.Join(gen.JSON(f, size, tableSeed), f.Close())
		if err == nil {
			cmd := exec.CommandContext(ctx, "sh", "-c", `jq . "$0" > "$1" && sync "$1"`, raw, path)
			cmd.Stderr = os.Stderr
			err = cmd.Run()
		}
		return errors.Join(err, os.Remove(raw))
	})
}

// minifiedSum is the plain twin: it returns the checksum of a file without the white space outside
// strings.
func minifiedSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	in, sum := bufio.NewReaderSize(f, 1<<20), sha256.New()
	out := bufio.NewWriterSize(sum, 1<<20)
	inString, escaped := false, false
	for {
		c, err := in.ReadByte()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
		if inString || !strings.ContainsRune(" \t\r\n", rune(c)) {
			if err := out.WriteByte(c); err != nil {
				return "", err
			}
		}
		inString, escaped = inString != (c == '"' && !escaped), c == '\\' && !escaped
	}
	err = out.Flush()
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// fileSum returns the checksum of a file without the line feed that jq adds at the end.
func fileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	n := info.Size()
	last := make([]byte, 1)
	if n > 0 {
		if _, err := f.ReadAt(last, n-1); err != nil {
			return "", err
		}
		if last[0] == '\n' {
			n--
		}
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.LimitReader(f, n))
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}
