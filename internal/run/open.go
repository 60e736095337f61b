package run

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// FormatError reports that an input cannot be decompressed: its format is not supported, or it
// is not compressed although its name says so.
type FormatError struct {
	Name string
	Err  error
}

func (e *FormatError) Error() string { return fmt.Sprintf("decompress %s: %v", e.Name, e.Err) }
func (e *FormatError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *FormatError) Hint() string {
	const raw = "--no-decompress reads it as it is"
	var unsupported *decompress.UnsupportedError
	if errors.As(e.Err, &unsupported) {
		return unsupported.Then + "; " + raw
	}
	return raw
}

// ArchiveError reports that an input is a zip archive, of which only members can be read.
type ArchiveError struct {
	Name    string
	Members string // some of their names, for people; empty for a stream
}

func (e *ArchiveError) Error() string {
	if e.Members == "" {
		return fmt.Sprintf("%s is a zip archive, and its members cannot be read from a stream", e.Name)
	}
	return fmt.Sprintf("%s is a zip archive", e.Name)
}

// Hint says what to do.
func (e *ArchiveError) Hint() string {
	if e.Members == "" {
		return "name the file: ARCHIVE.zip:MEMBER; --no-decompress reads it as it is"
	}
	return fmt.Sprintf("name a member, as %s:MEMBER; it has %s; --no-decompress reads it as it is", e.Name, e.Members)
}

// MemberError reports that a member of a zip archive cannot be read.
type MemberError struct {
	Archive, Member string
	Err             error
}

func (e *MemberError) Error() string {
	return fmt.Sprintf("read %s in %s: %v", e.Member, e.Archive, e.Err)
}

func (e *MemberError) Unwrap() error { return e.Err }

// recognised returns the input for a source: its content if it is compressed. Streams are
// examined later, when they are read. A block device is never decompressed: its first bytes
// belong to the first sector and say nothing about the rest.
func recognised(f *source.File) (*Input, error) {
	if f.Kind == source.Stream || f.Kind == source.Device {
		return &Input{file: f, unsettled: f.Kind == source.Stream}, nil
	}
	buf := make([]byte, decompress.HeadBytes)
	n, brought, err := f.Head(buf)
	var format decompress.Format
	if err == nil { // otherwise the scan meets the error and reports the range
		format, err = decompress.RecogniseFile(f, buf[:n], f.Bytes)
		var unsupported *decompress.UnsupportedError
		if errors.As(err, &unsupported) {
			return nil, &FormatError{f.Name, err}
		}
	}
	switch format {
	case decompress.Plain:
		if err := checkName(f.Name, n == 0, err); err != nil {
			return nil, err
		}
		return &Input{file: f, brought: []source.Range{brought}}, nil
	case decompress.Zip:
		members := decompress.Members(f, f.Bytes)
		if members == "" {
			members = "none that can be read"
		}
		return nil, &ArchiveError{f.Name, members}
	}
	return &Input{file: f.AsStream(f.Name), compressed: &compressed{file: f, format: format},
		brought: []source.Range{brought}}, nil
}

// checkName returns an error for content that is not compressed although the name ends as if it
// were: the file has probably lost its beginning, and a count of the rest would be wrong.
// readErr is the error of reading the first bytes.
func checkName(name string, empty bool, readErr error) error {
	promised, ok := decompress.ByName(name)
	switch {
	case !ok:
		return nil
	case readErr != nil:
	case empty:
		readErr = fmt.Errorf("it is empty, which no %s file is", promised)
	default:
		readErr = fmt.Errorf("not a %s file, despite its name", promised)
	}
	return &FormatError{name, readErr}
}

// openMember opens "archive.zip:member". It returns nil without an error if the name does not
// mean that, because there is no such archive.
func openMember(name string) (*Input, error) {
	for _, pair := range decompress.SplitMember(name) {
		f, err := source.Open(pair[0])
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDirectory) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !isArchive(f) {
			if err := f.Close(); err != nil {
				return nil, err
			}
			continue
		}
		return memberOf(f, pair[1])
	}
	return nil, nil
}

// FromArchive returns the input for a member of a zip archive on another machine. It owns the object.
func FromArchive(o source.Object, member string) (*Input, error) {
	f := source.FromObject(o)
	if f.Kind != source.Remote {
		return nil, errors.Join(&ArchiveError{Name: f.Name}, f.Close())
	}
	return memberOf(f, member)
}

// memberOf returns the input for a member of an archive, which it owns.
func memberOf(archive *source.File, member string) (*Input, error) {
	m, err := decompress.OpenMember(archive, archive.Bytes, member)
	if err != nil {
		return nil, errors.Join(&MemberError{archive.Name, member, err}, archive.Close())
	}
	return memberInput(archive, archive.Name+":"+member, m), nil
}

// isArchive reports whether a file is a zip archive, by its first bytes or by its name: an
// archive may begin with a program that extracts it.
func isArchive(f *source.File) bool {
	if f.Kind != source.Regular {
		return false
	}
	buf := make([]byte, decompress.HeadBytes)
	n, _, _ := f.Head(buf) // what cannot be read is not recognised
	format, _, _ := decompress.Recognise(buf[:n], int64(n) == f.Bytes)
	return format == decompress.Zip || strings.EqualFold(f.Name[max(len(f.Name)-4, 0):], ".zip")
}

// memberInput returns the input for a member of an archive.
func memberInput(archive *source.File, name string, m *decompress.Member) *Input {
	return &Input{file: archive.AsStream(name), compressed: &compressed{file: archive, format: m.Format, member: m}}
}
