package tested

import "net/http"

func files() http.Handler { return middleware(http.FileServer(http.Dir("."))) }
