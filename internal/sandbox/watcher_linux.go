package sandbox

import (
	"encoding/json"
	"io"
	"os/exec"
	"strconv"
	"sync"
	"syscall"

	"agent/internal/sandbox/launcher"
	"agent/internal/sandbox/supervisor"
)

// Watcher is a small process that outlives this program briefly. However this program ends, the
// watcher then ends the remaining processes of its commands. Commands in a process namespace need
// no watcher.
//
// Its methods are safe for concurrent use. If the watcher fails, the next start of the program
// still ends the processes.
type Watcher struct {
	mu   sync.Mutex
	cmd  *exec.Cmd
	pipe io.WriteCloser
	tell *json.Encoder
}

// NewWatcher starts a watcher for this process.
func NewWatcher() (*Watcher, error) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{supervisor.WatcherName, strconv.FormatUint(ownMarks(), 10)}
	cmd.Env = launcher.Environ()
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // so that Ctrl+C does not end it
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Watcher{cmd: cmd, pipe: pipe, tell: json.NewEncoder(pipe)}, nil
}

// Began reports the process group of a new command to the watcher.
func (w *Watcher) Began(group int) { w.say(supervisor.Group{ID: group}) }

// Ended reports to the watcher that a process group has ended.
func (w *Watcher) Ended(group int) { w.say(supervisor.Group{ID: group, Gone: true}) }

func (w *Watcher) say(g supervisor.Group) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.tell.Encode(g)
}

// Close ends the watcher. The commands that were reported to it must have ended.
func (w *Watcher) Close() {
	w.say(supervisor.Group{Done: true})
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.pipe.Close()
	_ = w.cmd.Wait()
}
