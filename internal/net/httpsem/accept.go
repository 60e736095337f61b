package httpsem

import (
	"net/textproto"
	"strings"
)

// A weight is a quality value in thousandths (12.4.2).
type weight int

const fullWeight weight = 1000

// Encoding returns the content coding, one of offers with the best first, that a client
// which sent these Accept-Encoding headers likes best (12.5.3), or "" for the plain file.
// Where the client likes two alike the earlier offer is taken, and the plain file last. A
// client that sent no such header gets the plain file, and so does one that accepts nothing
// there is: an answer that it may be able to use is better than none.
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

// canonical returns the name of a content coding without its aliases (8.4.1).
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

// MediaType returns the one of offers that a client which sent these Accept headers likes
// best (12.5.1): by weight, then the one that the client names more exactly, then the
// earlier offer. The first is also for a client that accepts none of them.
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

// exactly returns how exactly a media range names typ: -1 not at all, 0 as */*, 1 as
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

// members yields the names in a list with weights. A member with a malformed weight is left
// out; parameters that are no weight are skipped.
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

// quality returns the weight among the parameters, full where there is none, and whether it
// is well formed.
func quality(parameters string) (weight, bool) {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(textproto.TrimString(name), "q") {
			return thousandths(textproto.TrimString(value))
		}
	}
	return fullWeight, true
}

// thousandths reads 0, 1, or such a digit with up to three decimals, at most 1.
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
