//go:build !linux

package source

import (
	"errors"
	"os"
)

// list appends the entries of a folder.
func (w *walker) list(path string, _ bool) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	found, err := f.ReadDir(-1)
	for _, e := range found {
		w.entries = append(w.entries, entry{e.Name(), e.Type()})
	}
	return err
}
