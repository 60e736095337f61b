// Program has handlers of its own.
package main

import "net/http"

type recorder struct{ http.ResponseWriter }

func Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(recorder{w}, r) })
}

func main() { http.Handle("/", Middleware(http.NotFoundHandler())) }
