package docroot

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkHit(b *testing.B) {
	dir := b.TempDir()
	write(b, dir, "sub/deep/file.html", "F")
	s := serve(b, dir, Options{Revalidate: time.Hour})
	hit := func() {
		e, err := s.Lookup("/sub/deep/file.html")
		if err != nil || e.Plain.Size != 1 {
			b.Error(e, err)
			return
		}
		e.Release()
	}
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			hit()
		}
	})
	b.Run("together", func(b *testing.B) {
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				hit()
			}
		})
	})
}

func BenchmarkMiss(b *testing.B) {
	dir := b.TempDir()
	var paths []string
	for i := range 100 {
		name := fmt.Sprintf("sub/deep/%d.html", i)
		write(b, dir, name, "F")
		paths = append(paths, "/"+name)
	}
	for name, o := range map[string]Options{"open": {OpenFiles: 1}, "open-plain": {OpenFiles: 1, Encodings: []string{}}} {
		b.Run(name, func(b *testing.B) {
			s := serve(b, dir, o)
			i := 0
			for b.Loop() {
				e := lookup(b, s, paths[i%len(paths)])
				if e.Plain.Size != 1 {
					b.Fatal(e)
				}
				e.Release()
				i++
			}
		})
	}
	b.Run("validate", func(b *testing.B) {
		s := serve(b, dir, Options{})
		e := lookup(b, s, paths[0])
		defer e.Release()
		for b.Loop() {
			if !s.isCurrent(e) {
				b.Fatal("nothing changed")
			}
		}
	})
	b.Run("nothing", func(b *testing.B) {
		s := serve(b, dir, Options{})
		for b.Loop() {
			if _, err := s.Lookup("/sub/deep/nothing"); err == nil {
				b.Fatal("found")
			}
		}
	})
}

func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	const names = 5000
	for i := range names {
		write(b, dir, fmt.Sprint(i), "")
	}
	s := serve(b, dir, Options{})
	b.ReportAllocs()
	for b.Loop() {
		s.listings.kept = map[string]*kept{} // so that it is read each time
		s.listings.recent.Init()
		if l, err := s.List("/"); err != nil || len(l.Items) != names {
			b.Fatal(l, err)
		}
	}
}
