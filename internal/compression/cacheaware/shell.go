package cacheaware

import (
	"slices"
	"strconv"
	"strings"

	"agent/internal/pattern"
)

// commandClass says what a command line is for.
type commandClass int

const (
	// lookCommand shows something, or does something else that is over at once.
	lookCommand commandClass = iota
	// checkCommand tests, builds or lints.
	checkCommand
	// gitCommand asks or changes version control.
	gitCommand
)

var (
	leadingCD   = pattern.New(`^\s*cd\s+\S+\s*(&&|;)\s*`)
	trailingCut = pattern.New(`\s*(2>&1|\|\s*(tail|head)\s+(?:-n\s*)?-?(\d+)|2>/dev/null)\s*$`)
	checks      = pattern.New(`\b(go (test|build|vet|install)|(npm|pnpm|yarn|bun) (run )?(test|check|build|lint|typecheck|ci|install)|npx (vitest|jest|tsc|eslint|biome|tsx)|vitest|jest|pytest|tox|ruff|mypy|cargo (test|build|check|clippy)|make\b|ctest|ninja|tsc|eslint|gofmt|golangci-lint|staticcheck|mvn|gradlew?|node --test|tsx --test|python3? -m (unittest|pytest)|mise run \S*(test|lint|fmt|build)|dotnet (test|build)|swift (test|build)|rspec|phpunit)`)
	versions    = pattern.New(`^\s*(git|gh)\s`)
)

// commandKey returns a command line without the parts that do not change what it is about: a
// folder change before it, its white space, and a cut of its output behind it, which it returns
// too.
func commandKey(line string) (string, outputCut) {
	key, cut := withoutFolder(line), outputCut{}
	for {
		match := trailingCut.FindStringSubmatch(key)
		if match == nil {
			return strings.Join(strings.Fields(key), " "), cut
		}
		key = strings.TrimSuffix(key, match[0])
		cut.add(match[1], match[2], match[3])
	}
}

// outputCut is how little of its output a command shows.
type outputCut struct {
	// ends are the pipes to head and tail, the last first, and lines their numbers of lines.
	ends  []string
	lines []int
	// merged reports that errors go through the pipes too, silent that they are thrown away.
	merged, silent bool
}

// add takes one cut that stands behind a command: a pipe to head or tail, or what becomes of errors.
func (c *outputCut) add(cut, end, lines string) {
	switch n, err := strconv.Atoi(lines); {
	case cut == "2>&1":
		c.merged = true
	case cut == "2>/dev/null":
		c.silent = true
	case err == nil:
		c.ends, c.lines = append(c.ends, end), append(c.lines, n)
	}
}

// holds reports whether output that is cut by c shows at least as much as output that is cut by
// other. Of two different pipes neither does.
func (c outputCut) holds(other outputCut) bool {
	switch {
	case c.silent && !other.silent:
		return false
	case len(c.ends) == 0:
		return true
	case c.merged && !other.merged, !slices.Equal(c.ends, other.ends):
		return false
	case len(c.ends) == 1:
		return c.lines[0] >= other.lines[0]
	default:
		return slices.Equal(c.lines, other.lines)
	}
}

func withoutFolder(line string) string {
	for leadingCD.MatchString(line) {
		line = leadingCD.ReplaceAllString(line, "")
	}
	return line
}

func classify(line string) commandClass {
	key, _ := commandKey(line)
	switch {
	case checks.MatchString(key):
		return checkCommand
	case versions.MatchString(key):
		return gitCommand
	default:
		return lookCommand
	}
}

// shellViews are the plain ways of reading one file with a command: the groups
// are named file, lo, hi and count.
var shellViews = []*pattern.Pattern{
	pattern.New(`^(?:cat|cat -n|nl -ba|nl)\s+(?P<file>[^\s|;&<>*?$-][^\s|;&<>*?$]*)$`),
	pattern.New(`^sed -n ['"]?(?P<lo>\d+),(?P<hi>\d+)p['"]?\s+(?P<file>[^\s|;&<>*?$]+)$`),
	pattern.New(`^head\s+(?:-n\s*)?-?(?P<hi>\d+)\s+(?P<file>[^\s|;&<>*?$]+)$`),
	pattern.New(`^(?:cat|nl|nl -ba|cat -n)\s+(?P<file>[^\s|;&<>*?$-][^\s|;&<>*?$]*)\s*\|\s*sed -n ['"]?(?P<lo>\d+),(?P<hi>\d+)p['"]?$`),
	pattern.New(`^(?:cat|nl|nl -ba|cat -n)\s+(?P<file>[^\s|;&<>*?$-][^\s|;&<>*?$]*)\s*\|\s*head\s+(?:-n\s*)?-?(?P<hi>\d+)$`),
}

// patchCommand is a patch that a shell is given for apply_patch, as here-document or
// argument, or as the argument alone, and nothing else.
var patchCommand = pattern.New(`^\s*(?:(?:apply_patch|applypatch)\s+(?:<<-?\s*['"]?\w+['"]?\s*\n|\$?['"]))?\s*\*\*\* Begin Patch\s*\n(?s:.*)\n\*\*\* End Patch\s*(?:['"]|\n\w+)?\s*$`)

// shellPatch recognises a command that does nothing but apply a patch.
func shellPatch(line string) bool {
	return strings.Contains(line, "*** Begin Patch") && patchCommand.MatchString(withoutFolder(line))
}

// refused is how the answer of an edit begins that was not made, where that is not
// recorded otherwise.
var refused = pattern.New(`^(?i)\s*(error:|failed |<tool_use_error>)`)

// cutShort is the note that shell tools put where they left output out.
var cutShort = pattern.New(`(?m)^\W*\[[^\]\n]*(left out here|omitted|truncated)[^\]\n]*\]`)

// shellView recognises a command that does nothing but show lines of one file.
func shellView(line string) (file string, lo, hi int, ok bool) {
	command := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(withoutFolder(line)), "2>/dev/null"))
	lo, hi = 1, lastLine
	for _, form := range shellViews {
		match := form.FindStringSubmatch(command)
		if match == nil {
			continue
		}
		for i, group := range form.SubexpNames() {
			var err error
			switch group {
			case "file":
				file = strings.Trim(match[i], `'"`)
			case "lo":
				lo, err = strconv.Atoi(match[i])
			case "hi":
				hi, err = strconv.Atoi(match[i])
			}
			if err != nil {
				return "", 0, 0, false
			}
		}
		return file, lo, hi, true
	}
	return "", 0, 0, false
}
