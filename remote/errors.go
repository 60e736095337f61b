package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// StatusError reports that a server refused a request.
type StatusError struct {
	Status  int
	Code    string // of a store, such as "AccessDenied"; may be empty
	Message string // of a store
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Code != "" {
		text += ": " + e.Code
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Is reports a missing object as fs.ErrNotExist, and a forbidden one as fs.ErrPermission.
func (e *StatusError) Is(target error) bool {
	return target == fs.ErrNotExist && (e.Status == http.StatusNotFound || e.Status == http.StatusGone) ||
		target == fs.ErrPermission && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden)
}

// ReplacedError reports that an object was replaced after it was opened.
type ReplacedError struct {
	Opened, Found string // the versions, as far as they are known
}

func (e *ReplacedError) Error() string {
	text := "the object was replaced while it was read"
	if e.Opened != "" && e.Found != "" {
		text += fmt.Sprintf(" (%s became %s)", e.Opened, e.Found)
	}
	return text + "; ask again"
}

// answerError reports that an answer is not what was asked for.
type answerError struct{ reason string }

func (e *answerError) Error() string { return "the server's answer is wrong: " + e.reason }

func wrongAnswer(format string, args ...any) error { return &answerError{fmt.Sprintf(format, args...)} }

// permanentError is an error that another attempt would meet again.
type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// canHeal reports whether a request that brought no answer may succeed another time.
func canHeal(err error) bool {
	var dns *net.DNSError
	switch {
	case errors.As(err, new(*tls.CertificateVerificationError)), errors.As(err, new(tls.RecordHeaderError)),
		errors.Is(err, http.ErrSchemeMismatch), errors.Is(err, syscall.ECONNREFUSED),
		errors.As(err, &dns) && dns.IsNotFound, errors.As(err, new(textproto.ProtocolError)):
		return false
	}
	return !strings.Contains(err.Error(), "malformed HTTP ") // package http has no type for it
}

// pausedError is an error of a server that says when to come back.
type pausedError struct {
	error
	after time.Duration
}

func (e *pausedError) Unwrap() error { return e.error }

const (
	errorBodyMax  = 8 << 10
	retryAfterMax = 2 * time.Minute
)

// statusError returns the error for an answer that is no success, and closes its body.
func statusError(resp *http.Response) error {
	e := &StatusError{Status: resp.StatusCode}
	if text, err := io.ReadAll(io.LimitReader(resp.Body, errorBodyMax)); err == nil {
		_ = elements(text, func(path, content string) error { // a page for people says nothing to us
			switch strings.TrimPrefix(path, "Error/") {
			case "Code":
				e.Code = content
			case "Message":
				e.Message = content
			}
			return nil
		})
	}
	_ = resp.Body.Close() // nothing more is wanted of it
	if !isTemporary(resp.StatusCode) {
		return &permanentError{e}
	}
	after := retryAfter(resp.Header, time.Now())
	switch {
	case after > retryAfterMax:
		return &permanentError{fmt.Errorf("%w; it asks to wait for %s", e, after.Round(time.Second))}
	case after > 0:
		return &pausedError{e, after}
	}
	return e
}

// isTemporary reports whether another attempt may succeed after an answer of that status.
func isTemporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isForbidden reports whether a server refused to say whether there is an object.
func isForbidden(err error) bool { return errors.Is(err, fs.ErrPermission) }

// proxyError returns the error for a proxy that refused. Variable is the one of the environment that names it.
func proxyError(proxy *url.URL, variable string, status int) error {
	err := fmt.Errorf("the proxy %s answered %d %s", proxy.Host, status, http.StatusText(status))
	if status == http.StatusProxyAuthRequired {
		err = fmt.Errorf("%w: check user and password in %s=%s://USER:PASSWORD@%s", err, variable, proxy.Scheme, proxy.Host)
	}
	if isTemporary(status) {
		return err
	}
	return &permanentError{err}
}

// checkTunnel returns an error if a proxy does not connect to a server of https.
func checkTunnel(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return proxyError(proxy, "HTTPS_PROXY", answer.StatusCode)
}

// retryAfter returns how long a server asks to wait, 0 if it does not.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// isThrottling reports whether a server asks for fewer requests.
func isThrottling(err error) bool {
	var e *StatusError
	return errors.As(err, &e) && (e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests)
}
