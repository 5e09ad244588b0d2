package tools

import (
	"slices"
	"strings"
)

// operands returns the words that are no options, or false when an option is not
// one of those listed, or the words are not what they must be. Values of options count as operands when they stand alone,
// so that no difference between this reading and the program's own lets a path go
// unchecked.
func (l looker) operands(args []Word) ([]Word, bool) {
	var operands []Word
	for i, arg := range args {
		text := arg.Text
		if text == "--" {
			operands = append(operands, args[i+1:]...)
			break
		}
		switch {
		case text == "-" || !strings.HasPrefix(text, "-"):
			operands = append(operands, arg)
		case slices.Contains(l.words, text):
		case strings.HasPrefix(text, "--"):
			if !l.hasLong(text[2:]) {
				return nil, false
			}
		case !l.hasShort(text[1:]):
			return nil, false
		}
	}
	if l.most != unlimited && len(operands) > l.most {
		return nil, false
	}
	return operands, l.first == nil || len(operands) > 0 && l.first.MatchString(operands[0].Text)
}

func (l looker) hasLong(option string) bool {
	name, _, valued := strings.Cut(option, "=")
	if valued {
		name += "="
	}
	return slices.Contains(l.long, name)
}

// hasShort takes a group of one-letter options, the last of which may have its
// value attached.
func (l looker) hasShort(group string) bool {
	if l.number && strings.Trim(group, "0123456789") == "" {
		return true
	}
	for i := range len(group) {
		switch {
		case strings.IndexByte(l.valued, group[i]) >= 0:
			return true
		case strings.IndexByte(l.flags, group[i]) < 0:
			return false
		}
	}
	return true
}
