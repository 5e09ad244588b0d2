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
	"unicode"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/lsp"
	"agent/internal/outline"
	"agent/internal/search"
	"agent/internal/text/lines"
	"agent/internal/text/textfile"
	"agent/internal/toolspec"
)

// SymbolName is the name of the tool that asks language servers. RenameName is the tool that carries
// out its renames.
const (
	SymbolName = "symbol"
	RenameName = "rename_symbol"
)

// The questions about a symbol.
const (
	opDefinition = "definition"
	opReferences = "references"
	opCallers    = "callers"
	opHover      = "hover"
	opRename     = "rename"
)

type symbolArgs struct {
	Op      string `json:"op" jsonschema:"definition, references, callers, hover (type and documentation) or rename"`
	Name    string `json:"name" jsonschema:"Name or Type.Method"`
	File    string `json:"file,omitempty" jsonschema:"a file that has it, for one of several or for a local name"`
	Line    int    `json:"line,omitempty" jsonschema:"its line in file"`
	NewName string `json:"new_name,omitempty" jsonschema:"for rename"`
}

// Limits of answers about symbols.
const (
	// maxPlaces is the number of places that an answer lists.
	maxPlaces = 50
	// maxDeclared is the number of lines of a declaration that an answer shows, and declaredHead the
	// number that it shows of a longer one.
	maxDeclared, declaredHead = 60, 40
	// maxCandidates is the number of declarations of one name that an answer lists or shows.
	maxCandidates, maxShown = 20, 3
	// maxOutlined is the number of files in which a declaration is looked for.
	maxOutlined = 300
	// maxTried is the number of places at which a name without a declaration is looked up.
	maxTried = 5
	// maxHover limits the text of a server about a name, in bytes.
	maxHover = 2000
	// nearLines is the distance to a given line at which a name is still found.
	nearLines = 20
)

// Symbol returns the tool that asks the language servers of a folder. Renames are calls of Rename.
func Symbol(servers *lsp.Folder) Tool {
	return defineRead(Tool{
		Name: SymbolName,
		Description: "Asks the compiler's view of the code, exact where a text search is not: shows the code of a declaration wherever it is, lists the uses or callers of a name, " +
			"or renames it in all files at once. Use it instead of searching and reading when you have a name.",
		Traits: Traits{
			Key:   "name",
			Words: toolspec.Say("looking up", "looked up", "look up"),
		},
	}, func(ctx context.Context, env *Env, args symbolArgs) Answer {
		answer, err := symbolCall{env.withFoundLimits(), servers, args}.answer(ctx)
		if err != nil {
			return failedAnswer(err)
		}
		return answer
	})
}

// Rename returns the tool that renames a symbol. It is not offered: a rename is asked for as a call of
// Symbol, and is a call of its own so that it is approved, recorded and undone like every edit.
func Rename(servers *lsp.Folder) Tool {
	return define(Tool{
		Name:        RenameName,
		Description: "Renames a symbol in all files.",
		Traits: Traits{
			Edits:     true,
			Unoffered: true,
			Key:       "name",
			Density:   toolspec.Density{Reports: true},
			Words:     []toolspec.Words{{Now: "renaming", Done: "renamed", Do: "rename", About: "{name} to {new_name}"}},
		},
	}, func(ctx context.Context, env *Env, args symbolArgs) (Plan, error) {
		return symbolCall{env, servers, args}.planRename(ctx)
	})
}

func (a symbolArgs) reads() []string {
	if a.File == "" {
		return nil
	}
	return []string{a.File}
}

// asRename turns a call that asks for a rename into a call of the tool that edits.
func asRename(name string, op string) string {
	if name == SymbolName && op == opRename {
		return RenameName
	}
	return name
}

// symbolCall is one question about a symbol.
type symbolCall struct {
	env     *Env
	servers *lsp.Folder
	args    symbolArgs
}

func (c symbolCall) answer(ctx context.Context) (Answer, error) {
	ask, known := map[string]func(context.Context, lsp.Target) (lsp.Answer, error){
		opDefinition: c.servers.Definition, opReferences: c.servers.References, opCallers: c.servers.Callers, opHover: c.servers.Describe,
	}[c.args.Op]
	if !known {
		return Answer{}, fmt.Errorf("unknown op %q (valid: %s, %s, %s, %s, %s)", c.args.Op, opDefinition, opReferences, opCallers, opHover, opRename)
	}
	targets, err := c.targets(ctx)
	if err != nil {
		return Answer{}, err
	}
	if c.args.Op == opDefinition && c.args.Line == 0 && targets[0].declared {
		return c.show(ctx, targets)
	}
	target, note, err := c.single(targets)
	if err != nil {
		return Answer{}, err
	}
	found, err := ask(ctx, target.Target)
	for _, other := range targets[1:] { // a name without a declaration: any use that the server knows
		if target.declared || len(found.Places) > 0 || found.Text != "" {
			break // after an error another use may be in a file that the server builds
		}
		found, err = ask(ctx, other.Target)
	}
	if err != nil {
		return Answer{}, err
	}
	var answer Answer
	switch c.args.Op {
	case opHover:
		answer = Answer{Text: plainText(found.Text)}
		if answer.Text == "" {
			answer.Text = "The server knows nothing about " + c.args.Name + " there."
		}
	case opDefinition:
		answer, err = c.defined(ctx, found)
	default:
		answer = c.listed(ctx, found)
	}
	for _, n := range append(found.Notes, note) {
		if n != "" {
			answer.Text = lines.Append(answer.Text, "["+n+"]")
		}
	}
	return answer, err
}

// A target is a place of the name of a call. declared is set for a declaration of that name.
type target struct {
	lsp.Target
	declared bool
	note     string
	// fits is the number of parts of the asked name that the declared name has.
	fits int
}

// single returns the only declaration, or an error that lists them.
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

// lineAt formats the line at an offset of a file.
func (c symbolCall) lineAt(abs string, content []byte, at int) string {
	begin := bytes.LastIndexByte(content[:at], '\n') + 1
	line, _, _ := bytes.Cut(content[begin:], []byte("\n"))
	text := strings.TrimRight(strings.ToValidUTF8(string(line), replacement), "\r")
	return fmt.Sprintf("%s:%d: %s", humanize.Name(c.env.Workspace.Rel(abs)), bytes.Count(content[:at], []byte("\n"))+1, excerpt(text, at-begin))
}

// targets finds the places of the name of a call: in its file, or the declarations in the workspace.
// There is at least one.
func (c symbolCall) targets(ctx context.Context) ([]target, error) {
	word := lastName(c.args.Name)
	if word == "" {
		return nil, fmt.Errorf("name %q is not a name; give an identifier such as Name or Type.Method", c.args.Name)
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
	here := func(at int) target { return target{Target: lsp.Target{Path: s.abs, Content: s.whole, At: at}} }
	if c.args.Line > 0 {
		at, err := nameOnLine(s.whole, c.args.Name, word, c.args.Line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.rel, err)
		}
		found := here(at)
		if line := bytes.Count(s.whole[:at], []byte("\n")) + 1; line != c.args.Line {
			found.note = fmt.Sprintf("line %d does not have the name; line %d was taken", c.args.Line, line)
		}
		return []target{found}, nil
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

// canAsk returns an error if no server can be asked about a file.
func (c symbolCall) canAsk(abs string, content []byte) error {
	lang, known := lsp.Of(abs)
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
// none, it returns some other places of the name.
func (c symbolCall) inWorkspace(ctx context.Context, word string) ([]target, error) {
	asks := map[string]bool{}
	w := c.env.Workspace
	base, files, err := w.Files(ctx, w.Root(), func(file string) bool {
		ext := path.Ext(file)
		if _, known := asks[ext]; !known {
			lang, is := lsp.Of(file)
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
	expression, err := search.Parse(regexp.QuoteMeta(word))
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file string) bool { return !c.env.mayRead(filepath.Join(base, file)) })
	matches, _, err := searchFiles(ctx, w, expression, base, files, search.Query{First: true, Limit: maxOutlined})
	if err != nil {
		return nil, err
	}
	var declared, used []target
	for _, match := range matches {
		s, err := c.env.open(ctx, filepath.Join(base, match.File))
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
			used = append(used, target{Target: lsp.Target{Path: s.abs, Content: s.whole, At: at}})
		}
	}
	switch {
	case len(declared) > 0:
		return preferred(declared, c.args.Name), nil
	case len(used) > 0:
		return used, nil
	}
	return nil, fmt.Errorf("no file of a language with a server has the name %s", word)
}

// preferred returns the declarations that fit a name best. Of several it takes those in the package or
// module that qualifies the name, such as json.Marshal.
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
			continue // another type has a method of this name
		}
		head := d.Head
		if rest := text[head:]; strings.HasPrefix(rest, "func (") { // a receiver may have the same name
			head += strings.IndexByte(rest, ')')
		}
		if at := nextName(content, word, head); at >= 0 && at < d.End {
			found = append(found, target{Target: lsp.Target{Path: abs, Content: content, At: at}, declared: true, fits: fits})
		}
	}
	return found
}

// show answers with the code of declarations, or lists them if there are many.
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

// code returns the declaration around an offset, below a line with its place.
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
	first, last := outlined.Lines(d)
	all := lines.Split(strings.ToValidUTF8(textfile.PlainEnds(strings.TrimRight(text[d.Start:d.End], "\r\n")), replacement))
	rest := ""
	if len(all) > maxDeclared {
		rest = fmt.Sprintf("\n[%s more; read_file reads on with offset %d]", humanize.Count(len(all)-declaredHead, "line"), first+declaredHead)
		all = all[:declaredHead]
	}
	for i, line := range all {
		all[i] = lines.Cut(line, textfile.MaxLineBytes)
	}
	return fmt.Sprintf("[%s, lines %d-%d of %s]\n%s%s", d.Name, first, last, humanize.Name(c.env.Workspace.Rel(abs)), strings.TrimSuffix(strings.Join(all, ""), "\n"), rest)
}

// defined answers with the code of the declarations that a server names. It shows only the
// description of the server for a declaration outside of the workspace.
func (c symbolCall) defined(ctx context.Context, found lsp.Answer) (Answer, error) {
	if len(found.Places) == 0 {
		return Answer{Text: "The server knows no declaration of " + c.args.Name + " there.", Summary: "no declaration"}, nil
	}
	var parts []string
	for _, p := range found.Places[:min(len(found.Places), maxShown)] {
		s, at, err := c.openPlace(ctx, p)
		switch {
		case errors.Is(err, errOutside):
			described := ""
			if targets, err := c.targets(ctx); err == nil {
				hover, _ := c.servers.Describe(ctx, targets[0].Target) // without a file, only the name of the place is known
				described = "\n" + plainText(hover.Text)
			}
			parts = append(parts, fmt.Sprintf("%s:%d, outside of the workspace%s", humanize.Name(p.Path), p.Line(), described))
		case err != nil:
			parts = append(parts, fmt.Sprintf("%s:%d: %v", humanize.Name(c.env.Workspace.Rel(p.Path)), p.Line(), err))
		default:
			parts = append(parts, c.code(ctx, s.abs, s.whole, at))
		}
	}
	return Answer{Text: shorten(strings.Join(parts, "\n"), c.env.Limits.room(headingBytes)), Summary: humanize.Count(found.Total, "declaration")}, nil
}

var (
	errOutside = errors.New("it is outside of the workspace")
	errMoved   = errors.New("the file has no such place; the server is out of date")
)

// openPlace opens the file of a place, and returns the offset of the place.
func (c symbolCall) openPlace(ctx context.Context, p lsp.Place) (*source, int, error) {
	abs, err := c.env.Workspace.Resolve(p.Path)
	if err != nil {
		return nil, 0, errOutside
	}
	s, err := c.env.open(ctx, abs)
	if err != nil {
		return nil, 0, err
	}
	s.Close()
	at, _, ok := p.In(s.whole)
	if !ok {
		return nil, 0, errMoved
	}
	return s, at, nil
}

// listed lists places by file, as a search lists its matches. Callers are listed with their functions.
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
		m := search.Match{File: humanize.Name(s.rel), Line: p.Line(), At: at - begin, Text: strings.TrimRight(strings.ToValidUTF8(string(line), replacement), "\r")}
		if p.Within != "" {
			m.Text = strings.TrimSpace(m.Text) + "  [in " + humanize.Line(p.Within, 80) + "]"
			m.At = 0
		}
		if n := len(matches); n == 0 || matches[n-1].File != m.File || matches[n-1].Line != m.Line {
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
		return withoutPlaces(Answer{Text: fmt.Sprintf("The server knows no %s of %s.", what, c.args.Name), Summary: "no " + humanize.Plural(what)}, outside, closed)
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

// withoutPlaces adds to an answer how many places are omitted, and why.
func withoutPlaces(a Answer, outside, closed int) Answer {
	if outside > 0 {
		a.Text = lines.Append(a.Text, fmt.Sprintf("[left out: %s outside of the workspace]", humanize.Count(outside, "place")))
	}
	if closed > 0 {
		a.Text = lines.Append(a.Text, fmt.Sprintf("[left out: %s in files that cannot be shown or have changed]", humanize.Count(closed, "place")))
	}
	return a
}

func (c symbolCall) planRename(ctx context.Context) (Plan, error) {
	if c.args.Op != opRename {
		return Plan{}, fmt.Errorf("op is %q, not %s", c.args.Op, opRename)
	}
	if c.args.NewName == "" || lastName(c.args.NewName) != c.args.NewName {
		return Plan{}, fmt.Errorf("new_name %q is not a name", c.args.NewName)
	}
	targets, err := c.targets(ctx)
	if err != nil {
		return Plan{}, err
	}
	target, _, err := c.single(targets)
	if err != nil {
		return Plan{}, err
	}
	word := lastName(c.args.Name)
	found, err := c.servers.Rename(ctx, target.Target, c.args.NewName)
	if err != nil {
		return Plan{}, err
	}
	if len(found.Notes) > 0 {
		return Plan{}, fmt.Errorf("nothing was renamed: %s; call again", found.Notes[0])
	}
	if len(found.Edits) == 0 {
		return Plan{}, fmt.Errorf("the server cannot rename %s there", word)
	}
	var planned edit
	var changed []string
	count := 0
	for _, file := range sortedKeys(found.Edits) {
		c, err := c.renamed(file, word, found.Edits[file])
		if err != nil {
			return Plan{}, errors.New("nothing was renamed: " + err.Error())
		}
		planned.changes = append(planned.changes, c)
		changed = append(changed, toolspec.ReportedFile(c.rel, ""))
		count += len(found.Edits[file])
	}
	plan := c.env.planEdit(planned)
	apply := plan.Apply
	plan.Apply = func(ctx context.Context) Answer {
		answer := apply(ctx)
		if answer.Error == "" {
			answer.Text = fmt.Sprintf("Renamed %s to %s at %s.\n%s%s\n", word, c.args.NewName, humanize.Count(count, "place"), toolspec.ReportFiles, toolspec.ReportedFiles(changed, ""))
		}
		return answer
	}
	return plan, nil
}

// renamed returns the change of one file by a rename. It refuses edits that do not replace the name,
// because the server has seen another content or is wrong.
func (c symbolCall) renamed(file, word string, edits []lsp.Edit) (change, error) {
	if _, err := c.env.Workspace.Resolve(file); err != nil {
		return change{}, fmt.Errorf("%s would change too: %w", humanize.Name(file), errOutside)
	}
	s, err := c.env.openToEdit(file)
	if err != nil {
		return change{}, err
	}
	type splice struct {
		start, end int
		text       string
	}
	var splices []splice
	for _, e := range edits {
		start, end, ok := e.In(s.whole)
		if !ok {
			return change{}, fmt.Errorf("%s:%d: %w", s.rel, e.Line(), errMoved)
		}
		if old := string(s.whole[start:end]); old != "" && old != word {
			return change{}, fmt.Errorf("%s:%d: the server would replace %.40q, which is not %s", s.rel, e.Line(), old, word)
		}
		if !slices.Contains(splices, splice{start, end, e.New}) {
			splices = append(splices, splice{start, end, e.New})
		}
	}
	slices.SortFunc(splices, func(a, b splice) int { return a.start - b.start })
	var after []byte
	done := 0
	for _, p := range splices {
		if p.start < done {
			return change{}, fmt.Errorf("%s: the edits of the server overlap", s.rel)
		}
		after = append(append(after, s.whole[done:p.start]...), p.text...)
		done = p.end
	}
	after = append(after, s.whole[done:]...)
	return s.changeTo(after), nil
}

func sortedKeys(m map[string][]lsp.Edit) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// isNameRune reports whether a character is part of a name.
func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// lastName returns the last identifier of a name such as Type.Method, pkg::f or (*T).f(). It returns ""
// if there is none.
func lastName(name string) string {
	name = strings.TrimRightFunc(strings.TrimSpace(name), func(r rune) bool { return r == '(' || r == ')' })
	begin := strings.LastIndexFunc(name, func(r rune) bool { return !isNameRune(r) })
	if begin >= 0 {
		_, size := utf8.DecodeRuneInString(name[begin:])
		name = name[begin+size:]
	}
	if name == "" || unicode.IsDigit([]rune(name)[0]) {
		return ""
	}
	return name
}

// nextName returns the offset of the next place of a whole name from an offset on, -1 for none.
func nextName(content []byte, word string, from int) int {
	for at := from; at < len(content); {
		i := bytes.Index(content[at:], []byte(word))
		if i < 0 {
			return -1
		}
		at += i
		before, _ := utf8.DecodeLastRune(content[:at])
		after, _ := utf8.DecodeRune(content[at+len(word):])
		if !isNameRune(before) && !isNameRune(after) {
			return at
		}
		at += len(word)
	}
	return -1
}

// nameOnLine returns the offset of a name on a line, or on the nearest line that has it. A qualified
// name counts before its last part.
func nameOnLine(content []byte, name, word string, line int) (int, error) {
	var starts []int
	for at := 0; at <= len(content); {
		starts = append(starts, at)
		next := bytes.IndexByte(content[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	if line > len(starts) {
		return 0, fmt.Errorf("there is no line %d; the last is %d", line, len(starts))
	}
	on := func(n int) int {
		if n < 1 || n > len(starts) {
			return -1
		}
		end := len(content)
		if n < len(starts) {
			end = starts[n]
		}
		text := content[:end]
		if i := bytes.Index(text[starts[n-1]:], []byte(name)); i >= 0 && name != word {
			if at := nextName(text, word, starts[n-1]+i+len(name)-len(word)); at == starts[n-1]+i+len(name)-len(word) {
				return at
			}
		}
		return nextName(text, word, starts[n-1])
	}
	for away := range nearLines + 1 {
		for _, n := range []int{line - away, line + away} {
			if at := on(n); at >= 0 {
				return at, nil
			}
		}
	}
	return 0, fmt.Errorf("line %d does not have the name %s", line, word)
}

// plainText returns the text of a server without control characters, cut to maxHover.
func plainText(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(textfile.PlainEnds(text), ""))
	return shorten(strings.TrimSpace(text), maxHover)
}
