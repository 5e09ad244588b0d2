package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The test uses all known ways to leave the workspace with a path, in every kind of call. None of
// these 3,000 calls reads or writes outside the workspace or in the folder .git, and none panics.
func TestNoPathLeadsOutside(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of calls")
	}
	const outsideText = "SECRET-OUTSIDE"
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := fileEnv(t, map[string]string{
		"a.go": "package a\n\nfunc A() {}\n", "sub/b.txt": "b\n", ".git/config": "[core]\n", "tree/.git": "gitdir: ../.git\n", "bare/HEAD": "ref: x\n", "bare/objects/x": "", "bare/config": "[core]\n",
	})
	root := env.Workspace.Root()
	for path, content := range map[string]string{"secret": outsideText, "deep/secret": outsideText, "x.go": "package x\n\nfunc A() {} // " + outsideText + "\n"} {
		path = filepath.Join(base, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(root+"-sibling", []byte(outsideText), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"out": base, "leak": base + "/secret", "leak.go": base + "/x.go", "sub/chain": "../leak", "dangling": base + "/new", "up": "..", "loop": "loop", "self": "."} {
		link(t, env, target, name)
	}
	up, err := filepath.Rel(root, base)
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{
		"..", "../new", up + "/secret", up + "/new", "/etc/passwd", "/", base + "/secret", "out", "out/secret", "out/new", "out/deep/secret", "leak", "leak.go", "sub/chain", "dangling", "up/" + filepath.Base(root) + "-sibling", "loop",
		"self/../" + up + "/secret", "/proc/self/root" + base + "/secret", "/proc/self/cwd/../secret", "/" + base + "/secret", "file://" + base + "/secret", "~", "~/.bashrc", "$HOME/x", "a\x00b",
		".git/config", ".GIT/config", ".git./config", ".g\u200cit/config", "tree/.git", "bare/config", "bare/hooks/x", "sub/.git/hooks/post-checkout", root + "-sibling", "\u2024\u2024/secret", strings.Repeat("sub/../", 500) + up + "/secret", "*", up + "/*", "out/**",
	}
	type form struct {
		tool Tool
		args func(path string) params
	}
	// Each of these calls runs git twice, wherever the path leads, so they use a third of the
	// paths.
	listing := []form{
		{readManyFiles(), func(p string) params { return params{"paths": []string{"."}, "include": []string{p}} }},
		{searchFileContent(), func(p string) params { return params{"pattern": "SECRET.*", "include": p} }},
	}
	forms := []form{
		{readFile(), func(p string) params { return params{"file_path": p} }},
		{readFile(), func(p string) params { return params{"absolute_path": filepath.Join(root, p)} }},
		{readLineRange(), func(p string) params { return params{"file_path": p, "start_line": 1, "end_line": 9} }},
		{readManyFiles(), func(p string) params { return params{"paths": []string{p}} }},
		{astReadFile(), func(p string) params { return params{"file_path": p} }},
		{astReadFile(), func(p string) params { return params{"file_path": p, "symbol": "A"} }},
		{searchFileContent(), func(p string) params { return params{"pattern": "SECRET.*", "path": p} }},
		{glob(), func(p string) params { return params{"pattern": p} }},
		{glob(), func(p string) params { return params{"pattern": "**", "path": p} }},
		{listDirectory(), func(p string) params { return params{"path": p} }},
		{writeFile(), func(p string) params { return params{"file_path": p, "content": "WRITTEN"} }},
		{replace(), func(p string) params { return params{"file_path": p, "old_string": "SECRET", "new_string": "WRITTEN"} }},
		{insertAtLine(), func(p string) params { return params{"file_path": p, "line_number": 1, "content": "WRITTEN"} }},
		{deleteLineRange(), func(p string) params { return params{"file_path": p, "start_line": 1, "end_line": 1} }},
		{astEdit(), func(p string) params { return params{"file_path": p, "symbol": "A", "new_code": "func A() { _ = 1 }"} }},
	}
	outside, git := contents(t, base)+contents(t, filepath.Dir(root)+"/"+filepath.Base(root)+"-sibling"), contents(t, root+"/.git")+contents(t, root+"/bare")
	calls := 0
	for at, form := range append(listing, forms...) {
		for i, path := range paths {
			if at < len(listing) && (i+at)%3 != 0 {
				continue
			}
			// Package workspace tests the spellings of a path, so each tool gets one spelling.
			path = []string{path, "./" + path, "sub/../" + path, path + "/", path + "/."}[(i+calls)%5]
			calls++
			plan, err := planCall(t.Context(), t, form.tool, env, form.args(path))
			said := ""
			if err != nil {
				said = err.Error()
			} else {
				answer := plan.Apply(t.Context())
				said = answer.ModelText() + answer.Error + answer.Diff
			}
			if strings.Contains(said, outsideText) || strings.Contains(said, "root:x:") {
				t.Errorf("%s %q shows what is outside: %.200s", form.tool.Name, path, said)
			}
		}
	}
	if contents(t, base)+contents(t, filepath.Dir(root)+"/"+filepath.Base(root)+"-sibling") != outside {
		t.Error("something outside was changed")
	}
	if contents(t, root+"/.git")+contents(t, root+"/bare") != git {
		t.Error("a repository's own folder was changed")
	}
	if calls < 500 {
		t.Errorf("%d calls", calls)
	}
}
