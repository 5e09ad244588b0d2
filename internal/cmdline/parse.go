// Package cmdline parses command lines like bash, and determines which commands are known to be
// read-only.
//
// Its guarantee is one-sided. A line that [CommandLine.PlainCommands] accepts runs exactly the commands that it
// returns. A command that [Line.UnprovenCommands] omits is read-only, and reads only below the folders
// where reading is allowed. Everything else is "not known". Plain refuses a line that expands,
// redirects or branches, because its commands depend on the unknown state of a shell. A program or
// option that is not in the table is treated as one that changes files. So the table must be
// correct, but need not be complete. Nothing is executed here; only patterns and links are looked
// up on disk.
package cmdline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/base/lazyregexp"
)

// A Line is a plain command line: only simple commands with literal words, joined by &&, ||, ;, |
// or line ends. Its commands are known in advance.
type Line struct {
	// Commands holds the commands in the order in which they are written.
	Commands []Command
}

// A Command is a program and its arguments, without quotes and escapes. It has at least one word.
type Command []Word

// A Word is one literal word of a command.
type Word struct {
	Text string
	// Glob is set if Text is a pattern (* or ?) that the shell replaces by the matching names.
	Glob bool
	// Written is set if the command is not confined and Text names a program or script that a
	// confined command may have written. Only a rule that contains this word literally allows the
	// command.
	Written bool
}

// notPlain returns an error with the reason why a command line is not plain.
func notPlain(format string, args ...any) error {
	return fmt.Errorf("not a plain command: "+format, args...)
}

// maxLine limits the length of a line that is parsed, in bytes.
const maxLine = 32 << 10

// joinsInsideWord matches a line continuation inside a word. Bash joins the two halves, such as $
// and a name, before it parses them. The parser does not always do so.
var joinsInsideWord = lazyregexp.New(`[^ \t]\\\n|^\\\n`)

func (r *CommandLine) readPlain() (Line, error) {
	if len(r.line) > maxLine {
		return Line{}, notPlain("it is too long to analyze")
	}
	if err := checkCharacters(r.line); err != nil {
		return Line{}, err
	}
	if joinsInsideWord.MatchString(r.line) {
		return Line{}, notPlain("a backslash joins lines within a word")
	}
	if bare := strings.TrimRight(r.line, `\`); (len(r.line)-len(bare))%2 == 1 {
		return Line{}, notPlain("it ends in a backslash")
	}
	if r.err != nil {
		return Line{}, notPlain("the shell can't parse it: %v", r.err)
	}
	if holdsComment(r.file) {
		return Line{}, notPlain("it contains a comment")
	}
	var parsed Line
	for _, stmt := range r.file.Stmts {
		if err := parsed.addStatement(stmt); err != nil {
			return Line{}, err
		}
	}
	if len(parsed.Commands) == 0 {
		return Line{}, notPlain("it is empty")
	}
	return parsed, nil
}

// Unknown stands for a word of a command that depends on the state of the shell.
const Unknown = "…"

func (r *CommandLine) readCalls() [][]string {
	if r.err != nil {
		if words := strings.Fields(r.line); len(words) > 0 {
			return [][]string{words, {Unknown}}
		}
		return nil
	}
	var calls [][]string
	syntax.Walk(r.file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			calls = append(calls, callWords(call))
		}
		return true
	})
	return calls
}

// callWords returns the words of a command. A word that is not literal becomes [Unknown].
func callWords(call *syntax.CallExpr) []string {
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		words[i] = Unknown
		if word, err := literalWord(arg); err == nil {
			words[i] = word.Text
		}
	}
	return words
}

// holdsComment reports whether the line has a comment. The parser treats the line after a comment
// that ends in a backslash as part of the comment, but bash would run it.
func holdsComment(file *syntax.File) bool {
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		_, comment := node.(*syntax.Comment)
		found = found || comment
		return true
	})
	return found
}

// checkCharacters refuses characters that parsers, shells and screens interpret differently:
// carriage returns, control characters and unusual spaces. It also refuses invisible characters and
// characters that change the direction of the text, which can make a line look like another line.
func checkCharacters(line string) error {
	if !utf8.ValidString(line) {
		return notPlain("it is not valid UTF-8")
	}
	for _, r := range line {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return notPlain("it contains the invisible character %U", r)
		}
	}
	return nil
}

func (p *Line) addStatement(stmt *syntax.Stmt) error {
	if stmt.Background || stmt.Coprocess || stmt.Disown {
		return notPlain("it starts a background process")
	}
	for _, redirect := range stmt.Redirs {
		if !harmlessRedirect(redirect) {
			return notPlain("it redirects input or output with %q", redirect.Op.String())
		}
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		if err := p.addStatement(cmd.X); err != nil {
			return err
		}
		return p.addStatement(cmd.Y)
	case *syntax.CallExpr:
		return p.addCall(cmd)
	case nil:
		return notPlain("it redirects input or output without a command")
	default:
		return notPlain("it uses shell syntax (%s)", constructName(cmd))
	}
}

func (p *Line) addCall(call *syntax.CallExpr) error {
	if len(call.Assigns) > 0 {
		return notPlain("it assigns a variable")
	}
	simple := make(Command, 0, len(call.Args))
	for _, arg := range call.Args {
		word, err := literalWord(arg)
		if err != nil {
			return err
		}
		simple = append(simple, word)
	}
	if simple[0].Glob {
		return notPlain("the program's name is a pattern")
	}
	p.Commands = append(p.Commands, simple)
	return nil
}

// harmlessRedirect reports whether a redirection affects no file, such as 2>&1 or a redirection to
// /dev/null.
func harmlessRedirect(redirect *syntax.Redirect) bool {
	if redirect.N != nil && !slices.Contains([]string{"0", "1", "2"}, redirect.N.Value) {
		return false
	}
	target, err := literalWord(redirect.Word)
	if err != nil || redirect.Hdoc != nil || target.Glob {
		return false
	}
	switch redirect.Op {
	case syntax.DplOut:
		return target.Text == "1" || target.Text == "2"
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrIn:
		return target.Text == "/dev/null"
	default:
		return false
	}
}

// constructName names a construct for a user, e.g. "Subshell".
func constructName(node syntax.Node) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", node), "*syntax.")
}
