package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// SplitCd splits a line that begins with "cd DIR &&" into the folder and the rest of the line. If
// the folder exists, the rest has the same effect there as the whole line. ok is false if the
// folder is not a plain word, or if a part of the rest would not run in the folder.
func (r *CommandLine) SplitCd() (dir, rest string, ok bool) {
	if r.err != nil || len(r.file.Stmts) == 0 {
		return "", "", false
	}
	stmt := r.file.Stmts[0]
	var list *syntax.BinaryCmd
	for {
		both, is := stmt.Cmd.(*syntax.BinaryCmd)
		if !is {
			break
		}
		if !plainly(stmt) {
			return "", "", false
		}
		list, stmt = both, both.X
	}
	to := literalWords(stmt)
	if list == nil || list.Op != syntax.AndStmt || len(to) != 2 || to[0] != "cd" || strings.HasPrefix(to[1], "-") || to[1] == "" {
		return "", "", false
	}
	return to[1], strings.TrimSpace(r.line[list.OpPos.Offset()+uint(len("&&")):]), true
}
