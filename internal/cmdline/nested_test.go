package cmdline

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ways are lines that run a command. %s is the command, %q the quoted command, %a a quoted
// subscript that runs the command, and %p a text that does so.
var ways = []string{
	"%s", "true; %s", "(%s)", "{ %s; }", "! %s", "time %s", "if %s; then :; fi", "while %s; do break; done", "case x in x) %s;; esac",
	"f() { %s; }; f", "echo $(%s)", "echo `%s`", "cat <(%s)", "cat <<E\n$(%s)\nE", "echo \"${x:-$(%s)}\"", "for i in $(%s); do :; done", "[[ $(%s) ]]", "echo $(( $(%s) + 1 ))",
	"A=1 %s", "env A=1 %s", "nice -n 1 %s", "timeout 5 %s", "nohup %s", "setsid -w %s", "command %s", "stdbuf -o0 %s", "flock . %s", "xargs %s < /dev/null", "find . -maxdepth 0 -exec %s {} +",
	"exec %s", "busybox sh -c %q", "bash -c %q", "sh -ec %q", "eval %q", "builtin eval %q", "env bash -c %q", "env -S %q", "trap %q EXIT", "script -qc %q /dev/null > /dev/null", "flock . -c %q",
	"echo %q | bash", "bash <<< %q", "bash <<'E'\n%s\nE", "bash -s < <(echo %q)", "source <(echo %q)", "source /dev/stdin <<< %q", "x=%q; $x", "x=%q; eval $x", "x=%q; bash -c \"$x\"", "$(echo %q)",
	"shopt -s expand_aliases\nalias t=%q\nt", "echo x | mapfile -c 1 -C %q", "compgen -C %q > /dev/null", "/bin/bash -c %q", "b=bash; $b -c %q",
	"[[ -v %a ]]", "test -v %a", "[ -v %a ]", "command test -v %a", "printf -v %a x", "read %a <<< 1", "unset %a", "declare %a=1", "typeset -i x=%a", "export x=%a; echo $((x))", "let x=%a", "x=%a; echo $((x))", "x=%a; (( x ))", "x=%a; [[ x -eq 0 ]]", "[[ %a -eq 0 ]]",
	"x=%a; y=ab; echo ${y:x}", "x=%a; for ((i=x; i<0; i++)); do :; done", "x=(%a); let ${x[0]}", "mapfile %a < /dev/null", "x=%p; echo \"${x@P}\"", "PS4=%p; set -x; :", "PS4=%p bash -xc :", "x=%a; declare -n r=$x; echo $r", "x=%a; echo ${!x}", "f() { return %a; }; f", "t=test; $t -v %a",
	"env -S%q", "env -vS%q", "env --split-string=%q", "script -qc%q /dev/null > /dev/null", "script --command=%q /dev/null > /dev/null", "echo %q | dash", "dash -c %q", "zsh -c %q", "ksh93 -c %q", "mksh -c %q", "yash -c %q", "busybox ash -c %q", "fish -c %q", "tcsh -c %q",
	"chrt -o 0 %s", "ld.so /bin/bash -c %q", "/lib64/ld-linux-x86-64.so.2 /bin/bash -c %q", "capsh -- -c %q", "capsh --drop=cap_chown -- -ec %q", "echo %q | capsh --", "choom -n 0 -- %s", "x86_64 %s", "ssh-agent %s", "start-stop-daemon --start --pidfile /nowhere --startas /bin/bash -- -c %q", "setarch -R %s", "prlimit %s", "xargs -a /dev/null %s", "echo x | xargs -I{} %s", "x=(%q); eval \"${x[@]}\"",
}

func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// in returns a line that runs another line in the given way.
func in(way, line string) string {
	return strings.NewReplacer("%s", line, "%q", singleQuoted(line), "%a", singleQuoted("a[$("+line+")]"), "%p", singleQuoted("$("+line+")")).Replace(way)
}

// NestedCalls returns the command that a line runs, or an unknown command, whatever way the line
// uses.
func TestNestedFindsWhatRuns(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	folder, run := t.TempDir(), []string{bash, "-c"}
	if timeout, err := exec.LookPath("timeout"); err == nil { // it ends all processes that a line started
		run = append([]string{timeout, "-s", "KILL", "10"}, run...)
	}
	check := func(t interface{ Fatalf(string, ...any) }, line string) {
		// Some lines never end, such as two flocks of one folder. Each line has a separate folder,
		// so that a process which survives does not affect the next line.
		dir, err := os.MkdirTemp(folder, "")
		if err != nil {
			t.Fatalf("%v", err)
		}
		ran := filepath.Join(dir, "ran")
		if err := os.WriteFile(filepath.Join(dir, "probe"), []byte("#!/bin/sh\n: > "+ran+"\n"), 0o755); err != nil {
			t.Fatalf("%v", err)
		}
		cmd := exec.Command(run[0], append(slices.Clone(run[1:]), line)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		_ = cmd.Run() // some lines fail after the command has run, others before
		if _, err := os.Stat(ran); err != nil {
			return
		}
		if !slices.ContainsFunc(Read(line).NestedCalls(), func(words []string) bool { return words[0] == "probe" || words[0] == Unknown }) {
			t.Fatalf("%q runs the command, which is not among %q", line, Read(line).NestedCalls())
		}
	}
	for _, way := range ways {
		check(t, in(way, "probe"))
	}
	rapid.Check(t, func(t *rapid.T) {
		line := "probe"
		for range rapid.IntRange(1, 3).Draw(t, "depth") {
			line = in(rapid.SampledFrom(ways).Draw(t, "way"), line)
		}
		check(t, line)
	})
}
