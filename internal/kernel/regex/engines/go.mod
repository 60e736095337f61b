module github.com/thresh-dev/thresh/internal/kernel/regex/engines

go 1.27

toolchain go1.27.4

require (
	github.com/coregx/coregex v0.12.20
	github.com/grafana/regexp v0.0.0-20250905101755-5eb4f3acbf71
	github.com/wasilibs/go-re2 v1.13.0
)

require (
	github.com/coregx/ahocorasick v0.2.1 // indirect
	golang.org/x/sys v0.48.0 // indirect
)
