// Package framework can be imported by its own module only.
package framework

import "net/http"

type recorder struct{ http.ResponseWriter }

func Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(recorder{w}, r) })
}
