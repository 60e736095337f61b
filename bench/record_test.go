package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// oneCase returns a report of one case, with the ratios of its rounds.
func oneCase(name string, ratios ...float64) *report {
	r := &report{
		Date: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC), Size: 4 << 30,
		Machine: map[string]string{"model": "AMD EPYC 9B14 96-Core Processor", "processors": "2", "kernel": "Linux 6.18"},
		Peers:   map[string]string{"rg": "ripgrep 15.2.0", "thresh": "thresh v0.1.0"},
	}
	r.Rows = []row{row{
		Case: name, Peer: name, What: timesItsRate, Number: summarize(ratios), Note: "of /home/someone/data/log",
	}.judge()}
	return r
}

// TestRecord makes a record in two parts, and a case of it anew.
func TestRecord(t *testing.T) {
	folder := t.TempDir()
	hide := map[string]string{"/home/someone": "~", "/home/someone/data": "DATA"}
	for _, r := range []*report{oneCase("cmp", 8, 7, 9), oneCase("lines", 4), oneCase("cmp", 6, 5)} {
		path, err := r.record(folder, "epyc", hide)
		if err != nil || path != filepath.Join(folder, "2026-03-14-epyc") {
			t.Fatalf("recorded in %q, error %v", path, err)
		}
	}
	r, err := loadReport(filepath.Join(folder, "2026-03-14-epyc"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2 || r.Rows[0].Case != "lines" || !r.Rows[1].Number.same(summary{5.5, 5, 6, 2, nil}) || len(r.Rows[1].Number.Values) != 2 {
		t.Errorf("rows %+v", r.Rows)
	}
	for _, file := range []string{recordFile, "README.md"} {
		text, err := os.ReadFile(filepath.Join(folder, "2026-03-14-epyc", file))
		if err != nil || strings.Contains(string(text), "someone") || !strings.Contains(string(text), "DATA/log") {
			t.Errorf("%s: error %v\n%s", file, err, text)
		}
	}
	other := oneCase("cmp", 1)
	other.Machine["processors"] = "64"
	if _, err := other.record(folder, "epyc", nil); err == nil || !strings.Contains(err.Error(), `processors "2"`) {
		t.Errorf("error %v for a record of two machines", err)
	}
}

func TestShortName(t *testing.T) {
	for model, want := range map[string]string{
		"AMD EPYC 9B14 96-Core Processor":               "epyc-9b14-2",
		"Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz": "xeon-platinum-8481c-2",
		"AMD EPYC":                                       "epyc-2",
		"12th Gen Intel(R) Core(TM) i7-1260P":            "core-i7-1260p-2",
		"AMD Ryzen 9 7950X 16-Core Processor with thing": "ryzen-9-7950x-2",
		"": "arm64-2",
	} {
		got := shortName(model, "arm64", "2")
		if got != want {
			t.Errorf("%q is %q, want %q", model, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	a, b := oneCase("cmp", 8, 7, 9), oneCase("cmp", 4, 4.5, 5)
	a.Rows = append(a.Rows, oneCase("lines", 4, 3, 5).Rows...)
	b.Rows = append(b.Rows, oneCase("lines", 4.1, 3, 5).Rows...)
	small := row{Case: "small", Peer: "grep", What: timesItsTime}
	small.Number = summarize([]float64{2, 2.2})
	a.Rows = append(a.Rows, small)
	small.Number = summarize([]float64{1, 1.1})
	b.Rows = append(b.Rows, small)
	a.Rows = append(a.Rows, oneCase("hex", 1).Rows...)
	b.Rows = append(b.Rows, oneCase("tree", 1).Rows...)
	var text bytes.Buffer
	if err := diff(&text, a, b); err != nil {
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

// TestPlot draws two headlines, one of them turned around, as well-formed XML.
func TestPlot(t *testing.T) {
	r := oneCase("cmp", 8, 7, 9)
	r.Rows = append(r.Rows, row{Case: "small", Peer: "grep -c", What: timesItsTime, Number: summarize([]float64{2, 4})})
	var svg bytes.Buffer
	if err := plot(&svg, r); err != nil {
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
	if err := plot(io.Discard, oneCase("unknown", 1)); err == nil {
		t.Error("no error for a report without headlines")
	}
}

// TestPlotRates draws the rates of a case once beside those of its peers, as well-formed XML.
func TestPlotRates(t *testing.T) {
	r := oneCase("literal", 8)
	r.Rows = []row{
		{Case: "table-donations", Peer: "DuckDB", ThreshRate: 4, PeerRate: 0.5},
		{Case: "table-donations", Peer: "Polars", ThreshRate: 4, PeerRate: 0.25},
		{Case: "literal", Peer: "rg", ThreshRate: 12.34, PeerRate: 10},
		{Case: "small", Peer: "grep -c"},                // has no rates
		{Case: "unknown", ThreshRate: 99, PeerRate: 99}, // is no headline
	}
	if got := rateGroups(r); len(got) != 2 || len(got[0].sides) != 2 || len(got[1].sides) != 3 || got[1].sides[2] != (rateSide{"Polars", 0.25}) {
		t.Fatalf("%+v", got)
	}
	var svg bytes.Buffer
	if err := plotRates(&svg, r); err != nil {
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
	if err := plotRates(io.Discard, oneCase("cmp", 1)); err == nil {
		t.Error("no error for a report without rates")
	}
}

// TestTools: usage errors do not start a run.
func TestTools(t *testing.T) {
	for _, args := range [][]string{{"compare"}, {"compare", "a"}, {"compare", "a", "b"}, {"plot"}, {"plot", "missing"}} {
		if ran, err := tool(args, io.Discard); !ran || err == nil {
			t.Errorf("%v: ran %v, error %v", args, ran, err)
		}
	}
	if ran, _ := tool([]string{"--only", "cmp"}, io.Discard); ran {
		t.Error("flags are for a run")
	}
}
