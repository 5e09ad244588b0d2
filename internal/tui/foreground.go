package tui

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// outside is something that needs the terminal for itself, as Bubble Tea runs it:
// with its reader stopped. It implements tea.ExecCommand.
type outside struct {
	terminal *terminal
	run      func() error
}

// Run implements tea.ExecCommand.
func (o outside) Run() error { return o.terminal.pause(o.run) }

// SetStdin implements tea.ExecCommand; run knows its files.
func (o outside) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (o outside) SetStdout(io.Writer) {}

// SetStderr implements tea.ExecCommand.
func (o outside) SetStderr(io.Writer) {}

// stopTime is how long the process may take to stop. Where no shell can continue
// it, the kernel does not stop it at all.
const stopTime = 300 * time.Millisecond

// stopProcess stops the process group, like Ctrl+Z in any program, and returns when
// the shell continues it.
func stopProcess() error {
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
