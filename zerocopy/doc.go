// Package zerocopy wraps readers, writers, connections and HTTP answers, to count bytes, to
// limit their rate, to bound the time between two steps, to trace them or to show progress,
// while their bytes still go by sendfile, splice or copy_file_range.
//
//	conn = zerocopy.NewConn(conn, zerocopy.Hooks{Write: []zerocopy.Hook{
//		zerocopy.Count(&counter), zerocopy.Limit(limiter), zerocopy.WriteTimeout(conn, time.Minute),
//	}})
//	io.Copy(conn, file) // by sendfile, slice by slice, each between the hooks
//
// One routine does every copy. It looks through the wrappers at both ends, finds what the
// kernel can do for what is inside, and moves slices of 2 MiB at most; hooks run around each.
// A slice ends as soon as some bytes went, so that hooks see progress when there is some.
// Path tells which way a copy would go, and why not a better one; Copy tells which way it
// went; package zerocopytest fails a test whose bytes went through memory. A cursor, a limit
// or a file's offset stands right after what went, whatever the error.
//
// # What keeps the path, and what loses it
//
// Each row is a copy, as destination <- source, that a test of this package makes on Linux and
// whose system calls it looks at: with io.Copy, and with Copy of this package. A row under
// "HTTP" is an answer: of an http.Server on a plain listener, and on one of NewListener.
//
// Files to connections:
//
//	tcp <- file                           sendfile         sendfile         the path itself
//	tcp <- limit(file)                    sendfile         sendfile         io looks through one limit
//	tcp <- limit(limit(file))             copy             sendfile         and not through two
//	tcp <- struct{io.Reader}              copy             copy             the file is hidden
//	tcp <- io.TeeReader(file)             copy             copy             somebody wants to see the bytes
//	tcp <- io.SectionReader(file)         copy             sendfile         by explicit offsets
//	tcp <- io.MultiReader(header, file)   sendfile         sendfile         its WriteTo hands each part over
//	tcp <- bufio.Reader(file)             sendfile         sendfile         its WriteTo hands the file over
//	tcp <- io.NopCloser(file)             sendfile         sendfile         likewise
//	tcp <- file of os.Root                sendfile         sendfile         a file as any other
//	tcp <- struct{*os.File}               sendfile         sendfile         nothing overridden
//	tcp <- struct{*os.File} with Read     sendfile         copy             io.Copy never calls that Read
//	tcp <- reader that forwards WriteTo   sendfile         sendfile         as a wrapper should
//	tcp <- limit(that reader)             copy             copy             the limit hides its WriteTo
//	tcp <- pipe                           copy             copy             the kernel sends regular files
//	tcp <- file of /proc                  copy             copy             has bytes for read alone
//	bufio.Writer(tcp) <- file             sendfile         sendfile         when it is empty
//	io.MultiWriter(tcp) <- file           copy             copy             two may want the bytes
//	struct{io.Writer} <- file             copy             copy             the connection is hidden
//	struct{net.Conn} <- file              copy             copy             likewise
//	struct{*net.TCPConn} with Write <- file  sendfile      copy             io.Copy never calls that Write
//	writer that forwards ReadFrom <- file    sendfile      sendfile         as a wrapper should
//	unix <- file                          sendfile         sendfile         by the file's WriteTo
//	unix <- limit(file)                   copy             sendfile         a *net.UnixConn has no ReadFrom
//	tcp <- Reader(file)                   sendfile         sendfile         hooks on the reader
//	tcp <- limit(Reader(file))            copy             sendfile         net does not know a Reader
//	tcp <- Section(file)                  sendfile         sendfile         the file's offset stays
//	Writer(tcp) <- limit(limit(file))     sendfile         sendfile         hooks on the writer
//	Conn(tcp) <- limit(limit(file))       sendfile         sendfile         hooks on the connection
//	Conn(tcp) <- limit(Reader(file))      sendfile         sendfile         hooks on both
//	Conn(tcp) <- limit(Section(file))     sendfile         sendfile         what http.ServeContent asks for
//	Conn(struct{net.Conn}) <- file        copy             copy             hidden inside
//
// Connections to connections and files, and files to files:
//
//	tcp <- tcp                            splice           splice           the path itself
//	tcp <- limit(tcp)                     splice           splice           one limit
//	tcp <- limit(limit(tcp))              copy             splice           two
//	tcp <- bufio.Reader(tcp)              splice           splice           what it holds goes by write
//	bufio.Writer(tcp) <- tcp              splice           splice           when it is empty
//	tcp <- struct{net.Conn}               copy             copy             the connection is hidden
//	tcp <- struct{*net.TCPConn} with Read    splice        copy             io.Copy never calls that Read
//	tcp <- unix                           splice           splice           stream sockets only
//	unix <- tcp                           splice           splice           by WriteTo of the source
//	unix <- limit(tcp)                    copy             splice           a *net.UnixConn has no ReadFrom
//	unix <- unix                          copy             splice           likewise
//	Conn(tcp) <- Conn(tcp)                splice           splice           hooks on both
//	file <- tcp                           splice           splice           an upload on a raw connection
//	file <- Conn(tcp)                     splice           splice           with hooks
//	file with O_APPEND <- tcp             copy             copy             the kernel refuses these
//	pipe <- tcp                           splice           copy             io.Copy spins when the reader stalls
//	file <- file                          copy_file_range  copy_file_range  the path itself
//	file <- limit(limit(file))            copy             copy_file_range  two limits
//	file <- Section(file)                 copy_file_range  copy_file_range  by explicit offsets
//
// HTTP:
//
//	FileServer(Dir)                       sendfile         sendfile         the first 512 bytes go with the header
//	FileServerFS(os.DirFS)                copy             copy             an fs.File hides the *os.File
//	ServeContent(file)                    sendfile         sendfile         one limit
//	ServeContent(io.SectionReader)        copy             sendfile         needs explicit offsets
//	ServeContent(ReadSeeker(file))        copy             sendfile         net does not know a ReadSeeker
//	ServeContent(Section)                 copy             sendfile         net does not know a Section
//	ServeContent, one range               sendfile         sendfile         one limit
//	ServeContent, several ranges          copy             copy             made by a goroutine and a pipe
//	ServeContent, Content-Encoding        copy             copy             leaves Content-Length out: chunked
//	ServeContent, both headers            sendfile         sendfile         Content-Length set by the handler
//	io.Copy(w, file), no length           copy             copy             chunked
//	io.Copy(w, file), Content-Length      sendfile         sendfile         as it should be
//	io.Copy(w, file), HTTP/1.0            sendfile         sendfile         the end is that of the connection
//	io.Copy(NewResponseWriter(w), file)   sendfile         sendfile         hooks on the answer
//	ServeContent(NewResponseWriter, ReadSeeker)  sendfile  sendfile         it looks through for net
//	w embedded                            copy             copy             ReadFrom is hidden
//	w embedded, Unwrap                    copy             copy             io.Copy does not ask for Unwrap
//	w embedded, ReadFrom                  sendfile         sendfile         as a wrapper should
//	w embedded, limit in ReadFrom         copy             sendfile         under ServeContent that is two limits
//	TimeoutHandler                        copy             copy             holds the body in memory
//	TLS                                   copy             copy             encrypted in memory
//	TLS, HTTP/2                           copy             copy             framed in memory
//	unix listener                         copy             sendfile         a *net.UnixConn has no ReadFrom
//	listener that wraps connections       copy             copy             the connection is hidden
//	ReverseProxy                          copy             copy             a loop of its own
//	upload, io.Copy(file, r.Body)         copy             copy             the body is parsed in memory
//	client upload of a file               sendfile         sendfile         with ContentLength set
package zerocopy
