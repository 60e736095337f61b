package remote

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Requests to S3 are signed by "AWS Signature Version 4": a chain of keyed hashes over the date, the region and
// the service makes a key, which signs a hash of the request in a canonical form. It is written here because the
// libraries that have it run for a millisecond at every start of the program, whatever it is asked.

const (
	signedHeader    = "X-Amz-Content-Sha256" // every request to a store has it
	unsignedPayload = "UNSIGNED-PAYLOAD"
	amzTime         = "20060102T150405Z"
)

// sign adds the signature of the store's user. Without credentials the request stays anonymous.
func (s *store) sign(req *http.Request) error {
	key, err := s.credentials.get(req.Context())
	if err != nil {
		return err
	}
	req.Header.Set(signedHeader, unsignedPayload)
	if key.ID != "" {
		sign(req, key, s.regionNow(), "s3", time.Now())
	}
	return nil
}

// sign signs a request with what it has of headers, and a host.
func sign(req *http.Request, key AccessKey, region, service string, now time.Time) {
	at := now.UTC().Format(amzTime)
	req.Header.Set("X-Amz-Date", at)
	if key.Token != "" {
		req.Header.Set("X-Amz-Security-Token", key.Token)
	}
	names := []string{"host"}
	values := map[string]string{"host": req.URL.Host}
	for name, v := range req.Header {
		if name == "User-Agent" || name == "Accept-Encoding" {
			continue // proxies change them
		}
		lower := strings.ToLower(name)
		names = append(names, lower)
		values[lower] = strings.Join(strings.Fields(strings.Join(v, ",")), " ")
	}
	slices.Sort(names)
	var headers strings.Builder
	for _, name := range names {
		headers.WriteString(name + ":" + values[name] + "\n")
	}
	query := strings.Split(req.URL.RawQuery, "&")
	slices.Sort(query)
	signed := strings.Join(names, ";")
	canonical := strings.Join([]string{req.Method, req.URL.EscapedPath(), strings.Join(query, "&"), headers.String(),
		signed, req.Header.Get(signedHeader)}, "\n")
	scope := strings.Join([]string{at[:8], region, service, "aws4_request"}, "/")
	sum := sha256.Sum256([]byte(canonical))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", at, scope, hex.EncodeToString(sum[:])}, "\n")
	secret := []byte("AWS4" + key.Secret)
	for _, part := range strings.Split(scope, "/") {
		secret = keyedHash(secret, part)
	}
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+key.ID+"/"+scope+", SignedHeaders="+signed+
		", Signature="+hex.EncodeToString(keyedHash(secret, text)))
}

func keyedHash(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text)) // a hash returns no error
	return h.Sum(nil)
}

// escapePath escapes all bytes of a path but unreserved characters and slashes, as the canonical form asks.
func escapePath(p string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(p) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}
