package shell

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agent/internal/disk"
)

// states is the file in which bash writes how the commands of a line's last pipe ended. A
// file needs no stream of the command, which may have closed or redirected its own.
type states struct {
	names []string
	path  string
}

// newStates chooses a file for the states of a command; nil where there is no pipe at its
// end, no place for the file, or a shell that does not know them.
func newStates(c Command, bash string) *states {
	if len(c.Pipe) < 2 || c.Args != nil || c.SpoolDir == "" || filepath.Base(bash) != "bash" {
		return nil
	}
	return &states{names: c.Pipe, path: filepath.Join(c.SpoolDir, ".pipe-"+rand.Text())}
}

// after adds to a line a last command that writes the states of its pipe and ends with the
// same exit code. Where the shell ends before, nothing is written.
func (s *states) after(line string) string {
	if s == nil {
		return line
	}
	file := "'" + strings.ReplaceAll(s.path, "'", `'\''`) + "'"
	return line + "\n" + `{ _states=("$?" "${PIPESTATUS[@]}"); builtin printf '%s ' "${_states[@]}" >` + file + ` || :; } 2>/dev/null; exit "${_states[0]}"`
}

// broken is how a command ends whose reader has gone, as with head: 128 and SIGPIPE.
const broken = 141

// failed returns the commands of the pipe that failed, as "go test: 1", and removes the
// file. There are none when the line itself failed, unless only a search at its end had no match, or when the states are those of another
// pipe. The command could have written the file too, so what is no such list is ignored.
func (s *states) failed() []string {
	if s == nil {
		return nil
	}
	const most = 4096
	content, err := disk.Beginning(s.path, most)
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
		if code != 0 && code != broken && !nothing {
			failed = append(failed, fmt.Sprintf("%s: %d", s.names[i], code))
		}
	}
	return failed
}

// foundNothing reports whether a command of a pipe ended as a search does that has no match.
func foundNothing(name string, code int) bool {
	program, _, _ := strings.Cut(name, " ")
	return code == 1 && (name == "git grep" || slices.Contains(Searchers, program))
}

// Searchers are programs that end with 1 where they find nothing, which is no failure.
var Searchers = []string{"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"}
