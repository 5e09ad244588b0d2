package instructions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
)

// clean returns a text in the form for the model: without a byte order mark, carriage returns and
// comments, and with visible control characters.
func clean(text string) string {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\uFEFF")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	var code codeState
	comment := false
	for line := range strings.Lines(text) {
		if !comment && code.line(line) {
			b.WriteString(line)
			continue
		}
		var kept string
		kept, comment = uncommented(line, comment)
		if strings.TrimSpace(kept) != "" || strings.TrimSpace(line) == "" {
			b.WriteString(kept)
		}
	}
	return strings.TrimSpace(plain.ReplaceAllStringFunc(b.String(), humanize.EscapeInvisible))
}

// plain matches the parts of a text in which control characters are made visible, which is
// everything but line feeds and tabs.
var plain = lazyregexp.New(`[^\n\t]+`)

// uncommented returns a line without comments. open reports whether a comment is open at its
// beginning; the second result, whether one is open at its end. Code spans contain no comments.
func uncommented(line string, open bool) (string, bool) {
	var b strings.Builder
	for line != "" {
		if open {
			_, rest, closed := strings.Cut(line, "-->")
			if !closed {
				if strings.HasSuffix(line, "\n") {
					b.WriteString("\n")
				}
				return b.String(), true
			}
			line, open = rest, false
			continue
		}
		begin := outsideCode(line, "<!--")
		if begin < 0 {
			b.WriteString(line)
			break
		}
		b.WriteString(line[:begin])
		line, open = line[begin+len("<!--"):], true
	}
	return b.String(), open
}

// outsideCode returns the index of mark in a line outside code spans, or -1.
func outsideCode(line, mark string) int {
	for at := 0; at < len(line); {
		if line[at] == '`' {
			ticks := len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
			end := strings.Index(line[at+ticks:], strings.Repeat("`", ticks))
			if end < 0 {
				at += ticks
				continue
			}
			at += ticks + end + ticks
			continue
		}
		if strings.HasPrefix(line[at:], mark) {
			return at
		}
		at++
	}
	return -1
}

// codeState tracks whether the lines of a text are in a fenced code block.
type codeState struct{ fence string }

// line reports whether the next line belongs to a code block. The fences are part of the block.
func (c *codeState) line(line string) bool {
	trimmed := strings.TrimLeft(line, " ")
	if c.fence != "" {
		if strings.HasPrefix(trimmed, c.fence) && strings.Trim(strings.TrimSpace(trimmed), c.fence[:1]) == "" {
			c.fence = ""
		}
		return true
	}
	for _, mark := range []string{"`", "~"} {
		if n := len(trimmed) - len(strings.TrimLeft(trimmed, mark)); n >= 3 {
			c.fence = strings.Repeat(mark, n)
			return true
		}
	}
	return false
}

// expandImports replaces the imports in a text by the contents of the files. from is the file that
// contains the text.
func (f *finder) expandImports(text, from string, depth int) string {
	if !strings.Contains(text, "@") {
		return text
	}
	var b strings.Builder
	var code codeState
	for line := range strings.Lines(text) {
		if code.line(line) {
			b.WriteString(line)
			continue
		}
		b.WriteString(f.importedLine(line, from, depth))
	}
	return b.String()
}

// importedLine replaces the imports in a line. If imports were refused, the reasons follow the
// line.
func (f *finder) importedLine(line, from string, depth int) string {
	var b strings.Builder
	var refused []string
	for {
		at := nextImport(line)
		if at < 0 {
			break
		}
		name := importName(line[at+1:])
		text, put, why := f.importFile(name, from, depth)
		b.WriteString(line[:at])
		if !put {
			text = "@" + name
		}
		b.WriteString(text)
		if why != "" {
			why = fmt.Sprintf("@%s is not imported: %s", name, why)
			refused = append(refused, why)
			f.found.Problems = append(f.found.Problems, fmt.Errorf("%s: %s", from, why))
		}
		line = line[at+1+len(name):]
	}
	b.WriteString(line)
	out := b.String()
	for _, why := range refused {
		out = strings.TrimSuffix(out, "\n") + "\n(" + why + ")\n"
	}
	return out
}

// nextImport returns the index of the next "@path" in a line, or -1. An import is outside code, and
// at the start or after white space.
func nextImport(line string) int {
	for from := 0; ; {
		at := outsideCode(line[from:], "@")
		if at < 0 {
			return -1
		}
		at += from
		if (at == 0 || strings.ContainsRune(" \t", rune(line[at-1]))) && importName(line[at+1:]) != "" {
			return at
		}
		from = at + 1
	}
}

// importName returns the path after an @, without punctuation at its end.
func importName(rest string) string {
	name := rest
	if end := strings.IndexAny(rest, " \t\n"); end >= 0 {
		name = rest[:end]
	}
	return strings.TrimRight(name, ".,;:)")
}

// importFile returns the text of an imported file. The text is empty if the model already has it.
// put is false if the file does not exist or must not be used; in the second case, why is the
// reason.
func (f *finder) importFile(name, from string, depth int) (text string, put bool, why string) {
	path := name
	if rest, home := strings.CutPrefix(name, "~/"); home {
		path = filepath.Join(f.Home, rest)
	} else if !filepath.IsAbs(name) {
		path = filepath.Join(filepath.Dir(from), name)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", false, ""
	}
	if depth >= maxImports {
		return "", false, fmt.Sprintf("imports are nested more than %d levels deep", maxImports)
	}
	read, err := f.place.Read(path, MaxFile)
	link := (*fsutil.LinkError)(nil)
	switch {
	case errors.As(err, &link):
		return "", false, fmt.Sprintf("it is outside %s; copy it there, or import it from your own instruction file", link.Root)
	case err != nil:
		return "", false, err.Error()
	case strings.ContainsRune(read.Text, 0):
		return "", false, "it is not text"
	}
	if f.Withhold != nil {
		if why := f.Withhold(read.Real); why != "" {
			return "", false, why
		}
	}
	cleaned := clean(read.Text)
	if f.paths[read.Real] || f.contents[cleaned] {
		return "", true, "" // the model already has this text
	}
	f.paths[read.Real], f.contents[cleaned] = true, true
	if read.Cut {
		cleaned += "\n(cut: the file is longer than 64 KiB)"
	}
	return strings.TrimSpace(f.expandImports(cleaned, read.Real, depth+1)), true, ""
}
