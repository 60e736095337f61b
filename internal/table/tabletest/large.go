package tabletest

import (
	"bytes"
	"fmt"
	"strings"
)

func repeat(s string, n int) string { return strings.Repeat(s, n) }

// allBytes returns a record for every byte without a special meaning in CSV.
func allBytes() string {
	var s strings.Builder
	for b := range 256 {
		if strings.IndexByte("\n\r\",", byte(b)) < 0 {
			s.WriteByte(byte(b))
			fmt.Fprintf(&s, ",%d\n", b)
		}
	}
	return s.String()
}

// keysOfLengths returns three keys of each length: the same key twice, and one that differs in its
// last byte.
func keysOfLengths(lengths ...int) string {
	var s strings.Builder
	for _, n := range lengths {
		key := repeat("k", n-1)
		fmt.Fprintf(&s, "%sa,%d\n%sb,1\n%sa,2\n", key, n, key, key)
	}
	return s.String()
}

// widths returns records of the given sizes in bytes, without the line feed.
func widths(bytes ...int) string {
	var s strings.Builder
	for i, n := range bytes {
		fmt.Fprintf(&s, "%s,\n", repeat(string(rune('a'+i)), n-1))
	}
	return s.String()
}

// delimitersAt returns records with a delimiter at each given offset, quoted and not.
func delimitersAt(places ...int) string {
	var s strings.Builder
	for _, at := range places {
		fmt.Fprintf(&s, "%s,%d\n\"%s\",%d\n", repeat("x", at), at, repeat("y", at-2), -at)
	}
	return s.String()
}

// large returns cases with many columns, wide records, or many records.
func large() (all []Case) {
	add := func(name string, d Dialect, file string) {
		all = append(all, ask(name, d, Skip, []byte(file)))
	}
	add("5000 columns", csv, columns(5000, 3, "\n"))
	add("5000 columns, one missing", csv, columns(5000, 3, "\n")+repeat(",", 4998)+"\n"+repeat(",", 4999)+"\n")
	add("1025 columns CRLF", csv, columns(1025, 2, "\r\n"))
	add("300 columns that are empty", pipes, repeat(repeat("|", 299)+"\n", 20))
	add("a wide field", csv, "a,1\n"+repeat("x", 300_000)+",2\na,3\n")
	add("a wide quoted field", csv, "a,1\n\""+repeat("x,\n\"\"", 60_000)+"\",2\na,3\n")
	add("a wide field behind", csv, "a,1\n2,"+repeat("7", 70_000)+"x\na,3\n")
	add("a wide record that is malformed", csv, "a,1\n"+repeat(",", 100_000)+"\na,3\n")
	add("a wide quote out of place", csv, "a,1\nb,x\""+repeat("y\n", 50_000)+"\"\na,3\n")
	add("unclosed over much", csv, repeat("a,1\n", 20_000)+"b,\""+repeat("y\n", 50_000))
	add("only quoted line feeds", csv, "\""+repeat("\n", 70_000)+"\",1\n")
	add("many empty lines", csv, "a,1\n"+repeat("\n", 70_000)+"b,2\n"+repeat("\r\n", 30_000)+"c,3\n")
	add("one column of empty lines", csv, "a\n"+repeat("\n", 40_000)+"b\n")
	add("one byte a record", csv, "a\n"+repeat("b\nc\nb\n", 20_000))
	add("only delimiters and quotes", csv, repeat("\"\",\"\"\"\"\n", 10_000))
	add("quotes beside every border", csv, repeat("\"a\",\"1\"\n\"\",\"\n\"\n\",\",2\n", 5_000))
	add("header wider than a chunk", Dialect{Delim: ',', Quote: '"', Header: true},
		repeat("h", 40_000)+",\""+repeat("h\n", 20_000)+"\"\n1,2\n3,4\n")
	add("few keys and some once", csv, fewAndOnce(20_000))
	add("keys of 20 and of 200 bytes", csv, longKeys(2_000))
	add("keys all different", csv, distinctKeys(8_000))
	add("money", pipes, money(10_000))
	add("malformed far behind", csv, repeat("a,1\n", 12_000)+"b\n"+repeat("a,1\n", 100)+"c,\"d\"e\n")
	last := len(all) - 1
	for _, mode := range []Mode{Fail, Keep} {
		one := all[last]
		one.Name = fmt.Sprintf("malformed far behind, %v", mode)
		one.Question.Malformed = mode
		all = append(all, one)
	}
	return all
}

func columns(n, records int, end string) string {
	var s strings.Builder
	for r := range records {
		for c := range n {
			if c > 0 {
				s.WriteByte(',')
			}
			fmt.Fprintf(&s, "%d", r*n+c)
		}
		s.WriteString(end)
	}
	return s.String()
}

// fewAndOnce returns records with two frequent keys, and now and then a key that occurs once.
func fewAndOnce(n int) string {
	var s bytes.Buffer
	for i := range n {
		key := [...]string{"usual", "other", "usual"}[i%3]
		if i%997 == 0 {
			key = fmt.Sprintf("once-%d", i)
		}
		fmt.Fprintf(&s, "%s,%d\n", key, i%7)
	}
	return s.String()
}

func longKeys(n int) string {
	var s bytes.Buffer
	for i := range n {
		width := 20
		if i%2 == 1 {
			width = 200
		}
		fmt.Fprintf(&s, "%0*d,%d.%d\n", width, i*i%101, i, i%10)
	}
	return s.String()
}

func distinctKeys(n int) string {
	var s bytes.Buffer
	for i := range n {
		fmt.Fprintf(&s, "%x,%d\n", uint64(i+1)*0x9e3779b97f4a7c15, -i)
	}
	return s.String()
}

func money(n int) string {
	var s bytes.Buffer
	for i := range n {
		fmt.Fprintf(&s, "C%08d|N|%d|DOE, JANE %c|%d.%02d\n", i*i%997, i%3, 'A'+i%26, i*7919%100_000, i%100)
	}
	return s.String()
}
