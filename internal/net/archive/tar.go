package archive

import (
	"archive/tar"
	"bytes"
	"io"
	"time"
)

// Tar is the format of tar archives.
var Tar Format = tarFormat{}

type tarFormat struct{}

const (
	tarBlockBytes = 512
	tarEndBytes   = 2 * tarBlockBytes // of zeros
)

func (tarFormat) header(f *File, _ uint32) ([]byte, error) {
	h := tar.Header{
		Typeflag: tar.TypeReg, Name: f.Name, Size: f.Size, Mode: f.mode(), ModTime: f.Modified.Truncate(time.Second),
	}
	if f.folder() {
		h.Typeflag = tar.TypeDir
	}
	var b bytes.Buffer
	err := tar.NewWriter(&b).WriteHeader(&h)
	return b.Bytes(), err
}

// mode returns the permissions.
func (f *File) mode() int64 {
	if f.folder() || f.Executable {
		return 0o755
	}
	return 0o644
}

func (tarFormat) padding(size int64) int64 { return -size & (tarBlockBytes - 1) }

func (tarFormat) trailerBytes(*Archive) int64 { return tarEndBytes }

func (tarFormat) writeTrailer(w io.Writer, _ *Archive, _ func(int) (uint32, error)) error {
	_, err := w.Write(make([]byte, tarEndBytes))
	return err
}

func (tarFormat) needsSum() bool { return false }
