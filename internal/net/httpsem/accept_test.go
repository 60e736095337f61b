package httpsem

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestEncoding(t *testing.T) {
	all := "zstd br gzip"
	for _, c := range []struct{ accept, offers, want string }{
		{"gzip", all, "gzip"},
		{"gzip", "gzip", "gzip"},
		{"gzip", "br", ""},
		{"gzip", "", ""},
		{"GZIP", all, "gzip"},
		{"x-gzip", all, "gzip"},
		{"X-GZip", "gzip", "gzip"},
		{"gzip, deflate, br, zstd", all, "zstd"},
		{"gzip, deflate, br", all, "br"},
		{"gzip,deflate", all, "gzip"},
		{"deflate", all, ""},
		{"br;q=0.5, gzip", all, "gzip"},
		{"br;q=0.5, gzip;q=0.4", all, "br"},
		{"br;q=0.5;x=1, gzip;q=0.4", all, "br"},
		{"br ; q = 0.5 , gzip ; q=0.4", all, "br"},
		{"br;Q=0.3, gzip;Q=0.4", all, "gzip"},
		{"br;q=0, gzip", all, "gzip"},
		{"gzip;q=0", all, ""},
		{"gzip;q=0.000", all, ""},
		{"gzip;q=0.001", all, "gzip"},
		{"gzip;q=1.000", all, "gzip"},
		{"*", all, "zstd"},
		{"*;q=0.1", all, "zstd"},
		{"*;q=0", all, ""},
		{"zstd;q=0, *", all, "br"},
		{"*, zstd;q=0", all, "br"},
		{"gzip;q=0.5, *;q=0.8", all, "zstd"},
		{"gzip;q=0.1, *;q=0.5", "gzip", ""}, // "*" includes identity
		{"gzip;q=0.1, identity;q=0.5", all, ""},
		{"gzip;q=0.5, identity;q=0.1", all, "gzip"},
		{"gzip, identity", all, "gzip"},
		{"identity", all, ""},
		{"identity;q=0", all, ""},
		{"identity;q=0, gzip;q=0.1", all, "gzip"},
		{"identity;q=0, gzip", "br", ""},
		{"identity;q=0, *;q=0.2", all, "zstd"},
		{"", all, ""},
		{" , ,", all, ""},
		{"gzip;q=2", all, ""},
		{"gzip;q=1.001", all, ""},
		{"gzip;q=-1", all, ""},
		{"gzip;q=0.1234", all, ""},
		{"gzip;q=x, br", all, "br"},
		{"gzip;q=", all, ""},
		{"gzip;q=.5", all, ""},
		{"gzip;q=1.", all, "gzip"},
		{"gzip;q=0.5, gzip;q=0", all, "gzip"}, // the first one counts
		{"gzipped", all, ""},
		{"gzip\tbr", all, ""},
	} {
		if got := Encoding([]string{c.accept}, strings.Fields(c.offers)); got != c.want {
			t.Errorf("%q of %q: %q, not %q", c.accept, c.offers, got, c.want)
		}
	}
	if got := Encoding(nil, []string{"gzip"}); got != "" {
		t.Errorf("without a header: %q", got)
	}
	if got := Encoding([]string{"br;q=0.1", "gzip"}, []string{"br", "gzip"}); got != "gzip" {
		t.Errorf("two headers: %q", got)
	}
}

func TestMediaType(t *testing.T) {
	const html, json = "text/html", "application/json"
	for _, c := range []struct{ accept, want string }{
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", html},
		{"application/json", json},
		{"Application/JSON", json},
		{"application/*", json},
		{"*/*", html},
		{"", html},
		{"image/png", html},
		{"application/json, text/plain, */*", json},
		{"application/json;q=0.5, text/html;q=0.4", json},
		{"application/json;q=0.4, text/html;q=0.5", html},
		{"application/json;q=0.4, */*;q=0.5", html},
		{"application/json;q=0, */*", html},
		{"text/html;q=0, */*;q=0.1", json},
		{"text/*;q=0.9, application/json;q=0.8", html},
		{"text/html, application/json", html},
		{"application/json, text/html", html},
		{"application/json; charset=utf-8", json},
		{"application/json;q=7", html},
		{"text/html;q=0", html}, // nothing on offer is accepted
	} {
		if got := MediaType([]string{c.accept}, html, json); got != c.want {
			t.Errorf("%q: %s, not %s", c.accept, got, c.want)
		}
	}
}

var plainMember = regexp.MustCompile(`^[ \t\r\n]*([^; \t\r\n](?:[^;]*[^; \t\r\n])?)[ \t\r\n]*((?s:;.*)?)$`)

// plainEncoding computes the weight of every coding from all members, in floating point.
func plainEncoding(accept string, offers []string) string {
	weigh := func(coding string) float64 {
		rest, star := 0.0, false
		for _, member := range strings.Split(accept, ",") {
			m := plainMember.FindStringSubmatch(member)
			if m == nil {
				continue
			}
			q, bad := plainQuality(m[2])
			name := strings.ToLower(m[1])
			if name == "x-"+coding {
				name = coding
			}
			switch {
			case bad:
			case name == coding:
				return q
			case name == "*" && !star:
				rest, star = q, true
			}
		}
		return rest
	}
	best := ""
	most := weigh("identity")
	for i, o := range offers {
		if q := weigh(o); q > 0 && (q > most || q == most && (best == "" || i == 0)) {
			best, most = o, q
		}
	}
	return best
}

var plainWeight = regexp.MustCompile(`^(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$`)

func plainQuality(parameters string) (q float64, bad bool) {
	for _, p := range strings.Split(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		if strings.ToLower(strings.Trim(name, " \t\r\n")) != "q" {
			continue
		}
		value = strings.Trim(value, " \t\r\n")
		if !plainWeight.MatchString(value) {
			return 0, true
		}
		q, err := strconv.ParseFloat(strings.TrimSuffix(value, "."), 64)
		return q, err != nil
	}
	return 1, false
}

func FuzzEncoding(f *testing.F) {
	for _, s := range []string{"gzip", "br;q=0.5, gzip;q=0.51", "*;q=0, identity", "x-gzip;q=1.0;q=0", "zstd;q=0.1,*;q=0.1", "identity;q=.1,br"} {
		f.Add(s, uint8(7))
		f.Add(s, uint8(5))
	}
	f.Fuzz(func(t *testing.T, accept string, which uint8) {
		var offers []string
		for i, o := range []string{"zstd", "br", "gzip"} {
			if which>>i&1 == 1 {
				offers = append(offers, o)
			}
		}
		for _, c := range accept {
			if c >= 0x80 || c < ' ' && c != '\t' {
				return // lower case in other scripts, and bytes that no header contains
			}
		}
		got, want := Encoding([]string{accept}, offers), plainEncoding(accept, offers)
		if got != want {
			t.Errorf("%q of %q: %q, plainly %q", accept, offers, got, want)
		}
	})
}

func FuzzMediaType(f *testing.F) {
	f.Add("text/html;q=0.1, application/json")
	f.Fuzz(func(t *testing.T, accept string) {
		switch got := MediaType([]string{accept}, "text/html", "application/json"); got {
		case "text/html", "application/json":
		default:
			t.Errorf("%q: %q was not offered", accept, got)
		}
	})
}
