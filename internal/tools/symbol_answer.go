package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/lsp"
	"agent/internal/outline"
	"agent/internal/search"
	"agent/internal/text/lines"
)

// show returns an answer with the code of declarations, or with a list of them if there are many.
func (c symbolCall) show(ctx context.Context, all []target) (Answer, error) {
	text := candidates(all, "more declaration")
	if len(all) <= maxShown {
		text = ""
		for _, t := range all {
			text = lines.Append(text, c.code(ctx, t))
		}
	}
	return Answer{Text: shorten(text, c.env.Limits.room(headingBytes)), Summary: humanize.Count(len(all), "declaration")}, nil
}

// code returns the declaration around a target, below a line with its location.
func (c symbolCall) code(ctx context.Context, t target) string {
	text := strings.ToValidUTF8(string(t.source.whole), replacement)
	outlined, err := outline.Read(ctx, t.source.abs, text)
	var best outline.Declaration
	for _, d := range outlined.Declarations {
		if err == nil && d.Name != "" && d.Start <= t.at && t.at < d.End && (best.Name == "" || d.End-d.Start <= best.End-best.Start) {
			best = d
		}
	}
	if best.Name == "" {
		return t.String()
	}
	first, last := outlined.LineRange(best)
	heading := fmt.Sprintf("[%s, lines %d-%d of %s]\n", best.Name, first, last, humanize.FileName(t.source.rel))
	return c.env.excerptOf(t.source, heading, text[best.Start:best.End], func(shown int) string {
		return fmt.Sprintf("read_file reads on with offset %d", first+shown)
	}).Text
}

// defined returns an answer with the code of the declarations that a server returned. For a
// declaration in a file that cannot be opened, it contains only the server's description.
func (c symbolCall) defined(ctx context.Context, t target, found lsp.Answer) Answer {
	if len(found.Places) == 0 {
		return Answer{Text: "The language server knows no declaration of " + c.args.Name + " there.", Summary: "no declaration"}
	}
	text := ""
	for _, p := range found.Places[:min(len(found.Places), maxShown)] {
		if d, err := c.openPlace(ctx, p); err == nil {
			text = lines.Append(text, c.code(ctx, d))
		} else {
			hover, _ := c.ask(ctx, lsp.Hover, t, nil) // after an error, only the name is known
			text = lines.Append(text, fmt.Sprintf("%s:%d: %v\n%s", humanize.FileName(c.env.Workspace.Rel(p.Path)), p.Line(), err, shorten(hover.Text, maxHover)))
		}
	}
	return Answer{Text: shorten(text, c.env.Limits.room(headingBytes)), Summary: humanize.Count(found.Total, "declaration")}
}

var (
	errOutside = errors.New("it is outside of the workspace")
	errMoved   = errors.New("the file has no such line; the language server is out of date")
)

// openPlace opens the file of a location.
func (c symbolCall) openPlace(ctx context.Context, p lsp.Location) (t target, err error) {
	abs, err := c.env.Workspace.Resolve(p.Path)
	if err != nil {
		return t, errOutside
	}
	if t.source, err = c.env.open(ctx, abs); err != nil {
		return t, err
	}
	t.source.Close()
	var ok bool
	if t.at, _, ok = p.Offsets(t.source.whole); !ok {
		return t, errMoved
	}
	return t, nil
}

// listed lists locations by file, in the format of search results. Callers are listed with their
// functions.
func (c symbolCall) listed(ctx context.Context, found lsp.Answer) Answer {
	what := "place"
	if c.args.Op == lsp.Callers {
		what = "call"
	}
	var matches []search.Match
	omitted, files := 0, 0
	for _, p := range found.Places {
		if len(matches) >= maxPlaces {
			break
		}
		t, err := c.openPlace(ctx, p)
		if err != nil {
			omitted++
			continue
		}
		m := t.match()
		if p.Within != "" {
			m.Text, m.At = strings.TrimSpace(m.Text)+"  [in "+humanize.Line(p.Within, 80)+"]", 0
		}
		n := len(matches)
		sameFile := n > 0 && matches[n-1].File == m.File
		if !sameFile {
			files++
		}
		if !sameFile || matches[n-1].Line != m.Line {
			matches = append(matches, m)
		}
	}
	var list []string
	for i, m := range matches {
		list = append(list, inGroup(m.File, matches, i))
	}
	left := found.Total - omitted
	a := Answer{Text: fmt.Sprintf("The language server knows no %s of %s.", what, c.args.Name), Summary: "no " + humanize.Plural(what)}
	if n := fitting(list, c.env.Limits.room(headingBytes)); n > 0 {
		note := fmt.Sprintf("[%s in %s]", humanize.Count(left, what), humanize.Count(files, "file"))
		if n < len(list) || len(matches) >= maxPlaces {
			note = fmt.Sprintf("[the first %d lines of %s; search_file_content lists more]", n, humanize.Count(left, what))
		}
		a = Answer{Text: lines.Append(strings.Join(list[:n], "\n"), note), Summary: humanize.Count(left, what)}
	}
	if omitted > 0 {
		a.Text = lines.Append(a.Text, fmt.Sprintf("[omitted: %s outside of the workspace or in hidden or changed files]", humanize.Count(omitted, "place")))
	}
	return a
}
