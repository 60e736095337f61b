package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

var update = flag.Bool("update", false, "write the table of seconds into README.md")

// TestReadme compares the README's table of seconds with the record that is kept.
func TestReadme(t *testing.T) {
	const name, begin, end = "../../README.md", "<!-- go test ./lab/report -run TestReadme -update -->\n", "<!-- end -->"
	kept, err := os.ReadFile("../../docs/peers/peers.json")
	if err != nil {
		t.Fatal(err)
	}
	var record lab.Results
	if err := json.Unmarshal(kept, &record); err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := Seconds(&table, record); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	shown, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", name)
	}
	if shown == table.String() {
		return
	}
	if !*update {
		t.Fatalf("%s is not up to date: go test ./lab/report -run TestReadme -update", name)
	}
	if err := os.WriteFile(name, []byte(before+begin+table.String()+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestSeconds: of a rate the seconds of 10 GB, of a server those of a processor; what was not measured is left out.
func TestSeconds(t *testing.T) {
	r := cases(
		lab.Row{Case: "lines", Peer: "wc -l", What: lab.TimesItsRate, ThreshRate: 20, PeerRate: 4},
		lab.Row{Case: "cmp", Peer: "cmp", What: lab.TimesItsRate},
		lab.Row{Case: "serve-file", Peer: "nginx", What: lab.TimesItsCPU, Note: "0.107 s of processor a GiB, nginx 0.215 s; paced"})
	var table bytes.Buffer
	if err := Seconds(&table, r); err != nil {
		t.Fatal(err)
	}
	want := "|thresh|seconds|beside it|seconds|\n|---|---|---|---|\n|`count --lines`|0.5|`wc -l`|2.5|\n" +
		"|`serve`, processor time|1.0|nginx|2.0|\n\nOn 2 processors, AMD EPYC, Linux 6.18, 14 March 2026.\n"
	if table.String() != want {
		t.Errorf("%s\nwant\n%s", table.String(), want)
	}
	r.Measurements[2].Compared.Rows[0].Note = "nothing"
	if err := Seconds(&table, r); err == nil {
		t.Error("a note without seconds is no error")
	}
}
