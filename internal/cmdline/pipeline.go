package cmdline

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/base/lazyregexp"
)

// Pipeline returns the names of the commands in the pipe at the end of a line, such as "go test"
// and "tail". Parts without a name of their own are named by their first words. It returns none if
// the line does not end in a pipe, or if the line traces or traps its commands: text appended to
// such a line would change its output.
func Pipeline(line string) []string {
	if len(line) > maxLine || strings.HasSuffix(line, `\`) {
		return nil
	}
	file, err := parseBash(line)
	if err != nil || len(file.Stmts) == 0 || traces(file) {
		return nil
	}
	stmt := file.Stmts[len(file.Stmts)-1]
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
				return pipeNames(line, stmt)
			default:
				return nil // either side may have run last
			}
		default:
			return nil
		}
	}
}

// traces reports whether a line prints each command that it runs, or acts on it.
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

// pipeParts returns the commands of a pipe.
func pipeParts(stmt *syntax.Stmt) []*syntax.Stmt {
	if pipe, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && (pipe.Op == syntax.Pipe || pipe.Op == syntax.PipeAll) {
		return append(pipeParts(pipe.X), pipeParts(pipe.Y)...)
	}
	return []*syntax.Stmt{stmt}
}

// maxName bounds the name of a command without a name of its own, in characters.
const maxName = 32

// firstWords returns the first words of a command.
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

var (
	// launchers lists programs that run the command at the end of their arguments.
	launchers = []string{"time", "timeout", "nice", "env", "command", "nohup", "stdbuf", "xargs"}
	// manyCommands lists programs whose first argument selects one of their commands.
	manyCommands = []string{"go", "git", "npm", "npx", "pnpm", "yarn", "bun", "cargo", "make", "docker", "uv", "poetry", "bundle", "dotnet", "mvn", "gradle", "gradlew"}
	// launcherWord matches the options, numbers and assignments before that command.
	launcherWord = lazyregexp.New(`^(-.*|[0-9.]+[smhd]?|[A-Za-z_][A-Za-z0-9_]*=.*)$`)
	commandWord  = lazyregexp.New(`^[a-z][a-z0-9:_-]{0,23}$`)
)

// callName names a command in a few words: its program, and the program's command.
func callName(call *syntax.CallExpr) string {
	words := launched(call)
	if len(words) == 0 {
		return ""
	}
	name := path.Base(words[0])
	if slices.Contains(manyCommands, name) && len(words) > 1 && commandWord.MatchString(words[1]) {
		name += " " + words[1]
	}
	return name
}

// launched returns the words of a command without the launchers before it.
func launched(call *syntax.CallExpr) []string {
	var words []string
	for _, arg := range call.Args {
		text := "…"
		if word, err := literalWord(arg); err == nil {
			text = word.Text
		}
		words = append(words, text)
	}
	for len(words) > 1 && slices.Contains(launchers, path.Base(words[0])) {
		rest := slices.IndexFunc(words[1:], func(word string) bool { return !launcherWord.MatchString(word) })
		if rest < 0 {
			break
		}
		words = words[1+rest:]
	}
	return words
}

// SearchesFiles reports whether a line runs one of some programs, or git grep, on files, so that its
// output may hold lines of files. A program that reads a pipe finds lines of another command's
// output instead. SearchesFiles returns true for a line that is not valid shell.
func SearchesFiles(line string, programs []string) bool {
	file, err := parseBash(line)
	if err != nil {
		return true
	}
	piped := map[syntax.Node]bool{}
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.BinaryCmd:
			if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
				piped[node.Y.Cmd] = true
			}
		case *syntax.CallExpr:
			reads := piped[node] && len(node.Args) > 0 && slices.Contains(programs, path.Base(node.Args[0].Lit()))
			found = found || !reads && slices.ContainsFunc(node.Args, func(arg *syntax.Word) bool {
				return slices.Contains(programs, path.Base(arg.Lit()))
			})
		}
		return !found
	})
	return found
}
