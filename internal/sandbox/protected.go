package sandbox

import "path/filepath"

// runsLater are names in a workspace whose content other programs run or obey
// without being asked: editors, shells, continuous integration, hooks of git, and
// agents.
var runsLater = []string{
	".envrc", ".vscode", ".idea", ".devcontainer", ".zed", ".exrc", ".nvimrc", ".nvim.lua", ".dir-locals.el",
	".github/workflows", ".github/actions", ".gitlab-ci.yml", ".circleci", ".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml",
	".mcp.json", ".claude", ".codex", ".cursor", ".gemini", ".agents", ".agent", "AGENTS.md", "CLAUDE.md",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".inputrc", ".config", ".local/bin",
}

// RunsLater returns what is to be protected in a workspace, because it takes effect
// later, outside of any sandbox.
func RunsLater(workspace string) []string {
	paths := make([]string, len(runsLater))
	for i, name := range runsLater {
		paths[i] = filepath.Join(workspace, name)
	}
	return paths
}
