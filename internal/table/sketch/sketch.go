// Package sketch estimates the number of distinct texts and the quantiles of one group, in little
// memory and with a stated error. It is only used when a user asks for an estimate by name.
//
// An estimate depends only on the data: not on its order, not on how it was split and merged, and
// not on a seed.
//
// HyperLogLog comes from a library, axiomhq/hyperloglog. This package adds the exact count of a few
// values, and an encoding. The DDSketch is our own: it needs a few lines, and the library for it,
// sketches-go, imports protobuf, whose initialization took a tenth of the time of a short run. The
// tests compare the two. t-digests (influxdata/tdigest, caio/go-tdigest) were tried and rejected:
// with 1, 2, 3 and 8 parts they gave four different answers, took 14 times the memory, and were 2 to
// 20 times slower. Here all parts give the same answer, with errors of 0.43 % and 1.4 %
// (BenchmarkQuantilesMerged, BenchmarkDistinctMerged).
package sketch
