package tools

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/nearest"
)

// declaration is a named part of a source file.
type declaration struct {
	// name is qualified by what it belongs to: Type.Method, Class.method. Empty for
	// what only the outline shows.
	name string
	// start, head and end are offsets in the text: of the documentation, of the
	// declaration proper, and of what follows it.
	start, head, end int
	// heading is its first line in the outline.
	heading string
	// group is the keyword of the parenthesised Go declaration it stands in.
	group string
	// inner is set for what the outline does not show by itself.
	inner bool
}

// outline writes the declarations with their lines, as FIRST-LAST|HEADING.
func outline(text string, declarations []declaration) string {
	var out strings.Builder
	for _, d := range declarations {
		if !d.inner {
			first, last := d.lines(text)
			heading := strings.Join(strings.Fields(d.heading), " ")
			fmt.Fprintf(&out, "%d-%d|%s%s\n", first, last, indentation(d.heading), cutLine(heading, maxHeadingBytes))
		}
	}
	return out.String()
}

// maxHeadingBytes bounds a line of an outline.
const maxHeadingBytes = 300

// indentation is the whitespace a heading begins with.
func indentation(heading string) string {
	return heading[:len(heading)-len(strings.TrimLeft(heading, " \t"))]
}

// lines returns the numbers of the first and last line, documentation included.
func (d declaration) lines(text string) (first, last int) {
	return lineAt(text, d.start), lineAt(text, max(d.end-1, d.start))
}

// findDeclaration returns the declaration a symbol names: by its qualified name, or
// by its last part when that is unique. Otherwise the error offers candidates.
func findDeclaration(rel, text string, declarations []declaration, symbol string) (declaration, error) {
	wanted := plainSymbol(symbol)
	named := slices.DeleteFunc(slices.Clone(declarations), func(d declaration) bool { return d.name == "" })
	for _, match := range []func(name string) bool{
		func(name string) bool { return name == wanted },
		func(name string) bool { return strings.HasSuffix(name, "."+wanted) },
	} {
		var found []declaration
		for _, d := range named {
			if match(d.name) {
				found = append(found, d)
			}
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		return declaration{}, fmt.Errorf("%s declares %q more than once: %s. Name one of them, or use line numbers",
			rel, symbol, places(text, found))
	}
	return declaration{}, fmt.Errorf("%s does not declare %q%s", rel, symbol, offer(text, named, wanted))
}

// plainSymbol reduces the ways to write a symbol to its qualified name.
func plainSymbol(symbol string) string {
	for _, keyword := range []string{"func ", "type ", "const ", "var ", "def ", "class ", "fn "} {
		symbol = strings.TrimPrefix(symbol, keyword)
	}
	symbol = strings.TrimSuffix(strings.TrimSpace(symbol), "()")
	return strings.NewReplacer("(", "", ")", "", "*", "", "::", ".").Replace(symbol)
}

// offer lists declarations whose name is near or contains the word.
func offer(text string, named []declaration, word string) string {
	var names []string
	for _, d := range named {
		names = append(names, d.name)
	}
	near := nearest.Of(word, names, maxNearest)
	_, last, _ := strings.Cut(word, ".")
	similar := slices.DeleteFunc(slices.Clone(named), func(d declaration) bool {
		short := d.name[strings.LastIndexByte(d.name, '.')+1:]
		return !slices.Contains(near, d.name) && !strings.EqualFold(short, last) &&
			!strings.Contains(strings.ToLower(d.name), strings.ToLower(word))
	})
	if len(similar) == 0 {
		return "; without symbol, ast_read_file shows what it declares"
	}
	return "; did you mean " + places(text, similar[:min(len(similar), maxNearest)])
}

// places names declarations with their lines.
func places(text string, declarations []declaration) string {
	var list []string
	for _, d := range declarations {
		first, last := d.lines(text)
		list = append(list, fmt.Sprintf("%s (lines %d-%d)", d.name, first, last))
	}
	return strings.Join(list, ", ")
}
