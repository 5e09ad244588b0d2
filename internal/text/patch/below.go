package patch

import (
	"path"
	"strings"
)

// Below returns a patch that names its files from the folder above: those that it names
// from dir. Absolute paths stay. What is no valid patch stays as invalid as it is.
func Below(dir, text string) string {
	if dir == "" || dir == "." {
		return text
	}
	moved := func(name string) string {
		if name == "" || path.IsAbs(name) {
			return name
		}
		return path.Join(dir, name)
	}
	lines := strings.Split(text, "\n")
	var in *Section
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if same(strings.TrimSpace(line), beginMarker) && !strings.HasPrefix(line, " ") {
			in = nil
			continue
		}
		if op, name, ok := header(line, in); ok {
			in = &Section{Op: op}
			lines[i] = op.header() + " " + moved(name)
			continue
		}
		if in == nil || in.Op != Update || strings.HasPrefix(line, " ") {
			continue
		}
		if rest := strings.TrimSpace(line); len(rest) >= len(moveHeader) && same(rest[:len(moveHeader)], moveHeader) {
			lines[i] = moveHeader + " " + moved(strings.TrimSpace(rest[len(moveHeader):]))
		}
	}
	return strings.Join(lines, "\n")
}

// header is what a section of this kind begins with.
func (o Op) header() string {
	for _, h := range headers {
		if h.op == o {
			return h.text
		}
	}
	return ""
}
