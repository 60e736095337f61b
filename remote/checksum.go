package remote

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"net/http"
	"strings"
)

// An answer that holds all of an object is compared with the checksum of its content, if the server gives one.
// Objects that are read by several ranges are not: even the fastest CRC (9 to 17 GB/s on one core of a Zen 3, which
// reads 2.5 GB/s over the loopback) would add a sixth of processor time.

// nvme is the polynomial of CRC-64/NVME, least significant bit first.
const nvme = 0x9a6c9329ac4bc9b5

// storeSums are the checksums of S3, by the end of their header's name, the fastest first.
var storeSums = []struct {
	name string
	hash func() hash.Hash
}{
	{"Crc64nvme", func() hash.Hash { return crc64.New(crc64.MakeTable(nvme)) }},
	{"Crc32c", func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }},
	{"Crc32", func() hash.Hash { return crc32.NewIEEE() }},
	{"Sha256", sha256.New},
	{"Sha1", sha1.New},
}

// digestSums are the algorithms of HTTP's digests that are known here, by their names in lower case.
var digestSums = map[string]func() hash.Hash{
	"sha-256": sha256.New, "sha-512": sha512.New, "sha": sha1.New, "md5": md5.New,
}

const checksumPrefix = "X-Amz-Checksum-"

// checksum is that of an object's content.
type checksum struct {
	header string // that it came in
	want   []byte
	hash.Hash
}

// checksumOf returns the checksum that the header of an answer gives for the whole content, nil if there is none
// that is known here. A checksum of a store that is made of those of an object's parts is none of the content.
func checksumOf(h http.Header) *checksum {
	if h.Get(checksumPrefix+"Type") != "COMPOSITE" {
		for _, s := range storeSums {
			if c := newChecksum(checksumPrefix+s.name, h.Get(checksumPrefix+s.name), s.hash); c != nil {
				return c
			}
		}
	}
	// "sha-256=:BASE64:, ..." (RFC 9530) and "SHA-256=BASE64, ..." (RFC 3230).
	for _, header := range []string{"Repr-Digest", "Content-Digest", "Digest"} {
		for _, one := range strings.Split(strings.Join(h.Values(header), ","), ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(one), "=")
			if header != "Digest" {
				value = strings.TrimSuffix(strings.TrimPrefix(value, ":"), ":")
			}
			if c := newChecksum(header, value, digestSums[strings.ToLower(name)]); c != nil {
				return c
			}
		}
	}
	return newChecksum("Content-Md5", h.Get("Content-Md5"), md5.New)
}

// newChecksum returns nil if the value is none of the hash: it cannot be compared.
func newChecksum(header, value string, of func() hash.Hash) *checksum {
	want, err := base64.StdEncoding.DecodeString(value)
	if err != nil || of == nil {
		return nil
	}
	c := &checksum{header, want, of()}
	if len(want) != c.Size() {
		return nil
	}
	return c
}

// check returns an error if what was written is not the content.
func (c *checksum) check() error {
	if c == nil || bytes.Equal(c.Sum(nil), c.want) {
		return nil
	}
	return &ChecksumError{c.header}
}

// checkAll returns an error if data is not the content.
func (c *checksum) checkAll(data []byte) error {
	if c == nil {
		return nil
	}
	c.Write(data) // a hash returns no error
	return c.check()
}

// checkedBody compares a body with a checksum when it ends.
type checkedBody struct {
	io.ReadCloser
	sum *checksum
}

func (b *checkedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.sum.Write(p[:n]) // a hash returns no error
	if err == io.EOF {
		if wrong := b.sum.check(); wrong != nil {
			err = wrong
		}
	}
	return n, err
}

// ChecksumError reports that the content of an object is not what its server's checksum is of: it was damaged in
// the store or on its way.
type ChecksumError struct {
	Header string // that the checksum came in, such as "X-Amz-Checksum-Crc32c"
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("the content is damaged: it does not match the checksum in %s", e.Header)
}
