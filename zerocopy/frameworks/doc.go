// Package frameworks tests package zerocopy below the response writers of web frameworks and of
// middleware that people use. It is a module of its own, so that users of thresh do not depend on
// them; scripts/test.sh runs its tests.
//
// Each case is a server with and without zerocopy. Status, header, body, and what the framework
// itself counted or logged must be equal. strace shows whether the body went by sendfile.
package frameworks
