package preview

import (
	"encoding/hex"
	"errors"
	"iter"
	"os"
	"strings"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// dumpBytes is how much of a file is shown as bytes.
const dumpBytes = 128

// Dump returns the first bytes as a hexdump, each line indented.
func Dump(head []byte) []byte {
	var b []byte
	for line := range strings.Lines(hex.Dump(head[:min(len(head), dumpBytes)])) {
		b = append(append(b, "  "...), line...)
	}
	return b
}

// Member is a file in an archive.
type Member struct{ Name, Size string }

// Members lists the files in a zip archive.
func Members(name string) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		if err := eachMember(name, func(m Member) bool { return yield(m, nil) }); err != nil {
			yield(Member{}, err)
		}
	}
}

func eachMember(name string, visit func(Member) bool) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	all, err := decompress.AllMembers(f, info.Size())
	if err != nil {
		return err
	}
	for m, err := range all {
		size := "it cannot be read"
		if err == nil {
			size = bytesize.Short(m.Bytes)
		}
		if !visit(Member{m.Name, size}) {
			return nil
		}
	}
	return nil
}
