package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/lsp"
	"agent/internal/outline"
	"agent/internal/search"
)

// A target is a location of the name of a call. declared is set for a declaration of that name.
type target struct {
	lsp.SymbolPosition
	declared bool
	note     string
	// fits is the number of parts of the requested name that the declared name has.
	fits int
}

// single returns the only target, or the first one if none is a declaration. For several
// declarations, it returns an error that lists them.
func (c symbolCall) single(all []target) (target, string, error) {
	if len(all) == 1 || !all[0].declared {
		return all[0], all[0].note, nil
	}
	var list []string
	for _, t := range all[:min(len(all), maxCandidates)] {
		list = append(list, c.lineAt(t.Path, t.Content, t.At))
	}
	if more := len(all) - len(list); more > 0 {
		list = append(list, humanize.Count(more, "more declaration"))
	}
	return target{}, "", fmt.Errorf("%s is declared %s; name one of these by file and line:\n%s", c.args.Name, times(len(all)), strings.Join(list, "\n"))
}

// lineAt formats the line at an offset of a file, with its path and number.
func (c symbolCall) lineAt(abs string, content []byte, at int) string {
	begin := bytes.LastIndexByte(content[:at], '\n') + 1
	line, _, _ := bytes.Cut(content[begin:], []byte("\n"))
	text := strings.TrimRight(strings.ToValidUTF8(string(line), replacement), "\r")
	return fmt.Sprintf("%s:%d: %s", humanize.FileName(c.env.Workspace.Rel(abs)), bytes.Count(content[:at], []byte("\n"))+1, excerpt(text, at-begin))
}

// targets finds the locations of the name of a call: in the file of the call, or the declarations
// in the workspace. It returns at least one.
func (c symbolCall) targets(ctx context.Context) ([]target, error) {
	word := lastName(c.args.Name)
	if word == "" {
		return nil, fmt.Errorf("%q is not an identifier; give a name such as Name or Type.Method", c.args.Name)
	}
	if c.args.File == "" {
		if c.args.Line != 0 {
			return nil, errors.New("a line needs its file")
		}
		return c.inWorkspace(ctx, word)
	}
	s, err := c.env.open(ctx, c.args.File)
	if err != nil {
		return nil, err
	}
	s.Close()
	if err := c.canAsk(s.abs, s.whole); err != nil {
		return nil, fmt.Errorf("%s: %w", s.rel, err)
	}
	here := func(at int) target {
		return target{SymbolPosition: lsp.SymbolPosition{Path: s.abs, Content: s.whole, At: at}}
	}
	if c.args.Line > 0 {
		at, err := nameOnLine(s.whole, c.args.Name, word, c.args.Line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.rel, err)
		}
		found := []target{here(at)}
		if line := bytes.Count(s.whole[:at], []byte("\n")) + 1; line != c.args.Line {
			found[0].note = fmt.Sprintf("line %d does not have the name; used line %d", c.args.Line, line)
		}
		// The first occurrence on the line may be in a string or comment.
		end := len(s.whole)
		if next := bytes.IndexByte(s.whole[at:], '\n'); next >= 0 {
			end = at + next
		}
		for at = nextName(s.whole, word, at+len(word)); 0 <= at && at < end; at = nextName(s.whole, word, at+len(word)) {
			found = append(found, here(at))
		}
		return found, nil
	}
	if all := declarations(ctx, s.abs, s.whole, c.args.Name, word); len(all) > 0 {
		return preferred(all, c.args.Name), nil
	}
	at := nextName(s.whole, word, 0)
	if at < 0 {
		return nil, fmt.Errorf("%s does not have the name %s", s.rel, word)
	}
	return []target{here(at)}, nil
}

// canAsk returns an error if no server supports a file.
func (c symbolCall) canAsk(abs string, content []byte) error {
	lang, known := lsp.LanguageOf(abs)
	switch {
	case !known:
		return fmt.Errorf("%w; use search_file_content", lsp.ErrNoServer)
	case content == nil:
		return errors.New("it is too large; use search_file_content")
	case !utf8.Valid(content):
		return errors.New("it is not UTF-8; use search_file_content")
	}
	_, err := c.servers.Find(lang)
	return err
}

// inWorkspace returns the declarations of a name in files whose language has a server. If there is
// none, it returns some other locations of the name.
func (c symbolCall) inWorkspace(ctx context.Context, word string) ([]target, error) {
	asks := map[string]bool{}
	files, err := c.having(ctx, word, func(file string) bool {
		ext := path.Ext(file)
		if _, known := asks[ext]; !known {
			lang, is := lsp.LanguageOf(file)
			asks[ext] = is
			if is {
				_, missing := c.servers.Find(lang)
				asks[ext] = missing == nil
			}
		}
		return asks[ext]
	})
	if err != nil {
		return nil, err
	}
	var declared, used []target
	for _, file := range files {
		s, err := c.env.open(ctx, file)
		if err != nil {
			continue
		}
		s.Close()
		at := -1
		if s.whole != nil && utf8.Valid(s.whole) {
			at = nextName(s.whole, word, 0)
		}
		if at < 0 {
			continue
		}
		if declared = append(declared, declarations(ctx, s.abs, s.whole, c.args.Name, word)...); len(used) < maxTried {
			used = append(used, target{SymbolPosition: lsp.SymbolPosition{Path: s.abs, Content: s.whole, At: at}})
		}
	}
	switch {
	case len(declared) > 0:
		return preferred(declared, c.args.Name), nil
	case len(used) > 0:
		return used, nil
	}
	return nil, fmt.Errorf("no file with a language server contains the name %s", word)
}

// having returns files that contain a name, at most maxOutlined.
func (c symbolCall) having(ctx context.Context, word string, keep func(file string) bool) (found []string, err error) {
	expression, err := wholeWord(word)
	if err != nil {
		return nil, err
	}
	matches, err := c.search(ctx, expression, keep, search.Query{First: true, Limit: maxOutlined})
	for _, match := range matches {
		found = append(found, filepath.Join(c.env.Workspace.Root(), match.File))
	}
	return found, err
}

// wholeWord returns an expression that matches a name as nextName does.
func wholeWord(name string) (*search.Expression, error) {
	return search.Parse(`(^|[^\p{L}\p{Nd}_$])` + regexp.QuoteMeta(name) + `([^\p{L}\p{Nd}_$]|$)`)
}

// search searches the files of the workspace that keep accepts and that the model may read.
func (c symbolCall) search(ctx context.Context, expression *search.Expression, keep func(file string) bool, query search.Query) ([]search.Match, error) {
	w := c.env.Workspace
	base, files, err := w.Files(ctx, w.Root(), func(file string) bool {
		return keep(file) && c.env.mayRead(filepath.Join(w.Root(), file))
	})
	if err != nil {
		return nil, err
	}
	matches, _, err := searchFiles(ctx, w, expression, base, files, query)
	return matches, err
}

// mentions returns the files that contain the name of a call, for a server that does not search all
// files itself.
func (c symbolCall) mentions(ctx context.Context, abs string) ([]string, error) {
	lang, _ := lsp.LanguageOf(abs)
	if !lang.Partial || c.args.Op == opDefinition || c.args.Op == opHover {
		return nil, nil
	}
	return c.having(ctx, lastName(c.args.Name), lang.MatchesFile)
}

// inMacro returns the first line of a macro definition that contains a name, "" if there is none. A
// parameter of the macro with this name does not count.
func (c symbolCall) inMacro(ctx context.Context, abs, word string) (string, error) {
	lang, _ := lsp.LanguageOf(abs)
	if !lang.Macros {
		return "", nil
	}
	files, err := c.having(ctx, word, lang.MatchesFile)
	for _, file := range files {
		s, err := c.env.open(ctx, file)
		if err != nil {
			return "", err
		}
		s.Close()
		for _, macro := range macros.FindAllSubmatchIndex(s.whole, -1) {
			parameters, body := s.whole[max(macro[2], 0):max(macro[3], 0)], s.whole[macro[4]:macro[5]]
			if at := nextName(body, word, 0); at >= 0 && nextName(parameters, word, 0) < 0 {
				return c.lineAt(s.abs, s.whole, macro[4]+at), nil
			}
		}
	}
	return "", err
}

// macros matches definitions of macros: their parameters and their text, including continued lines.
var macros = lazyregexp.New(`(?m)^[ \t]*#[ \t]*define[ \t]+\w+(\([^)\n]*\))?((?:[^\n\\]|\\\r?\n|\\.)*)`)

// preferred returns the declarations that match a name best. Of several, it selects those in the
// package or module that qualifies the name, such as json.Marshal.
func preferred(all []target, name string) []target {
	most := slices.MaxFunc(all, func(a, b target) int { return a.fits - b.fits }).fits
	all = slices.DeleteFunc(all, func(t target) bool { return t.fits < most })
	parts := partsOf(name)
	if most == len(parts) {
		return all
	}
	qualifier := parts[len(parts)-most-1]
	var in []target
	for _, t := range all {
		stem := strings.TrimSuffix(filepath.Base(t.Path), filepath.Ext(t.Path))
		if stem == qualifier || filepath.Base(filepath.Dir(t.Path)) == qualifier {
			in = append(in, t)
		}
	}
	if len(in) > 0 {
		return in
	}
	return all
}

// partsOf returns the identifiers of a qualified name.
func partsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !isNameRune(r) })
}

// declarations returns the declarations of a name in a file.
func declarations(ctx context.Context, abs string, content []byte, name, word string) (found []target) {
	if len(content) > maxOutlineBytes {
		return nil
	}
	text := string(content)
	outlined, err := outline.Read(ctx, abs, text)
	if err != nil {
		return nil
	}
	asked := partsOf(name)
	for _, d := range outlined.Declarations {
		declared := partsOf(d.Name)
		fits := 0
		for fits < min(len(asked), len(declared)) && asked[len(asked)-1-fits] == declared[len(declared)-1-fits] {
			fits++
		}
		if fits == 0 || fits < min(len(asked), len(declared)) {
			continue // a method of another type has this name
		}
		head := d.Head
		if rest := text[head:]; strings.HasPrefix(rest, "func (") { // a receiver may have the same name
			head += strings.IndexByte(rest, ')')
		}
		if at := nextName(content, word, head); at >= 0 && at < d.End {
			found = append(found, target{SymbolPosition: lsp.SymbolPosition{Path: abs, Content: content, At: at}, declared: true, fits: fits})
		}
	}
	return found
}
