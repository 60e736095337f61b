package serve

// metricsHelp is what the metrics say of themselves.
var metricsHelp = map[string]string{
	"thresh_serve_access_log_lost_lines_total":  "Lines of the access log that could not be written.",
	"thresh_serve_bytes_total":                  "Bytes sent, by the way that they took.",
	"thresh_serve_certificate_reloads_total":    "Reloads of changed certificate files.",
	"thresh_serve_connections_evicted_total":    "Idle connections closed to make room for others.",
	"thresh_serve_connections_open":             "Open connections.",
	"thresh_serve_connections_refused_total":    "Connections refused by the limit for an address.",
	"thresh_serve_connections_total":            "Accepted connections.",
	"thresh_serve_folders_read_total":           "Folders read to be listed.",
	"thresh_serve_hosts_refused_total":          "Requests for a host that is not answered.",
	"thresh_serve_http2_errors_total":           "Errors of clients that speak HTTP/2, by the name that Go gives them.",
	"thresh_serve_http2_streams_given_up_total": "Streams of HTTP/2 that were reset because the client took nothing.",
	"thresh_serve_listing_cache_bytes":          "Bytes of listings kept in memory.",
	"thresh_serve_passwords_denied_total":       "Requests with a wrong name or password.",
	"thresh_serve_passwords_unchecked_total":    "Requests refused without a check of their password.",
	"thresh_serve_proxy_headers_total":          "Headers of the PROXY protocol, by what they said.",
	"thresh_serve_rate_limit_waits_total":       "Waits of a millisecond or more for the rate limit.",
	"thresh_serve_request_seconds":              "Time until a response had left.",
	"thresh_serve_requests_in_flight":           "Requests in progress.",
	"thresh_serve_requests_refused_total":       "Requests refused by the limits for an address.",
	"thresh_serve_requests_total":               "Responses by method and class of status.",
	"thresh_serve_slices_total":                 "Calls that sent a part of a response.",
	"thresh_serve_tls_handshake_errors_total":   "Connections that ended within the TLS handshake.",
}
