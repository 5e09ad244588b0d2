package cmdline

import (
	"slices"

	"agent/internal/base/lazyregexp"
)

var (
	// printsText matches formats of printf that treat their arguments as texts. It excludes escapes
	// that could mean a percent sign, because ksh and zsh expand them before they parse the format.
	printsText = lazyregexp.New(`^(?:[^%\\]|\\(?:[abefnrtv\\"'?]|0?33|x1[bB])|%%|%-?\d*(?:\.\d+)?[sbcq])*$`)
	// hasEffect matches texts that change a variable or run a command if a shell evaluates them as
	// arithmetic.
	hasEffect = lazyregexp.New("[=\\[$`\\\\]|\\+\\+|--")
	// setsVariable matches formats that make printf set a variable, such as PATH, for later commands.
	setsVariable = lazyregexp.New("%[-+ #0-9.*'lhjztLq]*n")
)

// printfOnlyPrints reports whether printf with these operands only prints. ksh and zsh may be the
// sh of a system without bash. They evaluate arguments for numbers as arithmetic, which can set
// PATH.
func printfOnlyPrints(operands []Word) bool {
	if len(operands) < 2 || printsText.MatchString(operands[0].Text) {
		return true
	}
	return !setsVariable.MatchString(operands[0].Text) && !slices.ContainsFunc(operands[1:], func(word Word) bool { return word.Glob || hasEffect.MatchString(word.Text) })
}
