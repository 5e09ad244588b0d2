package shell

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// endGroup does nothing: the sandbox ends the processes of a command's job with the command.
func endGroup(int, time.Duration) bool { return false }

// interrupted is the exit code of a program that Ctrl+C or Ctrl+Break has ended.
const interrupted = 0xc000013a

// exitCode is the code a shell would show, and the signal behind it, if any.
func exitCode(ended *os.ProcessState, _ syscall.Signal) (code int, signal string) {
	code = ended.ExitCode()
	if uint32(code) == interrupted {
		return code, "Ctrl+Break"
	}
	return code, ""
}

// tooLong reports whether an error means that a command line is longer than the system takes.
func tooLong(err error) bool { return errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE) }
