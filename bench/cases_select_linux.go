package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strconv"
)

// tableSelect writes the records of some more than half of the donations to a new file, and compares with cp,
// which writes all of them.
func tableSelect(ctx context.Context, b *bench, name string) error {
	const above = 25 // dollars
	file, err := b.donations(2_000_000_000)
	if err != nil {
		return err
	}
	defer file.Close()
	some, all := sha256.New(), sha256.New()
	add := func(h hash.Hash, ended *bool, line []byte) { // fileSum leaves the last line feed out
		if *ended {
			h.Write([]byte{'\n'})
		}
		*ended = true
		h.Write(line)
	}
	var someEnded, allEnded bool
	err = eachRow(file, '|', func(fields [][]byte) error {
		line := bytes.Join(fields, []byte("|"))
		add(all, &allEnded, line)
		amount, err := strconv.ParseFloat(string(fields[14]), 64)
		if err == nil && amount > above {
			add(some, &someEnded, line)
		}
		return nil
	})
	if err != nil {
		return err
	}
	out := filepath.Join(filepath.Dir(file.Name), "selected")
	answer := func(string) (string, error) {
		sum, err := fileSum(out)
		return sum, errors.Join(err, os.Remove(out))
	}
	return b.compare(ctx, name, warmState(file), file.Bytes,
		contender{name: "thresh", answer: answer, want: fmt.Sprintf("%x", some.Sum(nil)),
			args: []string{b.thresh, "table", "-d", "|", "--quote", "none", "--select", "*",
				"--where", "$15 > " + strconv.Itoa(above), "--format", "csv", "-o", out, file.Name}},
		contender{name: "cp", answer: answer, want: fmt.Sprintf("%x", all.Sum(nil)), target: atLeast(0.8),
			args: []string{"cp", file.Name, out}})
}
