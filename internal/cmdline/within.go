package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Within splits a line that begins with "cd DIR &&" into the folder and the rest. If the folder
// exists, the rest does the same in that folder as the whole line. ok is false for a folder that
// is not a plain word, and for a line whose rest does not run entirely in the folder.
func Within(line string) (dir, rest string, ok bool) {
	file, err := parseBash(line)
	if err != nil || len(file.Stmts) == 0 {
		return "", "", false
	}
	stmt := file.Stmts[0]
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
	return to[1], strings.TrimSpace(line[list.OpPos.Offset()+uint(len("&&")):]), true
}
