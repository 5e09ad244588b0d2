// Package files finds the files that a command line names. It parses the line like bash: quotes,
// variables, braces, patterns, folders. It runs nothing. It reports whether the result is complete.
package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"agent/internal/base/fsutil"
	"agent/internal/cmdline"
	"agent/internal/cmdline/programs"
)

// Limits of the search. The result for a line beyond them is incomplete.
const (
	maxDepth    = 4
	maxValues   = 64
	maxListings = 200
	maxWords    = 2000
)

// Shell describes the shell that runs a line.
type Shell struct {
	// Folders lists the folders in which the commands of the line may run.
	Folders []string
	// Values maps each known variable to all values that it may have.
	Values map[string][]string
	// Root is the folder in which patterns are looked up.
	Root string
}

// HasShellSyntax reports whether a shell would interpret a text as more than one plain word.
func HasShellSyntax(text string) bool { return strings.ContainsAny(text, " \t\n;|&<>()`$*?[{~'\"\\") }

// PossibleWords returns the words that the commands of a line may get, for all interpretations of the line.
// sure reports whether the words are complete.
func (s Shell) PossibleWords(line *cmdline.CommandLine) (words []string, sure bool) {
	r := &reader{
		Shell: s, values: map[string][]string{}, sure: true,
		own: map[string]bool{}, used: map[string]bool{}, doubtful: map[string]bool{}, arrays: map[string]bool{},
	}
	for name, values := range s.Values {
		r.values[name] = slices.Clone(values)
	}
	r.line(line, 0)
	for _, file := range r.wrote {
		r.sure = r.sure && !slices.ContainsFunc(r.words, func(word string) bool { return path.Clean(word) == path.Clean(file) })
	}
	return r.words, r.sure && !r.doubts()
}

// A reader parses a line and the lines inside it.
type reader struct {
	Shell
	// values holds the known variables, including the variables that the lines set.
	values map[string][]string
	words  []string
	sure   bool
	// reads is set if a command may set variables from its input.
	reads    bool
	listings int

	// own holds the variables that the lines set, arrays the arrays among them. used holds the
	// variables whose values matter, and doubtful the variables that a command changes. doubtsAll
	// is set if a command may change any of own.
	own, arrays, used, doubtful map[string]bool
	doubtsAll                   bool
	// wrote lists the files to which the lines write.
	wrote []string
}

func (r *reader) line(line *cmdline.CommandLine, depth int) {
	if depth > maxDepth {
		r.sure = false
		return
	}
	file, err := line.Syntax()
	if err != nil {
		r.sure = false // bash runs the commands before the error
		return
	}
	for range 2 { // a loop may use variables that are set at its end
		syntax.Walk(file, func(node syntax.Node) bool { r.set(node); r.doubtVariables(node); return true })
	}
	var after []string // lines inside words
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Redirect:
			if written(node) {
				r.wrote = append(r.wrote, node.Word.Lit())
				return false
			}
		case *syntax.CallExpr:
			r.sure = r.sure && !r.unclear(node)
			after = append(after, r.call(node, depth)...)
		case *syntax.Assign:
			if node.Name != nil && IsSearchPathVariable(node.Name.Value) {
				r.sure = false
			}
			for _, value := range r.literals(node.Value) {
				if HasShellSyntax(value) {
					after = append(after, value) // a program may run it as a line, as git does with GIT_EDITOR
				}
			}
		case *syntax.Word:
			r.check(node)
			r.add(r.fields(node)...)
		case *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop, *syntax.CoprocClause:
			r.sure = false
		}
		return true
	})
	for _, inner := range after {
		r.line(cmdline.Read(inner), depth+1)
	}
}

// written reports whether a redirection only writes to a file with a plain name.
func written(to *syntax.Redirect) bool {
	switch to.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		return to.Word.Lit() != "" && !HasShellSyntax(to.Word.Lit())
	}
	return false
}

func (r *reader) add(words ...string) {
	for _, word := range words {
		if fleeting.MatchString(word) || fleeting.MatchString(path.Clean(word)) {
			r.sure = false
		}
		if !slices.Contains(r.words, word) {
			r.words = append(r.words, word)
		}
	}
	if len(r.words) > maxWords {
		r.words, r.sure = r.words[:maxWords], false
	}
}

// set stores the variables that a node sets.
func (r *reader) set(node syntax.Node) {
	var name string
	var values []string
	switch node := node.(type) {
	case *syntax.Assign:
		if node.Name == nil {
			return
		}
		if name = node.Name.Value; name == "IFS" {
			r.sure = false
		}
		r.own[name], r.arrays[name] = true, r.arrays[name] || node.Array != nil || node.Index != nil
		if node.Array != nil {
			for _, e := range node.Array.Elems {
				values = append(values, r.fields(e.Value)...)
			}
		} else if node.Value != nil {
			values = r.literals(node.Value)
		}
		if node.Append {
			for _, old := range slices.Clone(r.values[name]) {
				for _, more := range slices.Clone(values) {
					values = append(values, old+more)
				}
			}
		}
	case *syntax.ForClause:
		words, ok := node.Loop.(*syntax.WordIter)
		if !ok {
			return
		}
		name = words.Name.Value
		r.own[name] = true
		for _, w := range words.Items {
			values = append(values, r.fields(w)...)
		}
	case *syntax.ParamExp:
		if node.Exp == nil || node.Param == nil || node.Exp.Word == nil || node.Exp.Op != syntax.AssignUnset && node.Exp.Op != syntax.AssignUnsetOrNull {
			return
		}
		name, values = node.Param.Value, r.literals(node.Exp.Word)
		r.own[name] = true
	default:
		return
	}
	for _, value := range values {
		if !slices.Contains(r.values[name], value) {
			r.values[name] = append(r.values[name], value)
		}
	}
	if len(r.values[name]) > maxValues {
		r.values[name], r.sure = r.values[name][:maxValues], false
	}
}

// call processes the words of a command, and returns the words that may be lines for a shell.
func (r *reader) call(call *syntax.CallExpr, depth int) (lines []string) {
	inShell, find := false, false
	for n, arg := range call.Args {
		for _, word := range r.fields(arg) {
			if n == 0 {
				r.reads = r.reads || programs.Is(word, programs.RedefinesWords)
				find = programs.Is(word, programs.RunsCommandOption)
				if word == "cd" && len(call.Args) == 1 {
					r.add(r.values["HOME"]...)
				}
			}
			if programs.Is(word, programs.RunsInput) || find && strings.HasPrefix(word, "-exec") || find && strings.HasPrefix(word, "-ok") {
				r.sure = false
			}
			switch {
			case !HasShellSyntax(word):
			case inShell:
				lines = append(lines, word)
			default:
				inner := *r
				inner.words, inner.sure, inner.wrote = nil, true, nil
				inner.line(cmdline.Read(word), depth+1)
				r.add(inner.words...)
				r.listings = inner.listings
			}
			inShell = inShell || cmdline.RunsLines(word)
		}
	}
	return lines
}

// check clears sure if a word depends on an unknown value.
func (r *reader) check(word *syntax.Word) {
	alone := len(word.Parts) == 1
	if alone {
		if quoted, ok := word.Parts[0].(*syntax.DblQuoted); ok {
			alone = len(quoted.Parts) == 1
		}
	}
	lists, variables := false, 0
	syntax.Walk(word, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Lit:
			if stacked.MatchString(node.Value) {
				r.sure = false
			}
		case *syntax.ProcSubst:
			if node.Op == syntax.CmdIn {
				r.sure = false // the output of <(...) may be run as a script
			}
			return false
		case *syntax.CmdSubst:
			if _, known := r.output(node); !known {
				r.sure = false
			}
			return false // its commands are processed separately
		case *syntax.ArithmExp, *syntax.ExtGlob:
			r.sure = false
		case *syntax.ParamExp:
			if variables++; node.Param != nil {
				lists = lists || r.arrays[node.Param.Value]
			}
			if !r.knows(node, alone) {
				r.sure = false
			}
		}
		return true
	})
	if lists && variables > 1 {
		r.sure = false // its parts may be different elements of an array
	}
}

// knows reports whether the value of a variable is known, or is not the name of a file in a
// repository. alone is set if the variable is a whole word.
func (r *reader) knows(p *syntax.ParamExp, alone bool) bool {
	if p.Param == nil || p.Excl || p.Names != 0 {
		return false
	}
	name := p.Param.Value
	r.used[name] = true
	if rewrites(p) || name == "PATH" && (p.Exp != nil || p.Slice != nil || p.Repl != nil) {
		return false
	}
	if _, known := r.values[name]; known {
		return true
	}
	if len(name) == 1 && strings.Contains("?#$!", name) {
		return alone
	}
	if strings.Trim(name, "0123456789@*-") == "" {
		return false
	}
	if slices.Contains(personal, name) || strings.HasPrefix(name, "LC_") {
		return false
	}
	if p.Exp != nil && slices.Contains([]syntax.ParExpOperator{syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull}, p.Exp.Op) {
		return true
	}
	return alone && !r.reads && p.Exp == nil
}

// personal lists variables that nearly every shell has, and whose values may be the name of a file
// in a repository.
var personal = []string{
	"USER", "LOGNAME", "LANG", "TERM", "TZ", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "UID", "EUID", "PPID", "SHLVL", "RANDOM", "SECONDS",
	"BASH_VERSION", "BASH_SUBSHELL", "BASHPID", "LINENO", "COLUMNS", "LINES", "OPTIND", "EDITOR", "PAGER", "DISPLAY", "_", "SHELL", "BASH",
	"BASH_REMATCH", "REPLY", "MAPFILE", "OPTARG", "BASH_ARGV", "BASH_ARGV0", "BASH_COMMAND", "BASH_EXECUTION_STRING", "BASH_SOURCE", "DIRSTACK", "COPROC",
	"FUNCNAME", "PIPESTATUS", "SHELLOPTS", "BASHOPTS", "GROUPS", "IFS",
}

// output returns the output of a command substitution, if it is known.
func (r *reader) output(c *syntax.CmdSubst) (text []string, known bool) {
	if len(c.Stmts) != 1 {
		return nil, false
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return nil, false
	}
	var words []string
	for _, arg := range call.Args {
		words = append(words, arg.Lit())
	}
	switch strings.Join(words, " ") {
	case "pwd":
		return r.Folders, true
	case "git rev-parse --show-toplevel":
		return []string{r.Root}, true
	}
	return nil, false
}

var errTooMany = errors.New("the command lists too many folders")

func (r *reader) list(dir string) ([]fs.DirEntry, error) {
	if !fsutil.Within(dir, r.Root) {
		return r.toRoot(dir), nil
	}
	if r.listings++; r.listings > maxListings {
		return nil, errTooMany
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		err = nil // no name matches
	}
	return entries, err
}

// toRoot returns the entry of a folder on the path to the repository, if there is one.
func (r *reader) toRoot(dir string) []fs.DirEntry {
	listed, err := os.Stat(dir)
	for at := r.Root; err == nil && at != filepath.Dir(at); at = filepath.Dir(at) {
		above, _ := os.Stat(filepath.Dir(at))
		if info, err := os.Stat(at); err == nil && os.SameFile(above, listed) {
			return []fs.DirEntry{fs.FileInfoToDirEntry(info)}
		}
	}
	return nil
}

// fields returns the words to which a word expands, for all values of its variables and in all
// folders.
func (r *reader) fields(word *syntax.Word) []string {
	var all []string
	for _, word := range withStars(word) {
		for _, field := range r.expanded(word, func(cfg *expand.Config) ([]string, error) { return expand.Fields(cfg, word) }) {
			if !slices.Contains(all, field) {
				all = append(all, field)
			}
		}
	}
	return all
}

// withStars replaces the extended patterns of a word, such as @(a|b), by stars. It returns two
// words, one with * and one with .* for names that begin with a dot. Together they match at least
// the names that the word matches.
func withStars(word *syntax.Word) []*syntax.Word {
	if word == nil || !slices.ContainsFunc(word.Parts, isExtended) {
		return []*syntax.Word{word}
	}
	var all []*syntax.Word
	for _, star := range []string{"*", ".*"} {
		simple := &syntax.Word{}
		for _, part := range word.Parts {
			if isExtended(part) {
				part = &syntax.Lit{Value: star}
			}
			simple.Parts = append(simple.Parts, part)
		}
		all = append(all, simple)
	}
	return all
}

func isExtended(part syntax.WordPart) bool {
	_, is := part.(*syntax.ExtGlob)
	return is
}

// literals returns the values that a variable may get from a word.
func (r *reader) literals(word *syntax.Word) []string {
	var all []string
	for _, word := range withStars(word) {
		all = append(all, r.expanded(word, func(cfg *expand.Config) ([]string, error) {
			text, err := expand.Literal(cfg, word)
			return []string{text}, err
		})...)
	}
	return all
}

func (r *reader) expanded(word *syntax.Word, into func(*expand.Config) ([]string, error)) []string {
	if word == nil {
		return nil
	}
	if text := word.Lit(); text != "" && !strings.ContainsAny(text, `\*?[{~`) {
		return []string{text}
	}
	if braces(word) > maxValues {
		r.sure = false
		return nil
	}
	var all []string
	for _, values := range r.choices(word) {
		cfg := &expand.Config{
			Env: values, ReadDir2: r.list,
			CmdSubst: func(w io.Writer, c *syntax.CmdSubst) error {
				if text, known := r.output(c); known && len(text) > 0 {
					_, err := io.WriteString(w, text[values.number%len(text)])
					return err
				}
				return nil
			},
			ProcSubst: func(*syntax.ProcSubst) (string, error) { return "/dev/null", nil },
		}
		words, err := into(cfg)
		if err != nil {
			r.sure = false
			continue
		}
		for _, word := range words {
			if !slices.Contains(all, word) {
				all = append(all, word)
			}
		}
	}
	return all
}
