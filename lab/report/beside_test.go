package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// beside are the rows of the README's table: a case and its peer, and what both sides were told.
var beside = []struct{ rowCase, rowPeer, own, peer string }{
	{"literal", "rg", "`find --text TEXT`", "`rg -bo -F TEXT`"},
	{"regex-literal", "rg", "`find --regex 'user=[0-9]{9} card'`", "`rg -bo 'user=[0-9]{9} card'`"},
	{"count-text", "rg --count-matches", "`count --text status=`", "`rg --count-matches status=`"},
	{"lines", "wc -l", "`count --lines`", "`wc -l`"},
	{"cmp", "cmp", "`find --nonzero`", "`cmp FILE /dev/zero`"},
	{"table-donations", "DuckDB", "`table`, four questions", "DuckDB"},
	{"minify-file", "jq -c", "`minify`", "`jq -c .`"},
	{"serve-file", "nginx", "`serve`, processor time", "nginx"},
}

// Seconds writes the table of the README: how long thresh and other programs take for 10 GB, by the rates of a record;
// of servers, how long they keep a processor busy. Cases that the record does not have are left out.
func Seconds(w io.Writer, r lab.Results) error {
	const size = 10 // GB
	if _, err := fmt.Fprint(w, "|thresh|seconds|beside it|seconds|\n|---|---|---|---|\n"); err != nil {
		return err
	}
	rows := rowsByPeer(r)
	for _, b := range beside {
		row := rows[[2]string{b.rowCase, b.rowPeer}]
		own, peer := size/row.ThreshRate, size/row.PeerRate
		if row.What == lab.TimesItsCPU {
			_, err := fmt.Sscanf(row.Note, "%g s of processor a GiB, "+b.rowPeer+" %g s", &own, &peer)
			if err != nil {
				return fmt.Errorf("note of %s, %q: %w", row.Case, row.Note, err)
			}
			own, peer = own*size*1e9/(1<<30), peer*size*1e9/(1<<30)
		} else if row.ThreshRate <= 0 || row.PeerRate <= 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "|%s|%.1f|%s|%.1f|\n", b.own, own, b.peer, peer); err != nil {
			return err
		}
	}
	m := r.Machine
	date, _, _ := strings.Cut(day(m.Date), ",")
	_, err := fmt.Fprintf(w, "\nOn %d processors, %s, %s, %s.\n", m.Processors, m.Processor, m.Kernel, date)
	return err
}
