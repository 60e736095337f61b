package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Object is an open object. Its methods but Close are safe for concurrent use.
type Object struct {
	client *Client
	at     location
	bytes  int64 // -1: read once and in order
	head   []byte
	body   *arriving // of an object that is read once
	damage error     // of the first answer, which is requested once more
	coding string    // Content-Encoding of the answer
	version

	target    atomic.Pointer[url.URL] // where redirects led; nil: nowhere
	latency   atomic.Int64            // nanoseconds until an answer begins, the least so far
	throttled atomic.Int64
	failures  atomic.Int64 // requests in a row that were given up

	mu   sync.Mutex
	lost error // why nothing more can be read
}

// version says which content an object had when it was opened.
type version struct{ etag, modified string }

const (
	// headBytes is the first range. It tells the size and the version, and often suffices for the format.
	headBytes = 64 << 10
	// wholeBytesMax is the size up to which the content of a server without ranges is kept in memory.
	wholeBytesMax = 1 << 20
	// giveUpMax is after how many ranges that could not be read, with none that could, the object is given up.
	giveUpMax = 3
)

// OpenObject requests the first bytes of an object. The error names the object.
func (c *Client) OpenObject(ctx context.Context, name string) (*Object, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	at, err := locate(name)
	if err != nil {
		return nil, err
	}
	if at.bucket != "" && (at.key == "" || strings.HasSuffix(at.key, "/")) {
		return nil, fmt.Errorf("open %s: it is a prefix; -r reads the objects below it", name)
	}
	o := &Object{client: c, at: at, bytes: -1}
	if err := o.retry(ctx, func() (bool, error) { return false, o.open(ctx) }); err != nil {
		return nil, fmt.Errorf("open %s: %w", at.name, err)
	}
	return o, nil
}

// open makes the first request.
func (o *Object) open(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	resp, err := o.send(ctx, "bytes=0-"+fmt.Sprint(headBytes-1), version{})
	if err != nil {
		cancel()
		return err
	}
	o.coding = coding(resp.Header)
	switch resp.StatusCode {
	case http.StatusPartialContent:
		err := o.openRanged(ctx, cancel, resp)
		if err != errOnce {
			cancel()
			return err
		}
		return o.openOnce(ctx, cancel)
	case http.StatusOK:
		return o.openWhole(ctx, cancel, resp)
	case http.StatusRequestedRangeNotSatisfiable:
		// The object is empty. Stores do not say so, as other servers do in Content-Range; the whole answer does.
		if err := resp.Body.Close(); err != nil {
			cancel()
			return err
		}
		return o.openOnce(ctx, cancel)
	}
	err = statusError(resp)
	cancel()
	return err
}

// errOnce means that the versions of an object cannot be told apart.
var errOnce = errors.New("no version")

// openRanged takes the first range.
func (o *Object) openRanged(ctx context.Context, stop context.CancelFunc, resp *http.Response) error {
	defer resp.Body.Close()
	off, end, total, err := contentRange(resp.Header)
	switch {
	case err != nil:
		return &permanentError{err}
	case off != 0 || end > headBytes || total >= 0 && end > total:
		return wrongAnswer("bytes %d to %d of %d for bytes 0 to %d", off, end, total, headBytes)
	}
	v, ok := versionOf(resp.Header)
	if total < 0 || !ok {
		return errOnce
	}
	head := make([]byte, end)
	body := newStallGuard(resp.Body, stop, o.client.options.StallMax)
	if _, err := io.ReadFull(body, head); err != nil {
		return fmt.Errorf("the answer broke off: %w", err)
	}
	if err := expectEnd(body); err != nil {
		return err
	}
	if end == total {
		if err := checksumOf(resp.Header).checkAll(head); err != nil {
			return o.damaged(err)
		}
	}
	o.bytes, o.head, o.version = total, head, v
	return nil
}

// damaged returns the error for content that does not match its checksum. If the content is damaged again when it
// comes another time, it is not the way that damages it.
func (o *Object) damaged(err error) error {
	if o.damage != nil {
		return &permanentError{err}
	}
	o.damage = err
	return err
}

// openOnce requests all of an object whose versions cannot be told apart: a single answer is no mixture.
func (o *Object) openOnce(ctx context.Context, cancel context.CancelFunc) error {
	resp, err := o.send(ctx, "", version{})
	if err != nil {
		cancel()
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err := statusError(resp)
		cancel()
		return err
	}
	o.coding = coding(resp.Header)
	return o.openWhole(ctx, cancel, resp)
}

// openWhole takes an answer that has all of the content.
func (o *Object) openWhole(ctx context.Context, cancel context.CancelFunc, resp *http.Response) error {
	n := resp.ContentLength
	switch {
	case n < 0 && len(resp.TransferEncoding) == 0:
		err := resp.Body.Close()
		cancel()
		return &permanentError{errors.Join(errors.New("the server does not say how long the content is, "+
			"so that an end too early could not be told; use curl and a pipe"), err)}
	case n >= 0 && n <= wholeBytesMax:
		defer cancel()
		defer resp.Body.Close()
		head := make([]byte, n)
		if _, err := io.ReadFull(newStallGuard(resp.Body, cancel, o.client.options.StallMax), head); err != nil {
			return fmt.Errorf("the answer broke off: %w", err)
		}
		if err := checksumOf(resp.Header).checkAll(head); err != nil {
			return o.damaged(err)
		}
		o.bytes, o.head = n, head
		if v, ok := versionOf(resp.Header); ok {
			o.version = v
		}
		return nil
	}
	var body io.ReadCloser = newStallGuard(resp.Body, cancel, o.client.options.StallMax)
	if sum := checksumOf(resp.Header); sum != nil {
		body = &checkedBody{body, sum}
	}
	o.body = newArriving(body, cancel)
	return nil
}

// send makes a request for a range, "" for all.
func (o *Object) send(ctx context.Context, byteRange string, v version) (*http.Response, error) {
	at := o.at
	if u := o.target.Load(); u != nil {
		at.url = u
	}
	req, err := o.client.request(ctx, at)
	if err != nil {
		return nil, &permanentError{err}
	}
	if byteRange != "" {
		req.Header.Set("Range", byteRange)
	}
	if at.bucket != "" && v == (version{}) {
		req.Header.Set(checksumPrefix+"Mode", "ENABLED") // a store gives the checksum if all of the object is sent
	}
	// A time of change is only compared when the answer comes (version.check). As a condition it would fail with
	// stores that compare a fraction of a second that they have not told.
	if v.isStrong() {
		req.Header.Set("If-Match", v.etag)
	}
	began := time.Now()
	resp, err := o.client.send(req, at)
	if err != nil {
		return nil, err
	}
	if took := int64(time.Since(began)); o.latency.Load() == 0 || took < o.latency.Load() {
		o.latency.Store(took)
	}
	if at.bucket != "" && o.client.s3.elsewhere(resp) {
		if err := resp.Body.Close(); err != nil {
			return nil, err
		}
		return nil, errors.New("the bucket lies in another region") // known now: the next attempt goes there
	}
	if at.bucket != "" {
		return resp, nil
	}
	switch resp.StatusCode {
	case http.StatusOK, http.StatusPartialContent:
		if resp.Request.URL.String() != o.at.url.String() {
			o.target.Store(resp.Request.URL)
		}
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		if at.url != o.at.url {
			// Addresses that are redirected to are often valid for a short time. The first one leads to another.
			o.target.Store(nil)
			if err := resp.Body.Close(); err != nil {
				return nil, err
			}
			return o.send(ctx, byteRange, v)
		}
	}
	return resp, nil
}

// Name returns the name without a password.
func (o *Object) Name() string { return o.at.name }

// Bytes returns the size; -1 if the content can be read only once, from its start.
func (o *Object) Bytes() int64 { return o.bytes }

// Version returns what tells this content of the object from that of other times: its ETag, or the time of its last
// change. It is empty if the server says neither, or not precisely enough.
func (o *Object) Version() string {
	if o.isStrong() {
		return o.etag
	}
	return o.modified
}

// Traffic returns how long the server takes until an answer begins, and how often it asked for fewer requests.
func (o *Object) Traffic() (latency time.Duration, throttled int64) {
	return time.Duration(o.latency.Load()), o.throttled.Load()
}

// Close ends the answer of an object that is read once.
func (o *Object) Close() error {
	if o.body == nil {
		return nil
	}
	return o.body.Close()
}

// ReadRange returns a reader of the bytes from off to end. An object of unknown size is read from 0 to -1, once.
// A Read returns an error when its range could not be read after several attempts. What was read until then is
// right.
func (o *Object) ReadRange(ctx context.Context, off, end int64) io.ReadCloser {
	if o.body != nil {
		return o.body
	}
	return &rangeReader{object: o, ctx: ctx, off: off, end: min(end, o.bytes)}
}

// gone returns why nothing more can be read of the object, nil if it can.
func (o *Object) gone() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lost
}

// giveUp takes note of a range that could not be read.
func (o *Object) giveUp(err error) {
	var permanent *permanentError
	if o.failures.Add(1) < giveUpMax && !errors.As(err, &permanent) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost == nil {
		o.lost = err
	}
}

// versionOf returns the version that headers name. Ok is false if two versions may look alike: a weak ETag, or
// a time so recent that the object may change again within the same second.
func versionOf(h http.Header) (v version, ok bool) {
	v = version{h.Get("ETag"), h.Get("Last-Modified")}
	if v.isStrong() {
		return v, true
	}
	modified, err := http.ParseTime(v.modified)
	if err != nil {
		return v, false
	}
	now, err := http.ParseTime(h.Get("Date"))
	return v, err == nil && now.Sub(modified) >= 2*time.Second
}

func (v version) isStrong() bool { return strings.HasPrefix(v.etag, `"`) && len(v.etag) >= 2 }

// check returns an error if headers name another version.
func (v version) check(h http.Header) error {
	found := version{h.Get("ETag"), h.Get("Last-Modified")}
	switch {
	case v.etag != found.etag:
		return &permanentError{&ReplacedError{v.etag, found.etag}}
	case !v.isStrong() && v.modified != found.modified:
		return &permanentError{&ReplacedError{v.modified, found.modified}}
	}
	return nil
}
