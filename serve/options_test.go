package serve

import (
	"context"
	"errors"
	"testing"

	"github.com/thresh-dev/thresh/failure"
)

// TestOptionErrors checks that a *failure.OptionError names the wrong option.
func TestOptionErrors(t *testing.T) {
	for field, o := range map[string]Options{
		"OpenFiles":  {OpenFiles: -1},
		"Revalidate": {Revalidate: -1},
		"Encodings":  {Encodings: []string{"gzip", "deflate"}},
		"Users":      {Users: map[string]string{"alice": "secret"}},
		"TLSKey":     {TLSCert: "cert.pem"},
		"TLSCert":    {TLSKey: "key.pem"},
	} {
		_, err := New(t.TempDir(), o)
		if wrong, ok := errors.AsType[*failure.OptionError](err); !ok || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// A second Shutdown returns, also when Serve was never called.
func TestShutdownTwice(t *testing.T) {
	s, err := New(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
