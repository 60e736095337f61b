//go:build !amd64 && !arm64

package jsonscan

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[Func] { return nil }

func vectorStringsVariants() []kernel.Variant[StringsFunc] { return nil }

func vectorLinesVariants() []kernel.Variant[LinesFunc] { return nil }
