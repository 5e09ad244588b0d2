package cacheaware

import (
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
)

// commandClass is the purpose of a command line.
type commandClass int

const (
	// lookCommand shows something, or does anything else that is over at once.
	lookCommand commandClass = iota
	// checkCommand tests, builds or lints.
	checkCommand
)

var (
	leadingCD   = lazyregexp.New(`^\s*cd\s+\S+\s*(&&|;)\s*`)
	trailingCut = lazyregexp.New(`\s*(2>&1|\|\s*(tail|head)\s+(?:-n\s*)?-?(\d+)|2>/dev/null)\s*$`)
	checks      = lazyregexp.New(`\b(go (test|build|vet|install)|(npm|pnpm|yarn|bun) (run )?(test|check|build|lint|typecheck|ci|install)|npx (vitest|jest|tsc|eslint|biome|tsx)|vitest|jest|pytest|tox|ruff|mypy|cargo (test|build|check|clippy)|make\b|ctest|ninja|tsc|eslint|gofmt|golangci-lint|staticcheck|mvn|gradlew?|node --test|tsx --test|python3? -m (unittest|pytest)|mise run \S*(test|lint|fmt|build)|dotnet (test|build)|swift (test|build)|rspec|phpunit)`)
)

// commandKey returns a command line without the parts that do not change its subject: a change of
// folder before it, extra white space, and cuts of its output behind it. It also returns these
// cuts.
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

// outputCut describes which part of its output a command shows.
type outputCut struct {
	// ends lists the pipes to head and tail, the last first, and lines their numbers of lines.
	ends  []string
	lines []int
	// merged is set if errors go through the pipes too, silent if errors are thrown away.
	merged, silent bool
}

// add adds one cut that stands behind a command: a pipe to head or tail, or a redirection of
// errors.
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

// holds reports whether output cut by c shows at least as much as output cut by other. If the two
// come from different pipes, neither shows as much as the other.
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
	if checks.MatchString(key) {
		return checkCommand
	}
	return lookCommand
}

// shellViews matches the plain ways of reading one file with a command. The groups are named
// file, lo and hi.
var shellViews = []*lazyregexp.Pattern{
	lazyregexp.New(`^(?:cat|cat -n|nl -ba|nl)\s+(?P<file>[^\s|;&<>*?$-][^\s|;&<>*?$]*)$`),
	lazyregexp.New(`^sed -n ['"]?(?P<lo>\d+),(?P<hi>\d+)p['"]?\s+(?P<file>[^\s|;&<>*?$]+)$`),
	lazyregexp.New(`^head\s+(?:-n\s*)?-?(?P<hi>\d+)\s+(?P<file>[^\s|;&<>*?$]+)$`),
	lazyregexp.New(`^(?:cat|nl|nl -ba|cat -n)\s+(?P<file>[^\s|;&<>*?$-][^\s|;&<>*?$]*)\s*\|\s*sed -n ['"]?(?P<lo>\d+),(?P<hi>\d+)p['"]?$`),
	lazyregexp.New(`^(?:cat|nl|nl -ba|cat -n)\s+(?P<file>[^\s|;&<>*?$-][^\s|;&<>*?$]*)\s*\|\s*head\s+(?:-n\s*)?-?(?P<hi>\d+)$`),
}

// patchCommand matches a command that does nothing but apply a patch: apply_patch with the patch
// as here-document or argument, or the patch alone.
var patchCommand = lazyregexp.New(`^\s*(?:(?:apply_patch|applypatch)\s+(?:<<-?\s*['"]?\w+['"]?\s*\n|\$?['"]))?\s*\*\*\* Begin Patch\s*\n(?s:.*)\n\*\*\* End Patch\s*(?:['"]|\n\w+)?\s*$`)

// shellPatch reports whether a command does nothing but apply a patch.
func shellPatch(line string) bool {
	return strings.Contains(line, "*** Begin Patch") && patchCommand.MatchString(withoutFolder(line))
}

// refused matches the beginning of the result of an edit that was not made, where no other record
// says so.
var refused = lazyregexp.New(`^(?i)\s*(error:|failed |<tool_use_error>)`)

// cutShort matches the note that shell tools put in place of output that they omitted.
var cutShort = lazyregexp.New(`(?m)^\W*\[[^\]\n]*(left out here|omitted|truncated)[^\]\n]*\]`)

// shellView returns the file and the range of lines that a command shows, or false if the command
// does anything else.
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
