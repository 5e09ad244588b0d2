package term

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopTime is how long the process may take to stop. Where no shell can continue
// it, the kernel does not stop it at all.
const stopTime = 300 * time.Millisecond

// Suspend stops the process group, like Ctrl+Z in any program, and returns when
// the shell continues it.
func Suspend() error {
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
