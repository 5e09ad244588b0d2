package tools

import (
	"fmt"
	"go/ast"
	"go/format"
	"path/filepath"
	"strings"
)

type astEditArgs struct {
	FilePath string `json:"file_path" jsonschema:"the Go file to edit, relative to the workspace or absolute"`
	Symbol   string `json:"symbol" jsonschema:"the declaration to replace: Name, or Type.Method"`
	NewCode  string `json:"new_code" jsonschema:"the whole new declaration; its documentation is kept unless this begins with a comment"`
}

func astEdit() Tool {
	return defineEdit(Tool{
		Name: "ast_edit",
		Description: "Replaces one declaration of a Go file that you have read: function, method, type, constant or variable. " +
			"The new code is formatted, the rest of the file stays as it is; when the file would not parse, nothing is written. For other languages use replace.",
	}, planASTEdit)
}

func planASTEdit(env *Env, args astEditArgs) (change, error) {
	s, err := env.openToEdit(args.FilePath)
	if err != nil {
		return change{}, err
	}
	if filepath.Ext(s.rel) != ".go" {
		return change{}, fmt.Errorf("ast_edit checks the syntax and so edits Go files only; for %s use ast_read_file with a symbol, then replace", s.rel)
	}
	if err := env.mustKnow(s); err != nil {
		return change{}, err
	}
	d := parseDocument(s.whole)
	files, file, err := parseGo([]byte(d.text))
	if err != nil {
		return change{}, fmt.Errorf("%s does not parse as it is (%s); mend it with replace first", s.rel, firstSyntaxError(err))
	}
	target, err := findDeclaration(s.rel, d.text, goSource{files, file, d.text}.declarations(), args.Symbol)
	if err != nil {
		return change{}, err
	}
	first, last := target.lines(d.text)
	code := strings.TrimSpace(plainEnds(args.NewCode))
	if code == "" {
		return change{}, fmt.Errorf("new_code is empty; to remove %s delete lines %d-%d with delete_line_range", target.name, first, last)
	}
	start := target.head
	if strings.HasPrefix(code, "//") || strings.HasPrefix(code, "/*") {
		start = target.start
	}
	after := d.with(splice{start, target.end, formatted(code, target.group)})
	if _, _, err := parseGo(after); err != nil {
		return change{}, wouldNotParse(s.rel, after, err)
	}
	return planned(s, after, fmt.Sprintf("Replaced %s in %s (were lines %d-%d)", target.name, s.rel, first, last))
}

// wouldNotParse quotes the line of the edited file at which the parser gave up.
func wouldNotParse(rel string, after []byte, err error) error {
	problem := firstSyntaxError(err)
	var line int
	fmt.Sscanf(problem, "%d:", &line)
	quoted := ""
	if lines := splitLines(string(after)); line >= 1 && line <= len(lines) {
		quoted = fmt.Sprintf(" in the line %q", cutLine(strings.TrimSuffix(lines[line-1], "\n"), nearLineBytes))
	}
	return fmt.Errorf("%s would not parse with new_code: %s%s; nothing was written", rel, problem, quoted)
}

// formatted runs gofmt over a declaration, or over a member of a group that the
// keyword opens. What does not parse comes back as it is.
func formatted(code, group string) string {
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

// withoutKeyword drops the const, var or type that a member of a group must not
// have and that a model often writes.
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
