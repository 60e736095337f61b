module github.com/thresh-dev/thresh/internal/kernel/_gen

go 1.27

toolchain go1.27.4
