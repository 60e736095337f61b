package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/thresh-dev/thresh/lab"
)

// table is what both the page and the Markdown show: text, and values to sort by.
type table struct {
	Caption string
	Class   string
	Columns []column
	Rows    []tableRow
}

type column struct {
	Name    string
	Numeric bool // sorted by value, and aligned to the right
}

type tableRow struct {
	ID    string // of the element in the page
	Class string
	Cells []cell
}

// cell is a field of a table; all parts but Text are optional.
type cell struct {
	Text    string
	Sort    string // the value of a numeric cell
	Verdict lab.Holds
	Small   string
	List    []string
	Parts   []lab.Part // of a bar
}

func (c cell) empty() bool {
	return c.Text == "" && c.Verdict == "" && c.Small == "" && len(c.List) == 0
}

// Symbol and VerdictClass are how a verdict is shown.
func (c cell) Symbol() string { return symbol(c.Verdict) }

// VerdictClass is the style of the verdict.
func (c cell) VerdictClass() string { return class(c.Verdict) }

// Widths are the widths of the parts of the bar, in percent.
func (c cell) Widths() (all []string) {
	for _, p := range c.Parts {
		all = append(all, fmt.Sprintf("%.1f%%", 100*p.Share))
	}
	return all
}

// Long says that a cell needs a wide column.
func (c cell) Long() bool { return len(c.Text) > 30 || len(c.List) > 0 }

func text(s string) cell { return cell{Text: s} }

// value is a cell with a number, empty for what is not one.
func value(v float64) cell {
	if !finite(v) {
		return cell{}
	}
	return cell{Text: number(v), Sort: strconv.FormatFloat(v, 'g', -1, 64)}
}

// some is value, empty for 0.
func some(v float64) cell {
	if v == 0 {
		return cell{}
	}
	return value(v)
}

// times is a cell with a ratio, empty for 0.
func times(v float64) cell {
	c := some(v)
	if c.Text != "" {
		c.Text += "×"
	}
	return c
}

// sizeOf is a cell with a size.
func sizeOf(v float64) cell {
	return cell{Text: size(v), Sort: strconv.FormatFloat(v, 'g', -1, 64)}
}

// compact removes the columns in which every cell is empty, but the first.
func (t table) compact() table {
	for i := len(t.Columns) - 1; i > 0; i-- {
		if !slices.ContainsFunc(t.Rows, func(r tableRow) bool { return !r.Cells[i].empty() }) {
			t.Columns = slices.Delete(slices.Clone(t.Columns), i, i+1)
			for j := range t.Rows {
				t.Rows[j].Cells = slices.Delete(t.Rows[j].Cells, i, i+1)
			}
		}
	}
	return t
}

// scoreTable has the rows of a board, each with its best figure.
func (b board) scoreTable() table {
	unit := b.experiment.Metric.Unit
	t := table{Caption: "Scoreboard: each variant at its best", Columns: []column{
		{"variant", false}, {unit, true}, {"lowest to highest", true}, {"deviation", true}, {"runs", true}, {"at", false},
		{"article", true}, {"here ÷ article", true}, {"times the first", true}, {"limit", false}, {"notes", false},
	}}
	for _, r := range b.rows {
		cells := []cell{{Text: r.fullName(), Small: r.variant.What}}
		var at, limit string
		if r.best == nil {
			cells = append(cells, make([]cell, spreadColumns)...)
		} else {
			cells = append(cells, spreadCells(b.experiment, r.best, r.figure)...)
			at, limit = scaleText(r.best.Setting), r.best.Wall()
		}
		cells = append(cells, text(at))
		if p := r.published; p == nil {
			cells = append(cells, cell{}, cell{})
		} else {
			ratio := 0.0
			if r.best != nil && p.Value != 0 {
				ratio = r.figure.Value / p.Value
			}
			article := value(p.Value)
			article.Small = join(p.Text, scaleText(p.Setting))
			cells = append(cells, article, times(ratio))
		}
		cells = append(cells, times(b.speedUp(r)), text(limit), text(r.note))
		t.Rows = append(t.Rows, tableRow{Class: r.class(), Cells: cells})
	}
	return t.compact()
}

const spreadColumns = 4

// spreadCells are the cells of a figure: value, lowest to highest, deviation of all runs, runs counted.
func spreadCells(e *lab.Experiment, m *lab.Measurement, s lab.Spread) []cell {
	return []cell{
		value(s.Value), rangeOf(s), some(lab.Deviation(figures(e, m))), value(float64(s.Runs)),
	}
}

// rangeOf is a cell with the lowest and the highest, sorted by how far they are apart.
func rangeOf(s lab.Spread) cell {
	if s.Runs < 2 {
		return cell{}
	}
	c := value(s.High / s.Low)
	c.Text = number(s.Low) + " to " + number(s.High)
	return c
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// fullName is the variant's ID, and the size if it has one.
func (r row) fullName() string {
	if r.n != 0 {
		return r.variant.ID + ", " + sizeText(r.n)
	}
	return r.variant.ID
}

// class is the style of a row.
func (r row) class() string {
	switch {
	case r.wrong:
		return "wrong"
	case r.best == nil:
		return "skipped"
	case r.variant.Product:
		return "product"
	case r.variant.Peer:
		return "peer"
	}
	return ""
}

// settingsTable has every measurement of a board; it is empty if the scoreboard has them all.
func (b board) settingsTable() table {
	t := table{Caption: "Every number of workers and processors", Columns: []column{
		{"variant", false}, {"workers", true}, {"processors", true}, {"n", true}, {b.experiment.Metric.Unit, true},
		{"lowest to highest", true}, {"deviation", true}, {"runs", true}, {"notes", false},
	}}
	if len(b.all) == len(b.rows) {
		return t
	}
	for _, m := range b.all {
		s := m.Setting
		cells := []cell{
			text(m.Variant), some(float64(s.Workers)), some(float64(s.Procs)), some(float64(s.N)),
		}
		class := ""
		if f, ok := figure(b.experiment, m); ok {
			cells = append(cells, spreadCells(b.experiment, m, f)...)
		} else {
			cells, class = append(cells, make([]cell, spreadColumns)...), "skipped"
		}
		if m.Wrong != "" {
			class = "wrong"
		}
		t.Rows = append(t.Rows, tableRow{Class: class, Cells: append(cells, text(trouble(b.experiment, m)))})
	}
	return t.compact()
}

// costTable has what the runs of a board cost besides time: for each GiB where the runs say how many bytes
// they went through, otherwise for each run.
func (b board) costTable() table {
	t := table{Caption: "What the best runs cost", Columns: columns("variant|for each|#user seconds|#system seconds|" +
		"#reads and writes|#minor faults|#major faults|#faults of a mapping, a GiB|also counted")}
	for _, r := range b.rows {
		if r.best == nil {
			continue
		}
		c := costOf(r.best)
		t.Rows = append(t.Rows, tableRow{Class: r.class(), Cells: []cell{
			text(r.fullName()), text(c.per), some(c.user), some(c.system), some(c.calls), some(c.minor), some(c.major),
			some(r.best.FaultsPerGiB), {List: c.extra},
		}})
	}
	if t = t.compact(); len(t.Columns) <= 2 {
		t.Rows = nil
	}
	return t
}

// memoryTable has what the runtime said about memory, as the mean of the runs.
func (b board) memoryTable() table {
	t := table{Caption: "Memory of the best runs, by the Go runtime", Columns: []column{
		{"variant", false}, {b.experiment.Metric.Unit, true}, {"allocated in all", true},
		{"in use at the end", true}, {"from the system", true}, {"collections", true},
	}}
	for _, r := range b.rows {
		if r.best == nil {
			continue
		}
		total, inUse, system, collections, runs := 0.0, 0.0, 0.0, 0.0, 0.0
		for _, o := range r.best.Outcomes {
			if m := o.Memory; m != nil {
				total, inUse = total+float64(m.TotalAllocBytes), inUse+float64(m.AllocBytes)
				system, collections = system+float64(m.SysBytes), collections+float64(m.Collections)
				runs++
			}
		}
		if runs > 0 {
			t.Rows = append(t.Rows, tableRow{Class: r.class(), Cells: []cell{
				text(r.fullName()), value(r.figure.Value), sizeOf(total / runs), sizeOf(inUse / runs),
				sizeOf(system / runs), value(collections / runs),
			}})
		}
	}
	return t
}

// cost is what a run cost, the mean of a measurement's runs, for each GiB or each run.
type cost struct {
	per                               string
	user, system, calls, minor, major float64
	extra                             []string // never divided
}

func costOf(m *lab.Measurement) cost {
	c := cost{per: "GiB"}
	total, count := map[string]float64{}, map[string]float64{}
	for _, o := range m.Outcomes {
		if o.Bytes <= 0 {
			c.per = "run"
		}
	}
	for _, o := range m.Outcomes {
		part := 1 / float64(len(m.Outcomes))
		if c.per == "GiB" {
			part *= gib / float64(o.Bytes)
		}
		c.user += part * o.UserSeconds
		c.system += part * o.SystemSeconds
		c.calls += part * float64(o.Calls)
		c.minor += part * float64(o.MinorFaults)
		c.major += part * float64(o.MajorFaults)
		for name, v := range o.Extra {
			total[name] += v
			count[name]++
		}
	}
	for _, name := range sortedKeys(total) {
		c.extra = append(c.extra, fmt.Sprintf("%s: %s", name, number(total[name]/count[name])))
	}
	return c
}
