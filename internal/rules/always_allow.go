package rules

import (
	"errors"
	"path"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/cmdline"
	"agent/internal/cmdline/programs"
)

// commandPrefix holds the number of words of a command line that name its action; the remaining
// words are its objects. A program that is not listed, such as rm, bash or curl, may have any
// effect depending on its arguments. So only its exact command line can be allowed permanently.
var commandPrefix = map[string]int{
	"go": 2, "gofmt": 1, "golangci-lint": 2, "staticcheck": 1, "make": 2, "just": 2,
	"git": 2, "gh": 3, "docker": 2, "kubectl": 2, "terraform": 2,
	"npm": 2, "npm run": 3, "pnpm": 2, "pnpm run": 3, "yarn": 2, "yarn run": 3, "bun": 2, "bun run": 3,
	"eslint": 1, "prettier": 1, "tsc": 1, "jest": 1, "vitest": 1,
	"pytest": 1, "ruff": 2, "black": 1, "mypy": 1, "pip": 2, "uv": 2, "poetry": 2,
	"cargo": 2, "mvn": 2, "gradle": 2, "dotnet": 2, "bundle": 2, "rake": 2, "swift": 2, "mix": 2,
}

// launchers lists commands that run programs in their arguments, so that a rule with their prefix
// would allow any program. Only their exact command line can be allowed permanently.
var launchers = map[string]bool{
	"go run": true, "go tool": true, "go generate": true, "go install": true, "go get": true, "go env": true,
	"git config": true, "git submodule": true, "git bisect": true, "git rebase": true, "git filter-branch": true,
	"git difftool": true, "git mergetool": true, "git clone": true, "git remote": true, "git fetch": true, "git pull": true,
	"git push": true, "git archive": true, "git ls-remote": true, "git send-email": true, "git hook": true, "git maintenance": true,
	"git am": true, "git worktree": true, "git grep": true, "git for-each-repo": true, "git instaweb": true, "git help": true,
	"gh alias": true, "gh extension": true, "gh codespace": true, "gh api": true,
	"docker run": true, "docker exec": true, "docker compose": true, "docker build": true, "docker buildx": true, "docker create": true,
	"docker start": true, "docker container": true, "docker plugin": true,
	"kubectl exec": true, "kubectl run": true, "kubectl debug": true, "kubectl apply": true, "kubectl create": true, "kubectl plugin": true,
	"npm exec": true, "npm x": true, "npm install": true, "npm i": true, "npm ci": true, "npm add": true, "npm create": true, "npm init": true,
	"npm explore": true, "npm config": true,
	"pnpm exec": true, "pnpm dlx": true, "pnpm install": true, "pnpm i": true, "pnpm add": true, "pnpm create": true, "pnpm config": true,
	"yarn exec": true, "yarn dlx": true, "yarn install": true, "yarn add": true, "yarn create": true, "yarn node": true, "yarn config": true,
	"bun x": true, "bun exec": true, "bun install": true, "bun add": true, "bun create": true,
	"pip install": true, "pip download": true, "pip wheel": true, "pip config": true,
	"uv run": true, "uv tool": true, "uv pip": true, "uv add": true, "uv sync": true,
	"poetry run": true, "poetry install": true, "poetry add": true, "poetry config": true,
	"cargo run": true, "cargo install": true, "bundle exec": true, "bundle install": true, "bundle config": true,
	"dotnet run": true, "dotnet exec": true, "dotnet tool": true, "mix run": true, "mix cmd": true, "swift run": true,
	"terraform console": true,
}

// subcommand matches the second word of a program with subcommands: a plain word.
var subcommand = lazyregexp.New(`^[A-Za-z][\w:.-]*$`)

// AlwaysAllow returns the rules for "always" that would allow commands like these in future. It returns
// none if a command contains a pattern where the meaning of the rule could not be shown.
func AlwaysAllow(tool string, commands []cmdline.Command) Rules {
	var rules Rules
	for _, command := range commands {
		rule, err := alwaysRule(tool, command)
		if err != nil {
			return nil
		}
		if !slices.ContainsFunc(rules, func(r Rule) bool { return r.pattern == rule.pattern }) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// AnyDeletes reports whether one of the commands deletes files. The approval prompt does not offer
// "always" for such commands.
func AnyDeletes(commands []cmdline.Command) bool {
	return slices.ContainsFunc(commands, func(command cmdline.Command) bool {
		return slices.ContainsFunc(command, func(word cmdline.Word) bool { return deletes([]string{word.Text}) })
	})
}

// deletes reports whether one of the words makes a command delete files. The word is the program,
// or follows another program such as sudo, xargs or git.
func deletes(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return programs.Is(word, programs.DeletesFiles) || slices.Contains([]string{"clean", "delete", "-delete"}, path.Base(word))
	})
}

// Describe describes exactly the calls that a rule allows: "any `go test …`", "exactly `touch a1`",
// "write_file(docs/**)".
func (r Rule) Describe() string {
	switch {
	case len(r.words) == 0:
		return r.String()
	case r.more:
		return "any `" + strings.TrimSuffix(r.pattern, " "+anything) + " …`"
	}
	if r.star != nil {
		return "any `" + r.pattern + "`"
	}
	return "exactly `" + r.pattern + "`"
}

func alwaysRule(tool string, command cmdline.Command) (Rule, error) {
	words := make([]string, len(command))
	literal := true
	for i, word := range command {
		words[i] = word.Text
		literal = literal && !word.Glob
	}
	if n := prefixLength(words); n > 0 {
		return shellRule(tool, words[:n], true), nil
	}
	if !literal {
		return Rule{}, errors.New("the command contains a glob pattern")
	}
	return shellRule(tool, words, false), nil
}

// prefixLength returns the number of words of a command that name its action, 0 if only the exact
// command can be allowed.
func prefixLength(words []string) int {
	n := commandPrefix[words[0]]
	if len(words) > 1 {
		n = max(n, commandPrefix[words[0]+" "+words[1]])
	}
	if n > len(words) || len(words) > 1 && launchers[words[0]+" "+words[1]] {
		return 0
	}
	for _, word := range words[1:max(n, 1)] {
		if !subcommand.MatchString(word) {
			return 0
		}
	}
	return n
}
