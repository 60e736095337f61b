package needle

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/options"
)

// product is this project's own way: the first byte that is not zero, by the public library with its
// usual options. The time is that of opening the file and the receipt's own, from the first to the last
// byte. Measuring what the wall is comes on top: it is not timed, but is among the processor time.
func product() lab.Variant {
	states := []lab.Setting{{State: lab.Warm}, {State: lab.Pieces}, {State: lab.Cold}}
	for _, n := range lab.Scale(runtime.NumCPU()) {
		states = append(states, lab.Setting{State: lab.Warm, Workers: n})
	}
	return lab.Variant{
		ID: name + "/thresh", What: "thresh find --nonzero", Product: true, Input: input, Settings: states,
		Run: runProduct,
	}
}

func runProduct(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
	found := int64(-1)
	begin := time.Now()
	in, err := thresh.Open(t.Path)
	if err != nil {
		return o, err
	}
	defer in.Close() // nothing was written
	opened := time.Since(begin)
	options := options.Find{Run: options.Run{Workers: t.Setting.Workers, Receipt: true}, Limit: 1}
	report, err := thresh.Find(ctx, in, thresh.NonZero(), options, func(hits []answer.Hit) error {
		found = hits[0].Off &^ (wordBytes - 1)
		return nil
	})
	o.Seconds, o.Bytes = opened.Seconds()+report.Receipt.Seconds, t.Bytes
	if err != nil {
		return o, err
	}
	if !report.Complete {
		return o, fmt.Errorf("search %s: %d ranges could not be read", t.Path, len(report.Unread))
	}
	o.Answer, o.Wall = strconv.FormatInt(found, 10), string(report.Receipt.Wall)
	return o, nil
}
