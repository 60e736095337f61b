package gen

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// wheel picks a random index by weight, with Vose's variant of the alias method: each of n equal
// slots belongs to its own index below a cut, and to one other index above it.
type wheel struct{ cut, other []uint32 }

func newWheel(weights []float64) wheel {
	n := len(weights)
	w := wheel{make([]uint32, n), make([]uint32, n)}
	var sum float64
	for _, v := range weights {
		sum += v
	}
	scaled := make([]float64, n)
	var small, large []int
	for i, v := range weights {
		scaled[i] = v * float64(n) / sum
		w.cut[i], w.other[i] = math.MaxUint32, uint32(i)
		if scaled[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		w.cut[s], w.other[s] = uint32(scaled[s]*math.MaxUint32), uint32(l)
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			large, small = large[:len(large)-1], append(small, l)
		}
	}
	return w
}

func (w *wheel) pick(d *dice) int {
	slot, rest := bits.Mul64(d.Uint64(), uint64(len(w.cut)))
	if uint32(rest>>32) > w.cut[slot] {
		return int(w.other[slot])
	}
	return int(slot)
}

// texts are texts with weights.
type texts struct {
	text    []string
	weights []float64
	wheel   wheel
}

// parseTexts parses lines of a weight, a space and a text. It appends the texts of more, whose weights
// follow the Zipf-Mandelbrot law: the k-th is proportional to 1/(k+shift)^slope, and their sum is rest.
func parseTexts(list string, more []string, rest, shift, slope float64) *texts {
	t := new(texts)
	for line := range strings.Lines(strings.TrimLeft(list, "\n")) {
		number, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		weight, err := strconv.ParseFloat(number, 64)
		if err != nil {
			panic(fmt.Sprintf("gen: bug: the list of texts has a line %q", line))
		}
		t.text, t.weights = append(t.text, text), append(t.weights, weight)
	}
	zipf := zipf(len(more), shift, slope)
	for k, text := range more {
		t.text, t.weights = append(t.text, text), append(t.weights, rest*zipf[k])
	}
	t.wheel = newWheel(t.weights)
	return t
}

func (t *texts) pick(d *dice) string { return t.text[t.wheel.pick(d)] }

// zipf returns n Zipf-Mandelbrot weights with sum 1.
func zipf(n int, shift, slope float64) []float64 {
	w := make([]float64, n)
	var sum float64
	for k := range w {
		w[k] = math.Pow(float64(k+1)+shift, -slope)
		sum += w[k]
	}
	for k := range w {
		w[k] /= sum
	}
	return w
}

// words makes n distinct words of syllables, except those in but. The first ones are short.
func words(d *dice, n int, but ...string) []string {
	const heads = "B C D F G H J K L M N P R S T V W Z BR CH CL DR FR GR KR SH ST TH TR SCH"
	const hearts = "A E I O U A E I O AI EA IE OU"
	const tails = "N R S L T M CK LL NN RD RT SS TZ   "
	head, heart, tail := strings.Fields(heads), strings.Fields(hearts), strings.Split(tails, " ")
	seen := map[string]bool{}
	for _, word := range but {
		seen[word] = true
	}
	out := make([]string, 0, n)
	for len(out) < n {
		var b strings.Builder
		syllables := 2
		switch {
		case len(out) < n/8:
			syllables = 1 + d.below(2)
		case d.oneIn(8):
			syllables = 3
		}
		for range syllables {
			b.WriteString(head[d.below(len(head))])
			b.WriteString(heart[d.below(len(heart))])
			if d.oneIn(3) {
				b.WriteString(tail[d.below(len(tail))])
			}
		}
		b.WriteString(tail[d.below(len(tail))])
		if word := b.String(); !seen[word] {
			seen[word] = true
			out = append(out, word)
		}
	}
	return out
}
