package cmdline

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/pattern"
)

// Pipeline returns the names of the commands in the pipe that a line ends with, such as
// "go test" and "tail". There are none when the line ends otherwise, or when it traces or
// traps what it runs: text after it would then change what it prints.
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
				return append(pipeNames(cmd.X), pipeNames(cmd.Y)...)
			default:
				return nil // either side may be the last that ran
			}
		default:
			return nil
		}
	}
}

// traces reports whether a line shows, or acts on, each command that it runs.
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

func pipeNames(stmt *syntax.Stmt) []string {
	if pipe, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && (pipe.Op == syntax.Pipe || pipe.Op == syntax.PipeAll) {
		return append(pipeNames(pipe.X), pipeNames(pipe.Y)...)
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return []string{"( … )"}
	}
	return []string{callName(call)}
}

var (
	// launchers run the command that their arguments end with.
	launchers = []string{"time", "timeout", "nice", "env", "command", "nohup", "stdbuf", "xargs"}
	// manyCommands are programs whose first argument says which of their commands runs.
	manyCommands = []string{"go", "git", "npm", "npx", "pnpm", "yarn", "bun", "cargo", "make", "docker", "uv", "poetry", "bundle", "dotnet", "mvn", "gradle", "gradlew"}
	// launcherWord matches the options, numbers and assignments before that command.
	launcherWord = pattern.New(`^(-.*|[0-9.]+[smhd]?|[A-Za-z_][A-Za-z0-9_]*=.*)$`)
	commandWord  = pattern.New(`^[a-z][a-z0-9:_-]{0,23}$`)
)

// callName names a command in a few words: its program, and which of its commands.
func callName(call *syntax.CallExpr) string {
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
	if len(words) == 0 {
		return "…"
	}
	name := path.Base(words[0])
	if slices.Contains(manyCommands, name) && len(words) > 1 && commandWord.MatchString(words[1]) {
		name += " " + words[1]
	}
	return name
}

// Finds reports whether a line runs one of some programs, or git grep, on files: what it
// prints then may be lines of files. One that reads a pipe finds lines of what another
// command prints. A line that is no valid shell is taken to do so.
func Finds(line string, programs []string) bool {
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
