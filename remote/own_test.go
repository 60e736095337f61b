package remote_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/remote"
)

// counted is somebody's own transport.
type counted struct {
	http.RoundTripper
	requests atomic.Int64
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.RoundTripper.RoundTrip(r)
}

// TestOwnClientAndCredentials: all requests go through the client of the options, and those to a store are signed with
// the key that the options return, whatever the environment says.
func TestOwnClientAndCredentials(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "environment")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	var signed, other atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), "Credential=provided/") &&
			r.Header.Get("X-Amz-Security-Token") == "session" {
			signed.Add(1)
		} else {
			other.Add(1)
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("one\ntwo\nthree\n"))
	}))
	defer server.Close()
	transport := &counted{RoundTripper: server.Client().Transport}
	c := remote.New(remote.Options{S3Endpoint: server.URL, HTTPClient: &http.Client{Transport: transport},
		Credentials: func(context.Context) (remote.AccessKey, error) {
			return remote.AccessKey{ID: "provided", Secret: "secret", Token: "session"}, nil
		}})
	defer c.Close()
	in, err := c.Open(t.Context(), "s3://bucket/key")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	report, err := thresh.Count(t.Context(), in, thresh.LineCount(), options.Scan{})
	if err != nil || report.Hits != 3 || !report.Complete {
		t.Errorf("%+v, %v", report, err)
	}
	if signed.Load() == 0 || other.Load() > 0 || transport.requests.Load() != signed.Load() {
		t.Errorf("%d requests signed, %d not, %d through the client", signed.Load(), other.Load(), transport.requests.Load())
	}
	broken := errors.New("no session")
	c = remote.New(remote.Options{S3Endpoint: server.URL, HTTPClient: &http.Client{Transport: transport},
		Credentials: func(context.Context) (remote.AccessKey, error) { return remote.AccessKey{}, broken }})
	if _, err := c.Open(t.Context(), "s3://bucket/key"); !errors.Is(err, broken) {
		t.Errorf("credentials that cannot be had: %v", err)
	}
}

// TestOwnClientFollowsSafely: our rules for redirects hold in somebody's client, and its own as well.
func TestOwnClientFollowsSafely(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Error("https led to http") }))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer secure.Close()
	asked := 0
	client := secure.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { asked++; return errors.New("never") }
	c := remote.New(remote.Options{HTTPClient: client, Attempts: 1})
	defer c.Close()
	if _, err := c.Open(t.Context(), secure.URL); err == nil || asked > 0 {
		t.Errorf("from https to http: %v", err)
	}
	loop := httptest.NewServer(nil)
	defer loop.Close()
	loop.Config.Handler = http.RedirectHandler(loop.URL+"/next", http.StatusFound)
	client = &http.Client{CheckRedirect: client.CheckRedirect}
	c = remote.New(remote.Options{HTTPClient: client, Attempts: 1})
	defer c.Close()
	if _, err := c.Open(t.Context(), loop.URL); err == nil || !strings.Contains(err.Error(), "never") || asked != 1 {
		t.Errorf("the client's own rule: %v, asked %d times", err, asked)
	}
}
