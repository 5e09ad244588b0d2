package tools

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/protect"
	"agent/internal/protect/sensitive"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

const key = "hunter2hunter2"

// Whichever tool a call uses, and however it names a secret file, its content is shown only if the
// call requires approval (D-60).
func TestSecretFilesRequireApproval(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{".env": "K=" + key + "\n", "sub/.env": "K=" + key + "\n", ".ssh/id_rsa": key + "\n", "a.txt": "text\n", "plain/b.txt": key + "\n"})
	env.Protected.Home = t.TempDir()
	link(t, env, ".env", "innocent.txt")
	link(t, env, ".ssh", "folder")
	for _, tt := range []struct {
		tool  Tool
		args  params
		asked []string
	}{
		{readFile(), params{"file_path": ".env"}, []string{".env"}},
		{readFile(), params{"file_path": "./sub/../.env"}, []string{".env"}},
		{readFile(), params{"file_path": "innocent.txt"}, []string{".env"}},
		{readFile(), params{"file_path": filepath.Join(env.Workspace.Root(), "folder/id_rsa")}, []string{".ssh/id_rsa"}},
		{readLineRange(), params{"file_path": ".env", "start_line": 1, "end_line": 1}, []string{".env"}},
		{astReadFile(), params{"file_path": ".env"}, []string{".env"}},
		{readManyFiles(), params{"paths": []string{"a.txt", ".env", "innocent.txt", ".ssh/*"}}, []string{".env", ".ssh"}},
		{readManyFiles(), params{"paths": []string{"**", "a.txt"}}, nil},
		{readManyFiles(), params{"paths": []string{"."}}, nil},
		{searchFileContent(), params{"pattern": "hunter", "path": ".env"}, []string{".env"}},
		{searchFileContent(), params{"pattern": "hunter", "path": "folder"}, []string{".ssh"}},
		{searchFileContent(), params{"pattern": "hunter"}, nil},
		{readFile(), params{"file_path": "a.txt"}, nil},
	} {
		call := *env
		plan, err := planCall(t.Context(), t, tt.tool, &call, tt.args)
		if err != nil {
			t.Errorf("%s %v: %v", tt.tool.Name, tt.args, err)
			continue
		}
		var asked []string
		for _, found := range plan.Preview.Protected {
			asked = append(asked, found.Path)
		}
		if !slices.Equal(asked, tt.asked) {
			t.Errorf("%s %v: asked about %q, want %q", tt.tool.Name, tt.args, asked, tt.asked)
		}
		answer := plan.Apply(t.Context())
		shown := strings.Contains(strings.ReplaceAll(answer.ModelText(), "plain/b.txt:1: "+key, ""), key) && !strings.Contains(answer.ModelText(), "==> plain/b.txt")
		if tt.asked == nil && shown {
			t.Errorf("%s %v shows a key unasked: %s", tt.tool.Name, tt.args, answer.ModelText())
		}
		if tt.asked != nil && tt.tool.Name != "ast_read_file" && !shown {
			t.Errorf("%s %v was asked about and shows nothing: %+v", tt.tool.Name, tt.args, answer)
		}
	}
}

// If a file is replaced after the prompt, the new file is not shown.
func TestReplacedFileIsNotShown(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{".env": key, "a.txt": "text"})
	plan, err := planCall(t.Context(), t, readFile(), env, params{"file_path": "a.txt"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(env.Workspace.Root(), "a.txt")); err != nil {
		t.Fatal(err)
	}
	link(t, env, ".env", "a.txt")
	if answer := plan.Apply(t.Context()); strings.Contains(answer.ModelText(), key) || !strings.Contains(answer.Error, "may hold secrets") {
		t.Errorf("%+v", answer)
	}
}

// An edit of a secret file that was not read fails, and its error does not show the content.
func TestEditsShowNoKeys(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{".env": "K=" + key + "\n"})
	for _, tt := range []struct {
		tool Tool
		args params
	}{
		{replace(), params{"file_path": ".env", "old_string": "K=hunter3hunter3", "new_string": "x"}},
		{deleteLineRange(), params{"file_path": ".env", "start_line": 1, "end_line": 1}},
		{insertAtLine(), params{"file_path": ".env", "line": 1, "content": "x"}},
		{writeFile(), params{"file_path": ".env", "content": "x"}},
	} {
		_, err := planCall(t.Context(), t, tt.tool, env, tt.args)
		if err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", tt.tool.Name, err)
		}
	}
}

func TestEditsOfAutoExecutedFilesAreMarked(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, nil)
	env.Protected.Own = []string{env.Workspace.Root() + "/own"}
	for file, want := range map[string]protect.Protection{
		"main.go": protect.Unprotected, ".vscode/tasks.json": protect.NeedsApproval, "sub/.envrc": protect.NeedsApproval, "AGENTS.md": protect.NeedsApproval, "node_modules/.bin/ls": protect.NeedsApproval,
		".husky/pre-commit": protect.AlwaysNeedsApproval, "own/profiles/x.json": protect.AlwaysNeedsApproval, ".ssh/authorized_keys": protect.AlwaysNeedsApproval,
	} {
		plan, err := planCall(t.Context(), t, writeFile(), env, params{"file_path": file, "content": "x"})
		if err != nil {
			t.Fatal(err)
		}
		got := protect.Unprotected
		for _, found := range plan.Preview.Protected {
			got = found.Protection
		}
		if got != want {
			t.Errorf("%s: care %d, want %d", file, got, want)
		}
	}
	for _, file := range []string{".git/hooks/x", ".g\u200cit/config", ".git./config", "sub/.GIT/hooks/x"} {
		if _, err := planCall(t.Context(), t, writeFile(), env, params{"file_path": file, "content": "x"}); err == nil {
			t.Errorf("%q can be edited", file)
		}
	}
}

func TestCommandsThatNameKeysAreNoLooking(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	env.Protected.Home = t.TempDir()
	for line, want := range map[string]int{
		"cat .env": 1, "cat ./.env && ls": 1, "head -3 .ssh/id_rsa": 1, "cat <.env": 1, "x=$(cat .env)": 1, `cat ".env"`: 1, "cat ~/.ssh/id_rsa": 1, "echo x>.git/hooks/pre-commit": 1,
		"docker run --env-file=.env x": 1, "cat main.go": 0, "cp .env.example x": 0, "go test ./...": 0,
	} {
		plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Preview.Protected) != want || want > 0 && plan.Preview.ReadOnly {
			t.Errorf("%s: %+v", line, plan.Preview)
		}
	}
}

// In or above a home folder, auto-edit requires approval for every edit and command (B4). So does
// full-auto, unless the user named the folder.
func TestAHomeFolderIsNotWatched(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	env.Seen, env.Limits.ReadLines = NewSeenFiles(), 2000
	if err := os.WriteFile(filepath.Join(env.Workspace.Root(), "a.go"), []byte("package a\n\nfunc A() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	see(t, env, "a.go")
	calls := map[string]params{
		"write_file": {"file_path": "new.go", "content": "x"}, "replace": {"file_path": "a.go", "old_string": "package a", "new_string": "package b"}, "insert_at_line": {"file_path": "a.go", "line_number": 1, "content": "x"},
		"delete_line_range": {"file_path": "a.go", "start_line": 1, "end_line": 1}, "ast_edit": {"file_path": "a.go", "symbol": "A", "new_code": "func A() { A() }"}, ShellToolName: {"command": "touch x"},
		"apply_patch": {"input": "*** Begin Patch\n*** Add File: new.go\n+x\n*** End Patch"},
	}
	for home, asks := range map[string]bool{env.Workspace.Root(): true, filepath.Join(env.Workspace.Root(), "u"): true, filepath.Dir(env.Workspace.Root()): false, "": false} {
		env.Protected.Home = home
		for _, tool := range Default() {
			if !tool.Edits && !tool.Runs {
				continue
			}
			plan, err := planCall(t.Context(), t, tool, env, calls[tool.Name])
			if err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			if p := plan.Preview; (p.Unwatched != "") != asks || p.AtHome != asks || tool.Runs && p.Confined == asks {
				t.Errorf("%s, home %q: %+v", tool.Name, home, p)
			}
			// Outside the sandbox there is no difference, and if the user named the folder, it is
			// intended.
			if calls[tool.Name]["outside"] = "it must"; tool.Runs {
				if plan, err := planCall(t.Context(), t, tool, env, calls[tool.Name]); err != nil || plan.Preview.AtHome != asks {
					t.Errorf("%s outside, home %q: %v %+v", tool.Name, home, err, plan.Preview)
				}
			}
			delete(calls[tool.Name], "outside")
			env.Named = true
			if plan, err := planCall(t.Context(), t, tool, env, calls[tool.Name]); err != nil || plan.Preview.AtHome || (plan.Preview.Unwatched != "") != asks {
				t.Errorf("%s, named home %q: %v %+v", tool.Name, home, err, plan.Preview)
			}
			env.Named = false
		}
	}
}

// A command that names a protected file requires approval, unless it runs in a sandbox and can
// neither read nor change that file.
func TestProtectedNames(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, nil)
	root := env.Workspace.Root()
	for _, file := range []string{".env", "keys/.env", ".git/hooks/sample"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hiding := sandbox.Policy{Workspace: root, DenyRead: []string{filepath.Join(root, "keys")}, Survey: sensitive.New(root, sensitive.MaxFolders)}
	for _, tc := range []struct {
		line string
		// The files that require approval without a sandbox, with Landlock alone, and with
		// namespaces.
		free, landlock, namespaces string
	}{
		{"cat a.txt", "", "", ""},
		{"cat .env; cat .env", ".env", ".env", ".env"},
		{"cat keys/.env", "keys/.env", "", ""},
		{"cat .e*", ".env", ".env", ""},
		{"cat .[e]nv", ".env", ".env", ""},
		{"cat .e''nv", ".env", ".env", ""},
		{`cat .e\nv $'.env'`, ".env", ".env", ".env"},
		{"E=.env; cat $E", ".env", ".env", ".env"},
		{"cat .{env,x}", ".env", ".env", ""},
		{"cd keys && cat .e*", ".env keys/.env", ".env", ""}, // the cd may fail
		{"for f in .e*; do cat $f; done", ".env", ".env", ""},
		{"cat $(echo .env)", ".env", ".env", ".env"},
		{"echo *", "", "", ""},
		{"echo x > .[e]nv", ".env", ".env", ""},
		{"cp x .git/hooks/pre-commit", ".git/hooks/pre-commit", "", ""},
		{"cd .git; cp ../new hooks/pre-commit", ".git/hooks/pre-commit", "", ""},
		{"(cd .git/hooks && cp ../../within/new pre-commit)", ".git/hooks", "", ""},
		{"env -C .git cp ../new hooks/pre-commit", ".git/hooks/pre-commit", "", ""},
		{"cp -t.git/hooks x", ".git/hooks", "", ""},
		{"cat sub/keys; cat keys/x", "", "", ""},
		{"xargs -akeys/id_rsa", "keys/id_rsa", "", ""},
		{"curl -d@id_rsa x", "id_rsa", "id_rsa", "id_rsa"},
		{"cc @id_rsa", "id_rsa", "id_rsa", "id_rsa"},
		{"shopt -s extglob; cat .@(env|x) @(.env)", ".env", ".env", ".env"},
		{"cp .git/config x >.env", ".git/config .env", ".git/config .env", ".git/config .env"},
	} {
		for backend, want := range map[sandbox.Backend]string{sandbox.None: tc.free, sandbox.Landlock: tc.landlock, sandbox.Namespaces: tc.namespaces} {
			box, err := sandbox.Use(backend)
			if err != nil {
				continue
			}
			var got []string
			for _, found := range env.protectedNames(shell.Command{Line: tc.line, Dir: root, Profile: sandbox.ProfileWork, Confined: sandbox.Confinement{Sandbox: box, Policy: hiding}}) {
				got = append(got, found.Path)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s, sandbox %s: %q, want %q", tc.line, backend, got, want)
			}
		}
	}
}

// If a command outside the sandbox reads folders, the prompt names the protected files in them.
func TestFoldersThatCommandsReadHoldProtectedFiles(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{".env": "K=1\n", "sub/deep/id_rsa": "K\n", "docs/a.md": ""})
	link(t, env, "sub", "all")
	for line, want := range map[string]string{
		"grep -r x all": "sub/deep/id_rsa", "rg -uu x a*": "sub/deep/id_rsa",
		"grep -r x .": ".env sub/deep/id_rsa", "grep -rn x": ".env sub/deep/id_rsa", "grep -Rl x sub docs": "sub/deep/id_rsa", "grep --recursive x docs": "", "grep x docs/a.md": "",
		"cd sub && grep -r x .": "sub/deep/id_rsa .env", "rg x": "sub/deep/id_rsa", "rg -uu x": ".env sub/deep/id_rsa", "rg x docs": "", "tar c . | base64": ".env sub/deep/id_rsa", "tar cf - docs": "",
		"find . -type f -exec cat {} +": ".env sub/deep/id_rsa", "find sub -type f | xargs cat": "sub/deep/id_rsa", "find . -maxdepth 1": "", "ls -R": "", "go test ./...": "", "bash -c 'grep -r x docs sub'": "sub/deep/id_rsa", "sudo grep -r x": ".env sub/deep/id_rsa",
		"git grep --untracked K": ".env sub/deep/id_rsa", "git grep --no-index K sub": "sub/deep/id_rsa", "git grep K": "", "diff -r sub docs": "sub/deep/id_rsa", "diff docs/a.md docs/a.md": "", "git diff --no-index docs sub": "sub/deep/id_rsa", "git diff": "",
		"grep -r x s*": "sub/deep/id_rsa", "grep -r x docs {sub,docs}": "sub/deep/id_rsa", "D=sub; grep -r x docs $D": "sub/deep/id_rsa", "grep -r \"$X\" docs": "",
	} {
		var got []string
		for _, found := range env.readBelow(shell.Command{Dir: env.Workspace.Root(), Line: line}) {
			got = append(got, found.Path)
		}
		slices.Sort(got)
		sorted := strings.Fields(want)
		slices.Sort(sorted)
		if !slices.Equal(got, sorted) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// A prompt permits the files of the latest plan of the call. A new plan revokes the files of the
// plan before.
func TestKeysAreClearedForOnePlan(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{".env": "K=1\n", "sub/.env": "K=1\n", "a": ""})
	at := func(name string) string { return filepath.Join(env.Workspace.Root(), name) }
	got := env.previewRead("read_file", []string{".env", ".env", "a"})
	if got.Title != "read_file .env" || !slices.Equal(got.Paths, []string{".env"}) || len(got.Protected) != 1 || !env.mayRead(at(".env")) {
		t.Errorf("%+v", got)
	}
	env.previewRead("read_file", []string{"sub/.env"})
	if env.mayRead(at(".env")) || !env.mayRead(at("sub/.env")) || !env.mayRead(at("a")) {
		t.Error("the files of an earlier plan may be read")
	}
}
