package folders

import (
	"errors"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// pair is a folder of the same path below both tops. It is open until all who hold it have dropped it.
type pair struct {
	sides [2]*source.Folder
	path  string // below the tops, with a slash at its end; empty for the tops themselves
	holds atomic.Int32
}

// openPair opens both tops. The caller holds the pair.
func openPair(a, b string) (*pair, error) {
	return newPair("", func() (*source.Folder, error) { return source.OpenFolder(a) },
		func() (*source.Folder, error) { return source.OpenFolder(b) })
}

// open opens a folder in a pair.
func (p *pair) open(name string) (*pair, error) {
	return newPair(p.path+name+"/", func() (*source.Folder, error) { return p.sides[0].Folder(name) },
		func() (*source.Folder, error) { return p.sides[1].Folder(name) })
}

// outer opens the pair that a pair lies in, which was open before and had these identities.
func (p *pair) outer(path string, ids [2]source.Info) (*pair, error) {
	outer, err := newPair(path, p.sides[0].Outer, p.sides[1].Outer)
	if err != nil {
		return nil, err
	}
	now, err := outer.infos(".")
	if err == nil && !(now[0].SameFile(&ids[0]) && now[1].SameFile(&ids[1])) {
		err = errMoved
	}
	if err != nil {
		outer.drop()
		return nil, err
	}
	return outer, nil
}

var errMoved = errors.New("a folder was moved while it was compared")

func newPair(path string, openA, openB func() (*source.Folder, error)) (*pair, error) {
	one, err := openA()
	if err != nil {
		return nil, err
	}
	other, err := openB()
	if err != nil {
		one.Close()
		return nil, err
	}
	p := &pair{sides: [2]*source.Folder{one, other}, path: path}
	p.holds.Store(1)
	return p, nil
}

// hold keeps the pair open for one more.
func (p *pair) hold() *pair {
	p.holds.Add(1)
	return p
}

// drop lets go of the pair. It may be nil.
func (p *pair) drop() {
	if p != nil && p.holds.Add(-1) == 0 {
		p.sides[0].Close()
		p.sides[1].Close()
	}
}

// infos returns what both folders say about a name.
func (p *pair) infos(name string) (infos [2]source.Info, err error) {
	var errs [2]error
	for i, side := range p.sides {
		infos[i], errs[i] = side.Info(name)
	}
	return infos, errors.Join(errs[0], errs[1])
}

// list returns what is in both folders.
func (p *pair) list() (lists [2][]source.Entry, err error) {
	for i, side := range p.sides {
		if lists[i], err = side.List(nil); err != nil {
			break
		}
	}
	return lists, err
}
