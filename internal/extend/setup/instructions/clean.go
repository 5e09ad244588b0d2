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

// clean returns a text as the model reads it: without a byte order mark, carriage returns and
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
	return strings.TrimSpace(plain.ReplaceAllStringFunc(b.String(), humanize.Visible))
}

// plain matches the parts of a text in which control characters are made visible: everything but
// line feeds and tabs.
var plain = lazyregexp.New(`[^\n\t]+`)

// uncommented returns a line without comments, and whether a comment is open at its end. open says
// whether a comment is open at its beginning. Code spans contain no comments.
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

// outsideCode returns the index of a mark in a line outside of `code`, or -1.
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

// line reports whether the next line belongs to a code block. The fences belong to it.
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

// expandImports replaces the imports of a text by the files. from is the file of the text.
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

// importedLine replaces the imports of a line. Reasons why imports were refused follow the line.
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

// nextImport returns the index of the next "@path" in a line, or -1. An import stands at the start
// or after white space, and outside of code.
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

// importFile returns the text of an imported file, which is empty if the model has it already. put
// is false if there is no such file or it must not be used; why is the reason in the second case.
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
		return "", false, fmt.Sprintf("imports are nested deeper than %d", maxImports)
	}
	read, err := f.place.Read(path, MaxFile)
	link := (*fsutil.LinkError)(nil)
	switch {
	case errors.As(err, &link):
		return "", false, fmt.Sprintf("it lies outside of %s; copy it there, or import it in a file of your own", link.Root)
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
