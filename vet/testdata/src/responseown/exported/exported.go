// Package exported has middleware for the handlers of others: it is reported where an exported function or
// method, or the value of a variable, hands a wrapper on.
package exported

import "net/http"

type byFunction struct{ http.ResponseWriter } // want `^byFunction hides ReadFrom`

func Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(byFunction{w}, r) })
}

type byMethod struct{ http.ResponseWriter } // want `^byMethod hides ReadFrom`

type stack struct{ next http.Handler }

func (s *stack) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.next.ServeHTTP(byMethod{w}, r) }

type byVariable struct{ http.ResponseWriter } // want `^byVariable hides ReadFrom`

var Wrap = func(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(byVariable{w}, r) })
}

type generic[T any] struct { // want `^generic hides ReadFrom`
	http.ResponseWriter
	v T
}

func Of[T any](next http.HandlerFunc, v T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { next(generic[T]{w, v}, r) }
}

// What only the package itself calls gets its own handlers.

type own struct{ http.ResponseWriter }

func middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(own{w}, r) })
}

type ownByMethod struct{ http.ResponseWriter }

func (s *stack) serve(w http.ResponseWriter, r *http.Request) { s.next.ServeHTTP(ownByMethod{w}, r) }
