package responsewrapper

import "net/http"

type tested struct{ http.ResponseWriter }

func test(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(tested{w}, r)
	next.ServeHTTP(unused{w}, r)
}
