// Package zerocopy wraps readers, writers, connections and HTTP responses so that you can count
// bytes, limit their rate, set timeouts, trace transfers or show progress, and the bytes still
// go by sendfile, splice or copy_file_range on Linux. Elsewhere everything works by copying.
//
//	conn = zerocopy.NewConn(conn, zerocopy.Hooks{Write: []zerocopy.Hook{
//		zerocopy.Count(&counter), zerocopy.Limit(limiter), zerocopy.WriteTimeout(conn, time.Minute),
//	}})
//	io.Copy(conn, file) // by sendfile in slices; the hooks run before and after each slice
//
// One routine does every copy. It unwraps both ends, chooses the best system call for what is
// inside, and moves slices of at most 2 MiB with the hooks around each. A slice ends as soon
// as some of its bytes were moved, so hooks see progress when it happens. Whatever the error,
// cursors, limits and file offsets end up right after the bytes that were moved.
//
// A constructor that gets nil panics at once, also for a nil pointer in an interface.
//
// Path predicts which way io.Copy would go, and says why there is no better one. Copy reports
// which way it went. Package zerocopytest fails a test whose bytes went through memory.
//
// # What keeps the path, and what loses it
//
// Each row is a copy, written as destination <- source. The first method is that of io.Copy,
// the second that of Copy. A row under "HTTP" is a response: first of an http.Server on a plain
// listener, then of one on a listener from NewListener. A test of this package makes each copy
// on Linux and checks its system calls.
//
// Files to connections:
//
//	tcp <- file                           sendfile         sendfile         the path itself
//	tcp <- limit(file)                    sendfile         sendfile         io looks through one limit
//	tcp <- limit(limit(file))             copy             sendfile         and not through two
//	tcp <- struct{io.Reader}              copy             copy             the file is hidden
//	tcp <- io.TeeReader(file)             copy             copy             the tee needs to see the bytes
//	tcp <- io.SectionReader(file)         copy             sendfile         read at explicit offsets
//	tcp <- io.MultiReader(header, file)   sendfile         sendfile         its WriteTo passes on each part
//	tcp <- bufio.Reader(file)             sendfile         sendfile         its WriteTo passes on the file
//	tcp <- io.NopCloser(file)             sendfile         sendfile         likewise
//	tcp <- file of os.Root                sendfile         sendfile         an ordinary *os.File
//	tcp <- struct{*os.File}               sendfile         copy             its type may have a Read
//	tcp <- struct{*os.File} with Read     sendfile         copy             io.Copy never calls that Read
//	tcp <- reader that forwards WriteTo   sendfile         sendfile         as a wrapper should
//	tcp <- limit(that reader)             copy             copy             the limit hides its WriteTo
//	tcp <- pipe                           copy             copy             the kernel sends regular files
//	tcp <- file of /proc                  copy             copy             only read returns its bytes
//	bufio.Writer(tcp) <- file             sendfile         sendfile         when it is empty
//	io.MultiWriter(tcp) <- file           copy             copy             there may be two writers
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
//	tcp <- bufio.Reader(tcp)              splice           splice           its buffered bytes go by write
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
//	file <- Section(file)                 copy_file_range  copy_file_range  read at explicit offsets
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
//	ServeContent, several ranges          copy             copy             written by a goroutine through a pipe
//	ServeContent, Content-Encoding        copy             copy             omits Content-Length: chunked
//	ServeContent, both headers            sendfile         sendfile         Content-Length set by the handler
//	io.Copy(w, file), no length           copy             copy             chunked
//	io.Copy(w, file), Content-Length      sendfile         sendfile         as it should be
//	io.Copy(w, file), HTTP/1.0            sendfile         sendfile         the connection's end marks the body's
//	io.Copy(NewResponseWriter(w), file)   sendfile         sendfile         hooks on the response
//	ServeContent(NewResponseWriter, ReadSeeker)  sendfile  sendfile         it unwraps the reader for net
//	w embedded                            copy             copy             ReadFrom is hidden
//	w embedded, Unwrap                    copy             copy             io.Copy does not call Unwrap
//	w embedded, Unwrap, NewHandler        sendfile         sendfile         see NewHandler
//	w embedded, ReadFrom                  sendfile         sendfile         as a wrapper should
//	w embedded, limit in ReadFrom         copy             sendfile         under ServeContent that is two limits
//	TimeoutHandler                        copy             copy             buffers the body in memory
//	TLS                                   copy             copy             encrypted in memory
//	TLS, HTTP/2                           copy             copy             framed in memory
//	unix listener                         copy             sendfile         a *net.UnixConn has no ReadFrom
//	listener that wraps connections       copy             copy             the connection is hidden
//	ReverseProxy                          copy             copy             has its own copy loop
//	upload, io.Copy(file, r.Body)         copy             copy             the body is parsed in memory
//	client upload of a file               sendfile         sendfile         with ContentLength set
package zerocopy
