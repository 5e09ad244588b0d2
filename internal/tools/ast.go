package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/outline"
	"agent/internal/text/lines"
	"agent/internal/text/textfile"
	"agent/internal/toolspec"
)

type astReadFileArgs struct {
	FilePath string `json:"file_path"`
	Symbol   string `json:"symbol,omitempty" jsonschema:"Name or Type.Method; omit for the outline"`
}

func astReadFile() Tool {
	return defineRead(Tool{
		Name:        "ast_read_file",
		Description: "Reads a source file by its declarations: an outline with line ranges, or one declaration with its documentation.",
		Traits: Traits{
			File:    toolspec.FileNames,
			Key:     "file_path",
			Density: toolspec.Density{Fragment: true},
			Words:   toolspec.SameVerbs("reading", "read", "read"),
		},
	}, runASTReadFile)
}

func (a astReadFileArgs) reads() []string { return []string{a.FilePath} }

func runASTReadFile(ctx context.Context, env *Env, args astReadFileArgs) Answer {
	s, err := env.open(ctx, args.FilePath)
	if err != nil {
		return failedAnswer(err)
	}
	s.Close()
	if s.whole == nil || len(s.whole) > maxOutlineBytes {
		return failedAnswer(fmt.Errorf("%s is too large for an outline (%s); use search_file_content and read_file", s.rel, humanize.Bytes(s.size)))
	}
	d := textfile.Parse(s.whole)
	text := strings.ToValidUTF8(d.Text, replacement)
	declared, err := outline.Read(ctx, s.rel, text)
	if err != nil {
		return failedAnswer(err)
	}
	env.Seen.Record(s.abs, s.whole)
	if args.Symbol == "" {
		heading := fmt.Sprintf("[outline of %s, %s; %s]\n", s.rel, humanize.Count(d.LineCount(), "line"), declared.Note)
		return env.excerptOf(s, heading, declared.String(), func(int) string { return "to read one, give its name as symbol; to read the file, use read_file" })
	}
	found, err := declared.Find(args.Symbol)
	if err != nil {
		return failedAnswer(err)
	}
	first, last := declared.LineRange(found)
	heading := fmt.Sprintf("[%s, lines %d-%d of %s; %s]\n", found.Name, first, last, s.rel, declared.Note)
	return env.excerptOf(s, heading, text[found.Start:found.End], func(shown int) string { return fmt.Sprintf("read_file reads on with offset %d", first+shown) })
}

// excerptOf returns an answer with as many lines of a text as fit, and the instruction for reading
// the rest.
func (e *Env) excerptOf(s *source, heading, text string, goOn func(shown int) string) Answer {
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range all {
		all[i] = lines.Cut(line, textfile.MaxLineBytes)
	}
	n := fitting(all, e.Limits.room(len(heading)+headingBytes))
	shown := heading + strings.Join(all[:n], "\n") + "\n"
	if n < len(all) {
		shown += fmt.Sprintf("[%s more; %s]\n", humanize.Count(len(all)-n, "line"), goOn(n))
	}
	return Answer{Text: shown, Note: s.foreignNote(shown), View: s.shownView(0, 0, false)}
}

type astEditArgs struct {
	FilePath string `json:"file_path" jsonschema:"the Go file to edit, relative to the workspace or absolute"`
	Symbol   string `json:"symbol" jsonschema:"the declaration to replace: Name, or Type.Method"`
	NewCode  string `json:"new_code" jsonschema:"the whole new declaration; its documentation is kept unless this begins with a comment"`
}

func astEdit() Tool {
	return defineEdit(Tool{
		Name: "ast_edit",
		Description: "Replaces one declaration of a Go file that you have read: function, method, type, constant or variable. " +
			"The new code is formatted, the rest of the file stays as it is; if the file would not parse, nothing is written. For other languages use replace.",
		Traits: Traits{
			Rare:    true,
			Density: toolspec.Density{New: []string{"new_code"}},
			Words:   toolspec.SameVerbs("editing", "edited", "edit"),
		},
	}, planASTEdit)
}

func planASTEdit(env *Env, args astEditArgs) (editPlan, error) {
	if filepath.Ext(args.FilePath) != ".go" {
		return editPlan{}, fmt.Errorf("ast_edit edits only Go files; for %s use ast_read_file with a symbol, then replace", args.FilePath)
	}
	s, err := env.openKnown(args.FilePath)
	if err != nil {
		return editPlan{}, err
	}
	d := textfile.Parse(s.whole)
	if problem := outline.SyntaxError(s.rel, []byte(d.Text)); problem != nil {
		return editPlan{}, fmt.Errorf("%s has a syntax error (%s); fix it with replace first", s.rel, problem)
	}
	// Parsing one file is too short to be worth interrupting.
	declared, err := outline.Read(context.Background(), s.rel, d.Text)
	if err != nil {
		return editPlan{}, err
	}
	target, err := declared.Find(args.Symbol)
	if err != nil {
		return editPlan{}, err
	}
	first, last := declared.LineRange(target)
	code := strings.TrimSpace(textfile.NormalizeLineEnds(args.NewCode))
	if code == "" {
		return editPlan{}, fmt.Errorf("new_code is empty; to remove %s delete lines %d-%d with delete_line_range", target.Name, first, last)
	}
	start := target.Head
	if strings.HasPrefix(code, "//") || strings.HasPrefix(code, "/*") {
		start = target.Start
	}
	after := d.ApplySplices(textfile.Splice{Start: start, End: target.End, Text: outline.FormatGo(code, target.Group)})
	if problem := outline.SyntaxError(s.rel, after); problem != nil {
		return editPlan{}, wouldNotParse(s.rel, after, problem)
	}
	return editTo(s, after, code, fmt.Sprintf("Replaced %s in %s (previously lines %d-%d)", target.Name, s.rel, first, last))
}

// wouldNotParse returns an error that quotes the line of the edited file at which the parser
// failed.
func wouldNotParse(rel string, after []byte, problem *outline.Problem) error {
	quoted := ""
	if all := lines.Split(string(after)); problem.Line <= len(all) {
		quoted = fmt.Sprintf(" in the line %q", lines.Cut(strings.TrimSuffix(all[problem.Line-1], "\n"), quotedLineBytes))
	}
	return fmt.Errorf("nothing was written: with new_code, %s would have a syntax error: %s%s", rel, problem, quoted)
}

const quotedLineBytes = 200
