package cmdline

import (
	"path"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/cmdline/programs"
)

// EndsInSearch reports whether the line ends with a search program, or git grep. surely is set if
// an exit code other than 0 must come from a search, and from no command before it.
func (r *CommandLine) EndsInSearch() (searches, surely bool) {
	if r.err != nil || len(r.file.Stmts) == 0 {
		return false, false
	}
	surely = !endsEarly(r.file)
	searches, certain := endsInSearch(r.file.Stmts[len(r.file.Stmts)-1])
	return searches, certain && surely
}

// endsEarly reports whether a line may end before its last command.
func endsEarly(file *syntax.File) bool {
	early := false
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			early = early || programs.Is(call.Args[0].Lit(), programs.EndsLine)
		}
		return !early
	})
	return early
}

func endsInSearch(stmt *syntax.Stmt) (searches, surely bool) {
	if stmt.Background || stmt.Coprocess || stmt.Negated || stmt.Disown {
		return false, false
	}
	last := func(all []*syntax.Stmt) (searches, surely bool) {
		if len(all) == 0 {
			return false, false
		}
		return endsInSearch(all[len(all)-1])
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.Subshell:
		return last(cmd.Stmts)
	case *syntax.Block:
		return last(cmd.Stmts)
	case *syntax.BinaryCmd:
		searches, surely = endsInSearch(cmd.Y)
		if cmd.Op == syntax.AndStmt {
			surely = surely && succeedsOrSearches(cmd.X)
		}
		return searches, surely
	case *syntax.CallExpr:
		found := isSearch(programs.SkipLaunchers(callWords(cmd)))
		return found, found
	}
	return false, false
}

// succeedsOrSearches reports whether a command before && can only fail as a search without a match.
func succeedsOrSearches(stmt *syntax.Stmt) bool {
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && !stmt.Negated && len(stmt.Redirs) == 0 {
		if programs.IsNamed(call.Args[0].Lit(), programs.AlwaysSucceeds) {
			return true
		}
	}
	if both, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && both.Op == syntax.AndStmt {
		return succeedsOrSearches(both.X) && succeedsOrSearches(both.Y)
	}
	_, surely := endsInSearch(stmt)
	return surely
}

// isSearch reports whether a command is a search program, or git grep.
func isSearch(words []string) bool {
	return len(words) > 0 && (programs.Is(words[0], programs.SearchesFiles) || path.Base(words[0]) == "git" && len(words) > 1 && words[1] == "grep")
}
