// Package httprouter has the types of the router that handlers see.
package httprouter

import "net/http"

// Params are the parameters of a route.
type Params []struct{ Key, Value string }

// Handle handles a request.
type Handle func(http.ResponseWriter, *http.Request, Params)
