package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/lsp"
	"agent/internal/text/lines"
	"agent/internal/toolspec"
)

// SymbolName is the name of the tool that queries language servers. RenameName is the tool that
// executes its renames.
const (
	SymbolName = "symbol"
	RenameName = "rename_symbol"
)

// The kinds of queries about a symbol.
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
	File    string `json:"file,omitempty" jsonschema:"a file that contains the name: for a local name, or to choose a declaration"`
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
	// maxCandidates is the number of declarations of one name that an answer lists. maxShown is the
	// number that it shows with their code.
	maxCandidates, maxShown = 20, 3
	// maxOutlined is the number of files that are searched for a declaration.
	maxOutlined = 300
	// maxTried is the number of locations at which a name without a declaration is looked up.
	maxTried = 5
	// maxHover limits the description of a name by a server, in bytes.
	maxHover = 2000
	// shortestWord is the number of letters from which a renamed name is searched for afterwards.
	// maxRemaining is the number of places that are then listed, remainingBytes the size of each, and
	// maxCounted the number of places that are counted.
	shortestWord, maxRemaining, remainingBytes, maxCounted = 3, 10, 120, 1000
	// nearLines is the largest distance between the given line and the line on which a name is
	// found.
	nearLines = 20
)

// SymbolTool returns the tool that queries the language servers of a folder. It turns renames into
// calls of Rename.
func SymbolTool(servers *lsp.Folder) Tool {
	return defineRead(Tool{
		Name: SymbolName,
		Description: "Queries language servers, which are exact where a text search is not: shows the code of a declaration wherever it is, lists the uses or callers of a name, " +
			"or renames it in all files at once and lists where the old name remains, such as in strings and documents. Use it instead of searching and reading when you have a name.",
		Traits: Traits{
			Key:   "name",
			Words: toolspec.SameVerbs("looking up", "looked up", "look up"),
		},
	}, func(ctx context.Context, env *Env, args symbolArgs) Answer {
		answer, err := symbolCall{env.withFoundLimits(), servers, args}.answer(ctx)
		if err != nil {
			return failedAnswer(err)
		}
		return answer
	})
}

// RenameTool returns the tool that renames a symbol. It is not offered: the model requests a rename by
// a call of Symbol. The rename is a separate call, so that it is approved, recorded and undone like
// every edit.
func RenameTool(servers *lsp.Folder) Tool {
	return define(Tool{
		Name:        RenameName,
		Description: "Renames a symbol in all files.",
		Traits: Traits{
			Edits:     true,
			Unoffered: true,
			Key:       "name",
			Density:   toolspec.Density{Reports: true},
			Words:     []toolspec.Verbs{{Now: "renaming", Done: "renamed", Do: "rename", About: "{name} to {new_name}"}},
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

// asRename returns the name of the tool for a call: Rename if it requests a rename, otherwise name.
func asRename(name string, op string) string {
	if name == SymbolName && op == opRename {
		return RenameName
	}
	return name
}

// symbolCall is one query about a symbol.
type symbolCall struct {
	env     *Env
	servers *lsp.Folder
	args    symbolArgs
}

// first queries the only declaration. Without a declaration, it queries one location after another
// until the server returns a result. A location can be in a comment, or in a file that the server
// does not build.
func (c symbolCall) first(ctx context.Context, targets []target, ask func(context.Context, lsp.SymbolPosition) (lsp.Answer, error)) (found lsp.Answer, note string, err error) {
	only, note, err := c.single(targets)
	if err != nil {
		return found, "", err
	}
	if only.declared {
		targets = targets[:1]
	}
	mentions, err := c.mentions(ctx, only.Path)
	if err != nil {
		return found, "", err
	}
	for _, t := range targets {
		t.Mentions = mentions
		if found, err = ask(ctx, t.SymbolPosition); len(found.Places)+len(found.Edits) > 0 || found.Text != "" {
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("%w; use search_file_content", err)
	}
	return found, note, err
}

// uses requests the references of a name. If the answer lacks the declaration, it requests them
// again there. pyright omits the uses of a name that a package imports from one of its modules.
func (c symbolCall) uses(ctx context.Context, t lsp.SymbolPosition) (lsp.Answer, error) {
	found, err := c.servers.References(ctx, t)
	if lang, _ := lsp.LanguageOf(t.Path); err != nil || !lang.Partial || len(found.Places) == 0 {
		return found, err
	}
	declared, err := c.servers.Definition(ctx, t)
	if err != nil || len(declared.Places) != 1 {
		return found, nil // the first answer is used
	}
	has := func(p lsp.Location) bool {
		return slices.ContainsFunc(found.Places, func(o lsp.Location) bool { return o.Path == p.Path && o.Line() == p.Line() })
	}
	s, at, err := c.openPlace(ctx, declared.Places[0])
	if err != nil || has(declared.Places[0]) || nextName(s.whole, lastName(c.args.Name), at) != at {
		return found, nil
	}
	more, err := c.servers.References(ctx, lsp.SymbolPosition{Path: s.abs, Content: s.whole, At: at, Mentions: t.Mentions})
	for _, p := range more.Places {
		if err == nil && !has(p) {
			found.Places = append(found.Places, p)
			found.Total++
		}
	}
	slices.SortStableFunc(found.Places, func(a, b lsp.Location) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line(), b.Line()))
	})
	return found, nil
}

func (c symbolCall) answer(ctx context.Context) (Answer, error) {
	ask, known := map[string]func(context.Context, lsp.SymbolPosition) (lsp.Answer, error){
		opDefinition: c.servers.Definition, opReferences: c.uses, opCallers: c.servers.Callers, opHover: c.servers.Describe,
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
	found, note, err := c.first(ctx, targets, ask)
	if err != nil {
		return Answer{}, err
	}
	var answer Answer
	switch c.args.Op {
	case opHover:
		answer = Answer{Text: plainText(found.Text)}
		if answer.Text == "" {
			answer.Text = "The language server knows nothing about " + c.args.Name + " there."
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
