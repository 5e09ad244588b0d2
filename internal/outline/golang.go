package outline

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
)

// parseGo parses a Go file. If the file has syntax errors, it returns an incomplete tree with the
// error.
func parseGo(content []byte) (*token.FileSet, *ast.File, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", content, parser.ParseComments|parser.SkipObjectResolution)
	return files, file, err
}

// Problem is the first syntax error of a file.
type Problem struct {
	// Line and Column are the position of the error, from 1. Columns are in bytes.
	Line, Column int
	// Message describes the error.
	Message string
}

// String returns the problem as LINE:COLUMN: MESSAGE.
func (p *Problem) String() string { return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message) }

// firstProblem returns the first error of a parser, or nil.
func firstProblem(err error) *Problem {
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return nil
	}
	return &Problem{list[0].Pos.Line, list[0].Pos.Column, list[0].Msg}
}

// SyntaxError returns the first syntax error of a Go file. It is nil for a valid file and for
// other languages.
func SyntaxError(name string, content []byte) *Problem {
	if filepath.Ext(name) != ".go" {
		return nil
	}
	_, _, err := parseGo(content)
	return firstProblem(err)
}

// goSource is a parsed Go file with its text.
type goSource struct {
	files *token.FileSet
	file  *ast.File
	text  string
}

// declarations lists the declarations of the file, in order. A group of constants or variables is
// one entry for the outline, and one for each of its names.
func (g goSource) declarations() []Declaration {
	var found []Declaration
	for _, decl := range g.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			found = append(found, g.function(decl))
		case *ast.GenDecl:
			found = append(found, g.general(decl)...)
		}
	}
	return found
}

func (g goSource) function(decl *ast.FuncDecl) Declaration {
	name := decl.Name.Name
	if decl.Recv != nil && len(decl.Recv.List) > 0 {
		name = receiver(decl.Recv.List[0].Type) + "." + name
	}
	d := g.declaration(name, decl.Doc, decl, nil)
	d.heading = g.text[d.Head:d.End]
	if decl.Body != nil {
		d.heading = g.text[d.Head:g.offset(decl.Body.Lbrace)]
	}
	return d
}

// receiver returns the name of a receiver's type without pointer and parameters.
func receiver(expr ast.Expr) string {
	switch t := expr.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

func (g goSource) general(decl *ast.GenDecl) []Declaration {
	if decl.Tok == token.IMPORT {
		d := g.declaration("", nil, decl, nil)
		d.heading = fmt.Sprintf("import (%d)", len(decl.Specs))
		return []Declaration{d}
	}
	var members []Declaration
	for _, spec := range decl.Specs {
		members = append(members, g.members(decl, spec)...)
	}
	if len(members) == 0 || !members[0].inner {
		return members
	}
	names := make([]string, len(members))
	for i, member := range members {
		names[i] = member.Name
	}
	whole := g.declaration("", decl.Doc, decl, nil)
	whole.heading = fmt.Sprintf("%s %s", decl.Tok, someOf(names, ", ", listRoom))
	return append([]Declaration{whole}, members...)
}

// listRoom is the greatest length of a list of names or methods in a heading, in characters.
const listRoom = 110

// members returns the names that one spec of a declaration declares. Outside parentheses, the spec
// is the whole declaration.
func (g goSource) members(decl *ast.GenDecl, spec ast.Spec) []Declaration {
	doc, comment, idents := specParts(spec)
	var node ast.Node = spec
	group := decl.Tok.String()
	if !decl.Lparen.IsValid() {
		doc, node, group = decl.Doc, decl, ""
	}
	var found []Declaration
	for _, ident := range idents {
		d := g.declaration(ident.Name, doc, node, comment)
		d.Group = group
		d.heading = fmt.Sprintf("%s %s", decl.Tok, ident.Name)
		if t, ok := spec.(*ast.TypeSpec); ok {
			d.heading = "type " + typeHeading(g, t)
		}
		d.inner = decl.Tok != token.TYPE && (group != "" || len(idents) > 1)
		found = append(found, d)
	}
	return found
}

// specParts returns the comments and the names of a constant, variable or type.
func specParts(spec ast.Spec) (doc, comment *ast.CommentGroup, names []*ast.Ident) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Doc, spec.Comment, []*ast.Ident{spec.Name}
	case *ast.ValueSpec:
		return spec.Doc, spec.Comment, spec.Names
	}
	return nil, nil, nil
}

// typeHeading formats a type without its fields, but with the methods of an interface.
func typeHeading(g goSource, spec *ast.TypeSpec) string {
	start := g.offset(spec.Pos())
	switch t := spec.Type.(type) {
	case *ast.StructType:
		return fmt.Sprintf("%s{ %d fields }", g.text[start:g.offset(t.Fields.Opening)], t.Fields.NumFields())
	case *ast.InterfaceType:
		var methods []string
		for _, field := range t.Methods.List {
			methods = append(methods, g.text[g.offset(field.Pos()):g.offset(field.End())])
		}
		return fmt.Sprintf("%s{ %s }", g.text[start:g.offset(t.Methods.Opening)], someOf(methods, "; ", listRoom))
	}
	return g.text[start:g.offset(spec.End())]
}

// declaration returns the declaration of a node, with the positions of its documentation and its
// line comment.
func (g goSource) declaration(name string, doc *ast.CommentGroup, node ast.Node, comment *ast.CommentGroup) Declaration {
	d := Declaration{Name: name, Start: g.offset(node.Pos()), End: g.offset(node.End())}
	d.Head = d.Start
	if doc != nil {
		d.Start = g.offset(doc.Pos())
	}
	if comment != nil {
		d.End = g.offset(comment.End())
	}
	return d
}

// offset returns the offset of a position in the text. The parser may place missing code after the
// end of the text; offset then returns the end.
func (g goSource) offset(pos token.Pos) int {
	file := g.files.File(g.file.FileStart)
	return min(max(int(pos)-file.Base(), 0), len(g.text))
}
