package cmdline

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/base/lazyregexp"
	"agent/internal/cmdline/programs"
)

// bareWord matches the unquoted word of a here-document for apply_patch.
var bareWord = lazyregexp.New(`^(\s*(?:cd\s+\S+\s*&&\s*)?(?:apply_patch|applypatch)\s*<<-?)[ \t]*(\w+)`)

// ParseApplyPatch parses a line that only passes a patch to apply_patch, as a here-document or as one
// quoted argument. "cd DIR &&" may precede it, and it may be run by "bash -lc". It returns the
// patch and the folder, "" for the folder of the command. Nothing in the patch is expanded: text
// that looks like a variable is text of a file.
func (r *CommandLine) ParseApplyPatch() (dir, patch string, ok bool) {
	if quoted := bareWord.ReplaceAllString(r.line, "$1'$2'"); quoted != r.line {
		return Read(quoted).ParseApplyPatch()
	}
	if r.err != nil || len(r.file.Stmts) != 1 {
		return "", "", false
	}
	stmt := r.file.Stmts[0]
	if both, is := stmt.Cmd.(*syntax.BinaryCmd); is && plainly(stmt) && both.Op == syntax.AndStmt {
		to := literalWords(both.X)
		if len(to) != 2 || to[0] != "cd" || strings.HasPrefix(to[1], "-") {
			return "", "", false
		}
		dir, stmt = to[1], both.Y
	}
	if script := literalWords(stmt); len(script) >= 3 && IsShell(script[0]) {
		if options := strings.Join(script[1:len(script)-1], " "); options == "-lc" || options == "-c" || options == "-l -c" {
			below, patch, ok := Read(script[len(script)-1]).ParseApplyPatch()
			return JoinBelow(dir, below), patch, ok
		}
	}
	patch, ok = appliedBy(stmt)
	return dir, patch, ok
}

// appliedBy returns the patch that a statement passes to apply_patch.
func appliedBy(stmt *syntax.Stmt) (patch string, ok bool) {
	if words := literalWords(stmt); len(words) == 2 && programs.IsNamed(words[0], programs.AppliesPatch) {
		return words[1], true
	}
	call, is := stmt.Cmd.(*syntax.CallExpr)
	if !is || stmt.Background || stmt.Negated || stmt.Coprocess || len(stmt.Redirs) != 1 || len(call.Args) != 1 || len(call.Assigns) > 0 {
		return "", false
	}
	document := stmt.Redirs[0]
	if document.Op != syntax.Hdoc && document.Op != syntax.DashHdoc || document.N != nil || document.Hdoc == nil || !programs.IsNamed(call.Args[0].Lit(), programs.AppliesPatch) {
		return "", false
	}
	for _, part := range document.Hdoc.Parts {
		literal, is := part.(*syntax.Lit)
		if !is {
			return "", false
		}
		for line := range strings.Lines(literal.Value) {
			if document.Op == syntax.DashHdoc {
				line = strings.TrimLeft(line, "\t")
			}
			patch += line
		}
	}
	return patch, true
}

// literalWords returns the words of a statement that is one simple command, nil for any other
// statement.
func literalWords(stmt *syntax.Stmt) []string {
	call, is := stmt.Cmd.(*syntax.CallExpr)
	if !is || !plainly(stmt) || len(call.Assigns) > 0 {
		return nil
	}
	var words []string
	for _, arg := range call.Args {
		word, err := literalWord(arg)
		if err != nil || word.Glob {
			return nil
		}
		words = append(words, word.Text)
	}
	return words
}

// plainly reports whether a statement is free of redirections, negation and background execution.
func plainly(stmt *syntax.Stmt) bool {
	return len(stmt.Redirs) == 0 && !stmt.Negated && !stmt.Background && !stmt.Coprocess && !stmt.Disown
}

// RunsApplyPatch reports whether the line runs apply_patch as a program, alone or with other
// commands.
func (r *CommandLine) RunsApplyPatch() bool {
	return slices.ContainsFunc(r.Calls(), func(words []string) bool { return programs.IsNamed(words[0], programs.AppliesPatch) })
}

// JoinBelow returns name relative to a folder, for a name relative to the subfolder dir of that folder.
func JoinBelow(dir, name string) string {
	switch {
	case dir == "" || path.IsAbs(name):
		return name
	case name == "":
		return dir
	}
	return path.Join(dir, name)
}
