package devdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// A server must not outlive its users, even those killed with kill -9, and yet
// it must survive the command that started it while another still uses it. A
// parent-death signal can do only the first (it follows one thread of one
// process, and exists on Linux only). A named pipe can do both: every user holds
// its write end open, the kernel closes that for the dead, and the reader gets
// end-of-file with the last of them.
//
// The reader is the watcher, a shell that talks a line protocol:
//
//	join TOKEN   answered by making the file joined.TOKEN. After the answer the
//	             server stays until the joiner has gone. Without it a joiner that
//	             opens the pipe just when the last user has left could believe in
//	             a server that is being stopped.
//	quit         end at once and leave the server alone: its user stops it itself.
const fifoFile = "users.fifo"

// watcherScript starts the watcher and then becomes postgres. $$ is therefore
// the server's pid, known without a pid file that might be stale. The watcher is
// forked twice, lest the server finds a child it does not know.
//
// At the end of file it makes sure that $$ is still the server (a crashed one's
// pid may have been given away), in the same way as isServer.
//
// Arguments: server folder, data folder, stop signal, folder to remove at the
// end or "", then the command line of postgres. File descriptor 3 is the pipe.
const watcherScript = `
dir=$1 data=$2 signal=$3 remove=$4
shift 4
(
	(
		trap '' HUP INT TERM
		while read -r verb token; do
			case $verb in
			join) : >"$dir/joined.$token" ;;
			quit) exit 0 ;;
			esac
		done <&3
		exec 3<&-
		ours() {
			kill -0 $$ || return 1
			if [ -e /proc/self/cwd ]; then
				[ "/proc/$$/cwd" -ef "$data" ]
			else
				case $(ps -ww -o command= -p $$) in
				*"-D $data"*) return 0 ;;
				*) return 1 ;;
				esac
			fi
		} 2>/dev/null
		if ours; then
			kill -s "$signal" $$
			tries=0
			while ours && [ -e "$data/postmaster.pid" ] && [ $tries -lt 300 ]; do
				sleep 0.1
				tries=$((tries + 1))
			done
			if ours && [ -e "$data/postmaster.pid" ]; then
				kill -s QUIT $$
			fi
		fi
		if [ -n "$remove" ]; then
			cd /
			rm -rf "$remove"
		fi
	) &
)
exec 3<&-
exec "$@"
`

// makeWatchPipe makes a fresh pipe in dir and opens both its ends: the read end
// for the watcher, the write end for this process. As both are open before the
// watcher exists, there is no moment at which a death of this process goes
// unnoticed.
func makeWatchPipe(dir string, owner account) (read, write *os.File, err error) {
	path := filepath.Join(dir, fifoFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, nil, fmt.Errorf("make pipe %s: %w", path, err)
	}
	if err := owner.own(path); err != nil {
		return nil, nil, err
	}
	// Without O_NONBLOCK an open would wait for the other end.
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open pipe %s: %w", path, err)
	}
	write, err = openWatchPipe(dir)
	if err == nil {
		// The flag belongs to the open pipe, and the shell expects reads that wait.
		err = syscall.SetNonblock(fd, false)
	}
	if err != nil {
		syscall.Close(fd)
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), path), write, nil
}

// openWatchPipe opens the write end. The error is ENXIO when no watcher reads.
func openWatchPipe(dir string) (*os.File, error) {
	path := filepath.Join(dir, fifoFile)
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// joinWatcher makes this process a user of the server that runs in dir. It fails
// when the watcher is gone or about to go.
func joinWatcher(ctx context.Context, dir string) (*os.File, error) {
	write, err := openWatchPipe(dir)
	if err != nil {
		return nil, err
	}
	token := strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	answer := filepath.Join(dir, "joined."+token)
	if _, err := fmt.Fprintf(write, "join %s\n", token); err != nil {
		write.Close()
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for {
		if err := os.Remove(answer); err == nil {
			return write, nil
		}
		if err := pause(ctx, 2*time.Millisecond); err != nil {
			write.Close()
			return nil, fmt.Errorf("the server's watcher does not answer: %w", err)
		}
	}
}
