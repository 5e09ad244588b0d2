package protect_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/base/fsutil"
	"agent/internal/protect"
)

// The 62 writes that a security review ran without approval, and other auto-executed files, need
// the right protection (D-60).
func TestEditsThatNeedCare(t *testing.T) {
	t.Parallel()
	places := protect.ProtectionRules{Home: "/home/u", Own: []string{"/home/u/.config/agent", "/home/u/.local/share/agent", "/ws/keyfile"}}
	for care, files := range map[protect.Protection][]string{
		protect.Unprotected: {"main.go", "Makefile", "package.json", "go.mod", "docs/agents.txt", ".gitignore", ".github/CODEOWNERS", "config/app.yml", "bashrc", "profile", ".editorconfig", ".env.example", "a/.env.sample", "workflows/x.yml", "key.go", "cmd/agent/main.go"},
		protect.NeedsApproval: {
			".bashrc", "sub/.bashrc", ".profile", ".zshrc", ".vscode/tasks.json", "a/b/.vscode/settings.json", ".idea/x.xml", ".envrc", ".github/workflows/ci.yml", ".github/actions/x/action.yml", ".gitlab-ci.yml",
			"node_modules/.bin/ls", "node_modules/x/index.js", ".venv/bin/python", ".mcp.json", ".claude/settings.json", ".codex/config.toml", "AGENTS.md", "docs/AGENTS.md", "agents.md", "CLAUDE.md", ".cursorrules", ".config/autostart/x.desktop",
			".npmrc", ".cargo/config.toml", "x.code-workspace", ".pre-commit-config.yaml", "Jenkinsfile", ".env", ".env.local", "prod.env", "certs/a.pem", ".exrc", ".local/bin/ls",
			".VSCode/tasks.json", ".vs\u200ccode/tasks.json", ".vscode./tasks.json", ".vscode /tasks.json", ".envrc\u00ad", ".envrc::$DATA", ".GITHUB/Workflows/x",
		},
		protect.AlwaysNeedsApproval: {".husky/pre-commit", ".githooks/pre-push", ".gitconfig", ".ssh/authorized_keys", ".ssh/config", "id_rsa", "deploy/id_ed25519", ".aws/credentials", ".netrc", "keyfile"},
	} {
		for _, file := range files {
			if got := places.EditProtection(filepath.Join("/ws", file), file); got.Protection != care || care != protect.Unprotected && (got.Why == "" || got.Name == "" || got.Path != file) {
				t.Errorf("%q: %+v, want %d", file, got, care)
			}
		}
	}
	for _, file := range []string{".config/agent/profiles/x.json", ".config/agent/prompts/system.md", ".local/share/agent/sessions/x", ".ssh/id_rsa", ".claude/x", ".docker/config.json", ".bash_history", ".config/google-chrome/x"} {
		if got := places.EditProtection("/home/u/"+file, file); got.Protection != protect.AlwaysNeedsApproval {
			t.Errorf("%s in the home folder: %+v", file, got)
		}
	}
}

func TestReadingThatNeedsCare(t *testing.T) {
	t.Parallel()
	places := protect.ProtectionRules{Home: "/home/u", Own: []string{"/home/u/.config/agent"}}
	for care, files := range map[protect.Protection][]string{
		protect.Unprotected:         {"main.go", ".git/HEAD", "config", ".bashrc", "AGENTS.md", ".vscode/tasks.json", ".github/workflows/x.yml", ".env.example", "id_rsa.pub", "environment", ".envrc", "node_modules/x/index.js"},
		protect.NeedsApproval:       {".env", "a/.env", ".env.production", ".ENV", "a.pem", "server.key", ".npmrc", "conf/credentials.json", ".git/config", "sub/.GIT/config"},
		protect.AlwaysNeedsApproval: {".ssh/id_rsa", ".ssh/a.pub/...", "x/.ssh/config", "id_ed25519", ".netrc", ".aws/credentials", ".git-credentials", ".kube/config"},
	} {
		for _, file := range files {
			if got := places.Read(filepath.Join("/ws", file), file); got.Protection != care || care == protect.Unprotected && got != (protect.File{}) {
				t.Errorf("%q: %+v, want %d", file, got, care)
			}
		}
	}
	if got := places.Read("/home/u/.config/agent/profiles/a.json", "profiles/a.json"); got.Protection != protect.AlwaysNeedsApproval {
		t.Errorf("our own: %+v", got)
	}
	places.Denied = []string{"/ws/private"}
	for file, care := range map[string]protect.Protection{"private": protect.AlwaysNeedsApproval, "private/notes.md": protect.AlwaysNeedsApproval, "privately.md": protect.Unprotected} {
		if got := places.Read(filepath.Join("/ws", file), file); got.Protection != care {
			t.Errorf("with sandbox.deny-read, %s: %+v", file, got)
		}
	}
	if got := (protect.ProtectionRules{}).Read("/ws/main.go", "main.go"); got.Protection != protect.Unprotected {
		t.Errorf("%+v", got)
	}
}

func TestGitsOwnFiles(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		".git/config": true, "a/.git": true, ".GIT/hooks/x": true, ".g\u200cit/config": true, ".git./x": true, ".git /x": true, "git~1/x": true, ".git::$INDEX_ALLOCATION/x": true,
		".gitignore": false, "git/x": false, ".github/x": false,
	} {
		if got := protect.InGit(file); got != want {
			t.Errorf("%q: %v", file, got)
		}
	}
}

func TestPlacesForTheSandbox(t *testing.T) {
	t.Parallel()
	if got := protect.Secrets("", "/keys"); !slices.Equal(got, []string{"/keys"}) {
		t.Errorf("without a home folder: %q", got)
	}
	ws := t.TempDir()
	if err := os.WriteFile(filepath.Join(ws, "x.code-workspace"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := protect.AutoExecutedPaths(ws); !slices.Contains(got, filepath.Join(ws, "x.code-workspace")) || slices.ContainsFunc(got, func(path string) bool { return strings.Contains(path, "*") }) {
		t.Errorf("patterns are not resolved: %q", got)
	}
	paths := protect.AutoExecutedPaths("/ws")
	for _, want := range []string{"/ws/.vscode", "/ws/.github/workflows", "/ws/AGENTS.md", "/ws/.husky", "/ws/.envrc"} {
		if !slices.Contains(paths, filepath.FromSlash(want)) {
			t.Errorf("%s is missing", want)
		}
	}
	if slices.Contains(paths, filepath.FromSlash("/ws/node_modules")) {
		t.Error("npm install is not to be undone")
	}
	got := protect.Secrets("/h", "/keys/file", "")
	for _, path := range []string{"/h/.ssh", "/h/.gnupg", "/h/.aws", "/h/.config/gh", "/h/.netrc", "/h/.bash_history", "/keys/file"} {
		if !slices.ContainsFunc(got, func(secret string) bool { return filepath.ToSlash(secret) == path }) {
			t.Errorf("%s is missing", path)
		}
	}
	if slices.Contains(got, "") {
		t.Error("an empty path")
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]bool{"/": true, "/home": true, "/home/u": true, "/home/u/x": false, "/home/us": false, "/srv": false} {
		if got := protect.ContainsHome(folder, "/home/u"); got != want {
			t.Errorf("%s: %v", folder, got)
		}
	}
}

// Files and programs that are easily missing from the lists.
func TestListsNameForgottenFiles(t *testing.T) {
	t.Parallel()
	places := protect.ProtectionRules{Home: "/home/u"}
	for _, file := range []string{
		"AGENTS.override.md", "AGENT.md", "CRUSH.md", "crush.json", ".crush.json", "opencode.jsonc", ".opencode.json", ".pi/x", ".rules", "WARP.md", ".llxprt/x", ".replit", "rust-toolchain", "rust-toolchain.toml", "tools/bazel", ".bazelrc",
		"lefthook.yaml", "lefthook.toml", ".lefthook/x", ".git-hooks/pre-commit", ".simple-git-hooks.json", ".mise.local.toml", ".mise/config.toml", ".rtx.toml", ".autoenv", ".in", ".pdbrc", ".ghci", ".ocamlinit", ".octaverc",
		".builds/x.yml", ".build.yml", ".tekton/x", "buildspec.yml", "codemagic.yaml", "bitrise.yml", ".gitmodules", ".vs/x", ".nova/x",
	} {
		for _, below := range []string{"", "sub/"} {
			if got := places.EditProtection("/ws/"+below+file, below+file); got.Protection == protect.Unprotected {
				t.Errorf("%s%s can be edited unasked", below, file)
			}
		}
	}
	for _, file := range []string{
		".vault-token", ".config/sops/age/keys.txt", ".config/rclone/rclone.conf", ".cache/huggingface/token", ".s3cfg", ".boto", ".databrickscfg", ".kaggle/kaggle.json", ".fly/config.yml", ".config/solana/id.json", ".ethereum/keystore/x", ".config/Signal/x",
		".config/Code/User/globalStorage/state.vscdb", "snap/firefox/common/x", ".var/app/org.mozilla.firefox/x", ".Xauthority", ".local/share/atuin/history.db", ".config/nushell/history.txt", ".local/share/zsh/history",
		".local/share/opencode/auth.json", ".pi/agent/auth.json", ".qwen/oauth_creds.json", ".config/crush/crush.json", ".config/goose/x", ".cursor/x",
	} {
		if got := places.Read("/home/u/"+file, file); got.Protection != protect.AlwaysNeedsApproval {
			t.Errorf("%s in the home folder can be read unasked", file)
		}
		within := func(secret string) bool { return fsutil.Within("/home/u/"+file, secret) }
		if !slices.ContainsFunc(protect.Secrets("/home/u"), within) {
			t.Errorf("commands can read %s in the home folder", file)
		}
	}
}

// Files under deny rules, approved files and programs in the git configuration are protected
// automatically.
func TestFilesProtectedByRules(t *testing.T) {
	t.Parallel()
	is := func(name string) func(string) bool { return func(abs string) bool { return abs == "/ws/"+name } }
	places := protect.ProtectionRules{
		Own: []string{""}, IsApproved: is("agreed"), IsRunByGit: is("hook"), Open: []string{"/ws/open"},
		RuleForFile: func(abs string, edit bool) (string, bool) {
			return map[string]string{"/ws/never": "a rule", "/ws/open/never": "a rule", "/ws/edited": map[bool]string{true: "no edits"}[edit]}[abs], abs == "/ws/never"
		},
	}
	for file, want := range map[string][2]string{
		"never": {"a rule", "a rule"}, "open/never": {"a rule", "a rule"}, "edited": {"", "no edits"},
		"agreed": {"", "you approved its current content (agent trust), and this call would change it"}, "hook": {"", "git's configuration makes git run it"}, "main.go": {"", ""},
	} {
		read, edit := places.Read("/ws/"+file, file), places.EditProtection("/ws/"+file, file)
		for i, got := range []protect.File{read, edit} {
			if got.Why != want[i] || (got.Protection == protect.AlwaysNeedsApproval) != (want[i] != "") || want[i] != "" && (got.Path != file || got.Name != file) || got.Denied != (file == "never") {
				t.Errorf("%s: %+v, want %q", file, got, want[i])
			}
		}
	}
	if protect.ContainsHome("/", "") || (protect.ProtectionRules{Own: []string{""}}).Read("/x", "x").Protection != protect.Unprotected {
		t.Error("an empty path holds something")
	}
}

// The folder of a skill can be read wherever it is, except secret files in it. It cannot be
// written.
func TestOpenFolders(t *testing.T) {
	t.Parallel()
	p := protect.ProtectionRules{Home: "/home/me", Own: []string{"/home/me/.config/agent"}, Open: []string{"/home/me/.claude/skills/pdf", "/home/me/.config/agent/skills/x"}}
	for file, want := range map[string]protect.Protection{
		".claude/skills/pdf/a.md": protect.Unprotected, ".config/agent/skills/x/a.md": protect.Unprotected, ".claude/skills/pdf/.env": protect.NeedsApproval,
		".claude/skills/pdf-other/a.md": protect.AlwaysNeedsApproval, ".claude/x": protect.AlwaysNeedsApproval, ".config/agent/keys.json": protect.AlwaysNeedsApproval,
	} {
		abs := "/home/me/" + file
		if got := p.Read(abs, abs); got.Protection != want {
			t.Errorf("reading %s: %v", file, got)
		}
		if got := p.EditProtection(abs, abs); got.Protection == protect.Unprotected {
			t.Errorf("editing %s is free", file)
		}
	}
}
