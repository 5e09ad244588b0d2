package patch

import (
	"path"
	"strings"
)

// Below returns a patch with dir prepended to its relative paths, for use in the parent folder. It
// returns an invalid patch unchanged.
func Below(dir, text string) string {
	sections, err := Parse(text)
	if err != nil || dir == "" {
		return text
	}
	moved := func(header, name string) string {
		if !path.IsAbs(name) {
			name = path.Join(dir, name)
		}
		return header + " " + name
	}
	lines := strings.Split(text, "\n")
	for _, s := range sections {
		lines[s.Line-1] = moved(headers[s.Op], s.Path)
		if s.MoveTo != "" {
			lines[s.moveLine-1] = moved(moveHeader, s.MoveTo)
		}
	}
	return strings.Join(lines, "\n")
}
