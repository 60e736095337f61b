package donations

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/options"
)

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
func ask(ctx context.Context, in *thresh.Input, o options.Scan) (thresh.Answers, thresh.TableReport, error) {
	spec := thresh.TableSpec{
		Dialect: options.Dialect{Delim: '|'},
		Questions: []thresh.Question{
			thresh.RecordCount{},
			thresh.Records{Numbers: []int64{int64(Rows[0]), int64(Rows[1]), int64(Rows[2])}, Columns: []string{"8"}},
			thresh.Groups{Keys: "5[:6]", Aggregates: "count"},
			thresh.TopKeys{Keys: "8~, *([^, ]+)", Limit: 1},
		},
	}
	var answers thresh.Answers
	report, err := thresh.Table(ctx, in, spec, o, &answers)
	if err = errors.Join(err, in.Close()); err == nil && !report.Complete {
		err = fmt.Errorf("read %s: a part could not be read", in.Name())
	}
	return answers, report, err
}

// fromThresh makes an answer of the answers to the four questions.
func fromThresh(answers thresh.Answers) (a Answer, err error) {
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

func lastCell(row []thresh.Cell) thresh.Cell { return row[len(row)-1] }
