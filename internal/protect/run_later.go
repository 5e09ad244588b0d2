package protect

import (
	"path/filepath"
	"strings"
)

// group is a set of names that are protected for the same reason.
type group struct {
	why  string
	care Protection
	// names lists files and folders that are protected in any folder. Commands in the sandbox
	// cannot change them in the workspace.
	names []string
	// builders lists names that build tools write. Edits of them require approval, but commands may
	// change them.
	builders []string
}

// runLater lists files that other programs execute or read as configuration later, outside the
// sandbox.
var runLater = []group{
	{why: "git runs it", care: AlwaysNeedsApproval, names: []string{".githooks", ".husky", ".gitconfig", ".config/git", ".git-hooks"}},
	{why: "git fetches from the addresses in it", care: NeedsApproval, builders: []string{".gitmodules"}},
	{why: "shells run it", care: NeedsApproval, names: []string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".login", ".cshrc", ".tcshrc", ".kshrc", ".mkshrc",
		".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".inputrc", ".envrc", ".direnvrc", ".mise.toml", "mise.toml", ".tool-versions", ".local/bin", ".mise.local.toml", ".mise", ".rtx.toml", ".autoenv", ".in",
		"profile.ps1", "Microsoft.PowerShell_profile.ps1", "Microsoft.VSCode_profile.ps1",
		".xinitrc", ".xprofile", ".xsession", ".xsessionrc", ".pam_environment", ".tmux.conf", ".screenrc",
	}},
	{why: "programs read it as configuration", care: NeedsApproval, names: []string{
		".config", ".curlrc", ".wgetrc", ".netrc", ".gdbinit", ".lldbinit", ".psqlrc", ".sqliterc", ".Rprofile", ".irbrc", ".pryrc", ".pythonrc", ".mailcap", ".forward", ".pdbrc", ".ghci", ".ocamlinit", ".octaverc",
		".hg", ".hgrc", ".svn", ".jj", ".bzr",
	}},
	{why: "editors run its commands", care: NeedsApproval, names: []string{
		".vscode", "*.code-workspace", ".idea", ".fleet", ".zed", ".devcontainer", ".devcontainer.json", ".helix", "*.sublime-project", ".vs", ".nova", ".replit",
		".vimrc", ".gvimrc", ".exrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".local.vimrc", ".vim", ".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.d", ".ycm_extra_conf.py",
	}},
	{why: "continuous integration runs it", care: NeedsApproval, names: []string{
		".github/workflows", ".github/actions", ".gitlab-ci.yml", ".gitlab-ci", ".gitlab/ci", ".circleci", ".travis.yml", "Jenkinsfile", "azure-pipelines.yml", ".azure-pipelines", "bitbucket-pipelines.yml",
		".drone.yml", ".woodpecker", ".woodpecker.yml", ".buildkite", "appveyor.yml", ".appveyor.yml", ".teamcity", ".forgejo/workflows", ".gitea/workflows", "cloudbuild.yaml", ".cirrus.yml", ".semaphore", ".builds", ".build.yml", ".tekton", "buildspec.yml", "codemagic.yaml", "bitrise.yml",
	}},
	{why: "hooks run it", care: NeedsApproval, names: []string{
		".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", ".lefthook.yml", "lefthook-local.yml", "lefthook.yaml", "lefthook.toml", ".lefthook", ".simple-git-hooks.json", ".lintstagedrc*", ".huskyrc*", ".overcommit.yml",
	}},
	{why: "it instructs agents", care: NeedsApproval, names: []string{
		"AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md", ".mcp.json", ".claude", ".claude.json", ".codex", ".cursor", ".cursorrules", ".gemini", ".qwen", ".agents", ".agent",
		".aider*", ".windsurf", ".windsurfrules", ".continue", ".roo", ".roomodes", ".kilocode", ".cline", ".clinerules", ".opencode", "opencode.json", ".goose", ".goosehints", ".amp", ".factory",
		".junie", ".kiro", ".augment", ".trae", ".crush", "AGENTS.override.md", "AGENT.md", "CRUSH.md", "crush.json", ".crush.json", "opencode.jsonc", ".opencode.json", ".pi", ".rules", "WARP.md", ".llxprt", ".github/copilot-instructions.md", ".github/instructions", ".github/prompts", ".github/agents", ".github/chatmodes",
	}},
	{why: "it hides files from coding agents", care: NeedsApproval, names: []string{".agentignore", ".aiignore", ".cursorignore", ".geminiignore", ".crushignore"}},
	{
		why: "package managers and build tools run its commands", care: NeedsApproval,
		names:    []string{".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pnp.cjs", ".cargo", ".mvn", "rust-toolchain", "rust-toolchain.toml", "tools/bazel", ".bazelrc", "sitecustomize.py", "usercustomize.py"},
		builders: []string{"node_modules", ".yarn", ".venv", "venv", ".bundle", ".gradle", "*.pth"},
	},
}

// AutoExecutedPaths returns the paths of a workspace that no command may change. Patterns are replaced by the
// existing files that match.
func AutoExecutedPaths(workspace string) []string {
	var paths []string
	for _, group := range runLater {
		for _, name := range group.names {
			path := filepath.Join(workspace, name)
			if strings.Contains(name, "*") {
				found, _ := filepath.Glob(path)
				paths = append(paths, found...)
				continue
			}
			paths = append(paths, path)
		}
	}
	return paths
}
