package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// people returns a document like those of web services, indented.
func people(n int) []byte {
	r := rand.New(rand.NewPCG(5, 6))
	type place struct {
		City     string  `json:"city"`
		Lat, Lon float64 `json:",omitempty"`
	}
	type person struct {
		ID      int      `json:"id"`
		Name    string   `json:"name"`
		Email   string   `json:"email"`
		Active  bool     `json:"active"`
		Balance float64  `json:"balance"`
		Tags    []string `json:"tags"`
		Place   *place   `json:"place"`
		Text    string   `json:"text"`
	}
	var all []person
	for len(all) < n {
		id := r.IntN(1_000_000)
		p := person{
			ID: id, Name: "Jörg " + strings.Repeat("x", r.IntN(12)), Email: fmt.Sprintf("user%d@example.org", id),
			Active: r.IntN(2) == 0, Balance: float64(r.IntN(1_000_000)) / 100, Text: strings.Repeat("lorem ipsum ", r.IntN(20)),
		}
		for range r.IntN(5) {
			p.Tags = append(p.Tags, []string{"new", "gold", "late payer", "a\n\"b\""}[r.IntN(4)])
		}
		if r.IntN(3) > 0 {
			p.Place = &place{"München", r.Float64() * 90, r.Float64() * 180}
		}
		all = append(all, p)
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		panic(err)
	}
	return b
}

func BenchmarkValidate(b *testing.B) {
	pretty := people(4000)
	var compact bytes.Buffer
	if err := json.Compact(&compact, pretty); err != nil {
		b.Fatal(err)
	}
	numbers := []byte("[1")
	r := rand.New(rand.NewPCG(7, 8))
	for len(numbers) < 1<<20 {
		numbers = fmt.Appendf(numbers, ",%v", r.NormFloat64()*float64(r.IntN(1000)))
	}
	numbers = append(numbers, ']')
	wide := []byte(`["` + strings.Repeat("漢字かな交じり文 ", 1<<15) + `"]`)
	for _, text := range []struct {
		name string
		b    []byte
	}{{"pretty", pretty}, {"compact", compact.Bytes()}, {"numbers", numbers}, {"wide", wide}} {
		run := func(impl string, validate func(p []byte) bool) {
			b.Run("text="+text.name+"/impl="+impl, func(b *testing.B) {
				b.SetBytes(int64(len(text.b)))
				for b.Loop() {
					if !validate(text.b) {
						b.Fatal("refused")
					}
				}
			})
		}
		run("std", json.Valid)
		v := New(0, One)
		run("best", func(p []byte) bool {
			v.machine, v.taken, v.lines = machineFor(DepthMax, One), 0, 0
			return v.Write(p) == nil && v.Close() == nil
		})
		run("machine", func(p []byte) bool {
			m := machineFor(DepthMax, One)
			n, _ := m.steps(p)
			return n == len(p) && m.end() == ""
		})
	}
}
