package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agent/internal/llm/llmtest"
)

// writing matches the system calls that change a disk, with the path they are about.
var writing = regexp.MustCompile(`^\d+ +(?:openat\([^<"]*(?:<([^>]*)>)?[^"]*"([^"]*)", [^)]*(?:O_WRONLY|O_RDWR|O_CREAT)|(?:creat|mkdir|mkdirat|unlink|unlinkat|rmdir|rename|renameat|renameat2|link|linkat|symlink|symlinkat|chmod|fchmodat|chown|lchown|fchownat|truncate|mknod|mknodat|setxattr|utimensat)\([^<"]*(?:<([^>]*)>)?[^"]*"([^"]*)").*= [0-9]`)

// In read-only nothing on the disk changes but the program's own files and its
// temporary folder, whatever the model calls (issue 8, "done when").
func TestReadOnlyChangesNothingOnTheDisk(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs long")
	}
	strace, err := exec.LookPath("strace")
	if err != nil || exec.Command(strace, "-f", "-o", "/dev/null", "true").Run() != nil {
		t.Skip("strace does not work here")
	}
	home, work, temp := t.TempDir(), t.TempDir(), t.TempDir()
	for _, file := range []string{"a.txt", "sub/b.go"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(work, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, file), []byte("package b\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	looks := [][2]string{
		{"read_file", `{"file_path":"a.txt"}`},
		{"read_line_range", `{"file_path":"a.txt","start_line":1,"end_line":1}`},
		{"read_many_files", `{"paths":["**"]}`},
		{"ast_read_file", `{"file_path":"sub/b.go"}`},
		{"search_file_content", `{"pattern":"package"}`},
		{"glob", `{"pattern":"**"}`},
		{"list_directory", `{}`},
		{"run_shell_command", `{"command":"ls -la; cat a.txt; grep -rn package . | sort | uniq"}`},
		{"run_shell_command", `{"command":"git status"}`},
		{"run_shell_command", `{"command":"find . -name '*.go'"}`},
		{"run_shell_command", `{"action":"list"}`},
	}
	changes := [][2]string{
		{"write_file", `{"file_path":"new.txt","content":"x"}`},
		{"replace", `{"file_path":"a.txt","old_string":"package","new_string":"x"}`},
		{"insert_at_line", `{"file_path":"a.txt","line":1,"content":"x"}`},
		{"delete_line_range", `{"file_path":"a.txt","start_line":1,"end_line":1}`},
		{"run_shell_command", `{"command":"touch new"}`},
		{"run_shell_command", `{"command":"find . -not -name -- -exec touch x ';'"}`},
		{"run_shell_command", `{"command":"tree -P -- -o new"}`},
		{"run_shell_command", `{"command":"touch x","outside":"please"}`},
	}
	for _, change := range changes {
		turns := 0
		server := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
			if turns++; turns <= len(looks) {
				return llmtest.Call(looks[turns-1][0], looks[turns-1][1])
			}
			if turns == len(looks)+1 {
				return llmtest.Call(change[0], change[1])
			}
			return llmtest.Say("done")
		})
		log := filepath.Join(t.TempDir(), "trace")
		// strace starts the program by its path, so the name it goes by is a link.
		agent := filepath.Join(filepath.Dir(log), "agent")
		if err := os.Symlink(os.Args[0], agent); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(strace, "-f", "-y", "-qq", "-s", "300", "-e", "trace=file", "-o", log, agent, "-m", "demo", "-p", "go", "--approval-mode", "read-only")
		cmd.Dir = work
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + temp, "OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + server.URL, "GORACE=" + noRaceSleep}
		out, _ := cmd.CombinedOutput()
		if turns <= len(looks) {
			t.Fatalf("the run ended early, after %d turns: %s", turns, out)
		}
		trace, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(trace)) {
			match := writing.FindStringSubmatch(line)
			if match == nil {
				continue
			}
			path := match[2] + match[4]
			if !filepath.IsAbs(path) {
				path = filepath.Join(cmp.Or(match[1], match[3], work), path)
			}
			own := func(folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
			if own(work) || own(home) && !own(home+"/.config") && !own(home+"/.local") && !own(home+"/.cache") {
				t.Errorf("%v: %s", change, line)
			}
		}
		entries, err := os.ReadDir(work)
		if err != nil || len(entries) != 2 {
			t.Errorf("%v: the workspace holds %v (%v)", change, entries, err)
		}
	}
}
