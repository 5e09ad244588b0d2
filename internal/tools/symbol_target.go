package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/lsp"
	"agent/internal/outline"
	"agent/internal/search"
)

// A target is a location of a name in an opened file.
type target struct {
	source *source
	at     int
	// fit says how well a declaration matches the name of the call. It is 0 for another location.
	fit int
	// note is for the answer about the target.
	note string
}

// match returns the line of a target as a search result.
func (t target) match() search.Match {
	begin := bytes.LastIndexByte(t.source.whole[:t.at], '\n') + 1
	line, _, _ := bytes.Cut(t.source.whole[begin:], []byte("\n"))
	text := strings.TrimRight(strings.ToValidUTF8(string(line), replacement), "\r")
	return search.Match{File: humanize.FileName(t.source.rel), Line: bytes.Count(t.source.whole[:t.at], []byte("\n")) + 1, At: t.at - begin, Text: text}
}

// String returns the line of a target, with its path and number.
func (t target) String() string {
	m := t.match()
	return inGroup(m.File, []search.Match{m}, 0)
}

// candidates lists targets, a line each.
func candidates(all []target, more string) string {
	var list []string
	for _, t := range all[:min(len(all), maxCandidates)] {
		list = append(list, t.String())
	}
	if n := len(all) - len(list); n > 0 {
		list = append(list, humanize.Count(n, more))
	}
	return strings.Join(list, "\n")
}

// targets finds the locations of the name of a call: in the file of the call, or in the workspace.
// They are the declarations that match the name best. If there is none, they are some other
// locations of the name. It returns at least one.
func (c symbolCall) targets(ctx context.Context) ([]target, error) {
	switch {
	case c.word == "":
		return nil, fmt.Errorf("%q is not an identifier; give a name such as Name or Type.Method", c.args.Name)
	case c.args.File == "" && c.args.Line != 0:
		return nil, errors.New("a line needs its file")
	case c.args.File != "":
		s, err := c.open(ctx, c.args.File)
		if err != nil {
			return nil, err
		}
		if found := c.onLine(s); c.args.Line > 0 && len(found) > 0 {
			return found, nil
		}
		return c.in(ctx, []*source{s}, fmt.Errorf("%s does not have the name %s", s.rel, c.word))
	}
	served := c.servers.Installed()
	files, err := c.having(ctx, func(file string) bool {
		return slices.ContainsFunc(served, func(l lsp.Language) bool { return l.MatchesFile(file) })
	})
	if err != nil {
		return nil, err
	}
	var opened []*source
	for _, file := range files {
		if s, err := c.open(ctx, file); err == nil {
			opened = append(opened, s)
		}
	}
	return c.in(ctx, opened, fmt.Errorf("no file with a language server contains the name %s", c.word))
}

// open opens a file about which a server can be asked.
func (c symbolCall) open(ctx context.Context, file string) (*source, error) {
	s, err := c.env.open(ctx, file)
	if err != nil {
		return nil, err
	}
	s.Close()
	if _, known := lsp.LanguageOf(s.abs); !known {
		return nil, fmt.Errorf("%s: %w; use search_file_content", s.rel, lsp.ErrNoServer)
	}
	if s.whole == nil || !utf8.Valid(s.whole) {
		return nil, fmt.Errorf("%s: it is too large or not UTF-8; use search_file_content", s.rel)
	}
	return s, nil
}

// onLine returns the locations of the name on the line of the call, or on the nearest line that has
// the name. Of several, the first that has the whole qualified name comes first. Another one may be
// in a string or comment.
func (c symbolCall) onLine(s *source) (found []target) {
	best, line, last := -1, 1, 0
	for _, at := range wordOffsets(s.whole, c.word) {
		line += bytes.Count(s.whole[last:at], []byte("\n"))
		last = at
		away := max(line-c.args.Line, c.args.Line-line)
		if away < best || best < 0 {
			best, found = away, nil
		}
		t := target{source: s, at: at}
		if away > 0 {
			t.note = fmt.Sprintf("line %d does not have the name; used line %d", c.args.Line, line)
		}
		switch {
		case away == best && bytes.HasSuffix(s.whole[:at+len(c.word)], []byte(c.args.Name)) && c.args.Name != c.word:
			found = slices.Insert(found, 0, t)
		case away == best:
			found = append(found, t)
		}
	}
	return found
}

// in returns the targets in files. none is the error if there is no target.
func (c symbolCall) in(ctx context.Context, files []*source, none error) ([]target, error) {
	var declared, used []target
	best := 1
	for _, s := range files {
		for _, t := range c.declarations(ctx, s) {
			if t.fit > best {
				best, declared = t.fit, nil
			}
			if t.fit == best {
				declared = append(declared, t)
			}
		}
		if all := wordOffsets(s.whole, c.word); len(all) > 0 && len(used) < maxTried {
			used = append(used, target{source: s, at: all[0]})
		}
	}
	switch {
	case len(declared) > 0:
		return declared, nil
	case len(used) > 0:
		return used, nil
	}
	return nil, none
}

// declarations returns the declarations of the name of a call in a file. A declaration fits better
// if more parts of the name match, and if the part before them is its package or module, as in
// json.Marshal.
func (c symbolCall) declarations(ctx context.Context, s *source) (found []target) {
	if len(s.whole) > maxOutlineBytes {
		return nil
	}
	outlined, err := outline.Read(ctx, s.abs, string(s.whole))
	if err != nil {
		return nil
	}
	for _, d := range outlined.Declarations {
		declared := identifiers(d.Name)
		n := 0
		for n < min(len(c.parts), len(declared)) && c.parts[len(c.parts)-1-n] == declared[len(declared)-1-n] {
			n++
		}
		if n == 0 || n < min(len(c.parts), len(declared)) {
			continue // a method of another type has this name
		}
		t := target{source: s, fit: 2 * n}
		if n < len(c.parts) {
			stem := strings.TrimSuffix(filepath.Base(s.abs), filepath.Ext(s.abs))
			if q := c.parts[len(c.parts)-1-n]; q == stem || q == filepath.Base(filepath.Dir(s.abs)) {
				t.fit++
			}
		}
		text := s.whole[d.Head:d.End]
		if bytes.HasPrefix(text, []byte("func (")) { // a receiver may have the same name
			text = text[bytes.IndexByte(text, ')'):]
		}
		if all := wordOffsets(text, c.word); len(all) > 0 {
			t.at = d.End - len(text) + all[0]
			found = append(found, t)
		}
	}
	return found
}

// isNameRune reports whether a character is part of a name.
func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// identifiers returns the identifiers of a name such as Type.Method, pkg::f or (*T).f().
func identifiers(name string) []string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return !isNameRune(r) })
	return slices.DeleteFunc(parts, func(part string) bool { return part[0] >= '0' && part[0] <= '9' })
}

// wordOffsets returns the offsets of a name in a text, as a whole word.
func wordOffsets(content []byte, word string) (all []int) {
	for at := 0; ; at += len(word) {
		i := bytes.Index(content[at:], []byte(word))
		if i < 0 {
			return all
		}
		at += i
		before, _ := utf8.DecodeLastRune(content[:at])
		after, _ := utf8.DecodeRune(content[at+len(word):])
		if !isNameRune(before) && !isNameRune(after) {
			all = append(all, at)
		}
	}
}

// having returns files that contain the name of a call, at most maxOutlined.
func (c symbolCall) having(ctx context.Context, keep func(file string) bool) (found []string, err error) {
	matches, err := c.search(ctx, keep, nil, search.Query{First: true, Limit: maxOutlined})
	for _, match := range matches {
		found = append(found, filepath.Join(c.env.Workspace.Root(), match.File))
	}
	return found, err
}

// search searches the files of the workspace that keep accepts and that the model may read for the
// name of a call. Before them, it searches the contents of changed files.
func (c symbolCall) search(ctx context.Context, keep func(file string) bool, changed map[string][]byte, query search.Query) ([]search.Match, error) {
	expression, err := search.Parse(`(^|[^\p{L}\p{Nd}_$])` + regexp.QuoteMeta(c.word) + `([^\p{L}\p{Nd}_$]|$)`) // as named does
	if err != nil {
		return nil, err
	}
	w := c.env.Workspace
	base, files, err := w.Files(ctx, w.Root(), func(file string) bool {
		return keep(file) && changed[file] == nil && c.env.mayRead(filepath.Join(w.Root(), file))
	})
	if err != nil {
		return nil, err
	}
	files = append(slices.Sorted(maps.Keys(changed)), files...)
	matches, _, err := searchFiles(ctx, w, expression, base, files, changed, query)
	return matches, err
}

// inMacro returns the first line of a macro definition that contains the name of a call, "" if
// there is none. A parameter of the macro with this name does not count.
func (c symbolCall) inMacro(ctx context.Context, abs string) (string, error) {
	lang, _ := lsp.LanguageOf(abs)
	if !lang.Macros {
		return "", nil
	}
	files, err := c.having(ctx, lang.MatchesFile)
	for _, file := range files {
		s, err := c.open(ctx, file)
		if err != nil {
			return "", err
		}
		for _, macro := range macros.FindAllSubmatchIndex(s.whole, -1) {
			parameters, body := s.whole[max(macro[2], 0):max(macro[3], 0)], s.whole[macro[4]:macro[5]]
			if all := wordOffsets(body, c.word); len(all) > 0 && len(wordOffsets(parameters, c.word)) == 0 {
				return target{source: s, at: macro[4] + all[0]}.String(), nil
			}
		}
	}
	return "", err
}

// macros matches definitions of macros: their parameters and their text, including continued lines.
var macros = lazyregexp.New(`(?m)^[ \t]*#[ \t]*define[ \t]+\w+(\([^)\n]*\))?((?:[^\n\\]|\\\r?\n|\\.)*)`)
