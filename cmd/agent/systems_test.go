//go:build wine

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/testing/llmtest"
)

// A system is an operating system that runs the program. Its command lines have the same effect as
// the ones of other systems.
type system struct {
	name    string
	program []string
	flags   []string
	// path returns a path of the disk in the form that the program writes.
	path func(string) string
	// two prints two lines. fails prints one line and exits with 3. copies copies a.txt to
	// copy.txt. removes deletes a file. waits copies a.txt to begun and then runs for a minute.
	two, fails, copies, removes, waits string
}

// TestSameRecordUnderWine plays one session of 40 requests on this system, and under Wine with the
// program for Windows. It has edits, patches, commands, undo, a resume, and a kill during a
// command. Records and files differ only in paths, times and the words of the shells.
func TestSameRecordUnderWine(t *testing.T) {
	wine, err := exec.LookPath("wine")
	if err != nil || os.Getenv("WINEPREFIX") == "" {
		t.Skip("there is no Wine that make windows has prepared")
	}
	here := filepath.Join(t.TempDir(), "agent")
	if out, err := exec.Command("go", "build", "-o", here, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	there, err := filepath.Abs("../../bin/windows/agent.exe")
	if err != nil {
		t.Fatal(err)
	}
	unix := sessionOn(t, system{
		name: "here", program: []string{here}, path: func(path string) string { return path },
		two: `echo one; eval "echo two"`, fails: "echo bad >&2; exit 3", copies: "cp a.txt copy.txt", removes: "rm gone.txt",
		waits: "cp a.txt begun; sleep 60",
	})
	windows := sessionOn(t, system{
		name: "under Wine", program: []string{wine, there}, flags: []string{"--set", "shell=cmd"},
		path: func(path string) string { return `Z:` + strings.ReplaceAll(path, "/", `\`) },
		two:  "echo one& echo two", fails: "echo bad>&2& exit 3", copies: "copy a.txt copy.txt >nul", removes: "del gone.txt",
		waits: "copy a.txt begun >nul& ping -n 60 127.0.0.1 >nul",
	})
	if requests := strings.Count(unix, "\nrequest "); requests != 40 {
		t.Errorf("%d requests", requests)
	}
	one, two := strings.Split(unix, "\n"), strings.Split(windows, "\n")
	for i := range max(len(one), len(two)) {
		if i >= len(one) || i >= len(two) || one[i] != two[i] {
			t.Fatalf("line %d differs\nhere:  %s\nthere: %s", i, strings.Join(one[min(i, len(one)):min(i+3, len(one))], "\n"), strings.Join(two[min(i, len(two)):min(i+3, len(two))], "\n"))
		}
	}
	t.Logf("%d lines are the same", len(one))
}

// sessionOn plays the session on a system. It returns the record, the requests and the files,
// without the parts that depend on the system.
func sessionOn(t *testing.T, s system) string {
	t.Helper()
	home := t.TempDir()
	work := filepath.Join(home, "work")
	for name, text := range map[string]string{"a.txt": "one\ntwo\nthree\n", "gone.txt": "gone\n", "sub/crlf.txt": "one\r\ntwo\r\n"} {
		path := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	server := llmtest.New(t, s.turns()...)
	run := func(killed bool, args ...string) {
		t.Helper()
		args = slices.Concat(s.program[1:], []string{"--approval-mode", "full-auto", "-m", "test-model", "--set", "sandbox=off", "--set", "compression.strategy=top-down-truncation"}, s.flags, args)
		cmd := exec.Command(s.program[0], args...)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "HOME="+home, "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+server.URL)
		for _, folder := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
			cmd.Env = append(cmd.Env, folder+"="+s.path(filepath.Join(home, strings.ToLower(folder))))
		}
		out, err := os.Create(filepath.Join(home, "out")) // a server process of Wine keeps it open
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if killed {
			for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(10 * time.Millisecond) {
				if text, err := os.ReadFile(filepath.Join(work, "begun")); err == nil && len(text) > 0 {
					break
				}
			}
			_ = cmd.Process.Kill()
		}
		if err := cmd.Wait(); (err != nil) != killed {
			said, _ := os.ReadFile(out.Name())
			t.Fatalf("%s: %q: %v\n%s", s.name, args, err, said)
		}
	}
	run(false, "-p", "Look around and edit.")
	run(false, "-c", "-p", "/undo yes")
	run(false, "-c", "-p", "/redo yes")
	run(false, "-c", "-p", "Patch it.")
	run(true, "-c", "-p", "Run it.")
	run(false, "-c", "-p", "/undo yes")
	run(false, "-c", "-p", "Go on.")
	run(false, "-c", "-p", "/undo yes")
	run(false, "-c", "-p", "And now the rest.")

	var all strings.Builder
	for n, request := range server.Requests() {
		fmt.Fprintf(&all, "\nrequest %d: %s", n+1, request.Last().Content)
	}
	logs, err := filepath.Glob(filepath.Join(home, "xdg_data_home/agent/sessions/*/*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%s: %d records, %v", s.name, len(logs), err)
	}
	record, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	all.WriteString("\n" + recordWithout(t, record))
	err = fs.WalkDir(os.DirFS(work), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			text, reading := os.ReadFile(filepath.Join(work, path))
			fmt.Fprintf(&all, "file %s %q\n", path, text)
			err = reading
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.plain(all.String(), work, home)
}

// turns returns the replies of the model to the 40 requests.
func (s system) turns() (turns []llmtest.Turn) {
	call := func(tool string, arguments map[string]any) {
		text, _ := json.Marshal(arguments)
		turns = append(turns, llmtest.Turn{}.CallID(fmt.Sprintf("call_%d", len(turns)), tool, string(text)))
	}
	type args = map[string]any
	shell := func(line string) { call("run_shell_command", args{"command": line}) }
	say := func(text string) { turns = append(turns, llmtest.Say(text)) }
	read := func(file string) { call("read_file", args{"file_path": file}) }

	call("list_directory", args{})
	read("a.txt")
	call("replace", args{"file_path": "a.txt", "old_string": "two", "new_string": "2"})
	read("sub/crlf.txt")
	call("replace", args{"file_path": `sub/crlf.txt`, "old_string": "two", "new_string": "2"})
	call("write_file", args{"file_path": "new/deep/b.txt", "content": "b\n"})
	call("glob", args{"pattern": "**/*.txt"})
	shell(s.two)
	shell(s.fails)
	say("Edited.")

	call("apply_patch", args{"input": "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-2\n+zwei\n*** Add File: added.txt\n+added\n*** End Patch\n"})
	call("search_file_content", args{"pattern": "zwei|added"})
	shell(s.copies)
	shell(s.removes)
	call("read_many_files", args{"paths": []string{"*.txt"}})
	call("replace", args{"file_path": "a.txt", "old_string": "not there", "new_string": "x"})
	read("missing.txt")
	call("run_shell_command", args{"action": "list"}) // the record of a finished job would appear at a random time
	shell(s.two)
	say("Patched.")

	call("write_file", args{"file_path": "c.txt", "content": "c\n"})
	shell(s.waits) // the program is killed here

	read("a.txt")
	call("write_file", args{"file_path": "sub/d.txt", "content": "d\r\n"})
	call("replace", args{"file_path": "a.txt", "old_string": "zwei", "new_string": "deux"})
	shell(s.two)
	say("Went on.")

	call("list_directory", args{"path": "sub"})
	read("a.txt")
	call("write_file", args{"file_path": "../outside.txt", "content": "x"})
	call("insert_at_line", args{"file_path": "a.txt", "line_number": 1, "content": "zero"})
	call("delete_line_range", args{"file_path": "a.txt", "start_line": 2, "end_line": 2})
	read("a.txt")
	call("todo_write", args{"todos": []args{{"id": "1", "content": "end", "status": "completed"}}})
	shell(s.fails)
	call("glob", args{"pattern": "new/**"})
	call("search_file_content", args{"pattern": "d", "include": "*.txt"})
	shell(s.copies)
	read("copy.txt")
	say("That is all.")
	return turns
}

// recordWithout returns a record without the members that differ between two runs.
func recordWithout(t *testing.T, record []byte) string {
	t.Helper()
	var lines []string
	for line := range bytes.Lines(record) {
		var members map[string]any
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		text, err := json.Marshal(without(members))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	slices.Sort(lines[1:3]) // settings from flags have a random order
	return strings.Join(lines, "\n") + "\n"
}

// varying are the members of records that differ between two runs, or with the length of paths.
var varying = []string{"ts", "seq", "prev", "pid", "host", "hosts", "at", "tokens", "headSum", "head", "scale", "prompt"}

func without(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if value[name] = without(member); slices.Contains(varying, name) {
				delete(value, name)
			}
		}
	case []any:
		for i := range value {
			value[i] = without(value[i])
		}
	}
	return value
}

var (
	took  = regexp.MustCompile(`\b[0-9.]+m?s\b`)
	ids   = regexp.MustCompile(`20\d{6}-\d{6}-[a-z2-7]{5}`)
	marks = regexp.MustCompile(`"(change|files)":"[a-z2-7]{8}-`)
	// below matches paths below the folders of a session.
	below = regexp.MustCompile(`(WORK|HOME)(\\+[\w.]+)+`)
)

// plain replaces the parts of a text that differ between systems: paths and command lines of
// shells.
func (s system) plain(text, work, home string) string {
	for _, line := range [][2]string{{s.two, "TWO"}, {s.fails, "FAILS"}, {s.copies, "COPIES"}, {s.removes, "REMOVES"}, {s.waits, "WAITS"}} {
		quoted, _ := json.Marshal(line[0])
		again, _ := json.Marshal(string(quoted[1 : len(quoted)-1]))
		text = strings.NewReplacer(string(again[1:len(again)-1]), line[1], string(quoted[1:len(quoted)-1]), line[1], line[0], line[1]).Replace(text)
	}
	for _, path := range [][2]string{{s.path(work), "WORK"}, {s.path(home), "HOME"}} {
		quoted := strings.ReplaceAll(path[0], `\`, `\\`)
		text = strings.NewReplacer(quoted, path[1], path[0], path[1]).Replace(text)
	}
	text = below.ReplaceAllStringFunc(text, func(path string) string {
		return strings.ReplaceAll(strings.ReplaceAll(path, `\\`, "/"), `\`, "/")
	})
	text = took.ReplaceAllString(marks.ReplaceAllString(text, `"$1":"MARK-`), "TOOK")
	return ids.ReplaceAllString(text, "ID")
}
