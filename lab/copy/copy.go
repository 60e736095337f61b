// Package copy reruns the published experiment about sendfile, splice and what loses them.
package copy
