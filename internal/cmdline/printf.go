package cmdline

import (
	"slices"

	"agent/internal/base/lazyregexp"
)

var (
	// printsText matches formats of printf that take their arguments for texts. Escapes that could
	// stand for a percent sign are not among them, because ksh and zsh read them before the format.
	printsText = lazyregexp.New(`^(?:[^%\\]|\\(?:[abefnrtv\\"'?]|0?33|x1[bB])|%%|%-?\d*(?:\.\d+)?[sbcq])*$`)
	// hasEffect matches texts that change a variable, or run a command, if they are evaluated as
	// arithmetic.
	hasEffect = lazyregexp.New("[=\\[$`\\\\]|\\+\\+|--")
	// setsVariable matches formats that make printf set a variable, such as PATH, for later commands.
	setsVariable = lazyregexp.New("%[-+ #0-9.*'lhjztLq]*n")
)

// printfOnlyPrints reports whether printf with these operands only prints. In ksh and zsh, which
// may be the sh of a system without bash, it evaluates the arguments for numbers as arithmetic, so
// that they can set PATH.
func printfOnlyPrints(operands []Word) bool {
	if len(operands) < 2 || printsText.MatchString(operands[0].Text) {
		return true
	}
	return !setsVariable.MatchString(operands[0].Text) && !slices.ContainsFunc(operands[1:], func(word Word) bool { return word.Glob || hasEffect.MatchString(word.Text) })
}
