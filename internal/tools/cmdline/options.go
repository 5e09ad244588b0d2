package cmdline

import (
	"slices"
	"strings"
)

// operands returns the non-option words. ok is false for an unlisted option, or too
// many or ill-formed operands. An option's value that is a word of its own counts
// as an operand, so that no difference between this reading and the program's own
// lets a path go unchecked.
func (p readOnlyProgram) operands(args []Word) (operands []Word, ok bool) {
	for i, arg := range args {
		text := arg.Text
		if text == "--" {
			operands = append(operands, args[i+1:]...)
			break
		}
		switch {
		case text == "-" || !strings.HasPrefix(text, "-"):
			operands = append(operands, arg)
		case slices.Contains(p.words, text):
		case strings.HasPrefix(text, "--"):
			if !p.hasLong(text[2:]) {
				return nil, false
			}
		case !p.hasShort(text[1:]):
			return nil, false
		}
	}
	if p.max != unlimited && len(operands) > p.max {
		return nil, false
	}
	return operands, p.first == nil || len(operands) > 0 && p.first.MatchString(operands[0].Text)
}

func (p readOnlyProgram) hasLong(option string) bool {
	name, _, valued := strings.Cut(option, "=")
	if valued {
		name += "="
	}
	return slices.Contains(p.long, name)
}

// hasShort takes a group of one-letter options, the last of which may have its
// value attached.
func (p readOnlyProgram) hasShort(group string) bool {
	if p.number && strings.Trim(group, "0123456789") == "" {
		return true
	}
	for i := range len(group) {
		switch {
		case strings.IndexByte(p.valued, group[i]) >= 0:
			return true
		case strings.IndexByte(p.flags, group[i]) < 0:
			return false
		}
	}
	return true
}
