package term

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Handover is something that needs the terminal for itself, as Bubble Tea runs it:
// with its reader stopped. It implements tea.ExecCommand.
type Handover struct {
	Terminal *Terminal
	With     func() error
}

// Run implements tea.ExecCommand.
func (o Handover) Run() error { return o.Terminal.pause(o.With) }

// SetStdin implements tea.ExecCommand; run knows its files.
func (o Handover) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (o Handover) SetStdout(io.Writer) {}

// SetStderr implements tea.ExecCommand.
func (o Handover) SetStderr(io.Writer) {}

// stopTime is how long the process may take to stop. Where no shell can continue
// it, the kernel does not stop it at all.
const stopTime = 300 * time.Millisecond

// Stop stops the process group, like Ctrl+Z in any program, and returns when
// the shell continues it.
func Stop() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-continued:
	case <-time.After(stopTime):
	}
	return nil
}
