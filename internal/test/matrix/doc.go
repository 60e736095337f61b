// Package matrix has generated tests of the whole library: query × kind of input × content ×
// range × division of the work. It has no code other than tests.
//
// Each case is made from a seed, so a failure can be repeated: the message names the seed and the
// variables to set. Answers are compared with plain loops written from the definitions in the
// documentation, with Go's regexp, encoding/json and math/big, and with Python; never with the
// library's own code. The tests also list what the library offers (queries, engines, types,
// formats, aggregates) and fail if the matrix misses something.
//
//	THRESH_CASES=1000000 go test ./internal/test/matrix -run TestStreams -timeout 0
//	THRESH_CASES=10m THRESH_SEED=77 go test ./internal/test/matrix -run TestFindAndCount
//
// THRESH_CASES is the number of cases of each test, or its duration; THRESH_SEED is the seed of the
// first case.
package matrix
