package cmdline

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/base/lazyregexp"
)

// A CommandLine is a command line that was parsed like bash does. It is parsed once and passed to every
// function that needs it. It is safe for parallel use.
type CommandLine struct {
	line string
	file *syntax.File
	// err is the reason why the line is not valid shell.
	err error

	plain  func() (Line, error)
	calls  func() [][]string
	nested func() [][]string
}

// Read parses a command line.
func Read(line string) *CommandLine { return read(line, 0) }

// read parses a line that is nested in depth other lines.
func read(line string, depth int) *CommandLine {
	r := &CommandLine{line: line}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	r.file, r.err = parser.Parse(strings.NewReader(line), "")
	r.plain = sync.OnceValues(r.readPlain)
	r.calls = sync.OnceValue(r.readCalls)
	r.nested = sync.OnceValue(func() [][]string { return r.readNested(depth) })
	return r
}

// String returns the line.
func (r *CommandLine) String() string { return r.line }

// Syntax returns the syntax tree of the line, which callers must not change. It returns an error
// for a line that is not valid shell.
func (r *CommandLine) Syntax() (*syntax.File, error) { return r.file, r.err }

// PlainCommands returns the commands of a plain line. It returns an error for a line that is not plain or
// not valid shell. Redirections between standard output and standard error and to /dev/null are
// allowed, since they change nothing.
func (r *CommandLine) PlainCommands() (Line, error) { return r.plain() }

// Calls returns the words of each command of the line, plain or not, including commands inside
// other commands. A word that is not literal becomes [Unknown]. A line that the parser cannot parse
// is split at white space. Since a shell may run parts of it, the result then also contains an
// Unknown command.
func (r *CommandLine) Calls() [][]string { return r.calls() }

// NestedCalls returns the words of the commands in the line, like Calls, and of the commands that these
// run. Such commands are after a wrapper such as sudo, in the line of a shell, or after find -exec.
// It also returns each command without the path of its program. For a shell that reads its lines
// from elsewhere, it adds a command whose program is [Unknown].
func (r *CommandLine) NestedCalls() [][]string { return r.nested() }

// redirected matches a redirection to a file in a text.
var redirected = lazyregexp.New(`>[>|&]?\s*([^\s;&|<>()]+)`)

// Redirects returns the files to which the line, or a text in the line, redirects output.
func (r *CommandLine) Redirects() []string {
	var files []string
	for _, to := range redirected.FindAllStringSubmatch(r.line, -1) {
		files = append(files, strings.Trim(to[1], `"'`))
	}
	if r.err != nil {
		return files
	}
	syntax.Walk(r.file, func(node syntax.Node) bool {
		if to, ok := node.(*syntax.Redirect); ok && strings.Contains(to.Op.String(), ">") {
			if word, err := literalWord(to.Word); err == nil {
				files = append(files, word.Text)
			}
		}
		return true
	})
	return files
}

// separators separates words in the languages of command lines and settings.
const separators = " \t\n\"'`<>|&;(){}$=,"

// PossibleFileNames returns the parts of a text in any language that may be names of files. It also splits the
// text at the characters in further.
func PossibleFileNames(text, further string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators+further, r) })
}
