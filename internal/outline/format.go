package outline

import (
	"go/ast"
	"go/format"
	"strings"
)

// FormatGo formats a declaration, or a member of a group, as gofmt does. group is the keyword of
// the group. Code that does not parse is returned unchanged.
func FormatGo(code, group string) string {
	if group == "" {
		if out, err := format.Source([]byte(code)); err == nil {
			return string(out)
		}
		return code
	}
	open, end := group+" (\n", "\n)"
	out, err := format.Source([]byte(open + withoutKeyword(code) + end))
	if err != nil {
		return code
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(string(out), open), end))
}

// withoutKeyword removes const, var or type from a member of a group. A member must not have the
// keyword, but models often write it.
func withoutKeyword(code string) string {
	const clause = "package p\n"
	files, file, err := parseGo([]byte(clause + code))
	if err != nil || len(file.Decls) != 1 {
		return code
	}
	decl, ok := file.Decls[0].(*ast.GenDecl)
	if !ok || decl.Lparen.IsValid() || len(decl.Specs) != 1 {
		return code
	}
	keyword := files.Position(decl.Pos()).Offset - len(clause)
	member := files.Position(decl.Specs[0].Pos()).Offset - len(clause)
	return code[:keyword] + code[member:]
}
