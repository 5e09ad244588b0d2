package tools

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/search"
	"agent/internal/text/lines"
	"agent/internal/toolspec"
	"agent/internal/workspace"
)

type searchArgs struct {
	Pattern    string `json:"pattern" jsonschema:"RE2; (?i) ignores case"`
	Path       string `json:"path,omitempty" jsonschema:"a folder or file"`
	Include    string `json:"include,omitempty" jsonschema:"a glob such as *.{ts,tsx} or internal/**/*_test.go"`
	Context    int    `json:"context,omitempty" jsonschema:"lines around each match"`
	Mode       string `json:"mode,omitempty" jsonschema:"lines (default), files or count"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"default 100"`
	Offset     int    `json:"offset,omitempty" jsonschema:"the first match, from 1"`
}

// The modes of a search.
const (
	modeLines = "lines"
	modeFiles = "files"
	modeCount = "count"
)

const (
	defaultMatches = 100
	maxMatches     = 2000
	// maxAround limits the number of lines shown around a match.
	maxAround = 10
	// maxSearchedBytes is the size of the largest file that is searched.
	maxSearchedBytes = 32 << 20
)

func searchFileContent() Tool {
	return defineRead(Tool{
		Name: "search_file_content",
		Description: "Searches files for a regular expression and answers with numbered lines by file. " +
			"Files that git ignores are left out unless path names them or their folder.",
		Traits: Traits{
			Key:       "pattern",
			Essential: true,
			Words:     toolspec.SameVerbs("searching", "searched", "search"),
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
	most := env.Limits.room(headingBytes)
	if args.MaxResults == 0 { // a number that the model sent is used
		env = env.withFoundLimits()
	}
	expression, err := search.Parse(args.Pattern)
	if err != nil {
		return failedAnswer(err)
	}
	query, err := args.query()
	if err != nil {
		return failedAnswer(err)
	}
	base, files, err := filesToSearch(ctx, env.Workspace, args.Path, args.Include)
	if err != nil {
		return failedAnswer(err)
	}
	named := len(files)
	files = slices.DeleteFunc(files, func(file string) bool { return !env.mayRead(filepath.Join(base, file)) })
	matches, tooLarge, err := searchFiles(ctx, env.Workspace, expression, base, files, nil, query)
	if err == nil {
		err = checkOffset(args.Offset, len(matches), args.itemNoun())
	}
	if err != nil {
		return failedAnswer(err)
	}
	text := describeMatches(env, args, base, matches, query.Limit, most)
	if kept := named - len(files); kept > 0 {
		text = lines.Append(text, fmt.Sprintf("[omitted: %s that may contain secrets, or that an ignore file or a rule excludes. A call with such a file as path requires approval or is refused]", humanize.Count(kept, "file")))
	}
	if len(tooLarge) > 0 {
		const most = 5
		var names []string
		for _, file := range tooLarge[:min(most, len(tooLarge))] {
			names = append(names, humanize.FileName(env.Workspace.Rel(filepath.Join(base, file))))
		}
		text = lines.Append(text, fmt.Sprintf("[%s not searched, because larger than %s: %s]", humanize.Count(len(tooLarge), "file"), humanize.Bytes(maxSearchedBytes), strings.Join(names, ", ")))
	}
	return Answer{Text: text, Summary: countMatches(matches, query)}
}

func (a searchArgs) query() (search.Query, error) {
	switch {
	case a.MaxResults < 0 || a.MaxResults > maxMatches:
		return search.Query{}, fmt.Errorf("max_results must be between 1 and %d", maxMatches)
	case a.Context < 0:
		return search.Query{}, fmt.Errorf("context must be between 0 and %d", maxAround)
	}
	limit := a.MaxResults
	if limit == 0 {
		limit = defaultMatches
	}
	query := search.Query{Limit: max(a.Offset, 1) - 1 + limit}
	switch a.Mode {
	case modeLines, "":
		query.Around = min(a.Context, maxAround)
	case modeFiles:
		query.First = true
	case modeCount:
		query.Count = true
	default:
		return search.Query{}, fmt.Errorf("unknown mode %q (valid: %s, %s, %s)", a.Mode, modeLines, modeFiles, modeCount)
	}
	return query, nil
}

// itemNoun returns the noun for an item of the answer, such as "file".
func (a searchArgs) itemNoun() string {
	if a.Mode == modeFiles || a.Mode == modeCount {
		return "matching file"
	}
	return "matching line"
}

// searchedPlace returns a description of the files that a call searches.
func (a searchArgs) searchedPlace() string {
	where := "the workspace"
	if a.Path != "" {
		where = a.Path
	}
	if a.Include != "" {
		where += ", files " + a.Include
	}
	return where
}

// describeMatches formats the matches from the offset up to last, as far as they fit the limit. If at most a
// tenth of the text does not fit, it adds this rest too, up to most bytes in total, because another request
// for the rest would cost more.
func describeMatches(env *Env, args searchArgs, base string, matches []search.Match, last, most int) string {
	if len(matches) == 0 {
		return fmt.Sprintf("No line matches %s in %s.", args.Pattern, args.searchedPlace())
	}
	var list, foreign []string
	first := max(args.Offset, 1)
	files := map[string]bool{}
	shown := matches[first-1 : min(len(matches), last)]
	for i, match := range shown {
		name := humanize.FileName(env.Workspace.Rel(filepath.Join(base, match.File)))
		switch args.Mode {
		case modeFiles:
			list = append(list, name)
		case modeCount:
			list = append(list, fmt.Sprintf("%s: %d", name, match.Count))
		default:
			list = append(list, inGroup(name, shown, i))
			if match.Foreign {
				foreign = append(foreign, name)
			}
		}
		files[match.File] = true
	}
	room := env.Limits.room(headingBytes + len(foreignFiles(foreign)))
	n := fitting(list, room)
	if rest := bytesOf(list[n:]); rest <= bytesOf(list)/10 && bytesOf(list) <= most {
		n = len(list)
	}
	text := strings.Join(list[:n], "\n")
	total := len(matches)
	if total > last {
		// The search stopped at the limit, so the total is unknown.
		total = 0
	}
	reason := ", or narrow pattern, path or include"
	if n < len(list) {
		reason += "; cut at " + humanize.Bytes(int64(room))
	}
	switch note := part(args.itemNoun(), first, n, total, reason); {
	case note != "":
		text = lines.Append(text, note)
	case args.Mode == modeFiles:
		text = lines.Append(text, fmt.Sprintf("[files: %d]", n))
	case args.Mode == modeCount:
		text = lines.Append(text, fmt.Sprintf("[matching lines: %d, files: %d]", counted(shown), n))
	default:
		text = lines.Append(text, fmt.Sprintf("[matching lines: %d, files: %d]", n, len(files)))
	}
	if args.Context > maxAround {
		text = lines.Append(text, fmt.Sprintf("[context is at most %d lines; read_file shows more]", maxAround))
	}
	if note := foreignFiles(foreign); note != "" {
		text = lines.Append(text, note)
	}
	return text
}

// bytesOf returns the number of bytes of lines.
func bytesOf(list []string) int {
	sum := 0
	for _, line := range list {
		sum += len(line) + 1
	}
	return sum
}

// inGroup formats a match with the lines around it. The only line of a file has the path before it,
// as PATH:LINE: TEXT. Several lines follow a line with the path: a match as LINE: TEXT, and the
// lines around it as LINE- TEXT. Two dashes mark omitted lines between matches.
func inGroup(name string, shown []search.Match, i int) string {
	m := shown[i]
	before, next := 0, 0 // numbers of the nearest lines above and below that are part of other matches
	if i > 0 && shown[i-1].File == m.File {
		before = min(shown[i-1].Line+len(shown[i-1].After), m.Line-1)
	}
	if i+1 < len(shown) && shown[i+1].File == m.File {
		next = shown[i+1].Line
	}
	around := len(m.Before)+len(m.After) > 0
	if before == 0 && next == 0 && !around {
		return fmt.Sprintf("%s:%d: %s", name, m.Line, excerpt(m.Text, m.At))
	}
	var out strings.Builder
	begin := m.Line - len(m.Before)
	if before == 0 {
		out.WriteString(name + "\n")
	} else if around && begin > before+1 {
		out.WriteString("--\n")
	}
	for i, line := range m.Before {
		if begin+i > before {
			fmt.Fprintf(&out, "%d- %s\n", begin+i, excerpt(line, 0))
		}
	}
	fmt.Fprintf(&out, "%d: %s", m.Line, excerpt(m.Text, m.At))
	for i, line := range m.After {
		if at := m.Line + 1 + i; next == 0 || at < next {
			fmt.Fprintf(&out, "\n%d- %s", at, excerpt(line, 0))
		}
	}
	return out.String()
}

// counted returns the number of matching lines in files.
func counted(files []search.Match) int {
	sum := 0
	for _, file := range files {
		sum += file.Count
	}
	return sum
}

// countMatches returns a phrase with the numbers of matches and of their files.
func countMatches(matches []search.Match, query search.Query) string {
	if len(matches) == 0 {
		return "no hits"
	}
	shown := matches[:min(len(matches), query.Limit)]
	files := map[string]bool{}
	for _, found := range shown {
		files[found.File] = true
	}
	hits := humanize.Count(len(files), "file")
	switch {
	case query.Count:
		hits = humanize.Count(counted(shown), "hit") + " in " + hits
	case !query.First:
		hits = humanize.Count(len(shown), "hit") + " in " + hits
	}
	if len(matches) > query.Limit {
		return "the first " + hits
	}
	return hits
}

// excerptBytes is the size of the part of a long line that is shown around a match.
const excerptBytes = 300

// excerpt shortens a long line to the part around the match at a byte offset.
func excerpt(line string, at int) string { return cutAround(line, at, excerptBytes) }

// cutAround shortens a line to limit bytes around an offset.
func cutAround(line string, at, limit int) string {
	if len(line) <= limit {
		return line
	}
	begin := min(max(0, at-limit/3), len(line)-limit)
	end := begin + limit
	shown := strings.ToValidUTF8(line[begin:end], "")
	if begin > 0 {
		shown = "…" + shown
	}
	if end < len(line) {
		shown += "…"
	}
	return shown
}

// filesToSearch returns the files to search, in order, as slash paths in the folder base. They are
// confined to base. A file that path names is always included.
func filesToSearch(ctx context.Context, w *workspace.Workspace, path, include string) (base string, files []string, err error) {
	if include != "" && !doublestar.ValidatePattern(include) {
		return "", nil, fmt.Errorf("include %q is not a valid glob", include)
	}
	abs, info, err := w.ResolveStart(path)
	if err != nil {
		return "", nil, err
	}
	switch {
	case info.Mode().IsRegular():
		base, rel, err := w.SplitPath(abs)
		return base, []string{rel}, err
	case !info.IsDir():
		return "", nil, fmt.Errorf("%s is not a regular file", path)
	}
	return w.Files(ctx, abs, func(file string) bool {
		return include == "" || concerns([]string{include}, w.Rel(filepath.Join(abs, file)))
	})
}

// searchFiles searches files of the folder base. For files in changed, it searches that content instead.
func searchFiles(ctx context.Context, w *workspace.Workspace, expression *search.Expression, base string, files []string, changed map[string][]byte, query search.Query) (matches []search.Match, tooLarge []string, err error) {
	tree, _, err := w.Tree(base)
	if err != nil {
		return nil, nil, err
	}
	defer tree.Close()
	return search.Files(ctx, expression, files, func(file string, buffer []byte) ([]byte, error) {
		if content, is := changed[file]; is {
			return append(buffer[:0], content...), nil // the result is the buffer of the next file
		}
		content, err := tree.ReadFile(file, maxSearchedBytes, buffer)
		if errors.Is(err, fsutil.ErrTooLarge) {
			err = search.ErrTooLarge
		}
		return content, err
	}, query)
}
