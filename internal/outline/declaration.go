// Package outline lists the declarations of a source file. It parses Go. In other languages it
// recognizes declarations by patterns, and [Outline.Note] states this.
//
// It works on text only and reads no file. Offsets are in bytes of the text, which must be valid
// UTF-8.
package outline

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/base/suggest"
	"agent/internal/text/lines"
)

// Outline holds the declarations of a file.
type Outline struct {
	// Declarations are in the order of the text.
	Declarations []Declaration
	// Note describes how the declarations were found, and how reliable they are.
	Note string

	name, text string
}

// Declaration is a named part of a source file.
type Declaration struct {
	// Name is qualified by its type or class: Type.Method, Class.method. It is empty for an entry
	// that cannot be requested by name.
	Name string
	// Start, Head and End are offsets in the text. Start is the start of the documentation, Head
	// the start of the declaration itself, and End its end.
	Start, Head, End int
	// Group is the keyword of the enclosing parenthesized Go declaration.
	Group string

	// heading is the first line of the declaration in the outline.
	heading string
	// inner is set for one name of a group. It has no separate line in the outline.
	inner bool
}

// Read outlines a file with this name and text. It returns an error for an unknown language.
func Read(ctx context.Context, name, text string) (Outline, error) {
	o := Outline{name: name, text: text}
	if filepath.Ext(name) != ".go" {
		var err error
		o.Declarations, o.Note, err = guessedDeclarations(ctx, name, text)
		return o, err
	}
	files, file, err := parseGo([]byte(text))
	o.Note = "package " + file.Name.Name
	if problem := firstProblem(err); problem != nil {
		o.Note += ", incomplete because of a syntax error: " + problem.String()
	}
	o.Declarations = goSource{files, file, text}.declarations()
	return o, nil
}

// String formats the declarations with their lines, as FIRST-LAST|HEADING.
func (o Outline) String() string {
	var out strings.Builder
	for _, d := range o.Declarations {
		if !d.inner {
			first, last := o.LineRange(d)
			heading := strings.Join(strings.Fields(d.heading), " ")
			fmt.Fprintf(&out, "%d-%d|%s%s\n", first, last, indentation(d.heading), cutHeading(heading))
		}
	}
	return out.String()
}

// maxHeading is the greatest length of a line of an outline, in characters. The name and the first
// parameters are usually enough, and the model can read the whole declaration.
const maxHeading = 160

// cutHeading cuts a heading that is too long after a parameter or a word, and appends "…".
func cutHeading(heading string) string {
	runes := []rune(heading)
	if len(runes) <= maxHeading {
		return heading
	}
	short := string(runes[:maxHeading-2]) // leaves space for the "…"
	for _, end := range []string{", ", " "} {
		if at := strings.LastIndex(short, end); at > len(short)/2 {
			return short[:at] + end + "…"
		}
	}
	return short + " …"
}

// someOf joins items until the line has room characters, and appends the number of the others.
func someOf(items []string, separator string, room int) string {
	var list strings.Builder
	for i, item := range items {
		item = strings.Join(strings.Fields(item), " ")
		if i > 0 {
			item = separator + item
		}
		if i > 0 && utf8.RuneCountInString(list.String()+item) > room {
			fmt.Fprintf(&list, "%s… %d more", separator, len(items)-i)
			break
		}
		list.WriteString(item)
	}
	return list.String()
}

// indentation returns the white space at the start of a heading.
func indentation(heading string) string {
	return heading[:len(heading)-len(strings.TrimLeft(heading, " \t"))]
}

// LineRange returns the numbers of the first and last line, including the documentation.
func (o Outline) LineRange(d Declaration) (first, last int) {
	return lines.LineNumber(o.text, d.Start), lines.LineNumber(o.text, max(d.End-1, d.Start))
}

// Find returns the declaration that symbol names by its qualified name, or by its last part if that
// is unique. Otherwise the error suggests candidates.
func (o Outline) Find(symbol string) (Declaration, error) {
	wanted := plainSymbol(symbol)
	named := slices.DeleteFunc(slices.Clone(o.Declarations), func(d Declaration) bool { return d.Name == "" })
	for _, match := range []func(name string) bool{
		func(name string) bool { return name == wanted },
		func(name string) bool { return strings.HasSuffix(name, "."+wanted) },
	} {
		var found []Declaration
		for _, d := range named {
			if match(d.Name) {
				found = append(found, d)
			}
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		return Declaration{}, fmt.Errorf("%s declares %q more than once: %s. Give the full name of one, or use line numbers",
			o.name, symbol, o.places(found))
	}
	return Declaration{}, fmt.Errorf("%s does not declare %q%s", o.name, symbol, o.offer(named, wanted))
}

// plainSymbol reduces the different spellings of a symbol to its qualified name.
func plainSymbol(symbol string) string {
	for _, keyword := range []string{"func ", "type ", "const ", "var ", "def ", "class ", "fn "} {
		symbol = strings.TrimPrefix(symbol, keyword)
	}
	symbol = strings.TrimSuffix(strings.TrimSpace(symbol), "()")
	return strings.NewReplacer("(", "", ")", "", "*", "", "::", ".").Replace(symbol)
}

// maxOffered limits the declarations that are suggested for a missing one.
const maxOffered = 5

// offer lists declarations whose name is similar to word or contains it.
func (o Outline) offer(named []Declaration, word string) string {
	var names []string
	for _, d := range named {
		names = append(names, d.Name)
	}
	near := suggest.Similar(word, names, maxOffered)
	_, last, _ := strings.Cut(word, ".")
	similar := slices.DeleteFunc(slices.Clone(named), func(d Declaration) bool {
		short := d.Name[strings.LastIndexByte(d.Name, '.')+1:]
		return !slices.Contains(near, d.Name) && !strings.EqualFold(short, last) &&
			!strings.Contains(strings.ToLower(d.Name), strings.ToLower(word))
	})
	if len(similar) == 0 {
		return "; to list its declarations, call ast_read_file without symbol"
	}
	return "; did you mean " + o.places(similar[:min(len(similar), maxOffered)])
}

// places lists declarations with their lines.
func (o Outline) places(declarations []Declaration) string {
	var list []string
	for _, d := range declarations {
		first, last := o.LineRange(d)
		list = append(list, fmt.Sprintf("%s (lines %d-%d)", d.Name, first, last))
	}
	return strings.Join(list, ", ")
}
