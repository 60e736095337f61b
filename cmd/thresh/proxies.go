package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/relay"
	"github.com/thresh-dev/thresh/serve"
)

// proxyFlags is what serve and relay have about proxies in front of them, as typed.
type proxyFlags struct {
	trusted []string
	header  bool
}

func (f *proxyFlags) flags(trust string) []command.Flag {
	return []command.Flag{
		{Name: "trusted-proxy", To: &f.trusted, Help: trust},
		{Name: "proxy-protocol", To: &f.header,
			Help: "expect a header of the PROXY protocol, version 1 or 2, which only trusted proxies may send"},
	}
}

// check returns what is wrong about the flags.
func (f *proxyFlags) check() error {
	if f.header && len(f.trusted) == 0 {
		return errors.New("--proxy-protocol: --trusted-proxy says whose headers are believed, like --trusted-proxy 10.0.0.1")
	}
	return nil
}

// perIPFlags is what serve has about single addresses, as typed, besides --max-conns-per-ip.
type perIPFlags struct {
	rate     rate
	requests requestRate
}

// apply sets the server's options.
func (f *perIPFlags) apply(o *serve.Options) {
	o.LimitRatePerIP, o.LimitRequestsPerIP = int64(f.rate), f.requests.perSecond
}

// requestRate is a flag of requests per second, N or N/s, or per minute, N/m.
type requestRate struct {
	text      string
	perSecond float64
}

func (r *requestRate) String() string { return r.text }

func (r *requestRate) Type() string { return "rate" }

func (r *requestRate) Set(text string) error {
	number, seconds := strings.TrimSuffix(text, "/s"), 1.0
	if n, ok := strings.CutSuffix(text, "/m"); ok {
		number, seconds = n, 60
	}
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil || n == 0 {
		return fmt.Errorf("%s is not a number of requests above zero, like 10/s or 30/m", text)
	}
	*r = requestRate{text, float64(n) / seconds}
	return nil
}

// applyProxies sets the options of a relay.
func (f *relayFlags) applyProxies(o *relay.Options) error {
	o.ProxyProtocol, o.TrustedProxies = f.proxies.header, f.proxies.trusted
	err := f.proxies.check()
	switch f.sendProxy {
	case "":
	case "v1":
		o.SendProxy = 1
	case "v2":
		o.SendProxy = 2
	}
	if len(f.proxies.trusted) > 0 && !f.proxies.header {
		err = errors.Join(err, errors.New("--trusted-proxy goes with --proxy-protocol: the relay reads no other header"))
	}
	return err
}
