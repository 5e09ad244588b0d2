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

	"github.com/aymanbagabas/go-udiff"
)

func (c symbolCall) planRename(ctx context.Context) (Plan, error) {
	c.args.Op = lsp.Rename // the name of the tool says so
	if !slices.Equal(identifiers(c.args.NewName), []string{c.args.NewName}) {
		return Plan{}, fmt.Errorf("new_name %q is not a name", c.args.NewName)
	}
	targets, err := c.targets(ctx)
	if err != nil {
		return Plan{}, err
	}
	found, t, err := c.first(ctx, targets)
	switch {
	case err != nil:
		return Plan{}, err
	case len(found.Notes) > 0:
		return Plan{}, fmt.Errorf("nothing was renamed: %s; call again", found.Notes[0])
	case len(found.Edits) == 0:
		return Plan{}, fmt.Errorf("the language server can't rename %s there", c.word)
	}
	if macro, err := c.inMacro(ctx, t.source.abs); err != nil || macro != "" {
		return Plan{}, cmp.Or(err, fmt.Errorf("nothing was renamed: a macro has the name too, which the server does not rename:\n%s", macro))
	}
	edits := map[string][]lsp.Edit{} // a server can name a file by its links, too
	for _, e := range found.Edits {
		abs, err := c.env.Workspace.Resolve(e.Path)
		if err != nil {
			return Plan{}, fmt.Errorf("nothing was renamed: %s would change too: %w", humanize.FileName(e.Path), errOutside)
		}
		edits[abs] = append(edits[abs], e)
	}
	var planned editPlan
	var names []string
	after := map[string][]byte{}
	count := 0
	for _, file := range slices.Sorted(maps.Keys(edits)) {
		one, places, err := c.renamed(file, edits[file])
		if err != nil {
			return Plan{}, errors.New("nothing was renamed: " + err.Error())
		}
		planned.changes = append(planned.changes, one)
		names = append(names, toolspec.ReportedFile(one.rel, ""))
		after[one.rel] = one.after
		count += places
	}
	plan := c.env.planEdit(planned)
	plan.Preview.Title = fmt.Sprintf("rename %s to %s: %s", c.word, c.args.NewName, plan.Preview.Title)
	if plan.Preview.Note, err = c.remaining(ctx, after); err != nil {
		return Plan{}, err
	}
	apply, text := plan.Apply, fmt.Sprintf("Renamed %s to %s at %s.\n%s%s\n", c.word, c.args.NewName, humanize.Count(count, "place"), toolspec.ReportFiles, toolspec.ReportedFiles(names, ""))
	plan.Apply = func(ctx context.Context) Answer {
		answer := apply(ctx)
		if answer.Error == "" {
			answer.Text = strings.TrimSuffix(text+plan.Preview.Note, "\n") + "\n"
		}
		return answer
	}
	return plan, nil
}

// remaining returns a list of the lines that still contain the old name after a rename. Lines of
// changed files come first. A server does not rename words in strings, comments and documents,
// names in code for another system, and names of other things. The list of a short name is empty,
// because such a name is often a plain word.
func (c symbolCall) remaining(ctx context.Context, changed map[string][]byte) (string, error) {
	if utf8.RuneCountInString(c.word) < shortestWord {
		return "", nil
	}
	matches, err := c.search(ctx, func(string) bool { return true }, changed, search.Query{Limit: maxCounted})
	if err != nil || len(matches) == 0 {
		return "", err
	}
	list := []string{"Still named " + c.word + ":"}
	for _, m := range matches[:min(len(matches), maxRemaining)] {
		list = append(list, humanize.Line(inGroup(humanize.FileName(m.File), []search.Match{m}, 0), 0))
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
func (c symbolCall) withUses(ctx context.Context, found lsp.Answer, at lsp.SymbolPosition) (lsp.Answer, error) {
	inProject := map[string]bool{}
	for _, e := range found.Edits {
		if inProject[e.Path] = true; e.New != c.args.NewName {
			return found, nil
		}
	}
	// The uses at the declaration do not count: in an import as another name, they have the old name.
	uses, err := c.servers.Ask(ctx, lsp.References, at)
	for _, p := range uses.Places {
		if u, err := c.openPlace(ctx, p); err == nil && !inProject[p.Path] && slices.Contains(wordOffsets(u.source.whole, c.word), u.at) {
			found.Edits = append(found.Edits, lsp.Edit{Location: p, New: c.args.NewName})
		}
	}
	return found, err
}

// renamed returns the change of a file by a rename, and the number of its places. It refuses edits
// that do not replace the name, because the server then used other content or made an error.
func (c symbolCall) renamed(file string, edits []lsp.Edit) (change, int, error) {
	s, err := c.env.openToEdit(file)
	if err != nil {
		return change{}, 0, err
	}
	var replaced []udiff.Edit
	for _, e := range edits {
		start, end, ok := e.Offsets(s.whole)
		if !ok {
			return change{}, 0, fmt.Errorf("%s:%d: %w", s.rel, e.Line(), errMoved)
		}
		if old := string(s.whole[start:end]); old != "" && old != c.word {
			return change{}, 0, fmt.Errorf("%s:%d: the language server would replace %.40q, not %s", s.rel, e.Line(), old, c.word)
		}
		if one := (udiff.Edit{Start: start, End: end, New: e.New}); !slices.Contains(replaced, one) {
			replaced = append(replaced, one)
		}
	}
	after, err := udiff.ApplyBytes(s.whole, replaced)
	if err != nil {
		return change{}, 0, fmt.Errorf("%s: the edits of the language server overlap", s.rel)
	}
	return s.changeTo(after), len(replaced), nil
}
