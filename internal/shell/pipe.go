package shell

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/cmdline/programs"
)

// pipeStates is the file in which bash writes the exit codes of the last pipe of a line. A file
// is used because the command may have closed or redirected its output streams.
type pipeStates struct {
	names []string
	path  string
}

// newPipeStates chooses the path of a file for the exit codes of a command. It returns nil if the
// line does not end with a pipe, there is no folder for the file, or the shell is not bash.
func newPipeStates(c Command, bash string) *pipeStates {
	if c.Reading == nil || c.Args != nil || c.SpoolDir == "" || strings.TrimSuffix(filepath.Base(bash), ".exe") != "bash" {
		return nil
	}
	names := c.Reading.Pipeline()
	if len(names) < 2 {
		return nil
	}
	return &pipeStates{names: names, path: filepath.Join(c.SpoolDir, ".pipe-"+rand.Text())}
}

// appendTo appends a command to line that writes the exit codes of its pipe and exits with the same
// code as the line. If the shell ends earlier, nothing is written.
func (s *pipeStates) appendTo(line string) string {
	if s == nil {
		return line
	}
	file := "'" + strings.ReplaceAll(s.path, "'", `'\''`) + "'"
	return line + "\n" + `{ _states=("$?" "${PIPESTATUS[@]}"); builtin printf '%s ' "${_states[@]}" >` + file + ` || :; } 2>/dev/null; exit "${_states[0]}"`
}

// brokenPipe is the exit code of a command whose reader ended first, as with head: 128 plus
// SIGPIPE.
const brokenPipe = 141

// failedCommands returns the commands of the pipe that failed, such as "go test: 1", and removes
// the file. It returns none if the line itself failed, unless only a search at its end found
// nothing. It also returns none if the file describes another pipe. The command could have written
// to the file too, so failedCommands ignores a file with any other content.
func (s *pipeStates) failedCommands() []string {
	if s == nil {
		return nil
	}
	const most = 4096
	content, err := fsutil.ReadBeginning(s.path, most)
	_ = os.Remove(s.path)
	if err != nil {
		return nil
	}
	var codes []int
	for field := range strings.FieldsSeq(string(content)) {
		code, err := strconv.Atoi(field)
		if err != nil || code < 0 || code > 255 {
			return nil
		}
		codes = append(codes, code)
	}
	if len(codes) != 1+len(s.names) {
		return nil
	}
	last := len(s.names) - 1
	if codes[0] != 0 && (codes[0] != codes[1+last] || !foundNothing(s.names[last], codes[0])) {
		return nil
	}
	var failed []string
	for i, code := range codes[1:] {
		nothing := foundNothing(s.names[i], code)
		if code != 0 && code != brokenPipe && !nothing {
			failed = append(failed, fmt.Sprintf("%s: %d", s.names[i], code))
		}
	}
	return failed
}

// foundNothing reports whether a command of a pipe is a search that ended without a match.
func foundNothing(name string, code int) bool {
	program, _, _ := strings.Cut(name, " ")
	return code == 1 && (name == "git grep" || programs.Is(program, programs.SearchesFiles))
}
