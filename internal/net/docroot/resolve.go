package docroot

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// linksMax is how many links one path may lead through; os.Root stops at 255, Linux at 40.
const linksMax = 40

// places are the absolute paths of the document root: as it was given, and without links.
type places [][]string

func newPlaces(dir string) (p places, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	return places{elements(dir), elements(real)}, nil
}

// elements splits a path. It keeps "..", whose meaning depends on links.
func elements(p string) []string {
	all := strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r < 0x80 && os.IsPathSeparator(uint8(r)) })
	return slices.DeleteFunc(all, func(elem string) bool { return elem == "." })
}

// below returns the elements of an absolute path below the document root, if its text begins with
// a place of the root.
func (p places) below(target string) ([]string, bool) {
	all := elements(target)
	for _, place := range p {
		if len(all) >= len(place) && slices.Equal(all[:len(place)], place) {
			return all[len(place):], true
		}
	}
	return nil, false
}

// resolve returns name without links, where an absolute link on the way leads back into the
// document root, which os.Root refuses to follow. It returns the error of os.Root where the way
// leaves the root.
//
// It needs no protection from links that change meanwhile: what it returns is relative, and goes
// through os.Root like any other name. The worst that a race can do is to name another file below
// the root, or one that is refused.
func (d *Root) resolve(name string) (string, error) {
	todo, links := elements(name), 0
	var done []string
	for len(todo) > 0 {
		elem := todo[0]
		todo = todo[1:]
		if elem == ".." {
			if len(done) == 0 {
				return "", d.escapes
			}
			done = done[:len(done)-1]
			continue
		}
		here := path.Join(append(done[:len(done):len(done)], elem)...)
		info, err := d.root.Lstat(here)
		if err != nil {
			return "", err
		}
		if info.Mode().Type() != fs.ModeSymlink {
			if len(todo) > 0 && !info.IsDir() {
				return "", &fs.PathError{Op: "open", Path: here, Err: syscall.ENOTDIR}
			}
			done = append(done, elem)
			continue
		}
		if links++; links > linksMax {
			return "", &fs.PathError{Op: "readlink", Path: here, Err: syscall.ELOOP}
		}
		target, err := d.root.Readlink(here)
		if err != nil {
			return "", err
		}
		next := elements(target)
		if filepath.IsAbs(target) {
			var inside bool
			if next, inside = d.places.below(target); !inside {
				return "", d.escapes
			}
			done = nil
		}
		todo = append(next, todo...)
	}
	if len(done) == 0 {
		return ".", nil
	}
	return path.Join(done...), nil
}
