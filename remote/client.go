// Package remote opens objects of HTTP servers (https://, http://) and of S3-compatible stores
// (s3://bucket/key) as inputs of package thresh.
//
// An object is read by ranges, several at once. The first answer tells its size and its version: an ETag, or
// the time of its last change. Every range asks for that version, and every answer is compared with it, so that
// an object that is replaced meanwhile is an error and never a mixture. Lengths and offsets of all answers are
// checked. Requests that fail are repeated, from where they broke off. A server that knows no ranges, or no
// versions, sends its content once and in order.
//
// The way of a request:
//
//	Client.Open ──> first range ──> Object ──> ReadRange ──> request ──> attempt, again after a pause
//	                size, version              rangeReader    signed       checked
package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/decompress"
)

// Options say how stores are reached. The zero value reaches HTTP servers, and S3 as the environment says.
type Options struct {
	// S3Endpoint is the address of an S3-compatible store. Buckets are the first part of its paths, unless it
	// contains "{bucket}", as in "https://{bucket}.s3.example.org". Empty: AWS_ENDPOINT_URL_S3,
	// AWS_ENDPOINT_URL, or AWS itself.
	S3Endpoint string
	// HTTPClient sends all requests, with its own proxies, certificates and limits. Its redirects are followed as far as
	// its CheckRedirect allows, and never from https to http or with a signature. nil: a client of our own, with the
	// proxies of the environment.
	HTTPClient *http.Client
	// Credentials returns the key that a request to an S3 store is signed with. It is called for each request, perhaps
	// by several goroutines at once, and may cache: CredentialsCache.Retrieve of AWS's SDK is one call away. nil: the
	// environment, a web identity, the user's profile, the role of the container, the role of the machine.
	Credentials func(ctx context.Context) (AccessKey, error)
	// StallMax is how long an answer may bring nothing before the request is repeated. 0 or less: 30 seconds.
	StallMax time.Duration
	// Attempts is how often a request is made in a row without success. 0 or less: 8.
	Attempts int
	// PauseMin is about how long the first pause between attempts is. 0 or less: 100 ms. Each is twice as long as the
	// one before, up to 10 seconds, and a random part of it is left out.
	PauseMin time.Duration
}

// Client opens objects. It is safe for concurrent use.
type Client struct {
	options Options
	http    *http.Client
	s3      *store
}

const (
	connectMax = 10 * time.Second
	idleMax    = 90 * time.Second
	// connectionsMax is how many connections to one server are kept open.
	connectionsMax = 128
	redirectsMax   = 10
)

// New returns a client. Close releases its connections.
func New(o Options) *Client {
	if o.StallMax <= 0 {
		o.StallMax = 30 * time.Second
	}
	if o.Attempts <= 0 {
		o.Attempts = 8
	}
	if o.PauseMin <= 0 {
		o.PauseMin = 100 * time.Millisecond
	}
	c := &Client{options: o}
	if o.HTTPClient != nil {
		c.http = guarded(o.HTTPClient)
	} else {
		c.http = ownClient(o)
	}
	c.s3 = newStore(o.S3Endpoint, &credentials{client: c.http, provider: o.Credentials})
	return c
}

// ownClient returns the client for options that have none.
func ownClient(o Options) *http.Client {
	dialer := &net.Dialer{Timeout: connectMax, KeepAlive: 15 * time.Second}
	// HTTP/2 would send all ranges over one connection, and so at the rate of one. The buffer for reading stays
	// small: reads that are shorter than it, as the last of each block, would be copied through it.
	return &http.Client{CheckRedirect: checkRedirect, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, OnProxyConnectResponse: checkTunnel,
		DialContext: dialer.DialContext, TLSHandshakeTimeout: connectMax,
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}, DisableCompression: true,
		MaxIdleConnsPerHost: connectionsMax, IdleConnTimeout: idleMax, ResponseHeaderTimeout: o.StallMax,
	}}
}

// guarded returns somebody's client with our rules for redirects before theirs.
func guarded(theirs *http.Client) *http.Client {
	c := *theirs
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		err := checkRedirect(req, via)
		if err == nil && theirs.CheckRedirect != nil {
			err = theirs.CheckRedirect(req, via)
		}
		return err
	}
	return &c
}

// Close closes the connections that are not in use.
func (c *Client) Close() {
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
}

// check returns an error for the zero Client, and for a context that is nil.
func (c *Client) check(ctx context.Context) error {
	switch {
	case c.http == nil:
		return errors.New("remote: the client is empty; make one by New")
	case ctx == nil:
		return errors.New("remote: ctx is nil")
	}
	return nil
}

// checkRedirect follows redirects, but not from https to http, and none of a store: they would need another
// signature. The user and the password of the first address go along to the same server only. Package http sends
// no credentials of its own to another host.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch first := via[0]; {
	case first.Header.Get(signedHeader) != "":
		return http.ErrUseLastResponse
	case len(via) >= redirectsMax:
		return &permanentError{fmt.Errorf("more than %d redirects", redirectsMax)}
	case req.URL.Scheme != "https" && req.URL.Scheme != "http":
		return &permanentError{fmt.Errorf("it redirects to %s, which is neither https nor http", req.URL.Redacted())}
	case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
		return &permanentError{fmt.Errorf("it redirects from https to %s", req.URL.Redacted())}
	case req.URL.User == nil && sameServer(first.URL, req.URL):
		req.URL.User = first.URL.User
	}
	req.Header.Del("Referer") // an address may hold a signature
	return nil
}

// sameServer reports whether two addresses have the same scheme, host and port.
func sameServer(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// location is where an object lies.
type location struct {
	name        string   // for people, without a password
	url         *url.URL // of HTTP
	bucket, key string   // of S3
}

// locate takes a name apart.
func locate(name string) (location, error) {
	if rest, ok := strings.CutPrefix(name, "s3://"); ok {
		bucket, key, _ := strings.Cut(rest, "/")
		if bucket == "" {
			return location{}, fmt.Errorf("open %s: no bucket: write s3://BUCKET/KEY", name)
		}
		return location{name: name, bucket: bucket, key: key}, nil
	}
	u, err := url.Parse(name)
	if err != nil {
		return location{}, fmt.Errorf("open %s: %w", name, errors.Unwrap(err))
	}
	if u.Host == "" {
		return location{}, fmt.Errorf("open %s: no host: write https://HOST/PATH", name)
	}
	u.Fragment = ""
	return location{name: u.Redacted(), url: u}, nil
}

// request returns a request for an object. A signature is added when it is sent.
func (c *Client) request(ctx context.Context, at location) (*http.Request, error) {
	u := at.url
	if u == nil {
		var err error
		if u, err = c.s3.url(at.bucket, at.key); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.URL = u
	req.Header.Set("User-Agent", "thresh")
	req.Header.Set("Accept-Encoding", "identity")
	return req, nil
}

// send sends a request, signed if it is for a store.
func (c *Client) send(req *http.Request, at location) (*http.Response, error) {
	if at.bucket != "" {
		if err := c.s3.sign(req); err != nil {
			return nil, err
		}
	}
	resp, err := c.http.Do(req)
	if err != nil && !canHeal(err) {
		err = &permanentError{err}
	}
	if err != nil || resp.StatusCode != http.StatusProxyAuthRequired {
		return resp, err
	}
	// Requests of http pass through the proxy, whose answer looks like one of the server.
	proxy, err := http.ProxyFromEnvironment(resp.Request)
	if err != nil || proxy == nil {
		return resp, err
	}
	return nil, errors.Join(proxyError(proxy, "HTTP_PROXY", resp.StatusCode), resp.Body.Close())
}

// Is reports whether a name is that of a remote object: it begins with https://, http:// or s3://.
func Is(name string) bool { return thresh.IsRemote(name) }

// Open opens an object as an input. Compressed content is decompressed as by thresh.Open, and the options are the
// same. If there is no object of the name, "archive.zip:member" is a member of an archive. Closing the input closes
// the object. The context also ends the reading of an object whose server knows no ranges.
func (c *Client) Open(ctx context.Context, name string, options ...thresh.InputOption) (*thresh.Input, error) {
	o, err := c.OpenObject(ctx, name)
	if err == nil {
		if slices.Contains(options, thresh.Raw) {
			return thresh.FromObject(o, options...)
		}
		decoded, err := o.decoded()
		if err != nil {
			return nil, err
		}
		return thresh.FromObject(decoded, options...)
	}
	if isMissing(err) && !slices.Contains(options, thresh.Raw) {
		if in, memberErr := c.openMember(ctx, name); in != nil || memberErr != nil {
			return in, memberErr
		}
	}
	return nil, err
}

// openMember opens a member of an archive. It returns nil without an error if the name does not mean that.
func (c *Client) openMember(ctx context.Context, name string) (*thresh.Input, error) {
	for whole, part := range parts(name) {
		o, err := c.openUncoded(ctx, whole)
		switch {
		case isMissing(err):
		case err != nil:
			return nil, err
		case o.isArchive():
			return thresh.FromArchive(o, part)
		default:
			if err := o.Close(); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// OpenTensors opens an object as thresh.OpenTensors does a file: "object:tensor" is one of its tensors.
func (c *Client) OpenTensors(ctx context.Context, name string) (*thresh.TensorFile, error) {
	o, err := c.openUncoded(ctx, name)
	if err == nil {
		return thresh.TensorsOf(o, "")
	}
	if isMissing(err) {
		if t, tensorErr := c.openTensor(ctx, name); t != nil || tensorErr != nil {
			return t, tensorErr
		}
	}
	return nil, err
}

// openTensor opens one tensor. It returns nil without an error if the name does not mean that.
func (c *Client) openTensor(ctx context.Context, name string) (*thresh.TensorFile, error) {
	for whole, part := range parts(name) {
		o, err := c.openUncoded(ctx, whole)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		t, err := thresh.TensorsOf(o, part)
		if !errors.Is(err, failure.ErrNoTensors) {
			return t, err
		}
	}
	return nil, nil
}

// isMissing reports whether there is no such object. A store that does not let its keys be listed says that it is
// forbidden.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// parts splits "object:part" at each colon of its path, the first one first: both names may contain colons.
func parts(name string) iter.Seq2[string, string] {
	return func(yield func(whole, part string) bool) {
		host := strings.Index(name, "://") + len("://")
		slash := strings.IndexByte(name[host:], '/')
		for i := host + slash + 1; slash >= 0 && i < len(name)-1; i++ {
			if name[i] == ':' && !yield(name[:i], name[i+1:]) {
				return
			}
		}
	}
}

// isArchive reports whether an object is a zip archive.
func (o *Object) isArchive() bool {
	path := o.at.key
	if o.at.url != nil {
		path = o.at.url.Path
	}
	return decompress.IsArchive(path, o.head, int64(len(o.head)) == o.bytes)
}
