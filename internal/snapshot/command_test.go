package snapshot_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"agent/internal/sandbox"
	"agent/internal/snapshot"
	"agent/internal/testing/require"
)

// run runs a command line as the shell tool does.
func (b *bench) run(line string) {
	b.t.Helper()
	settle := b.BeginCommand(b.t.Context())
	b.shell(line)
	settle()
}

// shell runs a command line without the knowledge of the store.
func (b *bench) shell(line string) {
	b.t.Helper()
	require.Line(b.t, line)
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir = b.w.Root()
	cmd.Env = append(sandbox.PlainEnviron(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		// Git must not start a background process, which could block the removal of the workspace.
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=gc.auto", "GIT_CONFIG_VALUE_0=0", "GIT_CONFIG_KEY_1=maintenance.auto", "GIT_CONFIG_VALUE_1=false",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// repository makes the workspace a git repository and runs a command line in it. The aged files,
// which git has stored, get a time before the index.
func (b *bench) repository(line string, aged ...string) {
	b.t.Helper()
	then := time.Now().Add(-time.Hour)
	for _, name := range aged {
		must(b.t, os.Chtimes(b.path(name), then, then))
	}
	for _, folder := range []string{".git", ".git/objects", ".git/refs"} {
		must(b.t, os.Mkdir(b.path(folder), 0o755))
	}
	must(b.t, os.WriteFile(b.path(".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	b.shell(line)
	soon := time.Now().Add(time.Second)
	must(b.t, os.Chtimes(b.path(".git/index"), soon, soon))
}

// Undo and redo work for any change of files by a command, with and without a repository.
func TestUndoOfCommands(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"change":                         "echo more >> a",
		"same size, same time":           "touch -r a ref; printf 'two\n' > a; touch -r ref a; rm ref",
		"create":                         "echo x > new; mkdir -p deep/er; echo y > deep/er/f",
		"delete":                         "rm a",
		"delete a folder":                "rm -r sub",
		"delete everything":              "rm -r a sub run.sh link",
		"rename":                         "mv a b; mv sub moved",
		"mode":                           "chmod +x a; chmod 600 run.sh",
		"mode of what cannot be written": "chmod 444 a; echo x > new; chmod 400 new",
		"link":                           "rm link; ln -s sub link; ln -s nowhere dangling",
		"file to folder":                 "rm a; mkdir a; echo x > a/in",
		"folder to file":                 "rm -r sub; echo x > sub",
		"file to link":                   "rm a; ln -s run.sh a",
		"link to file":                   "rm link; echo x > link",
		"binary":                         "head -c 3000 /dev/zero > a",
		"empty":                          ": > a",
		"name":                           `echo x > "$(printf 'a \n\303\244"')"`,
		"over what was there":            "mv run.sh a",
	} {
		for _, git := range []bool{true, false} {
			kind := "/folder"
			if git {
				kind = "/repository"
			}
			t.Run(name+kind, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, map[string]string{"a": "one\n", "sub/f": "f\n", "sub/deep/g": "g\n", "run.sh": "#!/bin/sh\n"})
				must(t, os.Chmod(b.path("run.sh"), 0o755))
				if !require.TryLink(t, "a", b.path("link")) && strings.Contains(line, "link") {
					t.Skip("there are no symbolic links")
				}
				if name == "mode" || name == "name" {
					require.Permissions(t)
				}
				if git {
					b.repository("exec git add -A", "a", "sub/f", "sub/deep/g", "run.sh")
				}
				start := b.contents()
				b.BeginTurn("1")
				b.run(line)
				end := b.contents()
				b.undo()
				b.want(start)
				b.open()
				b.redo()
				b.want(end)
				b.undo()
				b.want(start)
			})
		}
	}
}

// A folder that a command replaced by a link is restored with its content, even if the target of
// the link contains files with the same names.
func TestALinkInThePlaceOfAFolderIsUndone(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"d/e/c": "c\n", "d/e/f/g": "g\n", "x/c": "x\n"})
	start := b.files()
	b.BeginTurn("1")
	b.run("rm -r d/e; ln -s ../x d/e")
	end := b.files()
	b.undo()
	if now := b.files(); now != start {
		t.Errorf("the workspace holds\n%s\nwant\n%s", now, start)
	}
	b.redo()
	if now := b.files(); now != end {
		t.Errorf("the workspace holds\n%s\nwant\n%s", now, end)
	}
	// A link of another program is not removed.
	b.undo()
	b.shell("rm -r d; ln -s x d")
	if plan := b.planned(b.PlanRedo(t.Context())); len(plan.Refused) == 0 {
		t.Errorf("planned: %v", plan.Steps)
	}
}

// Commands that change no content do not count as a turn to undo. Changes between two commands do
// not count either.
func TestCommandsThatChangeNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n"})
	b.BeginTurn("1")
	b.run("echo two > a")
	b.BeginTurn("2")
	b.run("touch a; cp a b; rm b")
	b.write("theirs", "x")
	b.BeginTurn("3")
	b.run("true")
	b.undo()
	if got, _ := os.ReadFile(b.path("a")); string(got) != "one\n" {
		t.Errorf("a holds %q", got)
	}
	if _, err := os.Stat(b.path("theirs")); err != nil {
		t.Error("a file that somebody else made is gone")
	}
}

// D-87: a file that git ignored does not count as new when it is no longer ignored, and is not
// deleted.
func TestIgnoredFilesStayUntouched(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{".gitignore": "*.log\n", "old.log": "old\n"})
	b.shell("git init -q --template=; git add -A; sleep 0.05")
	b.BeginTurn("1")
	b.run("echo more >> old.log; echo x > new.log; : > .gitignore")
	b.undo()
	for name, want := range map[string]string{".gitignore": "*.log\n", "old.log": "old\nmore\n", "new.log": ""} {
		if got, _ := os.ReadFile(b.path(name)); string(got) != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

// D-87: if the files cannot be listed after a command, the command can still be undone. The command
// and its undo each report once that it may have created files.
func TestUnlistedFilesAreReported(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n"})
	run := func(before, after time.Duration, line string) string {
		b.ListIn(before)
		settle := b.BeginCommand(t.Context())
		b.ListIn(after)
		b.shell(line)
		settle()
		return strings.Join(b.Warnings(), "\n")
	}
	const in = snapshot.ListTime
	b.BeginTurn("1")
	b.edit("a", "two\n")
	b.BeginTurn("2")
	for _, step := range []struct {
		before, after time.Duration
		line          string
		said          bool
	}{{in, in, "true", false}, {in, 0, "echo x > new", true}, {0, 0, "echo x > more", false}, {in, in, "true", false}, {in, 0, "true", true}} {
		if told := run(step.before, step.after, step.line); strings.Contains(told, "Can't list the files") != step.said {
			t.Errorf("%v: told %q", step, told)
		}
	}
	b.ListIn(in)
	b.open()
	plan := b.planned(b.PlanUndo(t.Context()))
	if lines := fmt.Sprint(plan.Left); plan.Title != "2" || len(plan.Steps) > 0 || !strings.Contains(lines, "files that commands may have created") {
		t.Errorf("of %q: steps %v, left %s", plan.Title, plan.Steps, lines)
	}
	b.apply(plan, nil)
	if plan := b.planned(b.PlanUndo(t.Context())); plan.Title != "1" || len(plan.Left) > 0 {
		t.Errorf("of %q: left %v", plan.Title, plan.Left)
	}
	b.undo()
	if got := b.files(); !strings.Contains(got, "one") || !strings.Contains(got, "new") {
		t.Errorf("the workspace holds %s", got)
	}
}

// D-86: secret files are not copied, and files that are too large are reported. All other files are
// undone.
func TestUnstoredFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"prod.env": "KEY=sentinel-4711\n", "a": "one\n"})
	b.shell("truncate -s 100M big")
	b.BeginTurn("1")
	b.edit("prod.env", "KEY=sentinel-4712\n")
	b.run("echo sentinel-4713 > prod.env; echo x >> big; echo two > a; echo sentinel-4714 > new.env")
	plan := b.planned(b.PlanUndo(t.Context()))
	if len(plan.Refused) > 0 || len(plan.Left) != 2 || len(plan.Steps) != 2 {
		t.Errorf("refused %v, left %v, steps %v", plan.Refused, plan.Left, plan.Steps)
	}
	if lines := fmt.Sprint(plan.Left); !strings.Contains(lines, "prod.env: it may hold secrets") || !strings.Contains(lines, "big: it is larger than 16 MB") {
		t.Error(lines)
	}
	b.undo()
	if got, _ := os.ReadFile(b.path("a")); string(got) != "one\n" {
		t.Errorf("a holds %q", got)
	}
	if plan := b.planned(b.PlanRedo(t.Context())); len(plan.Refused) > 0 || strings.Count(fmt.Sprint(plan.Left), "env: it may hold secrets") != 2 {
		t.Errorf("doing it again refuses %v and leaves %v", plan.Refused, plan.Left)
	}
	b.redo()
	b.BeginTurn("2")
	b.edit("prod.env", "KEY=sentinel-4715\n")
	b.edit("a", "three\n")
	b.undo()
	if plan := b.planned(b.PlanRedo(t.Context())); !strings.Contains(fmt.Sprint(plan.Left), "prod.env: it may hold secrets") {
		t.Errorf("doing the edit again leaves %v", plan.Left)
	}
	b.close()
	out, _ := exec.Command("grep", "-rl", "sentinel", b.folder).Output()
	if len(out) > 0 {
		t.Errorf("keys were copied: %s", out)
	}
	if out, _ := exec.Command("find", b.folder, "-perm", "/077").Output(); require.Unix && len(out) > 0 {
		t.Errorf("others may read %s", out)
	}
}
