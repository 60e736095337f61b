package run

import (
	"context"
	"errors"
	"time"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/follow"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/search/logtime"
)

// Follow returns an input that reads a file as it grows, until ctx ends.
func Follow(ctx context.Context, name string, o follow.Options) (*Input, error) {
	f, err := follow.Open(ctx, name, o)
	if err != nil {
		return nil, err
	}
	in := &Input{file: source.FromReader(name, f), raw: true, follow: f}
	in.file.CloseWith(f)
	if file, size := f.Current(); file != nil {
		head := make([]byte, min(decompress.HeadBytes, size))
		n, _ := file.ReadAt(head, 0) // of what cannot be read no line comes
		if format, _, err := decompress.Recognise(head[:n], true); format != decompress.Plain || err != nil {
			err = errors.Join(errors.New("it is compressed, and such a file is not followed"), err)
			return nil, errors.Join(formatError(name, err), f.Close())
		}
	}
	return in, nil
}

// followFrom lets a file that is followed begin at the first line of a window, and end with it. It returns the zone of
// its times without one: what says so stands at the start of the file.
func (in *Input) followFrom(ctx context.Context, w *logtime.Window) (*time.Location, error) {
	in.follow.Until(w.To)
	file, size := in.follow.Current()
	if file == nil || w.From.IsZero() && w.Show == nil || size == 0 {
		return w.Zone, nil
	}
	f, err := source.FromOS(in.Name(), file)
	if err != nil {
		return nil, err
	}
	from := *w
	from.To = time.Time{}
	found, err := logtime.Bisect(ctx, f, source.Range{End: size}, &from, in.written())
	if err != nil && !logtime.IsUntimed(err) { // the first line with a time may come later
		return nil, err
	}
	if w.Zone != nil {
		found.Zone = w.Zone
	}
	if w.From.IsZero() {
		return found.Zone, nil
	}
	return found.Zone, in.follow.Begin(found.Off)
}
