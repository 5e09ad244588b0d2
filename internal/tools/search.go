package tools

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

type searchArgs struct {
	Pattern    string `json:"pattern" jsonschema:"a regular expression in RE2 syntax, looked for in each line; (?i) at its start ignores case"`
	Path       string `json:"path,omitempty" jsonschema:"the folder or file to search; default the workspace"`
	Include    string `json:"include,omitempty" jsonschema:"search only files that match this glob, e.g. *.go, *.{ts,tsx} or internal/**/*_test.go"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"how many matching lines to show; default 100"`
}

const (
	defaultMatches = 100
	mostMatches    = 2000
)

func searchFileContent() Tool {
	return define(Tool{
		Name: "search_file_content",
		Description: "Searches the lines of files for a regular expression and answers with path:line: text, ordered by path. " +
			"Files that git ignores, binary files and files over " + byteSize(searchedBytes) + " are left out; an ignored folder is searched when path names it.",
		Kind:         KindRead,
		KeyParameter: "pattern",
	}, runSearch)
}

// match is one line that was found.
type match struct {
	// file is the absolute path.
	file string
	line int
	text string
	// at is where in text the expression first matches, in bytes.
	at int
}

// search looks through files, in the order given, until it has found more than
// most lines.
type search func(ctx context.Context, expression *expression, files []string, most int) ([]match, error)

func runSearch(ctx context.Context, env *Env, args searchArgs) Answer {
	expression, err := parseExpression(args.Pattern)
	if err != nil {
		return failed(err)
	}
	if args.MaxResults < 0 || args.MaxResults > mostMatches {
		return failed(fmt.Errorf("max_results must be between 1 and %d", mostMatches))
	}
	files, err := env.Workspace.filesToSearch(ctx, args.Path, args.Include)
	if err != nil {
		return failed(err)
	}
	most := args.MaxResults
	if most == 0 {
		most = defaultMatches
	}
	matches, err := chooseSearch()(ctx, expression, files, most)
	if err != nil {
		return failed(err)
	}
	return Answer{Result: describeMatches(env, args, matches, most)}
}

// chooseSearch takes ripgrep where it is installed, and falls back on the search
// of our own where it is not, or cannot do what it is asked.
func chooseSearch() search {
	program, err := exec.LookPath("rg")
	if err != nil {
		return searchFiles
	}
	return func(ctx context.Context, expression *expression, files []string, most int) ([]match, error) {
		matches, err := ripgrep{program}.search(ctx, expression, files, most)
		if err != nil && ctx.Err() == nil {
			return searchFiles(ctx, expression, files, most)
		}
		return matches, err
	}
}

func describeMatches(env *Env, args searchArgs, matches []match, most int) string {
	where := "the workspace"
	if args.Path != "" {
		where = args.Path
	}
	if args.Include != "" {
		where += ", files " + args.Include
	}
	if len(matches) == 0 {
		return fmt.Sprintf("No line matches %s in %s.", args.Pattern, where)
	}
	var text strings.Builder
	files, last := 0, ""
	for _, found := range matches[:min(len(matches), most)] {
		if found.file != last {
			files++
			last = found.file
		}
		fmt.Fprintf(&text, "%s:%d: %s\n", env.Workspace.Rel(found.file), found.line, excerpt(found.text, found.at))
	}
	const room = 200
	result := cutText(text.String(), max(env.Limits.OutputBytes()-room, room))
	if len(matches) > most {
		return withLine(result, fmt.Sprintf("[the first %d matching lines; there are more: narrow pattern, path or include, or raise max_results]", most))
	}
	return withLine(result, fmt.Sprintf("[matching lines: %d, files: %d]", len(matches), files))
}

// excerptBytes is how much of a long line is shown around a match.
const excerptBytes = 300

// excerpt shortens a long line to what surrounds the match at a byte of it.
func excerpt(line string, at int) string {
	if len(line) <= excerptBytes {
		return line
	}
	const before = excerptBytes / 3
	begin := min(max(0, at-before), len(line)-excerptBytes)
	end := begin + excerptBytes
	shown := strings.ToValidUTF8(line[begin:end], "")
	if begin > 0 {
		shown = "…" + shown
	}
	if end < len(line) {
		shown += "…"
	}
	return shown
}
