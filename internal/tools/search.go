package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/disk"
	"agent/internal/search"
	"agent/internal/text/lines"
	"agent/internal/traits"
	"agent/internal/words"
	"agent/internal/workspace"
)

type searchArgs struct {
	Pattern    string `json:"pattern" jsonschema:"a regular expression in RE2 syntax, looked for in each line; (?i) at its start ignores case"`
	Path       string `json:"path,omitempty" jsonschema:"the folder or file to search; default the workspace"`
	Include    string `json:"include,omitempty" jsonschema:"search only files that match this glob, e.g. *.go, *.{ts,tsx} or internal/**/*_test.go"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"how many matching lines to show; default 100"`
	Offset     int    `json:"offset,omitempty" jsonschema:"the first match to show; default 1"`
}

const (
	defaultMatches = 100
	maxMatches     = 2000
	// maxSearchedBytes is the size above which a file is not searched.
	maxSearchedBytes = 32 << 20
)

func searchFileContent() Tool {
	return defineRead(Tool{
		Name: "search_file_content",
		Description: "Searches the lines of files for a regular expression and answers with path:line: text, ordered by path. " +
			"Files that git ignores, binary files and files over " + words.Bytes(maxSearchedBytes) + " are left out; an ignored folder is searched when path names it.",
		Traits: Traits{
			Key:       "pattern",
			Essential: true,
			Words:     traits.Say("searching", "searched", "search"),
		},
	}, runSearch)
}

func (a searchArgs) reads() []string {
	if a.Path == "" {
		return nil
	}
	return []string{a.Path}
}

func runSearch(ctx context.Context, env *Env, args searchArgs) Answer {
	env = env.foundOnly()
	expression, err := search.Parse(args.Pattern)
	if err != nil {
		return failed(err)
	}
	if args.MaxResults < 0 || args.MaxResults > maxMatches {
		return failed(fmt.Errorf("max_results must be between 1 and %d", maxMatches))
	}
	base, files, err := filesToSearch(ctx, env.Workspace, args.Path, args.Include)
	if err != nil {
		return failed(err)
	}
	named := len(files)
	files = env.readable(base, files)
	limit := args.MaxResults
	if limit == 0 {
		limit = defaultMatches
	}
	first := max(args.Offset, 1)
	matches, tooLarge, err := searchFiles(ctx, env.Workspace, expression, base, files, first-1+limit)
	if err == nil {
		err = checkOffset(args.Offset, len(matches), "matching line")
	}
	if err != nil {
		return failed(err)
	}
	text := describeMatches(env, args, base, matches, first, limit)
	if kept := named - len(files); kept > 0 {
		text = lines.Append(text, fmt.Sprintf("[%s that may hold keys left out; a call whose path names one asks the user]", words.Count(kept, "file")))
	}
	if len(tooLarge) > 0 {
		const most = 5
		var names []string
		for _, file := range tooLarge[:min(most, len(tooLarge))] {
			names = append(names, onOneLine(env.Workspace.Rel(filepath.Join(base, file))))
		}
		text = lines.Append(text, fmt.Sprintf("[not searched, because larger than %s: %s: %s]", words.Bytes(maxSearchedBytes), words.Count(len(tooLarge), "file"), strings.Join(names, ", ")))
	}
	return Answer{Text: text, Summary: countMatches(matches, first-1+limit)}
}

// describeMatches shows up to limit matches from the first on, as many as fit.
func describeMatches(env *Env, args searchArgs, base string, matches []search.Match, first, limit int) string {
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
	var list, foreign []string
	files := map[string]bool{}
	for _, found := range matches[first-1 : min(len(matches), first-1+limit)] {
		name := onOneLine(env.Workspace.Rel(filepath.Join(base, found.File)))
		list = append(list, fmt.Sprintf("%s:%d: %s", name, found.Line, excerpt(found.Text, found.At)))
		files[found.File] = true
		if found.Foreign {
			foreign = append(foreign, name)
		}
	}
	n := fitting(list, env.Limits.room(headingBytes+len(foreignFiles(foreign))))
	text := strings.Join(list[:n], "\n")
	total := len(matches)
	if total > first-1+limit {
		// The search ended there.
		total = 0
	}
	if note := part("matching lines", first, n, total, ", or narrow pattern, path or include"); note != "" {
		text = lines.Append(text, note)
	} else {
		text = lines.Append(text, fmt.Sprintf("[matching lines: %d, files: %d]", n, len(files)))
	}
	if note := foreignFiles(foreign); note != "" {
		text = lines.Append(text, note)
	}
	return text
}

// countMatches says how many matches there are, and in how many files.
func countMatches(matches []search.Match, limit int) string {
	if len(matches) == 0 {
		return "no hits"
	}
	files := map[string]bool{}
	for _, found := range matches[:min(len(matches), limit)] {
		files[found.File] = true
	}
	hits := words.Count(min(len(matches), limit), "hit") + " in " + words.Count(len(files), "file")
	if len(matches) > limit {
		return "the first " + hits
	}
	return hits
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

// filesToSearch returns the files that a search is about, as slash paths in the folder
// base, which confines them, ordered. A file that path names is always one of them.
func filesToSearch(ctx context.Context, w *workspace.Workspace, path, include string) (base string, files []string, err error) {
	if include != "" && !doublestar.ValidatePattern(include) {
		return "", nil, fmt.Errorf("include %q is no valid glob", include)
	}
	abs, info, err := w.Place(path)
	if err != nil {
		return "", nil, err
	}
	switch {
	case info.Mode().IsRegular():
		base, rel, err := w.Below(abs)
		return base, []string{rel}, err
	case !info.IsDir():
		return "", nil, fmt.Errorf("%s is no regular file", path)
	}
	return w.Files(ctx, abs, func(file string) bool {
		return include == "" || includes(include, w.Rel(filepath.Join(abs, file)))
	})
}

// readable drops, in place, the files below base that may hold keys.
func (e *Env) readable(base string, files []string) []string {
	return slices.DeleteFunc(files, func(file string) bool { return !e.mayRead(filepath.Join(base, file)) })
}

// searchFiles looks through files below base.
func searchFiles(ctx context.Context, w *workspace.Workspace, expression *search.Expression, base string, files []string, limit int) (matches []search.Match, tooLarge []string, err error) {
	tree, _, err := w.Tree(base)
	if err != nil {
		return nil, nil, err
	}
	defer tree.Close()
	return search.Files(ctx, expression, files, func(file string, buffer []byte) ([]byte, error) {
		content, err := tree.ReadFile(file, maxSearchedBytes, buffer)
		if errors.Is(err, disk.ErrTooLarge) {
			err = search.ErrTooLarge
		}
		return content, err
	}, limit)
}

// includes reports whether a glob is about a path. Without a slash it is about the
// file's name in any folder.
func includes(glob, file string) bool {
	if !strings.Contains(glob, "/") {
		return doublestar.MatchUnvalidated(glob, path.Base(file))
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(glob, "./"), file)
}
