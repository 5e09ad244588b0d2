package cmdline

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/cmdline/programs"
)

// evaluated returns the command lines in texts that the shell evaluates a second time. Such texts
// are in arithmetic, in subscripts, and in values of variables that arithmetic, a prompt or ${x@P}
// evaluate. [[ -v 'a[$(CMD)]' ]] runs CMD although it is in quotes. A text that cannot be parsed
// becomes [Unknown].
func (r *CommandLine) evaluated() []string {
	if r.err != nil || !strings.ContainsAny(r.line, "$`") {
		return nil // Calls returns a command that is Unknown
	}
	var lines []string
	syntax.Walk(r.file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Assign, *syntax.TestClause, *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.LetClause, *syntax.CStyleLoop, *syntax.ParamExp, *syntax.DeclClause:
			lines = append(lines, quotedLines(node)...)
		case *syntax.CallExpr:
			for n, arg := range node.Args {
				word, err := literalWord(arg)
				if n == 0 && err != nil || programs.Is(word.Text, programs.EvaluatesSubscripts) { // also after the words "command" and "builtin"
					lines = append(lines, quotedLines(node)...)
					break
				}
			}
		}
		return true
	})
	slices.Sort(lines)
	return slices.Compact(lines)
}

// quotedLines returns the command lines of the command substitutions in the quoted texts below a
// node.
func quotedLines(node syntax.Node) (lines []string) {
	syntax.Walk(node, func(node syntax.Node) bool {
		var text string
		switch node := node.(type) {
		case *syntax.SglQuoted:
			text = node.Value
		case *syntax.Lit:
			if text, _ = unescape(node.Value, ""); text == node.Value {
				return true // the text contains no escaped $
			}
		}
		lines = append(lines, substituted(text)...)
		return true
	})
	return lines
}

// substituted returns the command lines of the command substitutions in a text.
func substituted(text string) (lines []string) {
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") {
		return nil
	}
	document, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(strings.NewReader(text))
	if err != nil {
		return []string{Unknown}
	}
	syntax.Walk(document, func(node syntax.Node) bool {
		substitution, ok := node.(*syntax.CmdSubst)
		if !ok {
			return true
		}
		for _, stmt := range substitution.Stmts {
			var printed strings.Builder
			if err := syntax.NewPrinter().Print(&printed, stmt); err != nil {
				printed.Reset()
				printed.WriteString(Unknown)
			}
			lines = append(lines, printed.String())
		}
		return false
	})
	return lines
}
