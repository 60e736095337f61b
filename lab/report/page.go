package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/lab"
)

// page is what the template shows.
type page struct {
	Policy  string
	Style   template.CSS
	Script  template.JS
	Library template.JS

	Title    string
	Compared bool // several sessions
	Facts    table
	Ceilings figurePart
	Counts   []string // how many claims hold, of each session, and whether it ended early
	Claims   table
	Own      table // how this project's own rows stand
	Parts    []part
	Notices  []string // what the results have and the page does not show
	// Charts are drawn by the script, by their place in this list; Names are the flame graphs' functions.
	Charts []chart
	Names  []string
}

// part is an experiment.
type part struct {
	Name       string
	Article    lab.Article
	Method     string
	Findings   []finding
	Overview   []figurePart // over all states
	States     []statePart
	Profiles   []profilePart
	Execution  table
	NotRun     []string
	FlameNote  string
	Comparison bool
}

// finding is a claim's headline: the article's figures, ours, the verdict, and why.
type finding struct {
	lab.Claim
	lab.Verdict
	Symbol, Class string
}

// statePart is what was measured in one state.
type statePart struct {
	Heading string
	Open    bool
	Lines   []string
	Figures []figurePart
	Tables  []table
}

// figurePart is a place for a chart.
type figurePart struct {
	Chart int
	Title string
	Rows  int // for its height before it is drawn
}

// profilePart is a flame graph.
type profilePart struct {
	Title, Source string
	Figure        figurePart
	Top           table
}

// letter names a session among several.
func letter(i int) string {
	if i >= 26 {
		return letter(i/26-1) + letter(i%26)
	}
	return string(rune('A' + i))
}

func makePage(experiments []*lab.Experiment, results []lab.Results) (*page, error) {
	if len(results) == 0 {
		return nil, errNoResults
	}
	p := &page{Title: "thresh lab", Compared: len(results) > 1}
	if p.Compared {
		p.Title = "thresh lab: " + numeral.CountGrouped(len(results), "machine") + " compared"
	}
	p.Facts = factsTable(results)
	p.Ceilings = p.add(ceilingsChart(results))
	shown := measured(experiments, results)
	p.Claims, p.Counts = claimsTable(shown, results)
	p.Own = ownTable(shown, results)
	var list names
	share := 0.0
	if !p.Compared {
		var all []profiled
		for _, e := range shown {
			all = append(all, profiles(e, results[0])...)
		}
		share = leastShare(all, flameBytesMax)
	}
	for _, e := range shown {
		if p.Compared {
			p.Parts = append(p.Parts, p.comparePart(e, results))
		} else {
			p.Parts = append(p.Parts, p.singlePart(e, results[0], &list, share))
		}
	}
	p.Names = list.List
	p.Notices = notices(experiments, results)
	return p, nil
}

// measured returns the experiments that some results have a measurement of.
func measured(experiments []*lab.Experiment, results []lab.Results) []*lab.Experiment {
	var found []*lab.Experiment
	for _, e := range experiments {
		if slices.ContainsFunc(results, func(r lab.Results) bool { return len(of(e, r)) > 0 }) {
			found = append(found, e)
		}
	}
	return found
}

// of returns the variants of an experiment that results say something about.
func of(e *lab.Experiment, r lab.Results) map[string]bool {
	found := map[string]bool{}
	for i := range r.Measurements {
		if id := r.Measurements[i].Variant; has(e, id) {
			found[id] = true
		}
	}
	return found
}

// notices says which experiments were not run, and which measurements this program knows no variant of.
func notices(experiments []*lab.Experiment, results []lab.Results) []string {
	var all, missing []string
	for i, r := range results {
		session := ""
		if len(results) > 1 {
			session = letter(i) + ": "
		}
		missing = missing[:0]
		for _, e := range experiments {
			if len(of(e, r)) == 0 && !e.Aside {
				missing = append(missing, e.Name)
			}
		}
		if len(missing) > 0 {
			all = append(all, session+"not run: "+strings.Join(missing, ", "))
		}
		unknown := map[string]bool{}
		for _, m := range r.Measurements {
			if !slices.ContainsFunc(experiments, func(e *lab.Experiment) bool { return has(e, m.Variant) }) {
				unknown[m.Variant] = true
			}
		}
		if len(unknown) > 0 {
			all = append(all, session+"measured by another version of thresh lab, unknown to this one: "+
				strings.Join(sortedKeys(unknown), ", "))
		}
	}
	return all
}

// add gives a chart its place in the page; one without a value gets none.
func (p *page) add(c chart) figurePart {
	if c.empty() {
		return figurePart{Chart: -1}
	}
	rows := len(c.Categories)
	if c.Flame != nil {
		rows = c.Flame.Depth
	}
	p.Charts = append(p.Charts, c)
	return figurePart{Chart: len(p.Charts) - 1, Title: c.Title, Rows: rows}
}

func (p *page) addAll(charts ...chart) []figurePart {
	var all []figurePart
	for _, c := range charts {
		if f := p.add(c); f.Chart >= 0 {
			all = append(all, f)
		}
	}
	return all
}

func withRows(tables ...table) []table {
	return slices.DeleteFunc(tables, func(t table) bool { return len(t.Rows) == 0 })
}

func makePart(e *lab.Experiment) part {
	part := part{Name: e.Name, Article: e.Article}
	part.Method = strings.TrimSpace(e.Method.Text)
	if part.Method == "" {
		part.Method = numeral.CountGrouped(e.Method.Runs, "run") + " of each variant."
		if e.Method.Trim > 0 {
			part.Method += fmt.Sprintf(" The slowest %d and the fastest %d are left out.", e.Method.Trim, e.Method.Trim)
		}
	}
	return part
}

// singlePart shows all that one session has of an experiment.
func (p *page) singlePart(e *lab.Experiment, r lab.Results, list *names, share float64) part {
	if compares(e) {
		return p.comparedPart(e, r)
	}
	part := makePart(e)
	for _, c := range e.Claims {
		v := judge(c, e, r)
		part.Findings = append(part.Findings, finding{c, v, symbol(v.Holds), class(v.Holds)})
	}
	var boards []board
	var stateNames []string
	for _, s := range states(e, r) {
		b := makeBoard(e, r, s)
		boards, stateNames = append(boards, b), append(stateNames, string(s))
	}
	if len(boards) > 1 {
		title := "Cold and warm, " + direction(e.Metric)
		part.Overview = p.addAll(groupedChart(title, stateNames, boards))
	}
	for i, b := range boards {
		s := statePart{Heading: stateText(b.state), Open: i == 0, Lines: b.ownLines(r)}
		charts := slices.Concat([]chart{b.scoreChart()}, b.scalingCharts(), []chart{b.boxChart()}, b.costCharts())
		s.Figures = p.addAll(charts...)
		s.Tables = withRows(b.scoreTable(), b.settingsTable(), b.costTable(), b.memoryTable())
		part.States = append(part.States, s)
	}
	all := profiles(e, r)
	part.Execution = executionTable(all)
	for _, profile := range all {
		shown := profilePart{Title: profile.title(), Source: profile.source(), Figure: figurePart{Chart: -1}}
		if profile.root.samples > 0 {
			shown.Figure = p.add(list.flameChart(profile, share))
			shown.Top = profile.topTable()
		}
		part.Profiles = append(part.Profiles, shown)
	}
	if len(part.Profiles) > 0 {
		part.FlameNote = fmt.Sprintf("Frames below %g %% of the samples are left out.", 100*share)
	}
	part.NotRun = notRun(e, r)
	return part
}

// notRun returns the variants that there is no measurement of, not even one that says why.
func notRun(e *lab.Experiment, results ...lab.Results) []string {
	var ids []string
	for _, v := range e.Variants {
		if !slices.ContainsFunc(results, func(r lab.Results) bool { return of(e, r)[v.ID] }) {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

// factsTable describes the machines: a row for each fact, a column for each machine.
func factsTable(results []lab.Results) table {
	t := table{Caption: "Machine", Class: "facts", Columns: []column{{"", false}}}
	if len(results) > 1 {
		t.Caption = "Machines"
	}
	facts := []struct {
		name string
		of   func(lab.Machine) string
	}{
		{"Processor", func(m lab.Machine) string { return m.Processor }},
		{"Processors", func(m lab.Machine) string { return strconv.Itoa(m.Processors) }},
		{"Instruction sets", func(m lab.Machine) string { return strings.Join(m.Features, ", ") }},
		{"Memory", func(m lab.Machine) string { return size(float64(m.MemoryBytes)) }},
		{"Kernel", func(m lab.Machine) string { return m.Kernel }},
		{"File system", func(m lab.Machine) string { return m.FileSystem }},
		{"Go", func(m lab.Machine) string { return m.GoVersion }},
		{"Measured", func(m lab.Machine) string { return day(m.Date) }},
	}
	for _, name := range sortedKeys(union(results, func(m lab.Machine) map[string]float64 { return m.Limits })) {
		facts = append(facts, struct {
			name string
			of   func(lab.Machine) string
		}{"Limit: " + limitName(name), func(m lab.Machine) string { return limitText(name, m.Limits) }})
	}
	for _, name := range sortedKeys(union(results, func(m lab.Machine) map[string]string { return m.Programs })) {
		facts = append(facts, struct {
			name string
			of   func(lab.Machine) string
		}{"Program: " + name, func(m lab.Machine) string { return m.Programs[name] }})
	}
	for i := range results {
		name := "this machine"
		if len(results) > 1 {
			name = letter(i)
		}
		t.Columns = append(t.Columns, column{name, false})
	}
	for _, f := range facts {
		row := tableRow{Cells: []cell{text(f.name)}}
		for _, r := range results {
			row.Cells = append(row.Cells, text(f.of(r.Machine)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// union returns the keys of all machines' maps.
func union[V any](results []lab.Results, of func(lab.Machine) map[string]V) map[string]bool {
	all := map[string]bool{}
	for _, r := range results {
		for k := range of(r.Machine) {
			all[k] = true
		}
	}
	return all
}

// Limits are rates in bytes a second, and times in nanoseconds if their names end so.
const nanoseconds = "_ns"

func limitName(name string) string {
	return strings.ReplaceAll(strings.TrimSuffix(name, nanoseconds), "_", " ")
}

func limitText(name string, limits map[string]float64) string {
	v, known := limits[name]
	switch {
	case !known:
		return ""
	case strings.HasSuffix(name, nanoseconds):
		return number(v) + " ns"
	}
	return number(v/1e9) + " GB/s"
}

// ceilingsChart has the rates that the machines can reach.
func ceilingsChart(results []lab.Results) chart {
	c := chart{Kind: "bars", Title: "Ceilings, GB/s", Unit: "GB/s"}
	for i := range results {
		name := "here"
		if len(results) > 1 {
			name = letter(i)
		}
		c.Series = append(c.Series, series{Name: name})
	}
	for _, name := range sortedKeys(union(results, func(m lab.Machine) map[string]float64 { return m.Limits })) {
		if strings.HasSuffix(name, nanoseconds) {
			continue
		}
		c.Categories = append(c.Categories, limitName(name))
		for i, r := range results {
			rate := r.Machine.Limits[name] / 1e9
			c.Series[i].Points = append(c.Series[i].Points, positive(rate, number(rate)+" GB/s"))
		}
	}
	return c.scale()
}
