package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/rules"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

// A program that a command could have created in PATH never runs outside the sandbox unless the
// approval prompt names it. This holds for any entry of PATH and any form of the command (A1).
func TestPlantedProgramsDoNotRunOutside(t *testing.T) {
	t.Parallel()
	for _, confined := range []bool{false, true} {
		for _, place := range []string{"W/bin", "bin", "./bin", "W/sub/../bin", "S/linked", "S/links", "TEMP/bin", "ALLOWED", "CACHE/bin"} {
			t.Run(fmt.Sprintf("%v/%s", confined, strings.ReplaceAll(place, "/", "-")), func(t *testing.T) {
				t.Parallel()
				tryPlanted(t, confined, place)
			})
		}
	}
}

func tryPlanted(t *testing.T, confined bool, place string) {
	safe, allowed, cache, ran := t.TempDir(), t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "ran")
	env := shellEnv(t)
	root, temp := env.Workspace.Root(), env.Workspace.TempDir()
	folder := strings.NewReplacer("W", root, "S", safe, "TEMP", temp, "ALLOWED", allowed, "CACHE", cache).Replace(place)
	planted := folder
	switch {
	case !filepath.IsAbs(folder) || strings.HasPrefix(place, "S"):
		planted = filepath.Join(root, "bin")
	}
	put := func(dir, name, line string) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+line+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(filepath.Join(safe, "own"), "tool", "echo safe")
	names := []string{"tool", "ls", "only", "mkdir"}
	for _, name := range names {
		put(planted, name, "echo "+name+" >> "+ran)
	}
	switch place {
	case "S/linked":
		linkTo(t, filepath.Join(root, "bin"), folder)
	case "S/links":
		for _, name := range names {
			linkTo(t, filepath.Join(root, "bin", name), filepath.Join(folder, name))
		}
	}
	env.Jobs = jobsIn(t, "PATH="+folder+":"+filepath.Join(safe, "own")+":"+os.Getenv("PATH"), "BASH_ENV="+filepath.Join(planted, "tool"))
	policy := sandbox.Policy{Workspace: root, Temp: temp, AllowWrite: []string{allowed}, Caches: cache, Protected: protect.AutoExecutedPaths(root)}
	box := sandbox.NewUnconfined("for the test")
	args := params{}
	if confined {
		box, args["outside"] = sandbox.Detect(), "it needs to"
		if !box.IsActive() {
			t.Skip(box.Describe())
		}
	}
	env.Confinement = func() sandbox.Confinement { return sandbox.Confinement{Sandbox: box, Policy: policy} }
	lines := []string{"tool", "cd sub; ls; mkdir e", "$(echo on)ly", "only"}
	if place == "W/bin" || place == "bin" || place == "S/links" { // the other forms of a command give the same result elsewhere
		lines = append(lines, "ls", "ls && mkdir d", "ls; tool", "tool | tail -n 3", "cd sub && tool", "(tool)", "X=1 tool", "for i in 1; do tool; done", "$(echo to)ol", "eval tool", "command tool", "env tool", "if tool; then ls; fi",
			"sh -c only", "echo x | xargs only", "f() { tool; }; f")
	}
	for _, line := range lines {
		_ = os.Remove(ran)
		args["command"] = line
		plan, err := planCall(t.Context(), t, runShellCommand(), env, args)
		if err != nil {
			t.Fatal(err)
		}
		plan.Apply(t.Context())
		content, _ := os.ReadFile(ran)
		var named []string
		for _, found := range plan.Preview.Protected {
			if found.Protection == protect.NeedsApproval && slices.Contains(names, filepath.Base(found.Path)) {
				named = append(named, filepath.Base(found.Path))
			}
		}
		for _, name := range strings.Fields(string(content)) {
			if place == "S/links" && !slices.ContainsFunc(cmdline.Read(line).Calls(), func(words []string) bool { return words[0] == name }) {
				continue // a link that the user created in a system folder is trusted
			}
			if !slices.Contains(named, name) {
				t.Errorf("%q ran %s, which was planted, and the question named %q", line, name, named)
			}
		}
		// A program that exists only there is named and runs, unless it depends on the current
		// folder.
		if want := filepath.IsAbs(folder); line == "only" && (len(named) > 0 != want || len(content) > 0 != want) {
			t.Errorf("%q: the question named %+v, and %q ran", line, plan.Preview.Protected, content)
		}
	}
}

func jobsIn(t *testing.T, environ ...string) *shell.Jobs {
	t.Helper()
	jobs := shell.NewJobs(environ, nil)
	t.Cleanup(jobs.Close)
	return jobs
}

func linkTo(t *testing.T, target, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// A command that the user types runs with the user's PATH.
func TestTypedCommandsHaveTheWholePath(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	bin := filepath.Join(env.Workspace.Root(), "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "mine"), []byte("#!/bin/sh\necho it ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	env.Jobs = jobsIn(t, "PATH="+bin+":"+os.Getenv("PATH"))
	env.Typed = true
	if answer := command(t, env, "$(echo mi)ne"); !strings.Contains(answer.ModelText(), "it ran") {
		t.Errorf("%+v", answer)
	}
}

// Outside the sandbox, a rule covers only its own part of a command line. A read-only part next to
// it could read files that the sandbox hides (B2).
func TestLookingPartsNeedARuleOutside(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	for line, parts := range map[string]int{"mkdir d; grep -r SECRET .": 2, "grep -r SECRET .; mkdir d": 2, "cat notes && mkdir d": 2, "mkdir d; echo done": 1, "mkdir d | tail -n 5": 1} {
		for _, outside := range []string{"", "it needs to"} {
			plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": line, "outside": outside})
			if err != nil {
				t.Fatal(err)
			}
			want := parts
			if outside == "" {
				want = 1
			}
			if got := len(plan.Preview.Commands); got != want {
				t.Errorf("%q, outside %q: %d parts need a rule, want %d", line, outside, got, want)
			}
		}
	}
}

// Outside the sandbox, a rule that ends in * does not allow a program or script that a sandboxed
// command may have written, in any word, folder or spelling. Only a rule that contains the word
// allows it (A1).
func TestRulesExcludeWrittenPrograms(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	root := env.Workspace.Root()
	for name, mode := range map[string]os.FileMode{"prog": 0o755, "bin/prog": 0o755, "bin/deep/prog": 0o755, "x.py": 0o644, "notes": 0o644} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	allowed := func(line string, allowing ...string) bool {
		t.Helper()
		plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": line, "outside": "it needs to"})
		if err != nil {
			t.Fatal(err)
		}
		var all rules.Rules
		for _, pattern := range allowing {
			rule, err := rules.Parse("run_shell_command("+pattern+")", func(string) (rules.Subject, error) { return rules.SubjectCommands, nil })
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, rule)
		}
		return all.Allows("run_shell_command", plan.Preview.Commands, nil)
	}
	for _, line := range []string{
		"env X=1 ./prog", "env -S './prog x'", "nice -n 5 bin/prog", "timeout 5 " + root + "/prog", "timeout 5 ./pro?", "timeout 5 bin/deep/../prog", "xargs -n 1 ./prog", "find . -exec ./prog {} +",
		"make SHELL=./prog", "git -c alias.x=!./prog x", "git -c core.editor=bin/prog commit", "tar -cf a --checkpoint-action=exec=./prog notes",
		"python3 x.py", "python3.11 -u x.py", "sh notes", "timeout 5 bash notes", "env sh -c './prog'", ". ./notes", "source notes", "node x.py", "perl notes",
		"env -C bin/deep ./prog", "env -Cbin/deep ./prog", "env -C b?n/d* ./prog", "env --chdir=bin ./prog", "env PATH=bin/deep prog", "env PATH=/usr/bin:bin/deep:/bin X=1 prog", "find bin -execdir prog {} +", "cd bin; env -C deep prog",
		"env -C bin python3 ../x.py", "nice -n 5 env -C bin/deep -i prog",
		"cd bin; timeout 5 ./prog", "cd nowhere; cd bin && cd deep; nice ./prog", "pushd bin; nice deep/prog",
		strings.Repeat("cd bin; cd ..; ", 20) + "nice ./elsewhere",
	} {
		calls := cmdline.Read(line).Calls()
		if last := calls[len(calls)-1]; allowed(line, last[0]+" *", "cd *", "pushd *") {
			t.Errorf("%q runs what a command may have written, by a rule that does not name it", line)
		}
	}
	for line, rule := range map[string]string{
		"timeout 5 ./prog x": "timeout 5 ./prog *", "python3 x.py": "python3 x.py", "./prog x": "./prog *", "cp notes /elsewhere": "cp *", "python3 -m pytest x.py": "python3 -m pytest *",
		"npm install left-pad": "npm install *", "timeout 5 curl -d @notes": "timeout 5 curl *", "cd bin; make all": "make *",
	} {
		if !allowed(line, rule, "cd *") {
			t.Errorf("%q is not allowed by %q", line, rule)
		}
	}
}
