package rules

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"agent/internal/tools/cmdline"
)

// commandPrefix says how many words of a command line name what it does; the
// rest are what it does it to. A program that is not listed may do anything
// depending on its arguments (rm, bash, curl), so of it only the very command line
// can be allowed for good.
var commandPrefix = map[string]int{
	"go": 2, "gofmt": 1, "golangci-lint": 2, "staticcheck": 1, "make": 2, "just": 2,
	"git": 2, "gh": 3, "docker": 2, "kubectl": 2, "terraform": 2,
	"npm": 2, "npm run": 3, "pnpm": 2, "pnpm run": 3, "yarn": 2, "yarn run": 3, "bun": 2, "bun run": 3,
	"eslint": 1, "prettier": 1, "tsc": 1, "jest": 1, "vitest": 1,
	"pytest": 1, "ruff": 2, "black": 1, "mypy": 1, "pip": 2, "uv": 2, "poetry": 2,
	"cargo": 2, "mvn": 2, "gradle": 2, "dotnet": 2, "bundle": 2, "rake": 2, "swift": 2, "mix": 2,
}

// subcommand is what the second word of a program with subcommands looks like.
var subcommand = regexp.MustCompile(`^[A-Za-z][\w:.-]*$`)

// Always returns the rules by which commands like these would be allowed from now
// on, and a text that names them, such as `go test, git commit`. There are none
// when one of them holds a pattern in a place where it cannot be told what the
// rule would allow.
func Always(tool string, commands []cmdline.Command) (Rules, string) {
	var rules Rules
	var names []string
	for _, command := range commands {
		rule, err := alwaysRule(tool, command)
		if err != nil {
			return nil, ""
		}
		name := strings.TrimSuffix(rule.pattern, " "+anything)
		if slices.Contains(names, name) {
			continue
		}
		rules = append(rules, rule)
		names = append(names, name)
	}
	return rules, strings.Join(names, ", ")
}

func alwaysRule(tool string, command cmdline.Command) (Rule, error) {
	words := make([]string, len(command))
	literal := true
	for i, word := range command {
		words[i] = word.Text
		literal = literal && !word.Glob
	}
	if n := prefixLength(words); n > 0 && !slices.ContainsFunc(command[:n], func(w cmdline.Word) bool { return w.Glob }) {
		return shellRule(tool, words[:n], true), nil
	}
	if !literal {
		return Rule{}, errors.New("the command holds a pattern")
	}
	return shellRule(tool, words, false), nil
}

// prefixLength returns how many words of a command name what it does, 0 when all
// of them do.
func prefixLength(words []string) int {
	n := commandPrefix[words[0]]
	if len(words) > 1 {
		n = max(n, commandPrefix[words[0]+" "+words[1]])
	}
	if n > len(words) {
		return 0
	}
	for _, word := range words[1:max(n, 1)] {
		if !subcommand.MatchString(word) {
			return 0
		}
	}
	return n
}
