package cacheaware

import (
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/cmdline"
)

// checks matches a command that tests, builds or lints.
var checks = lazyregexp.New(`\b(go (test|build|vet|install)|(npm|pnpm|yarn|bun) (run )?(test|check|build|lint|typecheck|ci|install)|npx (vitest|jest|tsc|eslint|biome|tsx)|vitest|jest|pytest|tox|ruff|mypy|cargo (test|build|check|clippy)|make\b|ctest|ninja|tsc|eslint|gofmt|golangci-lint|staticcheck|mvn|gradlew?|node --test|tsx --test|python3? -m (unittest|pytest)|mise run \S*(test|lint|fmt|build)|dotnet (test|build)|swift (test|build)|rspec|phpunit)`)

// An outputCut describes which part of its output a command shows.
type outputCut struct {
	ends           []cmdline.HeadTail
	merged, silent bool
}

// holds reports whether output cut by c shows at least as much as output cut by other. If the two come
// from different pipes, it returns false.
func (c outputCut) holds(other outputCut) bool {
	switch {
	case c.silent && !other.silent:
		return false
	case len(c.ends) == 0:
		return true
	case c.merged && !other.merged, !slices.EqualFunc(c.ends, other.ends, func(a, b cmdline.HeadTail) bool { return a.Program == b.Program }):
		return false
	default:
		return len(c.ends) == 1 && c.ends[0].Lines >= other.ends[0].Lines || slices.Equal(c.ends, other.ends)
	}
}

// patchCommand matches a command that only applies a patch: apply_patch with the patch as here-document
// or argument, or the patch alone.
var patchCommand = lazyregexp.New(`^\s*(?:(?:apply_patch|applypatch)\s+(?:<<-?\s*['"]?\w+['"]?\s*\n|\$?['"]))?\s*\*\*\* Begin Patch\s*\n(?s:.*)\n\*\*\* End Patch\s*(?:['"]|\n\w+)?\s*$`)

func shellPatch(line string) bool {
	return strings.Contains(line, "*** Begin Patch") && patchCommand.MatchString(cmdline.Read(line).WithoutFolder().String())
}

// refused matches the beginning of the result of an edit that was not applied. It is used if no other
// record contains that.
var refused = lazyregexp.New(`^(?i)\s*(error:|failed |<tool_use_error>)`)

// cutShort matches the note with which shell tools replace omitted output.
var cutShort = lazyregexp.New(`(?m)^\W*\[[^\]\n]*(left out here|omitted|truncated)[^\]\n]*\]`)

// shownLines matches a sed script that prints a range of lines.
var shownLines = lazyregexp.New(`^(\d+),(\d+)p$`)

// shellView returns the file and the range of lines that a command shows. It returns false if the
// command has any other effect.
func shellView(core cmdline.Core) (file string, lo, hi int, ok bool) {
	pipe := core.Pipe
	if len(pipe) == 0 || len(pipe)+len(core.Ends) > 2 || core.Merged {
		return "", 0, 0, false
	}
	call, lo, hi := pipe[0], 1, lastLine
	switch end, files := cmdline.ParseHeadTail(call); {
	case len(core.Ends) == 1 && core.Ends[0].Program == "head":
		hi = core.Ends[0].Lines
	case len(core.Ends) == 1:
		return "", 0, 0, false
	case len(pipe) == 1 && end.Program == "head":
		call, hi = append([]string{"cat"}, files...), end.Lines
	case call[0] == "sed" || len(pipe) == 2:
		sed := pipe[len(pipe)-1]
		script := shownLines.FindStringSubmatch(strings.Join(sed[min(2, len(sed)):min(3, len(sed))], ""))
		if script == nil || sed[0] != "sed" || sed[1] != "-n" || len(pipe) == 2 && len(sed) > 3 {
			return "", 0, 0, false
		}
		var err, more error
		if lo, err = strconv.Atoi(script[1]); err == nil {
			hi, more = strconv.Atoi(script[2])
		}
		if err != nil || more != nil {
			return "", 0, 0, false
		}
		if len(pipe) == 1 {
			call = append([]string{"cat"}, sed[3:]...)
		}
	}
	numbered := map[string]string{"cat": "-n", "nl": "-ba"}[call[0]]
	if len(call) == 3 && call[1] == numbered {
		call = append(call[:1:1], call[2])
	}
	if numbered == "" || len(call) != 2 || strings.HasPrefix(call[1], "-") {
		return "", 0, 0, false
	}
	return call[1], lo, hi, true
}
