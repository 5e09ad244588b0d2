package cmdline

import (
	"slices"
	"strings"
)

// operands returns the words that are not options. ok is false for an unlisted option, or for too
// many or invalid operands. The value of an option in a separate word counts as an operand. So
// every possible path is checked, even if the program parses the words differently.
func (p readOnlyProgram) operands(args []Word) (operands []Word, ok bool) {
	options := true
	for _, arg := range args {
		text := arg.Text
		if text == "--" && options && len(operands) == 0 {
			// This word may be the value of the option before it. The words after it can then be
			// options or operands, and must be harmless as both.
			options = false
			continue
		}
		if text == "--" {
			// After the first operand or another "--", some programs treat it as a normal word.
			operands = append(operands, arg)
			continue
		}
		// Some programs accept no options after the first operand.
		behind := p.max != unlimited && len(operands) > 0
		if text == "-" || !strings.HasPrefix(text, "-") || !options || behind {
			operands = append(operands, arg)
		}
		switch {
		case text == "-" || !strings.HasPrefix(text, "-"):
		case slices.Contains(p.words, text):
		case strings.HasPrefix(text, "--"):
			if !p.hasLong(text[2:]) {
				return nil, false
			}
		case !p.hasShort(text[1:]):
			return nil, false
		}
	}
	pattern := func(operand Word) bool { return operand.Glob }
	if p.max != unlimited && (len(operands) > p.max || slices.ContainsFunc(operands, pattern)) {
		return nil, false // a pattern can become any number of words
	}
	if p.first != nil && (len(operands) == 0 || !p.first.MatchString(operands[0].Text)) {
		return nil, false
	}
	if p.never != nil && slices.ContainsFunc(operands, func(operand Word) bool { return p.never.MatchString(operand.Text) }) {
		return nil, false
	}
	if p.operandsOnlyLook != nil && !p.operandsOnlyLook(operands) {
		return nil, false
	}
	unlike := func(operand Word) bool { return !p.each.MatchString(operand.Text) }
	return operands, p.each == nil || len(operands) > 0 && !slices.ContainsFunc(operands, unlike)
}

func (p readOnlyProgram) hasLong(option string) bool {
	name, _, valued := strings.Cut(option, "=")
	if valued {
		name += "="
	}
	return slices.Contains(p.long, name)
}

// hasShort reports whether a group of one-letter options is harmless. The value of the last option
// may be attached.
func (p readOnlyProgram) hasShort(group string) bool {
	if p.number && strings.Trim(group, "0123456789") == "" {
		return true
	}
	for i := range len(group) {
		switch {
		case strings.IndexByte(p.valued, group[i]) >= 0:
			value := group[i+1:]
			if p.script && value == "" {
				return false
			}
			return value == "" || p.value == nil || p.value.MatchString(value)
		case strings.IndexByte(p.flags, group[i]) < 0:
			return false
		}
	}
	return true
}
