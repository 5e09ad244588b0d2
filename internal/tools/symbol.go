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
	// maxRemaining is the number of places that are then listed, and maxCounted the number that are
	// counted.
	shortestWord, maxRemaining, maxCounted = 3, 10, 1000
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
		answer, err := newSymbolCall(env.withFoundLimits(), servers, args).answer(ctx)
		if err != nil {
			return failedAnswer(err)
		}
		return answer
	})
}

// RenameTool returns the tool that renames a symbol. It is not offered: the model requests a rename
// by a call of Symbol. The rename is a separate call, so that it is approved, recorded and undone
// like every edit.
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
		return newSymbolCall(env, servers, args).planRename(ctx)
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
	if name == SymbolName && op == lsp.Rename {
		return RenameName
	}
	return name
}

// symbolCall is one query about a symbol. parts are the identifiers of its name, and word is the
// last one.
type symbolCall struct {
	env     *Env
	servers *lsp.Folder
	args    symbolArgs
	parts   []string
	word    string
}

func newSymbolCall(env *Env, servers *lsp.Folder, args symbolArgs) symbolCall {
	c := symbolCall{env: env, servers: servers, args: args, parts: identifiers(args.Name)}
	if len(c.parts) > 0 {
		c.word = c.parts[len(c.parts)-1]
	}
	return c
}

func (c symbolCall) answer(ctx context.Context) (Answer, error) {
	if ops := []string{lsp.Definition, lsp.References, lsp.Callers, lsp.Hover}; !slices.Contains(ops, c.args.Op) {
		return Answer{}, fmt.Errorf("unknown op %q (valid: %s, %s)", c.args.Op, strings.Join(ops, ", "), lsp.Rename)
	}
	targets, err := c.targets(ctx)
	if err != nil {
		return Answer{}, err
	}
	if c.args.Op == lsp.Definition && c.args.Line == 0 && targets[0].fit > 0 {
		return c.show(ctx, targets)
	}
	found, t, err := c.first(ctx, targets)
	if err != nil {
		return Answer{}, err
	}
	var answer Answer
	switch c.args.Op {
	case lsp.Hover:
		answer.Text = cmp.Or(shorten(found.Text, maxHover), "The language server knows nothing about "+c.args.Name+" there.")
	case lsp.Definition:
		answer = c.defined(ctx, t, found)
	default:
		answer = c.listed(ctx, found)
	}
	for _, n := range append(found.Notes, t.note) {
		if n != "" {
			answer.Text = lines.Append(answer.Text, "["+n+"]")
		}
	}
	return answer, err
}

// first queries the only declaration. Without a declaration, it queries one location after another
// until the server returns a result. A location can be in a comment, or in a file that the server
// does not build.
func (c symbolCall) first(ctx context.Context, targets []target) (found lsp.Answer, t target, err error) {
	if len(targets) > 1 && targets[0].fit > 0 {
		return found, t, fmt.Errorf("%s is declared %s; name one of these by file and line:\n%s", c.args.Name, times(len(targets)), candidates(targets, "more declaration"))
	}
	lang, _ := lsp.LanguageOf(targets[0].source.abs)
	var mentions []string
	if lang.Partial && c.args.Op != lsp.Definition && c.args.Op != lsp.Hover {
		if mentions, err = c.having(ctx, lang.MatchesFile); err != nil {
			return found, t, err
		}
	}
	for _, t = range targets {
		if found, err = c.ask(ctx, c.args.Op, t, mentions); len(found.Places)+len(found.Edits) > 0 || found.Text != "" {
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("%w; use search_file_content", err)
	}
	return found, t, err
}

// ask asks about the name at a target. Some servers only know the files of a project. For them, ask
// adds the uses in other files.
func (c symbolCall) ask(ctx context.Context, op string, t target, mentions []string) (lsp.Answer, error) {
	at := lsp.SymbolPosition{Path: t.source.abs, Content: t.source.whole, At: t.at, NewName: c.args.NewName, Mentions: mentions}
	found, err := c.servers.Ask(ctx, op, at)
	if lang, _ := lsp.LanguageOf(t.source.abs); err != nil || !lang.Partial {
		return found, err
	}
	switch {
	case op == lsp.References && len(found.Places) > 0:
		// pyright omits the uses of a name that a package imports from one of its modules, so it is
		// asked again at the declaration.
		declared, err := c.servers.Ask(ctx, lsp.Definition, at)
		if err != nil || len(declared.Places) != 1 || slices.ContainsFunc(found.Places, func(p lsp.Location) bool {
			return p.Path == declared.Places[0].Path && p.Line() == declared.Places[0].Line()
		}) {
			return found, nil
		}
		d, err := c.openPlace(ctx, declared.Places[0])
		if err != nil || !slices.Contains(wordOffsets(d.source.whole, c.word), d.at) {
			return found, nil
		}
		at.Path, at.Content, at.At = d.source.abs, d.source.whole, d.at
		more, _ := c.servers.Ask(ctx, op, at) // after an error, the first answer is used
		found.Add(more.Places...)
	case op == lsp.Rename && len(found.Edits) > 0:
		return c.withUses(ctx, found, at)
	}
	return found, nil
}
