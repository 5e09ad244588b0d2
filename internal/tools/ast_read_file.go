package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

type astReadFileArgs struct {
	FilePath string `json:"file_path" jsonschema:"the source file, relative to the workspace or absolute"`
	Symbol   string `json:"symbol,omitempty" jsonschema:"read only this declaration, with its documentation: Name, or Type.Method; without it the answer is an outline"`
}

func astReadFile() Tool {
	return define(Tool{
		Name: "ast_read_file",
		Description: "Reads a source file by its declarations: an outline with line ranges (FIRST-LAST|HEADING), or the plain text of one declaration. " +
			"Go is parsed; other languages are recognised by their braces and indentation, which can err.",
		Kind:         KindRead,
		Access:       AccessRead,
		KeyParameter: "file_path",
	}, runASTReadFile)
}

func runASTReadFile(ctx context.Context, env *Env, args astReadFileArgs) Answer {
	s, err := env.open(ctx, args.FilePath)
	if err != nil {
		return failed(err)
	}
	s.Close()
	if s.whole == nil || len(s.whole) > maxOutlineBytes {
		return failed(fmt.Errorf("%s is too large for an outline (%s); use search_file_content and read_line_range", s.rel, byteSize(s.size)))
	}
	text := strings.ToValidUTF8(parseDocument(s.whole).text, "?")
	found, note, err := declarations(ctx, s.rel, text)
	if err != nil {
		return failed(err)
	}
	env.Seen.Record(s.abs, s.whole)
	limit := env.Limits.OutputBytes()
	if args.Symbol == "" {
		heading := fmt.Sprintf("[outline of %s, %s; %s]\n", s.rel, countLines(parseDocument(s.whole).count()), note)
		return Answer{Result: heading + cutText(outline(text, found), limit)}
	}
	d, err := findDeclaration(s.rel, text, found, args.Symbol)
	if err != nil {
		return failed(err)
	}
	first, last := d.lines(text)
	heading := fmt.Sprintf("[%s, lines %d-%d of %s; %s]\n", d.name, first, last, s.rel, note)
	return Answer{Result: heading + cutText(text[d.start:d.end], limit) + "\n"}
}

// maxOutlineBytes is the size up to which files are taken apart.
const maxOutlineBytes = 1 << 20

// declarations takes a source file apart, with a note on how that was done.
func declarations(ctx context.Context, rel, text string) ([]declaration, string, error) {
	if filepath.Ext(rel) != ".go" {
		return guessedDeclarations(ctx, rel, text)
	}
	files, file, err := parseGo([]byte(text))
	note := "package " + file.Name.Name
	if problem := firstSyntaxError(err); problem != "" {
		note += ", incomplete: it does not parse: " + problem
	}
	return goSource{files, file, text}.declarations(), note, nil
}
