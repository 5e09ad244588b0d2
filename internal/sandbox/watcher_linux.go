package sandbox

import (
	"encoding/json"
	"io"
	"os/exec"
	"strconv"
	"sync"
	"syscall"

	"agent/internal/sandbox/keeper"
)

// Watcher is a small process that outlives this one for a moment: when this program
// is gone, however it ended, it ends what its commands left behind. Commands in a
// namespace of their own need none.
//
// Its methods are safe for concurrent use. A fault of it costs only that:
// the next start sweeps.
type Watcher struct {
	mu   sync.Mutex
	cmd  *exec.Cmd
	pipe io.WriteCloser
	tell *json.Encoder
}

// NewWatcher starts the watcher of this process.
func NewWatcher() (*Watcher, error) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{keeper.WatcherName, strconv.FormatUint(ownMarks(), 10)}
	cmd.Env = []string{"GOMAXPROCS=1"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl+C is not for it
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Watcher{cmd: cmd, pipe: pipe, tell: json.NewEncoder(pipe)}, nil
}

// Began says that a process group of a command is there.
func (w *Watcher) Began(group int) { w.say(keeper.Group{ID: group}) }

// Ended says that a process group is gone.
func (w *Watcher) Ended(group int) { w.say(keeper.Group{ID: group, Gone: true}) }

func (w *Watcher) say(g keeper.Group) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.tell.Encode(g)
}

// Close ends the watcher. Nothing is left of the commands that it knew.
func (w *Watcher) Close() {
	w.say(keeper.Group{Done: true})
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.pipe.Close()
	_ = w.cmd.Wait()
}
