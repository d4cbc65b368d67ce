package devdb

import (
	"context"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// socketPort is part of the socket's file name; without TCP nothing listens there.
const socketPort = 5432

// Options say what server to start. The zero value is a temporary server of the
// newest PostgreSQL found.
type Options struct {
	// Dir is the folder of a persistent server: started or joined, its data kept.
	// "" is a temporary server that Stop removes.
	Dir string
	// Major asks for exactly this PostgreSQL, such as 15; 0 takes the newest, or
	// for an existing persistent server the one its data belongs to.
	Major int
	// BinDir names the bin folder to use instead of searching for one.
	BinDir string
	// Settings are server settings, such as "deadlock_timeout": "1ms". They take
	// precedence over those that Start chooses, and have no effect on a persistent
	// server that is already running.
	Settings map[string]string
	// TCP also opens a port on 127.0.0.1, guarded by a random password; see
	// [Server.TCPURL]. Only the process that starts the server can ask for it.
	TCP bool
	// Log receives a line for whatever takes time. nil drops them.
	Log io.Writer
}

// Server is a running private server. Its methods may be used by several
// goroutines at once.
type Server struct {
	bin   Binaries
	owner account
	place place

	mu       sync.Mutex
	users    *os.File // shared lock: we use the server
	watch    *os.File // our write end of the watcher's pipe; nil without a watcher
	process  *process // nil for a server that another process started
	settings []string
	socket   string
	port     int // in the socket's name, and the TCP port when there is one
	pid      int
	password string // for TCP; "" without
	stopped  bool
}

// process is a server process that we started.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when it has been waited for
}

// Start starts a private server and returns when it accepts connections, or
// joins the persistent one that already runs in o.Dir. ctx bounds the start
// only. The caller has to call [Server.Stop]; if it dies before, the server
// stops all the same.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Dir == "" {
		return startTemporary(ctx, o)
	}
	return startPersistent(ctx, o)
}

// URL is the address of a database, for pgx and for psql alike. It goes through
// the unix socket as the superuser postgres.
func (s *Server) URL(database string) string {
	// psql takes a plus sign in an address for itself, not for a blank.
	query := "host=" + strings.ReplaceAll(url.QueryEscape(s.socket), "+", "%20") + "&port=" + strconv.Itoa(s.port)
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database, RawQuery: query}
	return u.String()
}

// Binaries tells which PostgreSQL the server is.
func (s *Server) Binaries() Binaries { return s.bin }

// PID is the pid of the server's main process.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pid
}

// Dir is the folder that holds all the server's files. For a persistent server
// it is Options.Dir, unless root had to be given another place.
func (s *Server) Dir() string { return s.place.dir }

// LogFile is the path of the server's log.
func (s *Server) LogFile() string { return s.place.file("log") }
