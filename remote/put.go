package remote

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
)

// putBytesMax is how much stores take in one request.
const putBytesMax = 5 << 30

// Put stores an object of a store, s3://BUCKET/KEY, or replaces it. Size is how many bytes content has, at most 5 GiB.
// The object appears when it is complete. The store compares a checksum, if it knows CRC-32C. Requests that fail are
// repeated. The error names the object.
func (c *Client) Put(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	at, err := locate(name)
	switch {
	case err != nil:
		return err
	case at.bucket == "":
		return fmt.Errorf("write %s: only s3://BUCKET/KEY can be written", at.name)
	case at.key == "" || at.key[len(at.key)-1] == '/':
		return fmt.Errorf("write %s: it is a prefix; name an object", at.name)
	case content == nil:
		return fmt.Errorf("write %s: content is nil", at.name)
	case size < 0:
		return fmt.Errorf("write %s: a size of %d bytes is negative", at.name, size)
	case size > putBytesMax:
		return fmt.Errorf("write %s: %d bytes are more than the 5 GiB that a store takes at once; write a file",
			at.name, size)
	}
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if _, err := io.Copy(sum, io.NewSectionReader(content, 0, size)); err != nil {
		return fmt.Errorf("write %s: %w", at.name, err)
	}
	o := &Object{client: c, at: at} // for its attempts
	err = o.retry(ctx, func() (bool, error) {
		return false, c.put(ctx, at, io.NewSectionReader(content, 0, size), base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", at.name, err)
	}
	return nil
}

// put makes one attempt.
func (c *Client) put(ctx context.Context, at location, content *io.SectionReader, checksum string) error {
	req, err := c.request(ctx, at)
	if err != nil {
		return &permanentError{err}
	}
	req.Method, req.ContentLength, req.Body = http.MethodPut, content.Size(), io.NopCloser(content)
	if content.Size() == 0 {
		req.Body = http.NoBody // or its length would be taken for unknown
	}
	req.Header.Set("X-Amz-Checksum-Crc32c", checksum)
	resp, err := c.send(req, at)
	if err != nil {
		return err
	}
	if c.s3.elsewhere(resp) {
		return errors.Join(errors.New("the bucket lies in another region"), resp.Body.Close())
	}
	if resp.StatusCode != http.StatusOK {
		return statusError(resp)
	}
	return resp.Body.Close()
}
