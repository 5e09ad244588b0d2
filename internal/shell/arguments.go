package shell

import (
	"fmt"
	"unicode/utf8"

	"agent/internal/base/humanize"
)

// MaxLine is a length of a command line, in bytes, that every system refuses. Linux accepts at most
// 6 MiB for arguments and environment, however much memory its processes may use.
const MaxLine = 6 << 20

// TooLongError returns the error for a command line that is longer than the system accepts.
func TooLongError(line string) error {
	return fmt.Errorf("the command is too long for this system (%s); write the text to a file with write_file and run a shorter command", humanize.Bytes(int64(len(line))))
}

// maxArgument is the largest part of a command line, in bytes, that the shell gets as one
// argument. Linux accepts 128 KiB including the terminating zero.
const maxArgument = 127 << 10

// joinParts is a command line that joins its arguments and runs the result. The command sees none
// of its variables.
const joinParts = `_line=; for _part; do _line=$_line$_part; done; set --; eval "unset _line _part; $_line"`

// arguments returns the arguments of the shell that runs the command and then writes the exit codes
// of its pipe. If the command has Args, the shell still looks up the program, so that it finds the
// same program as for a command line.
func (c Command) arguments(pipe *pipeStates) []string {
	if c.Args == nil {
		return arguments(pipe.appendTo(c.Line))
	}
	return append([]string{"-c", "--", `exec "$@"`, "bash", c.Line}, c.Args...)
}

// arguments returns the arguments of a shell that runs line. A line that is too long for one
// argument, such as a line with a large here-document, is passed in parts. The line is not passed
// in a file, which could remain, or as standard input, which the command could read.
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
