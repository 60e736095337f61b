package thresh

import (
	"context"
	"errors"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/options"
)

// CompareFolders calls visit with the names at which two folders of this machine, and all folders below them, differ,
// in the order of the names: those of a folder by their bytes, and what is in a folder where its name stands. One
// goroutine at a time calls visit, which must not be nil and must not keep the slice. An error that it returns ends the
// comparison and is returned.
//
// A and b may be symbolic links to folders. Links below them are compared, and not followed; devices, FIFOs and sockets
// are compared by what they are, and never opened. Files of different sizes are not read, nor are two names of one
// file; files with several names are compared once. Compressed files are compared as they are.
//
// What could not be read is among the differences, as answer.NotCompared, and the comparison is then neither Equal nor
// Complete. A name that disappears meanwhile counts as missing where it is missing. After a cancelled context the error
// is that of the context, and the comparison holds what was found until then.
func CompareFolders(ctx context.Context, a, b string, o options.CompareFolders,
	visit func([]answer.FolderDifference) error) (answer.FolderComparison, error) {
	if err := required("ctx", ctx, "visit", visit); err != nil {
		return answer.FolderComparison{}, err
	}
	return run.CompareFolders(ctx, a, b, o, visit)
}

// FolderDifferences returns the names at which two folders differ, as CompareFolders finds them. Leaving the loop
// ends the comparison. The error that ended it, if any, comes last, with the zero FolderDifference; what could not be
// read is among the differences.
func FolderDifferences(ctx context.Context, a, b string,
	o options.CompareFolders) iter.Seq2[answer.FolderDifference, error] {
	return func(yield func(answer.FolderDifference, error) bool) {
		_, err := CompareFolders(ctx, a, b, o, func(found []answer.FolderDifference) error {
			for _, d := range found {
				if !yield(d, nil) {
					return errLeft
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errLeft) {
			yield(answer.FolderDifference{}, err)
		}
	}
}
