//go:build !linux

package needle

func noRing() string { return "io_uring needs Linux" }

func searchDirect(string, int) (int64, error) { return -1, nil }
