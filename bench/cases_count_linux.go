package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// count returns thresh count with these arguments as a contender. The count must be n.
func (b *bench) count(n int64, args ...string) contender {
	return contender{
		name: "thresh", args: append([]string{b.thresh, "count"}, args...), want: fmt.Sprint(n),
	}
}

// countLines compares with wc on the log.
func countLines(ctx context.Context, b *bench, name string) error {
	log, _, err := b.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	feeds, err := occurrences(log, "\n")
	if err != nil {
		return err
	}
	// The log's last line may have no line feed. wc does not count such a line.
	return b.compare(ctx, name, warmState(log), log.Bytes,
		b.count(feeds+unended(log), "--lines", log.Name),
		contender{
			name: "wc -l", args: []string{"wc", "-l", log.Name}, want: fmt.Sprint(feeds),
			answer: firstField, target: atLeast(3),
		})
}

// linesOf returns how many lines a file has.
func linesOf(s *subject) (string, error) {
	feeds, err := occurrences(s, "\n")
	return fmt.Sprint(feeds + unended(s)), err
}

// unended returns 1 if the file's last byte is not a line feed, otherwise 0.
func unended(s *subject) int64 {
	var last [1]byte
	if _, err := s.OS().ReadAt(last[:], s.Bytes-1); err == nil && last[0] == '\n' {
		return 0
	}
	return 1
}

func firstField(stdout string) (string, error) {
	first, _, _ := strings.Cut(strings.TrimSpace(stdout), " ")
	return first, nil
}

func countSmall(ctx context.Context, b *bench, name string) error {
	file, err := b.smallFile()
	if err != nil {
		return err
	}
	defer file.Close()
	feeds, err := occurrences(file, "\n")
	if err != nil {
		return err
	}
	thresh := b.count(feeds, "--lines", file.Name)
	wc := contender{name: "wc -l", args: []string{"wc", "-l", file.Name}, want: fmt.Sprint(feeds), answer: firstField}
	return b.processes(ctx, name, file, thresh, wc)
}

// occurrences counts a text in a file with a plain loop.
func occurrences(s *subject, text string) (n int64, err error) {
	const blockBytes = 1 << 20
	buf := make([]byte, blockBytes+len(text)-1)
	for off := int64(0); off < s.Bytes; off += blockBytes {
		b := buf[:min(int64(len(buf)), s.Bytes-off)]
		if _, err := s.OS().ReadAt(b, off); err != nil {
			return 0, fmt.Errorf("read %s at %d: %w", s.Name, off, err)
		}
		n += int64(bytes.Count(b, []byte(text)))
	}
	return n, nil
}

// frequent is a word that most lines of the log contain.
const frequent = "status="

// countText counts a very frequent word: some 10 million hits in 1.5 GB.
func countText(ctx context.Context, b *bench, name string) error {
	log, _, err := b.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	n, err := occurrences(log, frequent)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.log, "  %d hits of %q\n", n, frequent)
	return b.compare(ctx, name, warmState(log), log.Bytes,
		b.count(n, "--text", frequent, log.Name),
		contender{
			name: "grep -o | wc -l", env: []string{"LC_ALL=C"}, want: fmt.Sprint(n), target: atLeast(2),
			args: []string{"sh", "-c", "grep -a -o -F " + frequent + " \"$0\" | wc -l", log.Name},
		},
		contender{
			name: "rg --count-matches", want: fmt.Sprint(n), target: atLeast(1.5),
			args: []string{"rg", "--no-config", "--count-matches", "-F", frequent, log.Name},
		})
}

const (
	treeFolders     = 100
	treeFiles       = 100_000
	treeFileBytes   = 4096
	treeWord        = "ERROR"
	treeWordInEvery = 10 // files
)

// tree returns a folder with many small files. A tenth of them contain the word, once each.
func (b *bench) tree() (string, error) {
	folder := filepath.Join(b.data.folder, "tree")
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := b.data.room(treeFiles * treeFileBytes); err != nil {
		return "", err
	}
	part := folder + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	line := []byte("some words of an ordinary line of text\n")
	text := bytes.Repeat(line, treeFileBytes/len(line)+1)[:treeFileBytes]
	for i := range treeFiles {
		name := filepath.Join(part, fmt.Sprintf("%03d", i%treeFolders), fmt.Sprintf("%05d.log", i))
		if i < treeFolders {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return "", err
			}
		}
		content := bytes.Clone(text)
		if i%treeWordInEvery == 0 {
			copy(content[i%(treeFileBytes-len(treeWord)):], treeWord)
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return "", err
		}
	}
	return folder, os.Rename(part, folder)
}

func treeWarm(ctx context.Context, b *bench, name string) error {
	return overTree(ctx, b, name, func(path string) error {
		_, err := os.ReadFile(path)
		return err
	})
}

func treeCold(ctx context.Context, b *bench, name string) error {
	return overTree(ctx, b, name, func(path string) error {
		s, err := openSubject(path)
		if err != nil {
			return err
		}
		defer s.Close()
		return s.Drop(s.whole())
	})
}

// overTree compares with ripgrep on the tree. prepare is called for each file before every sample.
// Folders and inodes stay in memory.
func overTree(ctx context.Context, b *bench, name string, prepare func(path string) error) error {
	folder, err := b.tree()
	if err != nil {
		return err
	}
	st := state{before: func() error {
		return filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			return prepare(path)
		})
	}}
	const hits = treeFiles / treeWordInEvery
	thresh := b.count(hits, "--text", treeWord, "-r", folder)
	thresh.answer = func(stdout string) (string, error) {
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		return firstField(lines[len(lines)-1])
	}
	rg := contender{
		name: "rg -uuu -c", args: []string{"rg", "--no-config", "-uuu", "-c", treeWord, folder},
		answer: func(stdout string) (string, error) { return strconv.Itoa(strings.Count(stdout, "\n")), nil },
		want:   fmt.Sprint(hits), target: atLeast(1),
	}
	return b.compare(ctx, name, st, treeFiles*treeFileBytes, thresh, rg)
}
