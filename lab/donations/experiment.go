package donations

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/options"
)

// articleLines is how many lines the article's file has. Figures are for as many lines, so that they
// can be compared with the article's whatever the size of the file.
const articleLines = 18_245_416

// input is the name of the only input.
const input = "file"

// Experiment returns the article's variants and claims.
func Experiment() *lab.Experiment {
	e := &lab.Experiment{
		Name: "donations",
		Article: lab.Article{
			Title:   "Processing Large Files - Java, Go and 'hitting the wall'",
			Author:  "Marcel Lanz",
			URL:     "https://marcellanz.com/post/file-read-challenge/",
			Machine: "MacBook Pro of 2017, i7-7920HQ (4 cores, 8 threads), macOS, Go 1.12, OpenJDK 11.0.2",
		},
		Method: lab.Method{
			Runs: 20,
			Text: "20 runs; the minimum, as in the article, and mean and standard deviation; the file in the page cache",
		},
		Metric: lab.Metric{Unit: "s for 18.2 million lines", Of: secondsOfArticle},
		Bytes:  500_000_000,
		Inputs: []lab.Input{{Name: input, Share: 1, Version: 1, Write: write}},
		Claims: append(claims(), exercises()...),
	}
	e.Variants = append(e.Variants, javas()...)
	for _, r := range Revisions() {
		e.Variants = append(e.Variants, r.variant())
	}
	e.Variants = append(e.Variants, product())
	e.Variants = append(e.Variants, peers()...)
	return e
}

// secondsOfArticle returns how long the article's file would take at the speed of a run.
func secondsOfArticle(o lab.Outcome) float64 { return o.Seconds / float64(o.Items) * articleLines }

func warm(procs int) lab.Setting { return lab.Setting{State: lab.Warm, Procs: procs} }

func (r Revision) variant() lab.Variant {
	v := lab.Variant{
		ID: "donations/" + r.ID, What: r.What, Work: r.by.work(), Input: input, Share: r.share, WantOf: r.by.want,
		Settings: []lab.Setting{warm(r.procs)}, Run: r.run, Missing: nothingMissing,
	}
	if r.published > 0 {
		v.Published = []lab.Published{{Value: r.published, Setting: warm(r.procs), Text: "the minimum of 20 runs"}}
	}
	if r.procs > 0 {
		v.Missing = func() string { return fewerProcessors(r.procs, runtime.NumCPU()) }
	}
	return v
}

func nothingMissing() string { return "" }

func fewerProcessors(need, have int) string {
	if have < need {
		return fmt.Sprintf("this machine has fewer than %d processors", need)
	}
	return ""
}

func (r Revision) run(_ context.Context, t lab.Task) (lab.Outcome, error) {
	before := readMemory()
	begin := time.Now()
	a, err := r.Answer(t.Path)
	seconds := time.Since(begin).Seconds()
	after := readMemory()
	if err != nil {
		return lab.Outcome{}, err
	}
	after.TotalAllocBytes -= before.TotalAllocBytes
	after.Collections -= before.Collections
	return lab.Outcome{
		Seconds: seconds, Bytes: t.Bytes, Items: a.Lines, Memory: &after, Answer: a.text(r.by),
	}, nil
}

// readMemory returns what the runtime says about memory, the figures that the article shows.
func readMemory() lab.Memory {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return lab.Memory{TotalAllocBytes: m.TotalAlloc, AllocBytes: m.Alloc, SysBytes: m.Sys, Collections: m.NumGC}
}

// product returns this project's way: the four questions in one pass over the table.
func product() lab.Variant {
	return lab.Variant{
		ID: "donations/thresh", What: "the four questions to thresh table, in one pass", Product: true,
		Work: byQuestion.work(), Input: input, Settings: []lab.Setting{warm(0)}, WantOf: byQuestion.want,
		Missing: nothingMissing, Run: runProduct,
	}
}

// runProduct times what the user waits for: opening the file and asking. What the receipt's wall takes to
// find is no part of it.
func runProduct(ctx context.Context, t lab.Task) (lab.Outcome, error) {
	begin := time.Now()
	in, err := thresh.Open(t.Path)
	if err != nil {
		return lab.Outcome{}, err
	}
	opened := time.Since(begin)
	answers, report, err := ask(ctx, in, options.Scan{Run: options.Run{Workers: t.Setting.Workers, Receipt: true}})
	if err != nil {
		return lab.Outcome{}, err
	}
	a, err := fromThresh(answers)
	if err != nil {
		return lab.Outcome{}, err
	}
	return lab.Outcome{Seconds: opened.Seconds() + report.Receipt.Seconds, Bytes: t.Bytes, Items: a.Lines,
		Answer: a.text(byQuestion), Wall: string(report.Receipt.Wall)}, nil
}

// ask asks the four questions, and closes in.
func ask(ctx context.Context, in *thresh.Input, o options.Scan) (answer.Tables, answer.TableReport, error) {
	spec := thresh.TableSpec{
		Dialect: options.Dialect{Delim: '|'},
		Questions: []thresh.Question{
			thresh.RecordCount{},
			thresh.Records{Numbers: []int64{int64(Rows[0]), int64(Rows[1]), int64(Rows[2])}, Columns: []string{"8"}},
			thresh.Groups{Keys: "5[:6]", Aggregates: "count"},
			thresh.TopKeys{Keys: "8~, *([^, ]+)", Limit: 1},
		},
	}
	var answers answer.Tables
	report, err := thresh.Table(ctx, in, spec, o, &answers)
	if err = errors.Join(err, in.Close()); err == nil && !report.Complete {
		err = fmt.Errorf("read %s: a part could not be read", in.Name())
	}
	return answers, report, err
}

// fromThresh makes an answer of the answers to the four questions.
func fromThresh(answers answer.Tables) (a Answer, err error) {
	if len(answers) != 4 || len(answers[0].Rows) != 1 || len(answers[1].Rows) > len(a.Names) || len(answers[3].Rows) > 1 {
		return a, fmt.Errorf("%d answers do not match the four questions", len(answers))
	}
	a.Lines = lastCell(answers[0].Rows[0]).Int
	for i, row := range answers[1].Rows {
		a.Names[i] = strings.TrimSpace(string(lastCell(row).Text))
	}
	a.Months = map[string]int64{}
	for _, row := range answers[2].Rows {
		a.Months[string(row[0].Text)] = lastCell(row).Int
	}
	for _, row := range answers[3].Rows {
		a.First, a.FirstCount = string(row[0].Text), lastCell(row).Int
	}
	return a, nil
}

func lastCell(row []answer.Cell) answer.Cell { return row[len(row)-1] }
