package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"agent/internal/base/humanize"
	"agent/internal/lsp"
	"agent/internal/outline"
	"agent/internal/search"
	"agent/internal/text/lines"
	"agent/internal/text/textfile"
)

// show returns an answer with the code of declarations, or with a list of them if there are many.
func (c symbolCall) show(ctx context.Context, all []target) (Answer, error) {
	var parts []string
	for _, t := range all[:min(len(all), maxCandidates)] {
		if len(all) <= maxShown {
			parts = append(parts, c.code(ctx, t.Path, t.Content, t.At))
		} else {
			parts = append(parts, c.lineAt(t.Path, t.Content, t.At))
		}
	}
	text := strings.Join(parts, "\n")
	if more := len(all) - len(parts); more > 0 {
		text = lines.Append(text, fmt.Sprintf("[%s; add file]", humanize.Count(more, "more declaration")))
	}
	return Answer{Text: shorten(text, c.env.Limits.room(headingBytes)), Summary: humanize.Count(len(all), "declaration")}, nil
}

// code returns the declaration around an offset, below a line with its location.
func (c symbolCall) code(ctx context.Context, abs string, content []byte, at int) string {
	text := string(content)
	outlined, err := outline.Read(ctx, abs, text)
	best := -1
	for i, d := range outlined.Declarations {
		if err == nil && d.Name != "" && d.Start <= at && at < d.End && (best < 0 || d.End-d.Start <= outlined.Declarations[best].End-outlined.Declarations[best].Start) {
			best = i
		}
	}
	if best < 0 {
		return c.lineAt(abs, content, at)
	}
	d := outlined.Declarations[best]
	first, last := outlined.LineRange(d)
	all := lines.Split(strings.ToValidUTF8(textfile.NormalizeLineEnds(strings.TrimRight(text[d.Start:d.End], "\r\n")), replacement))
	rest := ""
	if len(all) > maxDeclared {
		rest = fmt.Sprintf("\n[%s more; read_file reads on with offset %d]", humanize.Count(len(all)-declaredHead, "line"), first+declaredHead)
		all = all[:declaredHead]
	}
	for i, line := range all {
		all[i] = lines.Cut(line, textfile.MaxLineBytes)
	}
	return fmt.Sprintf("[%s, lines %d-%d of %s]\n%s%s", d.Name, first, last, humanize.FileName(c.env.Workspace.Rel(abs)), strings.TrimSuffix(strings.Join(all, ""), "\n"), rest)
}

// defined returns an answer with the code of the declarations that a server returned. For a
// declaration outside of the workspace, it contains only the server's description.
func (c symbolCall) defined(ctx context.Context, found lsp.Answer) (Answer, error) {
	if len(found.Places) == 0 {
		return Answer{Text: "The language server knows no declaration of " + c.args.Name + " there.", Summary: "no declaration"}, nil
	}
	var parts []string
	for _, p := range found.Places[:min(len(found.Places), maxShown)] {
		s, at, err := c.openPlace(ctx, p)
		switch {
		case errors.Is(err, errOutside):
			described := ""
			if targets, err := c.targets(ctx); err == nil {
				hover, _ := c.servers.Describe(ctx, targets[0].SymbolPosition) // without file content, only the name is known
				described = "\n" + plainText(hover.Text)
			}
			parts = append(parts, fmt.Sprintf("%s:%d, outside of the workspace%s", humanize.FileName(p.Path), p.Line(), described))
		case err != nil:
			parts = append(parts, fmt.Sprintf("%s:%d: %v", humanize.FileName(c.env.Workspace.Rel(p.Path)), p.Line(), err))
		default:
			parts = append(parts, c.code(ctx, s.abs, s.whole, at))
		}
	}
	return Answer{Text: shorten(strings.Join(parts, "\n"), c.env.Limits.room(headingBytes)), Summary: humanize.Count(found.Total, "declaration")}, nil
}

var (
	errOutside = errors.New("it is outside of the workspace")
	errMoved   = errors.New("the file has no such line; the language server is out of date")
)

// openPlace opens the file of a location, and returns the offset of the location.
func (c symbolCall) openPlace(ctx context.Context, p lsp.Location) (*source, int, error) {
	abs, err := c.env.Workspace.Resolve(p.Path)
	if err != nil {
		return nil, 0, errOutside
	}
	s, err := c.env.open(ctx, abs)
	if err != nil {
		return nil, 0, err
	}
	s.Close()
	at, _, ok := p.Offsets(s.whole)
	if !ok {
		return nil, 0, errMoved
	}
	return s, at, nil
}

// listed lists locations by file, in the format of search results. Callers are listed with their
// functions.
func (c symbolCall) listed(ctx context.Context, found lsp.Answer) Answer {
	var matches []search.Match
	outside, closed := 0, 0
	for _, p := range found.Places {
		if len(matches) >= maxPlaces {
			break
		}
		s, at, err := c.openPlace(ctx, p)
		switch {
		case errors.Is(err, errOutside):
			outside++
			continue
		case err != nil:
			closed++
			continue
		}
		begin := bytes.LastIndexByte(s.whole[:at], '\n') + 1
		line, _, _ := bytes.Cut(s.whole[begin:], []byte("\n"))
		m := search.Match{File: humanize.FileName(s.rel), Line: p.Line(), At: at - begin, Text: strings.TrimRight(strings.ToValidUTF8(string(line), replacement), "\r")}
		if p.Within != "" {
			m.Text = strings.TrimSpace(m.Text) + "  [in " + humanize.Line(p.Within, 80) + "]"
			m.At = 0
		}
		if !slices.ContainsFunc(matches, func(o search.Match) bool { return o.File == m.File && o.Line == m.Line }) {
			matches = append(matches, m)
		}
	}
	files := map[string]bool{}
	var list []string
	for i, m := range matches {
		files[m.File] = true
		list = append(list, inGroup(m.File, matches, i))
	}
	what := "place"
	if c.args.Op == opCallers {
		what = "call"
	}
	if len(list) == 0 {
		return withoutPlaces(Answer{Text: fmt.Sprintf("The language server knows no %s of %s.", what, c.args.Name), Summary: "no " + humanize.Plural(what)}, outside, closed)
	}
	n := fitting(list, c.env.Limits.room(headingBytes))
	text := strings.Join(list[:n], "\n")
	left := found.Total - outside - closed
	note := fmt.Sprintf("[%s in %s]", humanize.Count(left, what), humanize.Count(len(files), "file"))
	if n < len(list) || len(matches) >= maxPlaces {
		note = fmt.Sprintf("[the first %d lines of %s; search_file_content lists more]", n, humanize.Count(left, what))
	}
	return withoutPlaces(Answer{Text: lines.Append(text, note), Summary: humanize.Count(left, what)}, outside, closed)
}

// withoutPlaces adds the number of omitted locations and the reasons to an answer.
func withoutPlaces(a Answer, outside, closed int) Answer {
	if outside > 0 {
		a.Text = lines.Append(a.Text, fmt.Sprintf("[omitted: %s outside of the workspace]", humanize.Count(outside, "place")))
	}
	if closed > 0 {
		a.Text = lines.Append(a.Text, fmt.Sprintf("[omitted: %s in hidden or changed files]", humanize.Count(closed, "place")))
	}
	return a
}

// plainText returns a text from a server without control characters, cut to maxHover.
func plainText(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(textfile.NormalizeLineEnds(text), ""))
	return shorten(strings.TrimSpace(text), maxHover)
}
