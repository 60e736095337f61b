package tens

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/options"
)

// product is this project's own way: the public library's Count with its usual options. The time is
// that of opening the file and the receipt's own, from the first to the last byte. Measuring what the
// wall is comes on top: it is not timed, but is among the processor time.
func product() lab.Variant {
	return lab.Variant{
		ID: name + "/thresh", What: "thresh count --type i32 --eq 10", Product: true, Input: input,
		Settings: append(curve(), lab.Setting{State: lab.Cold, Workers: 1}),
		Run:      runProduct,
	}
}

func runProduct(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
	query, err := thresh.Values(thresh.ValueColumn{
		Type: "i32", Conditions: []thresh.Condition{{Op: thresh.Equal, Value: strconv.Itoa(ten)}},
	})
	if err != nil {
		return o, err
	}
	begin := time.Now()
	in, err := thresh.Open(t.Path)
	if err != nil {
		return o, err
	}
	defer in.Close() // nothing was written
	opened := time.Since(begin)
	report, err := thresh.Count(ctx, in, query, options.Scan{Run: options.Run{Workers: t.Setting.Workers, Receipt: true}})
	o.Seconds, o.Bytes = opened.Seconds()+report.Receipt.Seconds, t.Bytes
	if err != nil {
		return o, err
	}
	if !report.Complete {
		return o, fmt.Errorf("count in %s: %d ranges could not be read", t.Path, len(report.Unread))
	}
	o.Answer, o.Wall = strconv.FormatInt(report.Hits, 10), string(report.Receipt.Wall)
	return o, nil
}
