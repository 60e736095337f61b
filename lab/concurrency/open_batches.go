package concurrency

import "github.com/thresh-dev/thresh/lab"

// openBatches is what the post recommends for small tasks, without a time: several files a task.
func openBatches() lab.Variant {
	const filesPerTask = 100
	return openVariant("go/open-batches", "open 10,000 files, a hundred a task of a thread pool", nil,
		pooled(filesPerTask))
}
