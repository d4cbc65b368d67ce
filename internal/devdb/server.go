package devdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// socketPort is part of the socket's file name; without TCP nothing listens there.
const socketPort = 5432

// stopPatience is how long an orderly stop may take before an immediate one.
const stopPatience = 20 * time.Second

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
	watch    *os.File // our write end of the watcher's pipe
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
	owner, err := serverAccount()
	if err != nil {
		return nil, err
	}
	if o.Dir == "" {
		return startTemporary(ctx, o, owner)
	}
	return startPersistent(ctx, o, owner)
}

func startTemporary(ctx context.Context, o Options, owner account) (*Server, error) {
	bin, err := choose(ctx, o)
	if err != nil {
		return nil, err
	}
	home, users, err := temporaryPlace(owner)
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, owner: owner, place: home, users: users}
	err = fillDataDir(ctx, bin, home.data, owner, o.Log)
	if err == nil {
		err = s.configure(o, temporarySettings)
	}
	if err == nil {
		err = s.launch(ctx, o.TCP)
	}
	if err != nil {
		return nil, errors.Join(err, users.Close(), os.RemoveAll(home.dir))
	}
	return s, nil
}

func startPersistent(ctx context.Context, o Options, owner account) (*Server, error) {
	home, err := persistentPlace(o.Dir, owner)
	if err != nil {
		return nil, err
	}
	turn, err := waitLock(ctx, home.file(lockFile), syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer turn.Close()
	bin, err := chooseFor(ctx, o, home.data)
	if err != nil {
		return nil, err
	}
	// Under the start lock nobody holds users exclusively for long: only leavers
	// and sweepers do, and those hold the start lock or have nothing to do here.
	users, err := waitLock(ctx, home.file(usersFile), syscall.LOCK_SH)
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, owner: owner, place: home, users: users}
	joined, err := s.join(ctx, o)
	if err == nil && !joined {
		err = s.startHere(ctx, o)
	}
	if err != nil {
		return nil, errors.Join(err, users.Close())
	}
	return s, nil
}

// startHere starts the server in its persistent folder, made on first use.
func (s *Server) startHere(ctx context.Context, o Options) error {
	// The data folder appears by a rename: a start that was killed halfway must not
	// leave half of one behind.
	if _, err := os.Stat(s.place.data); errors.Is(err, fs.ErrNotExist) {
		fresh := s.place.file("data.new")
		if err := os.RemoveAll(fresh); err != nil {
			return err
		}
		if err := fillDataDir(ctx, s.bin, fresh, s.owner, o.Log); err != nil {
			return err
		}
		if err := os.Rename(fresh, s.place.data); err != nil {
			return err
		}
	}
	// The log of one run is enough.
	if err := os.Remove(s.LogFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.configure(o, persistentSettings); err != nil {
		return err
	}
	return s.launch(ctx, o.TCP)
}

// choose finds the binaries for a server without data.
func choose(ctx context.Context, o Options) (Binaries, error) {
	if o.BinDir != "" {
		bin, err := At(o.BinDir)
		if err == nil && o.Major != 0 && bin.Major != o.Major {
			err = fmt.Errorf("%s holds PostgreSQL %s, and %d was asked for", bin.Dir, bin.Version, o.Major)
		}
		return bin, err
	}
	bin, err := Find(o.Major)
	if errors.Is(err, ErrNotFound) && os.Geteuid() != 0 {
		return fetch(ctx, o.Major, o.Log, err)
	}
	return bin, err
}

// chooseFor finds the binaries for the data folder, which need not exist yet.
func chooseFor(ctx context.Context, o Options, data string) (Binaries, error) {
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return choose(ctx, o)
	}
	if err != nil {
		return Binaries{}, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return Binaries{}, fmt.Errorf("%s is not a PostgreSQL data folder: its PG_VERSION says %q", data, strings.TrimSpace(string(text)))
	}
	if o.Major != 0 && o.Major != major {
		return Binaries{}, fmt.Errorf("the data in %s belongs to PostgreSQL %d, and %d was asked for: use another folder, or remove this one and its data with it", data, major, o.Major)
	}
	o.Major = major
	bin, err := choose(ctx, o)
	if err != nil {
		return Binaries{}, fmt.Errorf("the data in %s belongs to PostgreSQL %d (remove the folder to start anew with another): %w", data, major, err)
	}
	return bin, nil
}

// join makes this process a user of the server already running in the folder. It
// returns false when there is none any more.
func (s *Server) join(ctx context.Context, o Options) (bool, error) {
	file, ok := runningServer(s.place.data)
	if !ok {
		return false, nil
	}
	if o.TCP {
		return false, fmt.Errorf("the server in %s was started by another process: a TCP port can only be asked for at the start", s.place.dir)
	}
	watch, err := joinWatcher(ctx, s.place.dir)
	if err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		// Its last user has died and its watcher is stopping it, or the watcher was
		// killed too. Either way the server has no owner.
		return false, s.stopPid(ctx, file.pid, syscall.SIGINT)
	}
	for !file.ready {
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return false, errors.Join(err, watch.Close())
		}
		if file, ok = runningServer(s.place.data); !ok {
			return false, watch.Close()
		}
	}
	s.watch, s.pid, s.socket, s.port = watch, file.pid, file.socketDir, file.port
	return true, nil
}

// temporarySettings suit data that nobody will miss. synchronous_commit stays on:
// it decides when a transaction is seen to be committed, which is what gets tested.
var temporarySettings = map[string]string{
	"fsync":            "off",
	"full_page_writes": "off",
	"wal_level":        "minimal",
	"max_wal_senders":  "0",
	"shared_buffers":   "64MB",
	"max_connections":  "200",
}

// persistentSettings keep the data safe.
var persistentSettings = map[string]string{
	"shared_buffers":  "64MB",
	"max_connections": "200",
}

// configure settles the command line of postgres.
func (s *Server) configure(o Options, defaults map[string]string) error {
	socket, err := s.place.socketDir(s.owner)
	if err != nil {
		return err
	}
	s.socket, s.port = socket, socketPort
	settings := map[string]string{
		"listen_addresses": "",
		// Whoever starts pawl in whatever time zone gets the same texts.
		"timezone":     "UTC",
		"log_timezone": "UTC",
	}
	for name, value := range defaults {
		settings[name] = value
	}
	if o.TCP {
		if s.port, err = freePort(); err != nil {
			return err
		}
		settings["listen_addresses"] = "127.0.0.1"
	}
	for name, value := range o.Settings {
		settings[name] = value
	}
	// Not open to o.Settings: the server would be out of our reach.
	settings["port"] = strconv.Itoa(s.port)
	settings["unix_socket_directories"] = quoteDir(socket)
	settings["unix_socket_permissions"] = "0700"
	for name, value := range settings {
		s.settings = append(s.settings, name+"="+value)
	}
	sort.Strings(s.settings)
	return nil
}

// quoteDir protects a folder with a comma or a blank in the list of folders that
// unix_socket_directories is.
func quoteDir(dir string) string {
	return `"` + strings.ReplaceAll(dir, `"`, `""`) + `"`
}

// launch starts postgres on the data folder, with its watcher, and waits until it
// accepts connections.
func (s *Server) launch(ctx context.Context, tcp bool) error {
	if err := s.clearStale(); err != nil {
		return err
	}
	read, write, err := makeWatchPipe(s.place.dir, s.owner)
	if err != nil {
		return err
	}
	defer read.Close()
	log, err := os.OpenFile(s.LogFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return errors.Join(err, write.Close())
	}
	defer log.Close()

	signal, remove := "INT", ""
	switch {
	case s.place.temporary:
		signal, remove = "QUIT", s.place.dir
	case s.socket != s.place.dir:
		remove = s.socket
	}
	args := []string{"-c", watcherScript, "pawl-watch", s.place.dir, s.place.data, signal, remove, s.bin.program("postgres"), "-D", s.place.data}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir = s.place.dir
	cmd.Env = serverEnv(s.place.dir)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{read}
	s.owner.run(cmd)
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("start PostgreSQL: %w", err), write.Close())
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	go func() {
		// How it ended stands in the log; what matters here is that it did.
		_ = cmd.Wait()
		close(p.exited)
	}()
	s.watch, s.process, s.pid = write, p, cmd.Process.Pid
	err = s.awaitReady(ctx)
	if err == nil && tcp {
		err = s.setPassword(ctx)
	}
	if err != nil {
		stopErr := s.end(context.WithoutCancel(ctx), syscall.SIGQUIT)
		return errors.Join(err, stopErr)
	}
	return nil
}

// clearStale removes what a killed server left behind and would keep a new one
// from starting. The caller knows that no server runs.
func (s *Server) clearStale() error {
	socket := filepath.Join(s.socket, fmt.Sprintf(".s.PGSQL.%d", s.port))
	for _, path := range []string{socket, socket + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return disarmStalePid(s.place.data)
}

// awaitReady waits until the server that we started says in its pid file that it
// accepts connections.
func (s *Server) awaitReady(ctx context.Context) error {
	for {
		file, err := readPidFile(s.place.data)
		if err == nil && file.pid == s.pid && file.ready {
			return nil
		}
		select {
		case <-s.process.exited:
			return fmt.Errorf("PostgreSQL %s did not start: %s\n%s", s.bin.Version, s.process.cmd.ProcessState, s.logTail())
		case <-ctx.Done():
			return fmt.Errorf("waiting for PostgreSQL %s to start: %w\n%s", s.bin.Version, context.Cause(ctx), s.logTail())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// logTail is the end of the server's log, for an error message.
func (s *Server) logTail() string {
	text, err := os.ReadFile(s.LogFile())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}

// Stop ends this process's use of the server: a temporary server is stopped and
// its folder removed, a persistent one is stopped when no other process uses it.
// Once ctx ends it no longer waits for an orderly stop but forces one. Stopping
// twice is harmless.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil
	}
	s.stopped = true
	if s.place.temporary {
		err := s.end(ctx, syscall.SIGQUIT)
		return errors.Join(err, os.RemoveAll(s.place.dir), s.users.Close())
	}
	return s.leave(ctx)
}

// leave gives up a persistent server, and stops it if nobody else uses it.
func (s *Server) leave(ctx context.Context) error {
	// Should the wait for our turn be cut short, going away without looking is
	// safe: the watcher stops the server if we were the last.
	turn, err := waitLock(ctx, s.place.file(lockFile), syscall.LOCK_EX)
	if err != nil {
		return errors.Join(err, s.watch.Close(), s.users.Close())
	}
	defer turn.Close()
	err = relock(s.users, syscall.LOCK_EX)
	switch {
	case err == nil:
		err = s.end(ctx, syscall.SIGINT)
		if s.socket != s.place.dir {
			err = errors.Join(err, os.RemoveAll(s.socket))
		}
	case errors.Is(err, errLocked):
		err = s.watch.Close()
	}
	return errors.Join(err, s.users.Close())
}

// end stops the server with signal and dismisses its watcher.
func (s *Server) end(ctx context.Context, signal syscall.Signal) error {
	err := s.stopPid(ctx, s.pid, signal)
	if err == nil {
		err = s.dismissWatcher()
	}
	// After an error the closed pipe leaves the rest to the watcher.
	return errors.Join(err, s.watch.Close())
}

// dismissWatcher tells the watcher that there is nothing left to do for it.
func (s *Server) dismissWatcher() error {
	_, err := io.WriteString(s.watch, "quit\n")
	if errors.Is(err, syscall.EPIPE) {
		return nil // somebody has killed it
	}
	return err
}

// stopPid sends signal to the server and waits until it is gone. Once ctx or the
// patience ends it forces an immediate shutdown, and at last kills it.
func (s *Server) stopPid(ctx context.Context, pid int, signal syscall.Signal) error {
	for _, step := range []struct {
		signal   syscall.Signal
		patience time.Duration
	}{{signal, stopPatience}, {syscall.SIGQUIT, killPatience}, {syscall.SIGKILL, killPatience}} {
		if !s.alive(pid) {
			return nil
		}
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the private server (pid %d): %w", pid, err)
		}
		if s.awaitGone(ctx, pid, step.patience) {
			return nil
		}
		ctx = context.WithoutCancel(ctx)
	}
	return fmt.Errorf("the private server (pid %d, data %s) cannot be stopped", pid, s.place.data)
}

func (s *Server) awaitGone(ctx context.Context, pid int, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for s.alive(pid) {
		if pause(ctx, 2*time.Millisecond) != nil {
			return !s.alive(pid)
		}
	}
	return true
}

// alive reports whether pid still is the server on our data folder.
func (s *Server) alive(pid int) bool {
	if s.process != nil && s.process.cmd.Process.Pid == pid {
		select {
		case <-s.process.exited:
			return false
		default:
			return true
		}
	}
	return isServer(pid, s.place.data)
}

// URL is the address of a database, for pgx and for psql alike. It goes through
// the unix socket as the superuser postgres.
func (s *Server) URL(database string) string {
	query := url.Values{"host": {s.socket}, "port": {strconv.Itoa(s.port)}}
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database, RawQuery: query.Encode()}
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
