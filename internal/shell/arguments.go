package shell

import (
	"fmt"
	"unicode/utf8"

	"agent/internal/words"
)

// MaxLine is how many bytes of a command line no system takes, however much memory its
// processes may use: Linux gives arguments and environment 6 MiB at most.
const MaxLine = 6 << 20

// TooLong is the error for a command line that is longer than the system takes.
func TooLong(line string) error {
	return fmt.Errorf("the command's %s are more than this system takes; write the text to a file with write_file and run a shorter command", words.Bytes(int64(len(line))))
}

// maxArgument is how many bytes of a command line are given to the shell as one argument.
// Linux takes 128 KiB, its end included.
const maxArgument = 127 << 10

// joinParts is the command line that runs its arguments joined, and leaves nothing behind
// that the command could see.
const joinParts = `_line=; for _part; do _line=$_line$_part; done; set --; eval "unset _line _part; $_line"`

// arguments returns the arguments of the shell that runs the command and then writes the
// states of its pipe. A program with arguments is found by the shell, so that it is the one
// that a line would run.
func (c Command) arguments(pipe *states) []string {
	if c.Args == nil {
		return arguments(pipe.after(c.Line))
	}
	return append([]string{"-c", "--", `exec "$@"`, "bash", c.Line}, c.Args...)
}

// arguments are those of a shell that runs line. A line that is too long for one argument,
// such as one with a large here-document, is given in parts: there is no file or input
// that the command could read instead or that could be left over.
func arguments(line string) []string {
	if len(line) <= maxArgument {
		return []string{"-c", "--", line}
	}
	args := []string{"-c", "--", joinParts, "bash"}
	for len(line) > maxArgument {
		n := maxArgument
		for n > maxArgument-utf8.UTFMax && !utf8.RuneStart(line[n]) {
			n--
		}
		args, line = append(args, line[:n]), line[n:]
	}
	return append(args, line)
}
