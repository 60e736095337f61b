// Package httpsem decides what a request is answered with: conditions, ranges, encodings.
// It is pure: headers in, decision out.
package httpsem
