package gen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// haystackWord is the last word of a haystack.
const haystackWord uint64 = 0x7E57_AB1E_0000_0001

// Haystack makes a file of that many bytes, a multiple of 8: zeros that are really
// written, block for block, and a last 8-byte word that is not zero. A file of holes, or
// one of blocks that are only set aside, would be read without touching the storage. The
// file is on the storage when Haystack returns, so that it can be dropped from the page
// cache. After an error no file is left.
func Haystack(path string, bytes int64) (err error) {
	if bytes < 8 || bytes%8 != 0 {
		return fmt.Errorf("make haystack %s: %d bytes are not a multiple of 8", path, bytes)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(fmt.Errorf("make haystack: %w", err), os.Remove(path))
		}
	}()
	zeros := make([]byte, bufferBytes)
	for left := bytes; left > 0; {
		b := zeros[:min(left, bufferBytes)]
		if left -= int64(len(b)); left == 0 {
			binary.LittleEndian.PutUint64(b[len(b)-8:], haystackWord)
		}
		if _, err := f.Write(b); err != nil {
			return err
		}
	}
	return f.Sync()
}
