module github.com/thresh-dev/thresh

go 1.27

toolchain go1.27.4

require (
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.49.0
)
