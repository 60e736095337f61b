package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// oneCase returns results of one case, with the ratios of its rounds.
func oneCase(name string, ratios ...float64) lab.Results {
	return cases(lab.Row{Case: name, Peer: name, What: lab.TimesItsRate, Number: lab.Summarize(ratios), Note: "of a log"})
}

// cases returns results of comparisons with these rows.
func cases(rows ...lab.Row) lab.Results {
	r := lab.Results{Machine: lab.Machine{Processor: "AMD EPYC", Processors: 2, Kernel: "Linux 6.18", Date: "2026-03-14T09:26:53Z"}}
	for _, row := range rows {
		r.Measurements = append(r.Measurements, lab.Measurement{Variant: "peers/" + row.Case, Compared: &lab.Compared{Rows: []lab.Row{row}}})
	}
	return r
}

// joined puts the measurements of results together.
func joined(all ...lab.Results) (r lab.Results) {
	for _, one := range all {
		r.Machine, r.Measurements = one.Machine, append(r.Measurements, one.Measurements...)
	}
	return r
}

func TestDiff(t *testing.T) {
	small := func(values ...float64) lab.Results {
		return cases(lab.Row{Case: "small", Peer: "grep", What: lab.TimesItsTime, Number: lab.Summarize(values)})
	}
	a := joined(oneCase("cmp", 8, 7, 9), oneCase("lines", 4, 3, 5), small(2, 2.2), oneCase("hex", 1))
	b := joined(oneCase("cmp", 4, 4.5, 5), oneCase("lines", 4.1, 3, 5), small(1, 1.1), oneCase("tree", 1))
	var text bytes.Buffer
	if err := Diff(&text, a, b); err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(text.String()) {
		fields := strings.Join(strings.Fields(line), " ")
		for _, want := range []string{
			"cmp cmp times its rate 8.00 7.00..9.00 4.50 4.00..5.00 0.56 0.44..0.71 WORSE",
			"lines lines times its rate 4.00 3.00..5.00 4.10 3.00..5.00 1.02 0.60..1.67",
			"small grep times its time 2.10 2.00..2.20 1.05 1.00..1.10 0.50 0.45..0.55 better",
			"only in A: hex, hex", "only in B: tree, tree",
		} {
			if fields == want {
				found++
			}
		}
	}
	if found != 5 {
		t.Errorf("%d of 5 lines in\n%s", found, text.String())
	}
}

// TestRatios draws two headlines, one of them turned around, as well-formed XML.
func TestRatios(t *testing.T) {
	r := joined(oneCase("cmp", 8, 7, 9), cases(lab.Row{Case: "small", Peer: "grep -c", What: lab.TimesItsTime, Number: lab.Summarize([]float64{2, 4})}))
	var svg bytes.Buffer
	if err := Ratios(&svg, r); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(bytes.NewReader(svg.Bytes()))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg.String())
		}
	}
	for _, want := range []string{"8.00 (7.00 to 9.00, 3 rounds)", "0.33 (0.25 to 0.50, 2 rounds)", "prefers-color-scheme: dark"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("no %q in\n%s", want, svg.String())
		}
	}
	if err := Ratios(io.Discard, oneCase("unknown", 1)); err == nil {
		t.Error("no error for a report without headlines")
	}
}

// TestRates draws the rates of a case once beside those of its peers, as well-formed XML.
func TestRates(t *testing.T) {
	r := cases(
		lab.Row{Case: "table-donations", Peer: "DuckDB", ThreshRate: 4, PeerRate: 0.5},
		lab.Row{Case: "table-donations", Peer: "Polars", ThreshRate: 4, PeerRate: 0.25},
		lab.Row{Case: "literal", Peer: "rg", ThreshRate: 12.34, PeerRate: 10},
		lab.Row{Case: "small", Peer: "grep -c"},                // has no rates
		lab.Row{Case: "unknown", ThreshRate: 99, PeerRate: 99}, // is no headline
	)
	if got := rateGroups(r); len(got) != 2 || len(got[0].sides) != 2 || len(got[1].sides) != 3 || got[1].sides[2] != (rateSide{"Polars", 0.25}) {
		t.Fatalf("%+v", got)
	}
	var svg bytes.Buffer
	if err := Rates(&svg, r); err != nil {
		t.Fatal(err)
	}
	var bars []string
	decoder := xml.NewDecoder(bytes.NewReader(svg.Bytes()))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg.String())
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			bars = append(bars, e.Attr[2].Value)
		}
	}
	// 400 pixels are the greatest rate.
	if want := "400.0 324.1 129.7 16.2 8.1"; strings.Join(bars, " ") != want {
		t.Errorf("bars %v, want %s", bars, want)
	}
	if !strings.Contains(svg.String(), ">12.3<") || !strings.Contains(svg.String(), ">0.25<") {
		t.Errorf("figures are missing in\n%s", svg.String())
	}
	if err := Rates(io.Discard, oneCase("cmp", 1)); err == nil {
		t.Error("no error for a report without rates")
	}
}

// TestCompared writes rows with their verdicts, and what is to be known about them.
func TestCompared(t *testing.T) {
	e := &lab.Experiment{Name: "peers"}
	for _, name := range []string{"warm", "memory", "cold", "choice"} {
		e.Variants = append(e.Variants, lab.Variant{ID: "peers/" + name,
			Compare: func(context.Context, lab.Comparison) (lab.Compared, error) { return lab.Compared{}, nil }})
	}
	five := func(median float64) lab.Summary { return lab.Summary{Median: median, Low: 1.5, High: 2, Rounds: 5} }
	situation := &lab.Situation{Lie: "cold", Bytes: 250_000, Files: 10, Asks: []string{"a", "a", "b"}, Best: "mmap", Ratio: five(1.04),
		Ways: []lab.Way{{Name: "auto", Total: five(2), Laps: []lab.Summary{five(2)}, After: []float64{0.5}}, {Name: "mmap", Total: five(1.9)},
			{Name: "uring", Not: "engine uring cannot read | it"}}}
	spent := lab.Spent{Wall: "memory, 95 %", Parts: []lab.Part{{Name: "memory", Share: 0.953}, {Name: "copying", Share: 0.047}}}
	r := lab.Results{Quick: true, Measurements: []lab.Measurement{
		{Variant: "peers/warm", OthersShare: 0.17, HostShare: 0.1, Compared: &lab.Compared{Rows: []lab.Row{
			{Case: "warm", Peer: "v13", What: lab.TimesItsRate, Number: five(1.75), Target: lab.AtLeast(1.5), ThreshRate: 42, PeerRate: 24, Spent: spent},
			{Case: "warm", Peer: "v03", What: lab.TimesItsRate, Number: five(9), Spent: spent, Note: "a note"}}, Missing: []string{"v11: no AVX2"}}},
		{Variant: "peers/memory", Compared: &lab.Compared{Rows: []lab.Row{
			{Case: "memory", Peer: "limit", What: lab.OwnMiB, Number: lab.Summarize([]float64{70}), Target: lab.AtMost(64)}}}},
		{Variant: "peers/cold", Skipped: "fio is not installed"},
		{Variant: "peers/choice", Compared: &lab.Compared{Situation: situation}},
	}}
	var text, page, md bytes.Buffer
	err := errors.Join(Compared(&text, e, r), HTML(&page, []*lab.Experiment{e}, []lab.Results{r}), Peers(&md, []*lab.Experiment{e}, r))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1.75", "1.50..2.00", ">= 1.5", "met", "42.00", "info", "MISSED", "wall warm: memory, 95 %", "note warm, v03: a note",
		"skipped cold: fio", "skipped warm: v11: no AVX2", "disturbed warm: others used 17 % of the processors, 59 % of them the host",
		"not to quote", "in all: 1 met, 1 MISSED, 1 info, 1 right", "10 files, 250 kB cold", "2 times a, b", "not measured: engine uring",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Count(text.String(), "wall warm") != 1 {
		t.Errorf("the wall of a case must be printed once:\n%s", text.String())
	}
	if bar := `<i style="width: 95.3%"></i><i style="width: 4.7%"></i>`; strings.Count(page.String(), bar) != 2 {
		t.Errorf("not two bars %s in\n%s", bar, page.String())
	}
	for name, out := range map[string]string{"page": page.String(), "Markdown": md.String()} {
		for _, want := range []string{"v13", "MISSED", "choice", "uring"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
	}
}
