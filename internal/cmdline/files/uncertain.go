package files

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/base/lazyregexp"
	"agent/internal/cmdline"
	"agent/internal/cmdline/programs"
)

// fleeting matches paths whose meaning depends on the process that opens them, such as /dev/stdin.
var fleeting = lazyregexp.New(`^/dev/(?:fd|stdin|tcp|udp)(?:/|$)|^/proc(?:/|$)|\.\./proc(?:/|$)`)

// stacked matches the folders of the stack of pushd, as in ~1 and ~-0.
var stacked = lazyregexp.New(`^~[+-]?\d`)

// sedRuns matches scripts of sed that may run a command: 1e line, s/x/y/e.
var sedRuns = lazyregexp.New(`(?:^|[\s;{}!,/|#@0-9$])[0-9gpImMw]*e(?:$|[\s;}])`)

// doubtVariables records the variables to which a command may assign an unknown value.
func (r *reader) doubtVariables(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.CallExpr:
		setting := false
		for n, arg := range node.Args {
			text := arg.Lit()
			switch {
			case setting && text == "":
				r.doubtsAll = true
			case setting:
				r.doubtful[text] = true
			case text == "printf":
				for m, option := range node.Args[n+1:] {
					name, is := strings.CutPrefix(option.Lit(), "-v")
					if is && name == "" && m+n+2 < len(node.Args) {
						name = node.Args[m+n+2].Lit()
					}
					r.doubtful[name] = r.doubtful[name] || is
					r.doubtsAll = r.doubtsAll || is && name == ""
				}
			case n == 0 && programs.IsNamed(text, programs.SourcesFile):
				r.doubtsAll = true // the file may set any of them
			}
			setting = setting || programs.Is(text, programs.SetsVariables)
		}
	case *syntax.DeclClause:
		names := slices.ContainsFunc(node.Args, func(a *syntax.Assign) bool {
			return a.Name == nil && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-") && strings.ContainsAny(a.Value.Lit(), "niul")
		})
		r.doubtsAll = r.doubtsAll || names || node.Variant.Value == "nameref"
		for _, a := range node.Args {
			if a.Name != nil {
				r.own[a.Name.Value] = true
			}
		}
	}
}

// doubts reports whether the value of a variable that the line uses is unknown.
func (r *reader) doubts() bool {
	for name := range r.used {
		if r.doubtful[name] || r.doubtsAll && r.own[name] {
			return true
		}
	}
	return false
}

// rewrites reports whether this package does not compute the change that an expansion makes to a
// value.
func rewrites(p *syntax.ParamExp) bool {
	switch {
	case p.Slice != nil:
		plain := func(e syntax.ArithmExpr) bool {
			word, ok := e.(*syntax.Word)
			return e == nil || ok && word.Lit() != "" && strings.Trim(word.Lit(), "0123456789") == ""
		}
		return !plain(p.Slice.Offset) || !plain(p.Slice.Length)
	case p.Repl != nil:
		return p.Repl.Orig == nil || p.Repl.Orig.Lit() == "" || strings.ContainsAny(p.Repl.Orig.Lit()[:1], "#%")
	case p.Exp != nil:
		return p.Exp.Op == syntax.OtherParamOps
	}
	return false
}

// unclear reports whether a command may run a program that its words do not name. Examples are a
// shell that reads lines from its input, a program in a variable, and code in another language.
func (r *reader) unclear(call *syntax.CallExpr) bool {
	var words []string
	for n, arg := range call.Args {
		text := arg.Lit()
		if text == "" || strings.Contains(text, `\`) {
			if literals := r.fields(arg); len(literals) == 1 {
				text = literals[0]
			}
		}
		if n == 0 || len(words) > 0 && cmdline.IsWrapper(words[0]) {
			syntax.Walk(arg, func(node syntax.Node) bool {
				if p, ok := node.(*syntax.ParamExp); ok && p.Exp == nil && p.Param != nil && r.values[p.Param.Value] == nil {
					text = unknown
				}
				return true
			})
			if slices.ContainsFunc(programs.NamesWith(programs.IsShell|programs.IsForeignShell), func(shell string) bool {
				matches, _ := path.Match(path.Base(text), shell)
				return matches && path.Base(text) != shell
			}) {
				text = unknown
			}
		}
		if words = append(words, text); text == unknown {
			return true
		}
	}
	if len(words) == 0 || programs.IsNamed(path.Base(words[0]), programs.PrintsWords) || len(words) > 1 && words[0] == "command" && words[1] == "-v" {
		return false
	}
	for n, word := range words {
		if cmdline.IsShell(word) && !hasScript(words[n+1:]) {
			return true
		}
		if LoadsCode(words[n:]) || path.Base(word) == "sed" && slices.ContainsFunc(words[n+1:], sedRuns.MatchString) {
			return true
		}
	}
	return false
}

// unknown stands for the name of a program in a variable of the user.
const unknown = "\x00"

// hasScript reports whether the arguments of a shell name a script or contain a line. The shell
// then reads no lines from its input. Words that are not literal are empty.
func hasScript(args []string) bool {
	for n := 0; n < len(args); n++ {
		arg := args[n]
		switch {
		case arg == "-" || arg == "--":
		case strings.HasPrefix(arg, "--"):
			if arg == "--rcfile" || arg == "--init-file" {
				n++
			}
		case strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "+"):
			switch {
			case strings.ContainsAny(arg, "O"):
				return false // patterns have another meaning in this shell
			case strings.Contains(arg, "c"):
				rest := slices.DeleteFunc(slices.Clone(args[n+1:]), func(word string) bool { return strings.HasPrefix(word, "-") })
				return len(rest) == 0 || !cmdline.IsShell(rest[0])
			case strings.Contains(arg, "s"):
				return false
			case strings.Contains(arg, "o"):
				n++
			}
		default:
			return true
		}
	}
	return false
}
