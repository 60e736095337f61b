package main

import (
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/relay"
)

func TestRequestRate(t *testing.T) {
	for text, want := range map[string]float64{
		"10": 10, "10/s": 10, "30/m": 0.5, "1/m": 1.0 / 60,
		"": 0, "0": 0, "0/m": 0, "-1": 0, "1.5": 0, "10/h": 0, "10/s/m": 0, "/s": 0, "99999999999": 0,
	} {
		var r requestRate
		err := r.Set(text)
		if (err == nil) != (want > 0) || r.perSecond != want || err == nil && r.String() != text {
			t.Errorf("%q: %v as %q, %v", text, r.perSecond, r.String(), err)
		}
	}
}

// Flags that would do nothing, or trust anyone, are errors.
func TestProxyFlags(t *testing.T) {
	trust := []string{"loopback"}
	for _, c := range []struct {
		flags relayFlags
		want  string // in the error; empty: none
		send  int
	}{
		{relayFlags{}, "", 0},
		{relayFlags{sendProxy: "v1"}, "", 1},
		{relayFlags{sendProxy: "v2", proxies: proxyFlags{trust, true}}, "", 2},
		{relayFlags{proxies: proxyFlags{nil, true}}, "--trusted-proxy says whose", 0},
		{relayFlags{proxies: proxyFlags{trust, false}}, "goes with --proxy-protocol", 0},
	} {
		var o relay.Options
		err := c.flags.applyProxies(&o)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || o.SendProxy != c.send {
			t.Errorf("%+v: %+v, %v", c.flags, o, err)
		}
		if o.ProxyProtocol != c.flags.proxies.header || len(o.TrustedProxies) != len(c.flags.proxies.trusted) {
			t.Errorf("%+v: %+v", c.flags, o)
		}
	}
	var f serveFlags
	f.logFormat, f.header, f.idle, f.send, f.proxies = "common", 1, 1, 1, proxyFlags{nil, true}
	if _, err := f.options(); err == nil || !strings.Contains(err.Error(), "--trusted-proxy") {
		t.Errorf("serve: %v", err)
	}
	f.proxies, f.perIP = proxyFlags{trust, true}, perIPFlags{5, requestRate{"2", 2}}
	if o, err := f.options(); err != nil || !o.ProxyProtocol || len(o.TrustedProxies) != 1 || o.LimitRatePerIP != 5 || o.LimitRequestsPerIP != 2 {
		t.Errorf("serve: %+v, %v", o, err)
	}
}
