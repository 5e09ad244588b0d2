//go:build unix

package term

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// makeRaw switches a terminal to raw mode, and returns a function that restores the mode.
func makeRaw(in, _ *os.File) (restore func() error, err error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	return func() error { return term.Restore(int(in.Fd()), before) }, nil
}

// newAlarm returns a pipe. Closing stop wakes a reader of asleep.
func newAlarm() (asleep, stop *os.File, err error) { return os.Pipe() }

func inputWaits(f *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	n, _ := unix.Poll(fds, 0)
	return n > 0
}

// serve reads until the terminal is closed, or until Stop closes the other end of the pipe asleep.
func (k *Keyboard) serve(asleep *os.File) {
	buf := make([]byte, readSize)
	fd := int(k.File.Fd())
	for {
		within := -1
		if k.decoder.waiting() {
			within = int(escapeDelay.Milliseconds())
		}
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(asleep.Fd()), Events: unix.POLLIN}}
		switch _, err := unix.Poll(fds, within); {
		case errors.Is(err, unix.EINTR):
			continue
		case fds[1].Revents != 0:
			return
		case err != nil:
			k.put(nil, true)
			return
		case fds[0].Revents == 0:
			k.put(k.decoder.flush(nil), false)
			continue
		}
		k.mu.Lock()
		k.reading = true
		k.mu.Unlock()
		n, err := unix.Read(fd, buf)
		again := errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN)
		k.put(k.decoder.Feed(nil, buf[:max(0, n)]), n <= 0 && !again)
		if n <= 0 && !again {
			return
		}
	}
}

// stopTime is the time within which the process must stop. If no shell could continue the process, the
// kernel does not stop it.
const stopTime = 300 * time.Millisecond

// Suspend stops the process group, like Ctrl+Z in other programs, and returns when the shell continues it.
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

// SupportsSequences reports whether a terminal supports the escape sequences of the interface.
func SupportsSequences(*os.File) bool { return true }

// IsResize reports whether a signal means that the window has another size.
func IsResize(s os.Signal) bool { return s == syscall.SIGWINCH }

// NotifySignals returns a channel of the signals that end the interface or report a new window size. stop
// ends the delivery.
func NotifySignals(_ *os.File) (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	return signals, func() { signal.Stop(signals) }
}
