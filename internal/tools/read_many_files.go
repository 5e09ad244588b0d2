package tools

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/text/textfile"
	"agent/internal/toolspec"
)

type readManyFilesArgs struct {
	Paths   []string `json:"paths" jsonschema:"files, folders and globs such as internal/**/*.go, relative to the workspace"`
	Include []string `json:"include,omitempty" jsonschema:"read only files of folders and globs that match one of these globs"`
	Exclude []string `json:"exclude,omitempty" jsonschema:"do not read files that match one of these globs"`
}

func readManyFiles() Tool {
	return defineRead(Tool{
		Name: "read_many_files",
		Description: "Reads several text files at once. Each begins with a line ==> PATH <==, with more = if a file contains such lines itself. Folders and globs leave out what git ignores. " +
			"The answer has a size limit; its end lists omitted files.",
		Traits: Traits{
			Files: []string{"paths"},
			Key:   "paths",
			Words: toolspec.SameVerbs("reading", "read", "read"),
			// Models do not need the tool, because calls of read_file in one reply run in parallel.
			Unoffered: true,
		},
	}, runReadManyFiles)
}

// reads returns the named files and folders, and for a glob the folder in which it begins.
func (a readManyFilesArgs) reads() []string {
	named := make([]string, len(a.Paths))
	for i, p := range a.Paths {
		if named[i] = p; strings.ContainsAny(p, globMeta) {
			named[i], _ = doublestar.SplitPattern(filepath.ToSlash(p))
		}
	}
	return named
}

func runReadManyFiles(ctx context.Context, env *Env, args readManyFilesArgs) Answer {
	if len(args.Paths) == 0 {
		return failedAnswer(errors.New("paths is empty; name files, folders or globs"))
	}
	files, problems, err := env.selectFiles(ctx, args)
	if err != nil {
		return failedAnswer(err)
	}
	var sections []section
	room := env.Limits.room(problemBytes(env.Limits))
	over := 0
	for _, file := range files {
		// With fewer bytes, not even a heading and a line or two would fit.
		if room < headingBytes {
			over++
			continue
		}
		s, err := env.section(ctx, file, room)
		if ctx.Err() != nil {
			return failedAnswer(ctx.Err())
		}
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		sections = append(sections, s)
		room -= len(s.path) + len(s.text)
	}
	if len(sections) == 0 {
		return failedAnswer(fmt.Errorf("no file was read: %s", strings.Join(problems, "\n")))
	}
	var out strings.Builder
	mark := "==" // extended until no line of a file looks like a heading
	for slices.ContainsFunc(sections, func(s section) bool { return strings.Contains("\n"+s.text, "\n"+mark+">") }) {
		mark += "="
	}
	for _, s := range sections {
		fmt.Fprintf(&out, "%s> %s <%s\n%s", mark, s.path, mark, s.text)
	}
	if over > 0 {
		problems = append(problems, fmt.Sprintf("%d more files did not fit; read them in the next call: %s", over, strings.Join(files[len(files)-over:], ", ")))
	}
	if len(problems) > 0 {
		fmt.Fprintf(&out, "[not shown:\n%s]\n", shorten(strings.Join(problems, "\n"), problemBytes(env.Limits)))
	}
	answer := Answer{Text: strings.TrimSuffix(out.String(), "\n")}
	for _, s := range sections {
		answer.Read = append(answer.Read, *s.view)
	}
	return answer
}

// problemBytes returns the size limit for the list of files that could not be read.
func problemBytes(limits Limits) int { return min(limits.OutputBytes()/4, 4000) }

// A section is one file of an answer that holds several.
type section struct {
	path, text string
	view       *history.View
}

// section reads one file for an answer that contains several, with at most room bytes.
func (e *Env) section(ctx context.Context, file string, room int) (section, error) {
	if answer, ok := e.outline(ctx, file); ok && len(answer.Text) <= room {
		return section{humanize.FileName(e.Workspace.Rel(answer.View.Path)), strings.TrimSuffix(answer.ModelText(), "\n") + "\n", answer.View}, nil
	}
	within := *e
	within.Limits.OutputTokens = max(room/bytesPerToken, 1)
	s, p, err := within.readLines(ctx, file, textfile.Range{First: 1, Lines: e.Limits.readLines()})
	if err != nil {
		return section{}, err
	}
	text := p.Plain()
	switch {
	case len(p.Lines) == 0:
		text = "[empty]\n"
	case !wholeFile(p):
		text = fmt.Sprintf("[%s; read_file reads on with %s]\n%s", s.extent(p), readOn(p, "offset"), text)
	}
	if note := s.note(text); note != "" {
		text = note + "\n" + text
	}
	return section{humanize.FileName(s.rel), text, s.shownView(p.First, p.LastLine(), wholeFile(p))}, nil
}

// selectFiles returns the files to read, each once, in the order of paths. It also returns a
// problem for each path without a file.
func (e *Env) selectFiles(ctx context.Context, args readManyFilesArgs) (files, problems []string, err error) {
	for _, pattern := range slices.Concat(args.Paths, args.Include, args.Exclude) {
		if !doublestar.ValidatePattern(pattern) {
			return nil, nil, fmt.Errorf("%q is not a valid glob", pattern)
		}
	}
	known := map[string]bool{}
	for _, p := range args.Paths {
		found, err := e.expand(ctx, p, args.Include)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		for _, file := range found {
			if !known[file] && !concerns(args.Exclude, file) {
				files = append(files, file)
			}
			known[file] = true
		}
	}
	if len(files) == 0 && len(problems) == 0 {
		problems = append(problems, "exclude matches all files")
	}
	return files, problems, nil
}

// expand returns the files of a path: the file itself, or the files of a folder or glob that match
// include.
func (e *Env) expand(ctx context.Context, pattern string, include []string) ([]string, error) {
	w := e.Workspace
	folder, glob := pattern, "**"
	// The name of a real file may look like a glob, such as app/[id]/page.tsx.
	if strings.ContainsAny(pattern, globMeta) && !w.Exists(pattern) {
		folder, glob = doublestar.SplitPattern(filepath.ToSlash(pattern))
	}
	abs, err := w.Resolve(folder)
	if err != nil {
		return nil, err
	}
	if info, err := w.Lstat(abs); glob == "**" && (err != nil || !info.IsDir()) {
		return []string{w.Rel(abs)}, nil
	}
	base, found, err := w.Files(ctx, abs, func(file string) bool {
		return doublestar.MatchUnvalidated(glob, file) && (len(include) == 0 || concerns(include, w.Rel(filepath.Join(abs, filepath.FromSlash(file)))))
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no file matches %s", pattern)
	}
	for i, file := range found {
		found[i] = w.Rel(filepath.Join(base, filepath.FromSlash(file)))
	}
	return found, nil
}
