package remote

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
)

// store is an S3-compatible store: where it is, and who asks.
type store struct {
	endpoint    string // "" for AWS
	credentials *credentials

	mu     sync.Mutex
	region string
}

func newStore(endpoint string, keys *credentials) *store {
	for _, name := range []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"} {
		if endpoint == "" {
			endpoint = os.Getenv(name)
		}
	}
	s := &store{endpoint: strings.TrimRight(endpoint, "/"), credentials: keys}
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if s.region == "" {
			s.region = os.Getenv(name)
		}
	}
	return s
}

// regionDefault is the region of stores that have none, and where AWS looks first.
const regionDefault = "us-east-1"

// regionNow returns the region: of the environment, of the profile, or where AWS said that the bucket is.
func (s *store) regionNow() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.region == "" {
		s.region = s.credentials.profileRegion()
	}
	if s.region == "" {
		s.region = regionDefault
	}
	return s.region
}

// elsewhere reports whether an answer says that the bucket lies in another region, and remembers that one.
func (s *store) elsewhere(resp *http.Response) bool {
	region := resp.Header.Get("X-Amz-Bucket-Region")
	if region == "" || resp.StatusCode < 300 || region == s.regionNow() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.region = region
	return true
}

// url returns the address of an object, or of a bucket if the key is empty. The bucket is a part of the host if the
// endpoint says so, and with AWS, unless a dot in it would not fit the certificate.
func (s *store) url(bucket, key string) (*url.URL, error) {
	base, inPath := s.endpoint, true
	switch {
	case base == "" && strings.Contains(bucket, "."):
		base = "https://s3." + s.regionNow() + ".amazonaws.com"
	case base == "":
		base, inPath = "https://"+bucket+".s3."+s.regionNow()+".amazonaws.com", false
	case strings.Contains(base, "{bucket}"):
		base, inPath = strings.ReplaceAll(base, "{bucket}", bucket), false
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("Options.S3Endpoint %q is no address: write https://HOST", s.endpoint)
	}
	full := strings.TrimRight(u.Path, "/") + "/"
	if inPath {
		full += bucket + "/"
	}
	u.Path, u.RawPath = full+key, escapePath(full+key)
	return u, nil
}

// listing is a page of the objects of a bucket.
type listing struct {
	Contents              []listed
	IsTruncated           bool
	NextContinuationToken string
}

// listed is an object of a list.
type listed struct {
	Key  string
	Size int64
}

// parseListing reads a page.
func parseListing(text []byte) (page listing, err error) {
	var one listed
	whole := false
	err = elements(text, func(path, content string) (err error) {
		switch path {
		case "Contents/Key":
			one.Key = content
		case "Contents/Size":
			one.Size, err = strconv.ParseInt(content, 10, 64)
		case "Contents":
			page.Contents = append(page.Contents, one)
			one = listed{}
		case "IsTruncated":
			page.IsTruncated, err = strconv.ParseBool(content)
			whole = true
		case "NextContinuationToken":
			page.NextContinuationToken = content
		}
		return err
	})
	if err == nil && !whole {
		err = wrongAnswer("it is no list of objects")
	}
	return page, err
}

// Files lists what a name means: all objects below a prefix if recursive, and the matches of a pattern in a
// key, as package path has them, unless there is an object of just that name. Anything else, and every name of an
// HTTP server, means itself. Objects come in the order of the store, which is that of their names.
func (c *Client) Files(ctx context.Context, name string, recursive bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := c.check(ctx); err != nil {
			yield(name, err)
			return
		}
		at, err := locate(name)
		pattern := strings.ContainsAny(at.key, "*?[")
		if err != nil || at.bucket == "" || !pattern && !recursive {
			yield(name, nil) // opening it returns the error
			return
		}
		literal := func(key string) bool { return key == at.key || recursive && isBelow(key, at.key) }
		found, err := c.yieldKeys(ctx, at, at.key, literal, yield)
		if pattern && isForbidden(err) { // a key may be readable though keys cannot be listed
			if o, openErr := c.OpenObject(ctx, name); openErr == nil {
				yield(name, o.Close())
				return
			}
		}
		if pattern && !found && err == nil {
			prefix := at.key[:strings.IndexAny(at.key, `*?[\`)]
			found, err = c.yieldKeys(ctx, at, prefix, func(key string) bool { return matches(at.key, key, recursive) }, yield)
		}
		switch {
		case err != nil:
			yield(name, fmt.Errorf("list %s: %w", name, err))
		case !found:
			yield(name, fmt.Errorf("list %s: there is no such object", name))
		}
	}
}

// yieldKeys yields the objects that have a prefix and are wanted. Found reports whether there is one. When yield
// wants no more, found is true and err nil.
func (c *Client) yieldKeys(ctx context.Context, at location, prefix string, wanted func(key string) bool,
	yield func(string, error) bool) (found bool, err error) {
	for key, err := range c.keys(ctx, at, prefix) {
		if err != nil {
			return found, err
		}
		if wanted(key) {
			found = true
			if !yield("s3://"+at.bucket+"/"+key, nil) {
				return true, nil
			}
		}
	}
	return found, nil
}

// isBelow reports whether a key lies below a folder; everything lies below "".
func isBelow(key, folder string) bool {
	return folder == "" || strings.HasPrefix(key, strings.TrimSuffix(folder, "/")+"/")
}

// matches reports whether a key matches a pattern, or, if recursive, lies below a folder that does.
func matches(pattern, key string, recursive bool) bool {
	pattern = strings.TrimSuffix(pattern, "/")
	for {
		if ok, err := path.Match(pattern, key); ok || err != nil {
			return ok
		}
		cut := strings.LastIndexByte(key, '/')
		if cut < 0 || !recursive {
			return false
		}
		key = key[:cut]
	}
}

// keys lists the objects whose keys have a prefix. Empty objects that stand for folders are left out.
func (c *Client) keys(ctx context.Context, at location, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		query := url.Values{"list-type": {"2"}, "prefix": {prefix}}
		for {
			page, err := c.page(ctx, at, query)
			if err != nil {
				yield("", err)
				return
			}
			for _, object := range page.Contents {
				folder := strings.HasSuffix(object.Key, "/") && object.Size == 0
				if !folder && !yield(object.Key, nil) {
					return
				}
			}
			if !page.IsTruncated {
				return
			}
			if page.NextContinuationToken == "" {
				yield("", wrongAnswer("a list that goes on, without saying where"))
				return
			}
			query.Set("continuation-token", page.NextContinuationToken)
		}
	}
}

const listingBytesMax = 64 << 20

// page requests a page of a list.
func (c *Client) page(ctx context.Context, at location, query url.Values) (page listing, err error) {
	o := &Object{client: c, at: location{name: at.name, bucket: at.bucket}} // for its attempts
	err = o.retry(ctx, func() (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, 4*c.options.StallMax)
		defer cancel()
		req, err := c.request(ctx, o.at)
		if err != nil {
			return false, &permanentError{err}
		}
		req.URL.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
		resp, err := c.send(req, o.at)
		if err != nil {
			return false, err
		}
		if c.s3.elsewhere(resp) {
			return false, errors.Join(errors.New("the bucket lies in another region"), resp.Body.Close())
		}
		if resp.StatusCode != http.StatusOK {
			return false, statusError(resp)
		}
		text, err := io.ReadAll(io.LimitReader(resp.Body, listingBytesMax))
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return false, err
		}
		if page, err = parseListing(text); err != nil {
			err = &permanentError{err}
		}
		return false, err
	})
	return page, err
}

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
