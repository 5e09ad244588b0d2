// Package outline lists the declarations of a source file. It parses Go; in other languages it
// recognises declarations by the looks of their lines, and says so ([Outline.Note]).
//
// It works on text alone and reads no file. Offsets are bytes of that text, which
// must be valid UTF-8.
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

// Outline has the declarations of a file.
type Outline struct {
	// Declarations are in the order of the text.
	Declarations []Declaration
	// Note says how the declarations were found, and how certain that is.
	Note string

	name, text string
}

// Declaration is a named part of a source file.
type Declaration struct {
	// Name is qualified by its type or class: Type.Method, Class.method. It is empty for an
	// entry that cannot be asked for by name.
	Name string
	// Start, Head and End are offsets in the text: of the documentation, of the declaration
	// proper, and of its end.
	Start, Head, End int
	// Group is the keyword of the parenthesised Go declaration around it.
	Group string

	// heading is its first line in the outline.
	heading string
	// inner is set for one name of a group, which has no line of its own in the outline.
	inner bool
}

// Read outlines a file of this name and text. An unknown language is an error.
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
		o.Note += ", incomplete: it does not parse: " + problem.String()
	}
	o.Declarations = goSource{files, file, text}.declarations()
	return o, nil
}

// String writes the declarations with their lines, as FIRST-LAST|HEADING.
func (o Outline) String() string {
	var out strings.Builder
	for _, d := range o.Declarations {
		if !d.inner {
			first, last := o.Lines(d)
			heading := strings.Join(strings.Fields(d.heading), " ")
			fmt.Fprintf(&out, "%d-%d|%s%s\n", first, last, indentation(d.heading), cutHeading(heading))
		}
	}
	return out.String()
}

// maxHeading limits a line of an outline, in characters. A reader needs the name and the first
// parameters; the declaration itself is one call away.
const maxHeading = 160

// cutHeading cuts a longer heading behind a parameter or a word, with a sign that more follows.
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

// someOf joins items until their line would become too long, and counts the rest.
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

// indentation is the whitespace a heading begins with.
func indentation(heading string) string {
	return heading[:len(heading)-len(strings.TrimLeft(heading, " \t"))]
}

// Lines returns the numbers of the first and last line, documentation included.
func (o Outline) Lines(d Declaration) (first, last int) {
	return lines.At(o.text, d.Start), lines.At(o.text, max(d.End-1, d.Start))
}

// Find returns the declaration a symbol names: by its qualified name, or by its
// last part when that is unique. Otherwise the error offers candidates.
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
		return Declaration{}, fmt.Errorf("%s declares %q more than once: %s. Name one of them, or use line numbers",
			o.name, symbol, o.places(found))
	}
	return Declaration{}, fmt.Errorf("%s does not declare %q%s", o.name, symbol, o.offer(named, wanted))
}

// plainSymbol reduces the ways to write a symbol to its qualified name.
func plainSymbol(symbol string) string {
	for _, keyword := range []string{"func ", "type ", "const ", "var ", "def ", "class ", "fn "} {
		symbol = strings.TrimPrefix(symbol, keyword)
	}
	symbol = strings.TrimSuffix(strings.TrimSpace(symbol), "()")
	return strings.NewReplacer("(", "", ")", "", "*", "", "::", ".").Replace(symbol)
}

// maxOffered limits the declarations that are proposed instead of a missing one.
const maxOffered = 5

// offer lists declarations whose name is near or contains the word.
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
		return "; without symbol, ast_read_file shows what it declares"
	}
	return "; did you mean " + o.places(similar[:min(len(similar), maxOffered)])
}

// places names declarations with their lines.
func (o Outline) places(declarations []Declaration) string {
	var list []string
	for _, d := range declarations {
		first, last := o.Lines(d)
		list = append(list, fmt.Sprintf("%s (lines %d-%d)", d.Name, first, last))
	}
	return strings.Join(list, ", ")
}
