package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// needStrace returns the path of strace. It skips the test if strace can't trace selected calls at
// full speed for the others.
func needStrace(t *testing.T) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil || exec.Command(strace, "-f", "--seccomp-bpf", "-o", "/dev/null", "true").Run() != nil {
		t.Skip("strace does not work here")
	}
	return strace
}

// jsonObject is an object of alternating keys and values.
func jsonObject(pairs ...any) string {
	object := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		object[pairs[i].(string)] = pairs[i+1]
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// offences reads a trace of strace. It returns the calls that changed a file on the disk outside
// the program's own folders, and the number of started programs.
func (p *readOnlyPlace) offences(trace io.Reader) (found []string, execs int) {
	// The helper of the sandbox makes a private /run and /tmp before it starts a command.
	helpers := map[string]bool{}
	tracedCalls(trace, func(pid, name, arguments, result string) {
		if name == "execve" {
			execs++
			helpers[pid] = strings.Contains(arguments, `["agent-sandbox-helper"]`)
			return
		}
		for _, path := range p.changed(name, arguments, result) {
			arranged := helpers[pid] && (strings.HasPrefix(path, "/run/") || name == "mkdirat" && strings.HasPrefix(path, "/tmp/"))
			if !p.own(path) && !arranged {
				found = append(found, path+" by "+name+"("+arguments)
			}
		}
	})
	return found, execs
}

// tracedCalls reads a trace of strace and calls each for every call that succeeded.
func tracedCalls(trace io.Reader, each func(pid, name, arguments, result string)) {
	began := map[string]string{} // the unfinished call of each process
	lines := bufio.NewScanner(trace)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		pid, call, _ := strings.Cut(lines.Text(), " ")
		call = strings.TrimSpace(call)
		if start, unfinished := strings.CutSuffix(call, "<unfinished ...>"); unfinished {
			began[pid] = start
			continue
		}
		if _, rest, resumed := strings.Cut(call, "resumed>"); resumed {
			call = began[pid] + rest
		}
		name, arguments, _ := strings.Cut(call, "(")
		at := strings.LastIndex(arguments, " = ")
		connects := strings.Contains(arguments, "EINPROGRESS")
		if at < 0 || strings.HasPrefix(arguments[at+3:], "-1") && !connects || strings.HasPrefix(arguments[at+3:], "?") {
			continue // the call failed
		}
		each(pid, name, arguments[:at], arguments[at+3:])
	}
}

// changed returns the paths that a successful call changes.
func (p *readOnlyPlace) changed(name, arguments, result string) []string {
	if strings.HasPrefix(name, "open") {
		for _, flag := range []string{"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"} {
			if strings.Contains(arguments, flag) {
				return annotated(result)
			}
		}
		return nil
	}
	// The target of a symbolic link does not change.
	if name == "symlink" || name == "symlinkat" {
		_, arguments, _ = strings.Cut(arguments, ", ")
	}
	var paths []string
	folder := p.work // strace does not print every folder, and then a path counts as one in the workspace
	for _, argument := range strings.Split(arguments, ", ") {
		if inside := annotated(argument); len(inside) > 0 {
			folder = inside[0]
			if strings.HasPrefix(name, "f") && !strings.HasSuffix(name, "at") || argument == arguments { // the file itself
				paths = append(paths, inside[0])
			}
			continue
		}
		if path, ok := strings.CutPrefix(argument, `"`); ok {
			path, _, _ = strings.Cut(path, `"`)
			if !filepath.IsAbs(path) {
				path = filepath.Join(folder, path)
			}
			paths = append(paths, filepath.Clean(path))
		}
	}
	if len(paths) == 0 && folder != p.work {
		paths = []string{folder}
	}
	return paths
}

// annotated returns the path that strace prints after a descriptor: 3</tmp/x>.
func annotated(argument string) []string {
	_, path, ok := strings.Cut(argument, "<")
	path, _, closed := strings.Cut(path, ">")
	if !ok || !closed || !filepath.IsAbs(path) {
		return nil // also pipes and sockets
	}
	return []string{strings.TrimSuffix(path, " (deleted)")}
}
