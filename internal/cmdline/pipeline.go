package cmdline

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/base/lazyregexp"
	"agent/internal/cmdline/programs"
)

// Pipeline returns the names of the commands in the pipe at the end of the line, such as "go test"
// and "tail". A part without such a name is named by its first words. It returns none if the line
// does not end in a pipe. It also returns none if the line traces or traps its commands, because
// text appended to such a line would change its output.
func (r *CommandLine) Pipeline() []string {
	if len(r.line) > maxLine || strings.HasSuffix(r.line, `\`) || r.err != nil || len(r.file.Stmts) == 0 || traces(r.file) {
		return nil
	}
	stmt := r.file.Stmts[len(r.file.Stmts)-1]
	for {
		if stmt.Background || stmt.Coprocess || stmt.Negated || stmt.Disown {
			return nil
		}
		switch cmd := stmt.Cmd.(type) {
		case *syntax.TimeClause:
			if cmd.Stmt == nil {
				return nil
			}
			stmt = cmd.Stmt
		case *syntax.BinaryCmd:
			switch cmd.Op {
			case syntax.AndStmt:
				stmt = cmd.Y
			case syntax.Pipe, syntax.PipeAll:
				return pipeNames(r.line, stmt)
			default:
				return nil // either side of || or && may have run last
			}
		default:
			return nil
		}
	}
}

// traces reports whether a line prints each command that it runs, or runs a trap for it.
func traces(file *syntax.File) bool {
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return !found
		}
		words := make([]string, len(call.Args))
		for i, arg := range call.Args {
			words[i] = arg.Lit()
		}
		switch words[0] {
		case "trap":
			found = true
		case "set":
			found = found || slices.ContainsFunc(words[1:], func(word string) bool {
				return word == "xtrace" || word == "verbose" || strings.HasPrefix(word, "-") && strings.ContainsAny(word, "xvnt")
			})
		}
		return !found
	})
	return found
}

func pipeNames(line string, pipe *syntax.Stmt) []string {
	var names []string
	parts := pipeParts(pipe)
	for _, part := range parts {
		name := ""
		if call, ok := part.Cmd.(*syntax.CallExpr); ok {
			name = callName(call)
		}
		names = append(names, name)
	}
	plain := slices.Clone(names)
	for i, part := range parts {
		if name := plain[i]; name == "" || slices.Index(plain, name) != i || slices.Contains(plain[i+1:], name) {
			names[i] = firstWords(line[part.Pos().Offset():part.End().Offset()])
		}
	}
	return names
}

func pipeParts(stmt *syntax.Stmt) []*syntax.Stmt {
	if pipe, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && (pipe.Op == syntax.Pipe || pipe.Op == syntax.PipeAll) {
		return append(pipeParts(pipe.X), pipeParts(pipe.Y)...)
	}
	return []*syntax.Stmt{stmt}
}

// maxName limits the name of a part that is not a simple command, in characters.
const maxName = 32

func firstWords(command string) string {
	name := ""
	for word := range strings.FieldsSeq(command) {
		if longer := strings.TrimSpace(name + " " + word); utf8.RuneCountInString(longer) <= maxName {
			name = longer
			continue
		}
		if name == "" {
			name = string([]rune(word)[:maxName])
		}
		return name + " …"
	}
	return name
}

// commandWord matches the name of a subcommand.
var commandWord = lazyregexp.New(`^[a-z][a-z0-9:_-]{0,23}$`)

// callName returns a name for a command: its program and its subcommand.
func callName(call *syntax.CallExpr) string {
	words := programs.SkipLaunchers(callWords(call))
	if len(words) == 0 {
		return ""
	}
	name := path.Base(words[0])
	if programs.Is(name, programs.HasSubcommands) && len(words) > 1 && commandWord.MatchString(words[1]) {
		name += " " + words[1]
	}
	return name
}

// SearchesFiles reports whether the line runs a search program, or git grep, on files, so that its
// output may contain lines of files. A program that reads a pipe searches the output of another
// command instead. SearchesFiles returns true for a line that is not valid shell.
func (r *CommandLine) SearchesFiles() bool {
	if r.err != nil {
		return true
	}
	piped := map[syntax.Node]bool{}
	found := false
	syntax.Walk(r.file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.BinaryCmd:
			if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
				piped[node.Y.Cmd] = true
			}
		case *syntax.CallExpr:
			words := callWords(node)
			added := slices.ContainsFunc(words, func(word string) bool { return programs.Is(word, programs.AddsWords) })
			if piped[node] && len(words) > 0 && !added && programs.Is(programs.SkipLaunchers(words)[0], programs.SearchesFiles) {
				break
			}
			found = found || slices.ContainsFunc(words, func(word string) bool { return programs.Is(word, programs.SearchesFiles) })
		}
		return !found
	})
	return found
}
