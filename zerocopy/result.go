package zerocopy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// Result reports what a copy did. Both arrays are indexed by Method, as in r.Bytes[BySendfile]. If
// the destination's own ReadFrom did the work, as an http.ResponseWriter's does, each slice counts
// as one call and Method is the one that CopyPath predicts.
//
// A Result prints itself: "1.0 GiB by sendfile in 512 calls", and with %+v the Reason, too.
type Result struct {
	Bytes [ByCopyFileRange + 1]int64 // bytes that reached the destination
	Calls [ByCopyFileRange + 1]int64 // system calls, or calls of the destination's ReadFrom

	// Reason says why bytes were copied through memory. It is empty if none were, or only the first
	// ones of a response.
	Reason string
}

// Total returns the sum of Bytes.
func (r Result) Total() (n int64) {
	for _, b := range r.Bytes {
		n += b
	}
	return n
}

func (r *Result) add(o Result) {
	for m := range r.Bytes {
		r.Bytes[m] += o.Bytes[m]
		r.Calls[m] += o.Calls[m]
	}
	if o.Reason != "" {
		r.Reason = o.Reason
	}
}

// printed is the order of methods in print: the fast ones first.
var printed = [methods]Method{BySendfile, BySplice, ByCopyFileRange, ByCopy}

// String returns the bytes and calls of each method that moved any: "1.0 GiB by sendfile in 512
// calls, 512 B by copy in 2 calls". If none did, it returns "0 B".
func (r Result) String() string {
	var parts []string
	for _, m := range printed {
		if r.Bytes[m] != 0 {
			parts = append(parts, fmt.Sprintf("%s by %v in %s", bytesize.Text(r.Bytes[m]), m, callsText(r.Calls[m])))
		}
	}
	if parts == nil {
		return "0 B"
	}
	return strings.Join(parts, ", ")
}

// Format prints the String for every verb, and after it the Reason if the verb has the flag +.
func (r Result) Format(f fmt.State, _ rune) {
	text := r.String()
	if f.Flag('+') && r.Reason != "" {
		text += ": " + r.Reason
	}
	// The State keeps the error of its writer.
	_, _ = f.Write([]byte(text))
}

// MarshalJSON names the methods that moved bytes, because the arrays' order means nothing to a
// reader of a log: {"sendfile":{"bytes":512,"calls":1},"reason":"..."}.
func (r Result) MarshalJSON() ([]byte, error) {
	type method struct {
		Bytes int64 `json:"bytes"`
		Calls int64 `json:"calls"`
	}
	all := map[string]any{}
	for _, m := range printed {
		if r.Bytes[m] != 0 {
			all[m.String()] = method{r.Bytes[m], r.Calls[m]}
		}
	}
	if r.Reason != "" {
		all["reason"] = r.Reason
	}
	return json.Marshal(all)
}

func callsText(n int64) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}
