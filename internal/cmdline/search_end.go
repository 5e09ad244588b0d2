package cmdline

import (
	"path"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// EndsInSearch reports whether a line ends with one of some search programs, or git grep. surely
// is set if an exit code other than 0 is that of a search, whatever the commands before it did.
func EndsInSearch(line string, programs []string) (searches, surely bool) {
	file, err := parseBash(line)
	if err != nil || len(file.Stmts) == 0 {
		return false, false
	}
	surely = !endsEarly(file)
	searches, certain := endsInSearch(file.Stmts[len(file.Stmts)-1], programs)
	return searches, certain && surely
}

// endsEarly reports whether a line may end before its last command.
func endsEarly(file *syntax.File) bool {
	early := false
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			early = early || slices.Contains([]string{"set", "exit", "exec", "return", "trap", "shopt", "eval", "source", "."}, call.Args[0].Lit())
		}
		return !early
	})
	return early
}

func endsInSearch(stmt *syntax.Stmt, programs []string) (searches, surely bool) {
	if stmt.Background || stmt.Coprocess || stmt.Negated || stmt.Disown {
		return false, false
	}
	last := func(all []*syntax.Stmt) (searches, surely bool) {
		if len(all) == 0 {
			return false, false
		}
		return endsInSearch(all[len(all)-1], programs)
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.Subshell:
		return last(cmd.Stmts)
	case *syntax.Block:
		return last(cmd.Stmts)
	case *syntax.BinaryCmd:
		searches, surely = endsInSearch(cmd.Y, programs)
		if cmd.Op == syntax.AndStmt {
			surely = surely && succeedsOrSearches(cmd.X, programs)
		}
		return searches, surely
	case *syntax.CallExpr:
		found := isSearch(launched(cmd), programs)
		return found, found
	}
	return false, false
}

// succeedsOrSearches reports whether a command in front of && can have failed only as a search
// without a match.
func succeedsOrSearches(stmt *syntax.Stmt, programs []string) bool {
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && !stmt.Negated && len(stmt.Redirs) == 0 {
		if slices.Contains([]string{"echo", "printf", "true", ":"}, call.Args[0].Lit()) {
			return true
		}
	}
	if both, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && both.Op == syntax.AndStmt {
		return succeedsOrSearches(both.X, programs) && succeedsOrSearches(both.Y, programs)
	}
	_, surely := endsInSearch(stmt, programs)
	return surely
}

// isSearch reports whether the words of a command begin with one of some search programs, or with
// git grep.
func isSearch(words, programs []string) bool {
	if len(words) == 0 {
		return false
	}
	program := path.Base(words[0])
	return slices.Contains(programs, program) || program == "git" && len(words) > 1 && words[1] == "grep"
}
