package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
)

// input is a generated file, and the answer that variants must give for it.
type input struct {
	path   string
	bytes  int64
	answer string
}

// label is what is kept beside a generated file: what it was made from, and what was made.
type label struct {
	Asked    int64     `json:"asked"` // bytes
	Version  int       `json:"version"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	Answer   string    `json:"answer"`
}

// inputs makes the files in a folder, and finds those that are there.
type inputs struct {
	folder string
	making func(name string) // called before a file is made
}

// get returns an input in a size. It is made unless it is there unchanged, from the same version of its
// generator.
func (in inputs) get(ctx context.Context, experiment string, i lab.Input, bytes int64) (input, error) {
	name := fmt.Sprintf("%s-%s-%d", experiment, i.Name, bytes)
	path := filepath.Join(in.folder, name)
	if l, ok := kept(path); ok && l.Asked == bytes && l.Version == i.Version {
		return input{path, l.Bytes, l.Answer}, nil
	}
	if err := errors.Join(remove(path), remove(path+labelSuffix), machine.Room(in.folder, bytes)); err != nil {
		return input{}, err
	}
	in.making(name)
	part := path + ".part"
	answer, err := i.Write(ctx, part, bytes)
	if err != nil {
		return input{}, errors.Join(fmt.Errorf("make %s: %w", path, err), remove(part))
	}
	info, err := os.Stat(part)
	if err != nil {
		return input{}, fmt.Errorf("make %s: %w", path, err)
	}
	l := label{Asked: bytes, Version: i.Version, Bytes: info.Size(), Modified: info.ModTime(), Answer: answer}
	text, err := json.Marshal(l)
	if err != nil {
		return input{}, err
	}
	// The label comes last: without it, a file is made again.
	if err := os.Rename(part, path); err != nil {
		return input{}, err
	}
	return input{path, l.Bytes, l.Answer}, os.WriteFile(path+labelSuffix, text, 0o644)
}

const labelSuffix = ".json"

// kept returns the label of a file. ok is false where the file is not there, or is not what the label says.
func kept(path string) (l label, ok bool) {
	text, err := os.ReadFile(path + labelSuffix)
	if err != nil || json.Unmarshal(text, &l) != nil {
		return l, false
	}
	info, err := os.Stat(path)
	return l, err == nil && info.Size() == l.Bytes && info.ModTime().Equal(l.Modified)
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// usual is the size of an experiment that does not say its own.
const usual = 1 << 30

// fitting returns the size of an experiment on a machine with so much memory available and space free;
// 0 means unknown. A variant may hold its input in memory, beside the copy in the page cache and the one
// in single pages; so a sixth of the memory is a fair part, and of the disk a quarter. What does not fit
// is halved: then the same machine gives the same size, though what is available changes.
func fitting(bytes, available, free int64) int64 {
	if bytes == 0 {
		bytes = usual
	}
	if available == 0 {
		available = math.MaxInt64
	}
	if free == 0 {
		free = math.MaxInt64
	}
	for bytes > smallest && (bytes > available/6 || bytes > free/4) {
		bytes /= 2
	}
	return bytes
}

// smallest is the least size of an experiment.
const smallest = 1 << 20
