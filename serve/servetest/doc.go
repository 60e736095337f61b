// Package servetest tests the server with real clients: nginx on the same folder for comparison,
// curl, wget, Chromium, h2spec, and malicious clients. It contains tests only.
//
// The server runs inside the test. With THRESH_BIN set, that binary is started instead, if the test
// allows it. Tests whose client is not installed are skipped, unless THRESH_CLIENTS=require is set;
// scripts/test-setup.sh installs the clients.
package servetest
