// Package servetest holds the server to what real clients do and expect: nginx beside it
// on the same folder, curl, wget, Chromium, h2spec, and clients that mean harm. It has
// tests only.
//
// The server runs inside the test; with THRESH_BIN set, that binary is started instead,
// where a test allows for it. Clients that are not installed are skipped, unless
// THRESH_CLIENTS=require is set; scripts/test-setup.sh installs them.
package servetest
