package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/outline"
	"agent/internal/text/lines"
	"agent/internal/text/textfile"
)

// maxOutlineBytes is the size of the largest file that is outlined.
const maxOutlineBytes = 1 << 20

const (
	outlineTokens = 1500
	// headLines is the number of first lines that an outline shows of a file with declarations.
	// firstLines and lastLines are the numbers for any other file.
	headLines, firstLines, lastLines = 30, 60, 10
	// leastOutlined is the least number of lines of a file that is outlined. Line ranges are of
	// little use for a file with few long lines.
	leastOutlined = 2 * (firstLines + lastLines)
	// outlineLine limits a line that an outline shows, in bytes.
	outlineLine = 200
)

// TextOutline returns the outline of a text file that has more than limit tokens. It contains the first
// lines, then the declarations with their lines, or the headings and last lines if no declarations
// are known. It returns false if the whole file must be sent. This is so for a limit of 0, a small
// file, few lines, instructions, or an outline that saves less than two thirds.
func TextOutline(ctx context.Context, name, text string, limit int) (string, bool) {
	all := lines.Split(text)
	if limit < 1 || len(text) <= limit*bytesPerToken || len(text) > maxOutlineBytes || len(all) < leastOutlined || isInstruction(name) {
		return "", false
	}
	size := fmt.Sprintf("%s, about %s", humanize.Count(len(all), "line"), humanize.Tokens(len(text)/bytesPerToken)+" tokens")
	out := fmt.Sprintf("[outline of %s: %s. To read lines, call read_file with offset and limit, such as offset %d and limit 200; to read all, with whole: true]\n", name, size, headLines+1)
	declared, err := outline.Read(ctx, name, text)
	if err == nil && len(declared.Declarations) > 0 {
		out += shownLines(all[:headLines]) + fmt.Sprintf("[declarations, as FIRST-LAST|TEXT; %s]\n", declared.Note) + boundedList(declared.String())
	} else {
		out += shownLines(all[:firstLines]) + "[…]\n" + boundedList(headings(all[firstLines:len(all)-lastLines], firstLines+1)) +
			fmt.Sprintf("[lines %d-%d]\n", len(all)-lastLines+1, len(all)) + shownLines(all[len(all)-lastLines:])
	}
	return out, len(out) <= len(text)/3
}

// isInstruction reports whether a file contains instructions for the model.
func isInstruction(name string) bool {
	base := strings.ToUpper(filepath.Base(filepath.ToSlash(name)))
	if filepath.Ext(base) != ".MD" {
		return false
	}
	for _, word := range []string{"AGENTS", "CLAUDE", "GEMINI", "SKILL", "PLAN"} {
		if strings.HasPrefix(base, word) {
			return true
		}
	}
	return false
}

// shownLines joins lines that are cut to outlineLine.
func shownLines(list []string) string {
	var out strings.Builder
	for _, line := range list {
		out.WriteString(lines.Cut(strings.TrimSuffix(line, "\n"), outlineLine) + "\n")
	}
	return out.String()
}

// headings lists the headings of Markdown among lines, as LINE|HEADING. first is the number of the
// first line.
func headings(list []string, first int) string {
	var out strings.Builder
	for i, line := range list {
		if marks := strings.TrimLeft(line, "#"); len(marks) < len(line) && strings.HasPrefix(marks, " ") {
			fmt.Fprintf(&out, "%d|%s", first+i, lines.Cut(line, outlineLine))
		}
	}
	return out.String()
}

// boundedList cuts a list of declarations to outlineTokens. It removes nested declarations first.
func boundedList(list string) string {
	const room = outlineTokens * bytesPerToken
	all := lines.Split(list)
	if len(list) > room {
		var top []string
		for _, line := range all {
			if _, heading, _ := strings.Cut(line, "|"); heading == strings.TrimLeft(heading, " \t") {
				top = append(top, line)
			}
		}
		if len(top)*4 > len(all) { // otherwise little more than one class would remain
			all = top
		}
	}
	n := fitting(all, room)
	out := strings.Join(all[:n], "")
	if left := strings.Count(list, "\n") - n; left > 0 {
		out += fmt.Sprintf("[%d more omitted; to find them, use search_file_content]\n", left)
	}
	return out
}

// outline answers a read of a whole file with its outline. It returns false if the answer must be the
// text. This is so if the file is small, the model has read or edited it, or a user named it.
func (e *Env) outline(ctx context.Context, path string) (Answer, bool) {
	if e.Limits.OutlineTokens < 1 {
		return Answer{}, false
	}
	s, err := e.open(ctx, path)
	if err != nil {
		return Answer{}, false // the read reports the reason
	}
	s.Close()
	if s.whole == nil || s.cells != nil || e.Seen.met(s.abs) || e.Asked != nil && e.Asked(s.abs) {
		return Answer{}, false
	}
	d := textfile.Parse(s.whole)
	text, ok := TextOutline(ctx, s.rel, strings.ToValidUTF8(d.Text, replacement), e.Limits.OutlineTokens)
	if !ok {
		return Answer{}, false
	}
	e.Seen.MarkSeen(s.abs)
	return Answer{Text: text, Note: s.foreignNote(text), View: s.shownView(0, 0, false)}, true
}
