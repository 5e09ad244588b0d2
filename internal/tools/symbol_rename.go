package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/lsp"
	"agent/internal/search"
	"agent/internal/toolspec"
)

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
	word := lastName(c.args.Name)
	found, _, err := c.first(ctx, targets, func(ctx context.Context, t lsp.SymbolPosition) (lsp.Answer, error) {
		found, err := c.servers.Rename(ctx, t, c.args.NewName)
		if lang, _ := lsp.LanguageOf(t.Path); err != nil || !lang.Partial || len(found.Edits) == 0 {
			return found, err
		}
		uses, err := c.servers.References(ctx, t)
		return c.withUses(ctx, found, uses.Places, word), err
	})
	if err != nil {
		return Plan{}, err
	}
	if len(found.Notes) > 0 {
		return Plan{}, fmt.Errorf("nothing was renamed: %s; call again", found.Notes[0])
	}
	if len(found.Edits) == 0 {
		return Plan{}, fmt.Errorf("the language server can't rename %s there", word)
	}
	if macro, err := c.inMacro(ctx, targets[0].Path, word); err != nil || macro != "" {
		return Plan{}, cmp.Or(err, fmt.Errorf("nothing was renamed: a macro has the name too, which the server does not rename:\n%s", macro))
	}
	var planned edit
	var changed []string
	count := 0
	edits := map[string][]lsp.Edit{} // a server can name a file by its links, too
	for _, file := range slices.Sorted(maps.Keys(found.Edits)) {
		abs, err := c.env.Workspace.Resolve(file)
		if err != nil {
			return Plan{}, fmt.Errorf("nothing was renamed: %s would change too: %w", humanize.FileName(file), errOutside)
		}
		edits[abs] = append(edits[abs], found.Edits[file]...)
	}
	for _, file := range slices.Sorted(maps.Keys(edits)) {
		c, places, err := c.renamed(file, word, edits[file])
		if err != nil {
			return Plan{}, errors.New("nothing was renamed: " + err.Error())
		}
		planned.changes = append(planned.changes, c)
		changed = append(changed, toolspec.ReportedFile(c.rel, ""))
		count += places
	}
	remaining, err := c.remaining(ctx, word, planned.changes)
	if err != nil {
		return Plan{}, err
	}
	plan := c.env.planEdit(planned)
	plan.Preview.Title = fmt.Sprintf("rename %s to %s: %s", word, c.args.NewName, plan.Preview.Title)
	plan.Preview.Note = remaining
	apply := plan.Apply
	plan.Apply = func(ctx context.Context) Answer {
		answer := apply(ctx)
		if answer.Error == "" {
			answer.Text = fmt.Sprintf("Renamed %s to %s at %s.\n%s%s\n", word, c.args.NewName, humanize.Count(count, "place"), toolspec.ReportFiles, toolspec.ReportedFiles(changed, ""))
			if remaining != "" {
				answer.Text += remaining + "\n"
			}
		}
		return answer
	}
	return plan, nil
}

// remaining lists the lines that contain a name after a rename, first those of the changed files. A
// server does not rename words in strings, comments and documents, names in code for another
// system, and names of other things. It returns "" for a short name, which is often a plain word.
func (c symbolCall) remaining(ctx context.Context, word string, changes []change) (string, error) {
	if utf8.RuneCountInString(word) < shortestWord {
		return "", nil
	}
	expression, err := wholeWord(word)
	if err != nil {
		return "", err
	}
	query := search.Query{Limit: maxCounted}
	after := map[string][]byte{}
	var changed []string
	for _, one := range changes {
		after[one.rel] = one.after
		changed = append(changed, one.rel)
	}
	matches, _, err := search.Files(ctx, expression, changed, func(file string, _ []byte) ([]byte, error) { return after[file], nil }, query)
	if err != nil {
		return "", err
	}
	more, err := c.search(ctx, expression, func(file string) bool { return after[file] == nil }, query)
	if err != nil {
		return "", err
	}
	matches = append(matches, more...)
	if len(matches) == 0 {
		return "", nil
	}
	list := []string{"Still named " + word + ":"}
	for _, m := range matches[:min(len(matches), maxRemaining)] {
		list = append(list, fmt.Sprintf("%s:%d: %s", humanize.FileName(m.File), m.Line, humanize.Line(cutAround(m.Text, m.At, remainingBytes), 0)))
	}
	switch rest := len(matches) - maxRemaining; {
	case len(matches) > maxCounted:
		list = append(list, fmt.Sprintf("and more than %d more", maxCounted-maxRemaining))
	case rest > 0:
		list = append(list, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(list, "\n"), nil
}

// withUses adds to a rename the uses in files that the server does not edit, because they are
// outside of its project. If a server keeps the name in an import such as {name as other}, it has
// excluded the other files on purpose.
func (c symbolCall) withUses(ctx context.Context, found lsp.Answer, uses []lsp.Location, word string) lsp.Answer {
	for _, edits := range found.Edits {
		if slices.ContainsFunc(edits, func(e lsp.Edit) bool { return e.New != c.args.NewName }) {
			return found
		}
	}
	inProject := maps.Clone(found.Edits)
	for _, p := range uses {
		if s, at, err := c.openPlace(ctx, p); err == nil && inProject[p.Path] == nil && nextName(s.whole, word, at) == at {
			found.Edits[p.Path] = append(found.Edits[p.Path], lsp.Edit{Location: p, New: c.args.NewName})
		}
	}
	return found
}

// renamed returns the change of one file by a rename, and the number of its places. It refuses edits that do not replace the
// name, because the server then used other content or made an error.
func (c symbolCall) renamed(file, word string, edits []lsp.Edit) (change, int, error) {
	s, err := c.env.openToEdit(file)
	if err != nil {
		return change{}, 0, err
	}
	type splice struct {
		start, end int
		text       string
	}
	var splices []splice
	for _, e := range edits {
		start, end, ok := e.Offsets(s.whole)
		if !ok {
			return change{}, 0, fmt.Errorf("%s:%d: %w", s.rel, e.Line(), errMoved)
		}
		if old := string(s.whole[start:end]); old != "" && old != word {
			return change{}, 0, fmt.Errorf("%s:%d: the language server would replace %.40q, not %s", s.rel, e.Line(), old, word)
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
			return change{}, 0, fmt.Errorf("%s: the edits of the language server overlap", s.rel)
		}
		after = append(append(after, s.whole[done:p.start]...), p.text...)
		done = p.end
	}
	after = append(after, s.whole[done:]...)
	return s.changeTo(after), len(splices), nil
}
