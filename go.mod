module github.com/thresh-dev/thresh

go 1.27

toolchain go1.27.4

require golang.org/x/sys v0.49.0
