package httpsem

import (
	"net/textproto"
	"strings"
)

// A weight is a quality value in thousandths (12.4.2).
type weight int

const fullWeight weight = 1000

// Encoding returns the best content coding for a client that sent these Accept-Encoding headers:
// one of offers, or "" for the plain file (12.5.3). offers are in the server's order of preference,
// which decides between equal weights; the plain file comes last. A client without the header gets
// the plain file. So does a client that accepts nothing on offer: a response that it may be able to
// use is better than none.
func Encoding(accept, offers []string) string {
	if len(offers) == 0 || len(accept) == 0 {
		return ""
	}
	named := map[string]weight{}
	for name, q := range members(accept) {
		name = canonical(name)
		if _, twice := named[name]; !twice {
			named[name] = q
		}
	}
	of := func(coding string) weight {
		if q, ok := named[coding]; ok {
			return q
		}
		return named["*"]
	}
	best, most := "", of("identity")
	for i := len(offers) - 1; i >= 0; i-- {
		if q := of(canonical(offers[i])); q > 0 && q >= most {
			best, most = offers[i], q
		}
	}
	return best
}

// canonical returns the name of a content coding, with aliases resolved (8.4.1).
func canonical(coding string) string {
	coding = strings.ToLower(coding)
	switch coding {
	case "x-gzip":
		return "gzip"
	case "x-compress":
		return "compress"
	}
	return coding
}

// MediaType returns the best of offers for a client that sent these Accept headers (12.5.1): the
// one with the highest weight, then the one that the client names most specifically, then the
// earliest. It returns the first if the client accepts none.
func MediaType(accept []string, offers ...string) string {
	best, most, exactest := offers[0], weight(0), -1
	for _, offer := range offers {
		q, exactness := weight(0), -1
		for name, w := range members(accept) {
			if e := specificity(strings.ToLower(name), offer); e > exactness {
				q, exactness = w, e
			}
		}
		if q > most || q == most && q > 0 && exactness > exactest {
			best, most, exactest = offer, q, exactness
		}
	}
	return best
}

// specificity returns how specifically a media range names typ: -1 not at all, 0 as */*, 1 as
// type/*, 2 in full.
func specificity(mediaRange, typ string) int {
	major, _, _ := strings.Cut(typ, "/")
	switch mediaRange {
	case typ:
		return 2
	case major + "/*":
		return 1
	case "*/*":
		return 0
	}
	return -1
}

// members yields the names and weights of a list. It skips members with a malformed weight, and
// parameters other than the weight.
func members(field []string) func(yield func(string, weight) bool) {
	return func(yield func(string, weight) bool) {
		for _, list := range field {
			for member := range strings.SplitSeq(list, ",") {
				name, parameters, _ := strings.Cut(member, ";")
				name = textproto.TrimString(name)
				q, ok := quality(parameters)
				if name != "" && ok && !yield(name, q) {
					return
				}
			}
		}
	}
}

// quality returns the weight among the parameters, fullWeight if there is none. ok is false if it
// is malformed.
func quality(parameters string) (w weight, ok bool) {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(textproto.TrimString(name), "q") {
			return thousandths(textproto.TrimString(value))
		}
	}
	return fullWeight, true
}

// thousandths parses a weight: 0 or 1 with up to three decimals, at most 1.
func thousandths(s string) (weight, bool) {
	whole, decimals, _ := strings.Cut(s, ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return 0, false
	}
	n := weight(whole[0] - '0')
	for i := range 3 {
		digit := byte('0')
		if i < len(decimals) {
			digit = decimals[i]
		}
		if digit < '0' || digit > '9' {
			return 0, false
		}
		n = n*10 + weight(digit-'0')
	}
	return n, n <= fullWeight
}
