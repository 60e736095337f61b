package decompress

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/spelling"
)

// Member is one file inside a zip archive.
type Member struct {
	Format Format
	Bytes  int64 // decompressed size

	off             int64 // offset of the compressed data in the archive
	compressedBytes int64
	crc             uint32
}

// SplitMember splits "archive.zip:member" at each colon that may separate the two, the first colon
// first, because both names may contain colons.
func SplitMember(name string) (pairs [][2]string) {
	for i, c := range []byte(name) {
		if c == ':' && i > 0 && i+1 < len(name) {
			pairs = append(pairs, [2]string{name[:i], name[i+1:]})
		}
	}
	return pairs
}

var zipRow = row{name: "zip", suffixes: []string{".zip"}, signatures: []signature{
	{magic: "PK\x03\x04", need: 4, enough: 4}, {magic: "PK\x05\x06", need: 4, enough: 4},
	{magic: "PK\x07\x08PK\x03\x04", need: 8, enough: 8},
}}

var storedRow = row{name: "stored", methods: []uint16{zip.Store}, open: func(*codec, int, bool) decoder {
	return &plainDecoder{open: func(r *bufio.Reader) io.Reader { return r }}
}}

// flagEncrypted is a flag of a member.
const flagEncrypted = 1

// OpenMember finds a member of an archive. Bytes is the size of the archive. If several members
// have the name, the last one counts, as if the archive were extracted. If there is none, the error
// is fs.ErrNotExist and lists similar names.
func OpenMember(archive io.ReaderAt, bytes int64, name string) (*Member, error) {
	files, err := list(archive, bytes)
	if err != nil {
		return nil, err
	}
	var found *zip.File
	for _, f := range files {
		if f.Name == name {
			found = f
		}
	}
	if found == nil {
		return nil, &missingError{near(files, name)}
	}
	return open(found)
}

// AllMembers yields the files of an archive in their order. Bytes is the size of the archive. It
// leaves out a file if a later one has the same name. It yields a member that cannot be read with
// the reason.
func AllMembers(archive io.ReaderAt, bytes int64) (iter.Seq2[MemberName, error], error) {
	files, err := list(archive, bytes)
	if err != nil {
		return nil, err
	}
	last := make(map[string]*zip.File, len(files))
	for _, f := range files {
		last[f.Name] = f
	}
	return func(yield func(MemberName, error) bool) {
		for _, f := range files {
			if f.FileInfo().IsDir() || last[f.Name] != f {
				continue
			}
			m, err := open(f)
			if !yield(MemberName{f.Name, m}, err) {
				return
			}
		}
	}, nil
}

// MemberName is a member and its name in the archive. The member is nil if it cannot be read.
type MemberName struct {
	Name string
	*Member
}

// list returns the files and folders in an archive.
func list(archive io.ReaderAt, bytes int64) ([]*zip.File, error) {
	r, err := zip.NewReader(archive, bytes)
	switch {
	case errors.Is(err, zip.ErrFormat):
		return nil, errors.New("it is not a zip archive, or it is damaged")
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // harmless: no file is written
		return nil, err
	}
	return r.File, nil
}

// open returns a member with its format and the place of its data.
func open(found *zip.File) (*Member, error) {
	format := slices.IndexFunc(rows[:], func(w *row) bool { return slices.Contains(w.methods, found.Method) })
	switch {
	case found.FileInfo().IsDir():
		return nil, errors.New("it is a folder in the archive")
	case found.Flags&flagEncrypted != 0:
		return nil, errors.New("it is encrypted")
	case format < 0:
		return nil, fmt.Errorf("its compression method, number %d, is not supported", found.Method)
	}
	off, err := found.DataOffset()
	if err != nil {
		return nil, fmt.Errorf("find its data in the archive: %w", err)
	}
	if found.CompressedSize64 > math.MaxInt64 || found.UncompressedSize64 > math.MaxInt64 {
		return nil, errSize
	}
	return &Member{Format: Format(format), Bytes: int64(found.UncompressedSize64), off: off,
		compressedBytes: int64(found.CompressedSize64), crc: found.CRC32}, nil
}

// Members returns a text with the names of the first members of an archive and the number of
// others. It returns "" if there are none, or if it is not an archive.
func Members(archive io.ReaderAt, bytes int64) string {
	files, err := list(archive, bytes)
	if err != nil {
		return ""
	}
	return strings.Join(near(files, ""), ", ")
}

// missingError reports that an archive does not have a member.
type missingError struct{ near []string }

func (e *missingError) Error() string {
	if len(e.near) == 0 {
		return "the archive is empty"
	}
	return "the archive has no such member (it has " + strings.Join(e.near, ", ") + ")"
}

func (e *missingError) Unwrap() error { return fs.ErrNotExist }

// InPlace returns the offset of the member's content in the archive; ok is false if it is
// compressed.
func (m *Member) InPlace() (off int64, ok bool) {
	return m.off, m.Format == Stored && m.compressedBytes == m.Bytes
}

// nearMax is how many names an error lists.
const nearMax = 5

// near returns the names of the files that are most similar to a missing one.
func near(files []*zip.File, name string) []string {
	var names []string
	for _, f := range files {
		if !f.FileInfo().IsDir() {
			names = append(names, f.Name)
		}
	}
	return nearest(names, name)
}

// Near returns a text with the names that are most similar to a missing one, and the number of
// others; "nothing" if there are none.
func Near(names []string, missing string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(nearest(names, missing), ", ")
}

func nearest(from []string, name string) (names []string) {
	type candidate struct {
		name string
		far  int
	}
	var all []candidate
	for _, known := range from {
		all = append(all, candidate{known, distance(known, name)})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.far - b.far })
	for _, c := range all[:min(len(all), nearMax)] {
		names = append(names, fmt.Sprintf("%q", c.name))
	}
	if more := len(all) - nearMax; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return names
}

// distanceBytesMax bounds the names that are compared. Longer ones are cut.
const distanceBytesMax = 256

// distance returns how far two names are apart, without regard to case. It is 0 if one is
// the end of the other's path.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a) {
		return 0
	}
	a, b = a[:min(len(a), distanceBytesMax)], b[:min(len(b), distanceBytesMax)]
	return spelling.Distance(a, b)
}

// Reader returns a reader of the member's content, decompressed as by NewReader and NewInner. It
// reads the archive through the given reader. At the end it checks the size and the checksum that
// the archive contains.
func (m *Member) Reader(archive io.ReaderAt, o Options) io.ReadCloser {
	compressed := io.NewSectionReader(archive, m.off, m.compressedBytes)
	return NewInner(&memberReader{newReader(compressed, m.Format, o, m.off), m, crc32.NewIEEE(), 0, nil}, o)
}

type memberReader struct {
	io.ReadCloser
	m   *Member
	crc hash.Hash32
	n   int64
	err error
}

// Read returns the next decompressed bytes, and no more in all than the archive says.
func (r *memberReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.ReadCloser.Read(p)
	if left := r.m.Bytes - r.n; int64(n) > left {
		n, err = int(left), r.fail(errSize)
	}
	r.n += int64(n)
	r.crc.Write(p[:n])
	switch {
	case err != io.EOF:
	case r.n < r.m.Bytes:
		err = r.fail(failure.ErrTruncated)
	case r.crc.Sum32() != r.m.crc:
		err = r.fail(ErrChecksum)
	}
	r.err = err
	return n, err
}

// fail returns the error of a member whose content is not as the archive says.
func (r *memberReader) fail(err error) error {
	return &failure.DamageError{Format: r.m.Format.String(), Off: r.m.off + r.m.compressedBytes, Err: err}
}
