package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/protect/sensitive"
	"agent/internal/sandbox"
)

// readings are command lines that show a file. %s is replaced by the path of the file, or by its
// path from sub. spellings are different ways to write .env, in the workspace and in sub.
var (
	readings = []string{
		"cat %s", "cat < %s", "cat<%s", "cat 0<%s", "head -c99 %s", "grep -f%s %s", "grep --file=%s %s", "echo $(<%s)", "echo `cat %s`", "cat <(cat %s)", "xargs -a%s", "xargs -a %s", "xargs --arg-file=%s", "xargs < %s", "while read x; do echo \"$x\"; done < %s", "mapfile a < %s; echo ${a[0]}",
		"(cat %s)", "{ cat %s; }", "if cat %s; then :; fi", "f() { cat $1; }; f %s", "set -- %s; cat $1", "set -- %s; cat \"$@\"", "x=%s; cat $x", "x=(%s); cat ${x[0]}", "for f in %s; do cat $f; done", "bash -c 'cat %s'", "eval 'cat %s'", "eval cat %s", "sh -ec 'cat $0' %s",
		"env cat %s", "env F=%s sh -c 'cat $F'", "find . -path ./%s -exec cat {} +", "find %s -exec cat {} +", "printf '%%s\\n' %s | xargs cat", "echo %s | xargs cat", "echo cat %s | sh", "awk 1 %s", "sed '' %s", "sed -n '$r %s' a.txt", "sed p a.txt %s", "tac -- %s", "dd if=%s status=none", "tar -cf- %s", "tar cf - -T list -C . %s", "cp %s b; cat b",
		"ln -s %s c; cat c", "git diff --no-index a.txt %s", "git diff --no-index -- /dev/null %s", "git hash-object -w %s | xargs git cat-file -p", "diff a.txt %s", "cmp -bl a.txt %s; diff %s a.txt", "sort %s", "sort -o- %s", "paste -d: a.txt %s", "join -a2 a.txt %s", "comm a.txt %s", "base64 -w0 %s | base64 -d", "od -c %s | tr -d ' \\n'",
		"perl -pe1 %s", "rg . %s", "rg --no-config -f%s %s", "bash %s", ". ./%s 2>&1; echo $K", "source %s; echo $K", "set -a; source ./%s; env", "pr %s", "nl %s", "tee < %s", "column %s", "ed -s %s <<< ,p", "split --filter=cat %s", "wc --files0-from=list0 %s; cat %s",
		"cat list %s", "cat a.txt %s", "exec 3<%s; cat <&3", "cat ${x:-%s}", "cat ${x:=%s}", "cat \"${x-%s}\"", "test -f %s && cat $_", "ls %s && cat $_", "cd sub; cat ../%s", "cd sub && cat ../%s", "(cd sub; cat ../%s)", "pushd sub; cat ../%s", "env -C sub cat ../%s", "tar -C sub -cf- ../%s", "cat $PWD/%s", "cat ~+/%s", "cat sub/../%s", "cat ./%s", "cat .//%s",
	}
	spellings = []string{".env", ".e*", ".[e]nv", ".en?", `.en\v`, "'.env'", `".env"`, ".e''nv", "$'.env'", `$'\x2eenv'`, ".{env,x}", "{.env,}", ".e{n,}v", "${y:-.env}", "$(echo .env)", `"$(printf .env)"`, ".??*", ".[!.]*", ".en[a-z]", ".@(env|x)"}
)

// reviewed are command lines that read .env or server.key. With Landlock alone they could read
// them.
var reviewed = []string{
	"cat .en*", "cat .e?v", "cat .[e]nv", "X=.en; cat ${X}v", "head -1 .en*", "cat < .en*", "cp .en* z; cat z", "sed -n p .en*", "tar cf - .en*", "bash -c 'cat .en*'",
	"for f in .e*; do cat $f; done", "cat server.k*", "base64 .en*", "awk 1 .en*", "find . -name '.en*' -exec cat {} +", "cat ./.en*", "cd sub; cat ../.en*", "tail -n5 .en* a.txt", "wc -c .en*; cat .en*",
	"cat .env", "cat server.key", "X=.env; cat $X", "cat {.env,a.txt}", "cat $(echo .env)", "cat *.key", "tar cf - .", "grep -r hunter . > out; cat out",
}

// A command that shows a secret file requires approval, or runs in a sandbox that hides the file.
// The spelling of the file name does not matter. The test covers each sandbox separately.
func TestKeysThatCommandsShowAreNamed(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	for backend, most := range map[sandbox.Backend]int{sandbox.None: len(readings), sandbox.Landlock: len(readings), sandbox.Namespaces: 3} {
		if testing.Short() {
			most = min(most, 12)
		}
		lines := slices.Clone(reviewed)
		for _, reading := range readings[:most] {
			for _, spelling := range spellings {
				lines = append(lines, strings.ReplaceAll(strings.ReplaceAll(reading, "%s", spelling), "%%", "%"))
			}
		}
		t.Run(backend.String(), func(t *testing.T) {
			t.Parallel()
			box, err := sandbox.Use(backend)
			if err != nil {
				t.Skip(err)
			}
			env := shellEnv(t)
			root := env.Workspace.Root()
			for name, text := range map[string]string{"a.txt": "text\n", "list": "a.txt\n", "list0": "a.txt\x00", "sub/b.txt": "b\n"} {
				writeTestFile(t, root, name, text)
			}
			if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
				t.Fatalf("%s", out)
			}
			show := func(_ string, plan Plan) string { return plan.Apply(t.Context()).ModelText() }
			if backend == sandbox.None {
				show = func(line string, _ Plan) string {
					cmd := exec.Command(bash, "-O", "extglob", "-c", line)
					cmd.Dir = root
					out, _ := cmd.CombinedOutput() // some lines fail after they have shown the file
					return string(out)
				}
			}
			asked, kept := 0, 0
			for _, line := range lines {
				for _, name := range []string{"b", "c", "z", "out"} {
					_ = os.Remove(filepath.Join(root, name))
				}
				for _, name := range []string{".env", "server.key"} {
					if _, err := os.Stat(filepath.Join(root, name)); err != nil {
						writeTestFile(t, root, name, "K=hunter2\n")
					}
				}
				// A command may read a file that an earlier command created, so each line has a
				// separate survey.
				policy := sandbox.Policy{Workspace: root, Temp: env.Workspace.TempDir(), Survey: sensitive.New(root, sensitive.MaxFolders)}
				env.Confinement = func() sandbox.Confinement { return sandbox.Confinement{Sandbox: box, Policy: policy} }
				plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": line})
				if err != nil {
					t.Fatal(err)
				}
				if len(plan.Preview.Protected) > 0 {
					asked++
					continue
				}
				kept++
				if shown := strings.ReplaceAll(show(line, plan), " ", ""); strings.Contains(shown, "hunter2") || strings.Contains(shown, "odW50ZXIy") {
					t.Errorf("%s shows keys unasked", line)
				}
			}
			t.Logf("%d lines: %d asked about, %d show nothing", len(lines), asked, kept)
		})
	}
}
