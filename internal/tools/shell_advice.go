package tools

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/protect/sensitive"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

// AdviceGiven records which kinds of advice about the sandbox the calls of one reply received, so that
// each kind appears once. It is safe for parallel use.
type AdviceGiven struct {
	mu    sync.Mutex
	kinds map[adviceKind]bool
}

// first reports whether a kind of advice has not been used before, and records it. A nil AdviceGiven
// always returns true.
func (a *AdviceGiven) first(kind adviceKind) bool {
	if a == nil {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kinds == nil {
		a.kinds = map[adviceKind]bool{}
	}
	before := a.kinds[kind]
	a.kinds[kind] = true
	return !before
}

// adviceKind is a kind of access that the sandbox refuses.
type adviceKind int

const (
	refusedWrite adviceKind = iota
	refusedNetwork
	refusedConnection
	refusedProtected
	refusedAccess
	refusedOperation
	refusedTemp
)

// refusals lists the messages with which programs report that the system refused access. A message
// with clear set is caused only by the sandbox, whatever the exit code is.
var refusals = []struct {
	words string
	kind  adviceKind
	clear bool
}{
	{"read-only file system", refusedWrite, true},
	{"erofs", refusedWrite, false},
	{"network is unreachable", refusedNetwork, true},
	{"enetunreach", refusedNetwork, false},
	{"no route to host", refusedNetwork, false},
	{"could not resolve host", refusedNetwork, false},
	{"name resolution", refusedNetwork, false},
	{"name or service not known", refusedNetwork, false},
	{"no such host", refusedNetwork, false},
	{"eai_again", refusedNetwork, false},
	{"enotfound", refusedNetwork, false},
	{"couldn't connect to server", refusedNetwork, false},
	{"connection refused", refusedConnection, false},
	{"econnrefused", refusedConnection, false},
	{"device or resource busy", refusedProtected, false},
	{"ebusy", refusedProtected, false},
	{"no such file", refusedTemp, false},
	{"permission denied", refusedAccess, false},
	{"eacces", refusedAccess, false},
	{"operation not permitted", refusedOperation, false},
	{"eperm", refusedOperation, false},
}

// A refusal is a line of output that reports refused access, with the offset of the message in the
// line.
type refusal struct {
	kind adviceKind
	line string
	at   int
}

// refusalsIn returns the last refusal of each kind in the output. Messages that can have other
// causes count only if the command failed. The clear messages always count, unless the command was
// read-only.
func refusalsIn(command shell.Command, end shell.Result) map[adviceKind]refusal {
	failed := end.Exit != 0 || len(end.Hidden) > 0
	if !failed && command.ReadOnly {
		return nil
	}
	found := map[adviceKind]refusal{}
	for line := range strings.Lines(end.Output) {
		lower := strings.ToLower(line)
		for _, known := range refusals {
			at := strings.Index(lower, known.words)
			if at < 0 || !failed && !known.clear {
				continue
			}
			r := refusal{known.kind, strings.TrimRight(line, "\n"), min(at, len(line))}
			if r.isRefusal(command, failed) {
				found[known.kind] = r
			}
			break
		}
	}
	return found
}

// statCache is the start of a warning of the go command, which succeeds nevertheless.
const statCache = "go: writing stat cache: "

// isRefusal reports whether the line is a refusal by the sandbox. It returns false for a line that
// a search found in a file.
func (r refusal) isRefusal(command shell.Command, failed bool) bool {
	switch {
	case strings.HasPrefix(r.line, statCache):
		return false
	case r.kind == refusedTemp:
		if path := r.path(); !command.Confined.Policy.HidesTemp(path) {
			return false
		}
	case r.kind == refusedNetwork && command.Profile == sandbox.ProfileWork && command.Confined.Policy.Network:
		return false
	case r.kind == refusedWrite && !failed:
		path := r.path()
		if path == "" || command.Confined.Policy.AllowsWrite(fsutil.ResolveLinks(fsutil.ResolveIn(command.Dir, path))) {
			return false
		}
	}
	return !isMatch(r.line, command)
}

// matchLine matches the start of a line that a search prints: PATH:NUMBER: or NUMBER: alone.
var matchLine = lazyregexp.New(`^(?:[^:]+[:-])?\d+[:-]`)

// isMatch reports whether a line of output is a line that a search found in a file.
func isMatch(line string, command shell.Command) bool {
	if !command.Read().SearchesFiles() {
		return false
	}
	if matchLine.MatchString(line) {
		return true
	}
	file, _, ok := strings.Cut(line, ":")
	if !ok {
		return false
	}
	info, err := os.Lstat(fsutil.ResolveIn(command.Dir, file))
	return err == nil && info.Mode().IsRegular()
}

// advice returns one line with the refusal and a remedy.
func (r refusal) advice(command shell.Command) string {
	path := r.path()
	about := " " + humanize.Line(path, maxNameChars)
	if path == "" {
		about = ""
	}
	what, remedy := "", "if the command needs it, call again with the reason in the parameter outside"
	switch r.kind {
	case refusedWrite:
		what = "writing" + about + " was refused"
	case refusedNetwork:
		what = "there is no network"
		if host := r.host(); host != "" {
			what += " (" + humanize.Line(host, maxNameChars) + ")"
		}
	case refusedConnection:
		what = "commands can connect only to servers that commands in the sandbox started"
	case refusedProtected:
		what = "commands can't change protected files"
	case refusedAccess:
		what = "access" + strings.Replace(about, " ", " to ", 1) + " may have been refused"
	case refusedTemp:
		what, remedy = "commands have a separate /tmp, and"+about+" is in the /tmp of the system", "to read it, call again with the reason in the parameter outside"
	case refusedOperation:
		what = "an operation may have been refused"
	}
	switch {
	case namesSecretFile(r.line):
		remedy = "name the file in the command line, which requires approval"
	case r.kind != refusedNetwork && fsutil.Within(path, sandbox.SystemTemp) && r.kind != refusedTemp && !command.Confined.Policy.AllowsWrite(path):
		remedy = "use $TMPDIR instead, or call again with the reason in the parameter outside"
	}
	return fmt.Sprintf("[sandbox: %s; %s]", what, remedy)
}

// maxNameChars limits the part of a path or host that the advice contains, in characters.
const maxNameChars = 80

// pathWord matches an absolute path, or a path that begins with "..". The path is in quotes, or
// between characters that paths do not contain.
var pathWord = lazyregexp.New("[\"'`‘“]((?:\\.\\.)?/[^\"'`’”]+)[\"'`’”]|(?:^|[ \t\"'`<>|&;(){}$=,:\\[])((?:\\.\\.)?/[^ \t\n\"'`’”<>|&;(){}$=,:]+)")

// shellLine matches a shell's own error message about a file, which may be relative: SHELL: line 1:
// FILE:
var shellLine = lazyregexp.New(`^(?:\S*/)?(?:ba|da|z|k)?sh: (?:line )?\d+: (?:cannot create )?([^:]+): $`)

// path returns the path to which the line refers. This is the last path before the message of the
// refusal, else the first path after it, else "".
func (r refusal) path() string {
	if file := shellLine.FindStringSubmatch(r.line[:r.at]); file != nil {
		return file[1]
	}
	before, after := pathsIn(r.line[:r.at]), pathsIn(r.line[r.at:])
	switch {
	case len(before) > 0:
		return before[len(before)-1]
	case len(after) > 0:
		return after[0]
	}
	return ""
}

// pathsIn returns the paths that a text names.
func pathsIn(text string) []string {
	var found []string
	for _, match := range pathWord.FindAllStringSubmatch(text, -1) {
		if path := match[1] + match[2]; !strings.HasPrefix(path, "//") { // as in an address
			found = append(found, path)
		}
	}
	return found
}

var (
	address    = lazyregexp.New(`([a-z+]+://[^\s"'<>\\]+)`)
	namedHost  = lazyregexp.New(`(?i)(?:lookup|host:|hostname|eai_again|enotfound|host=|connect to)[\s'"]*([a-z0-9][a-z0-9.-]*)`)
	hostNumber = lazyregexp.New(`(\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[0-9a-f:]+\])`)
)

// host returns the host to which a line refers, "" for none.
func (r refusal) host() string {
	if found := address.FindStringSubmatch(r.line); found != nil {
		if to, err := url.Parse(found[1]); err == nil && to.Hostname() != "" {
			return to.Hostname()
		}
	}
	for _, named := range []*lazyregexp.Pattern{namedHost, hostNumber} {
		if found := named.FindStringSubmatch(r.line); found != nil {
			return strings.Trim(found[1], ".[]")
		}
	}
	return ""
}

// undoneLines returns lines about the undone changes of a command, and about unwatched folders.
func undoneLines(end shell.Result) []string {
	var notes []string
	if len(end.Undone) > 0 {
		notes = append(notes, fmt.Sprintf("[sandbox: the command changed protected files, which programs outside the sandbox run or read: %s. These changes were reverted]", strings.Join(end.Undone, ", ")))
	}
	if end.Unwatched {
		notes = append(notes, fmt.Sprintf("[sandbox: the workspace has more than %s, and agent checks only that many for auto-executed files. Commands now require approval]", humanize.Count(sensitive.MaxFolders, "folder")))
	}
	return notes
}

// namesSecretFile reports whether a line of output names a secret file.
func namesSecretFile(line string) bool {
	words := cmdline.PossibleFileNames(line, ":")
	return slices.ContainsFunc(words, func(word string) bool {
		_, keys := protect.ClassifyByName(word)
		return keys
	})
}
