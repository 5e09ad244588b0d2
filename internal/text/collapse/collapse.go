// Package collapse shortens command output by grouping paths and omitting similar lines. A path
// that many lines repeat is printed once above them. From a run of lines that differ only in
// numbers, the first and the last line stay, with the number of omitted lines.
package collapse

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/base/lazyregexp"
)

const (
	// MinBytes is the least size of a text that is shortened, in bytes: 500 tokens.
	MinBytes = 2000
	// longest is the greatest length, in bytes, of a line that is grouped. Longer lines stay
	// unchanged.
	longest = 4096
	// run is the least number of consecutive similar lines whose middle is omitted.
	run = 4
)

// Fit returns the output of a command, shortened by ShortenOutput. If the result is longer than limit
// bytes, head is its beginning and tail its end. omitted is set if lines are missing.
func Fit(text string, limit int) (head, tail string, omitted bool) {
	const reach = 16 // up to this factor more text may fit after shortening
	head, omitted = ShortenOutput(text)
	if len(head) <= limit {
		return head, "", omitted
	}
	headLimit := limit * 2 / 5 // programs usually report errors at the end
	head, _ = ShortenOutput(upTo(text, reach*headLimit))
	return upTo(head, headLimit), end(text, limit-headLimit, reach), true
}

// upTo returns the first lines of a text, with at most limit bytes.
func upTo(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if cut := strings.LastIndexByte(text[:limit], '\n'); cut >= 0 {
		return text[:cut+1]
	}
	return strings.ToValidUTF8(text[:limit], "") + "\n"
}

// from returns the last lines of a text, with at most limit bytes.
func from(text string, limit int) string {
	text = text[max(len(text)-limit, 0):]
	if begin := strings.IndexByte(text, '\n'); begin >= 0 && begin+1 < len(text) {
		return text[begin+1:]
	}
	return strings.ToValidUTF8(text, "")
}

// end returns as much of the end of a text as fits into limit bytes after shortening.
func end(text string, limit, reach int) string {
	if _, failure := beforeFailure(text); failure == "" {
		for size := min(len(text), reach*limit); size > limit; size = size * 3 / 4 {
			if short, _ := ShortenOutput(from(text, size)); len(short) <= limit {
				return short
			}
		}
	}
	return from(text, limit)
}

// ShortenOutput returns the output of a command with the paths of search hits grouped, and without the
// middle of runs of similar lines. It returns the text unchanged if it is short, is not plain text,
// or would not become shorter by a fifth. It changes nothing after the first line that reports a
// failure. omitted is set if lines are missing, so that the caller must store the whole output.
// Grouping alone loses no information.
func ShortenOutput(text string) (short string, omitted bool) {
	if len(text) < MinBytes || !utf8.ValidString(text) || strings.ContainsRune(text, 0) || isJSON(text) {
		return text, false
	}
	calm, failure := beforeFailure(text)
	short, omitted = repeats(calm)
	short = group(short) + failure
	if len(short) > len(text)*4/5 {
		return text, false
	}
	return short, omitted
}

func isJSON(text string) bool {
	start := strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[{") || strings.HasPrefix(start, "[\n")
}

// beforeFailure splits a text before the first line that reports a failure.
func beforeFailure(text string) (calm, failure string) {
	at := 0
	for line := range strings.Lines(text) {
		if reportsFailure(line) {
			return text[:at], text[at:]
		}
		at += len(line)
	}
	return text, ""
}

// reportsFailure reports whether a line is about a failure. It ignores search hits and paths,
// because such a word in them is part of a file or a name.
func reportsFailure(line string) bool {
	if _, ok := memberOf(line); ok {
		return false
	}
	line = strings.ToLower(line)
	for _, word := range []string{"fail", "error", "panic", "fatal", "exception", "traceback"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// A member is a line that can be grouped below a heading: a search hit, or a path.
type member struct {
	// heading is the path of the file, or the folder with a trailing separator.
	heading string
	// rest is the part of the line after the heading and the mark that follows it.
	rest string
}

// memberOf parses a line such as "a/b.go:12:text", or "a/b.go-11-text" for a line near a hit, or a
// path without text.
func memberOf(line string) (member, bool) {
	if len(line) > longest {
		return member{}, false
	}
	start := 0
	if len(line) > 3 && line[1] == ':' && (line[2] == '\\' || line[2] == '/') {
		start = 2 // the drive of a Windows path
	}
	for i := start; i < len(line); i++ {
		if line[i] == ':' || line[i] == '-' {
			if rest := line[i+1:]; numbered(rest) && rest[digits(rest)] == line[i] {
				return member{line[:i], rest}, isPath(line[:i])
			}
		}
	}
	path := strings.TrimSuffix(line, "\n")
	at := strings.LastIndexAny(path, `/\`) + 1
	alone := at > 0 && at < len(path) && path != line && !strings.ContainsAny(path[start:], " :\r") && isPath(path)
	return member{path[:at], line[at:]}, alone
}

func digits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// numbered reports whether a line begins with a number and a mark, like a search hit below its
// heading.
func numbered(line string) bool {
	n := digits(line)
	return n > 0 && n < len(line) && (line[n] == ':' || line[n] == '-')
}

// isPath reports whether a text is probably a path. A path has a separator or a file name
// extension, so that times and tables do not look like hits.
func isPath(path string) bool {
	if path == "" || strings.ContainsAny(path, "\t\"'()<>{}|*") || strings.HasPrefix(path, " ") || strings.HasSuffix(path, " ") {
		return false
	}
	return strings.ContainsAny(path, `/\`) || strings.Contains(strings.TrimLeft(path, "."), ".")
}

func isFolder(heading string) bool {
	return strings.HasSuffix(heading, "/") || strings.HasSuffix(heading, `\`)
}

// group returns a text in which the path of each run of search hits in one file is on a separate
// line that ends with a colon. It does the same with the folder of each run of paths. A blank line
// ends a group if other text follows. group returns the text unchanged if Expand would not restore
// it exactly.
func group(text string) string {
	var out strings.Builder
	var members []member
	begin, at := 0, 0
	flush := func(next string) {
		if len(members) < 2 || !worth(members) {
			out.WriteString(text[begin:at])
		} else {
			out.WriteString(members[0].heading + ":\n")
			for _, m := range members {
				out.WriteString(m.rest)
			}
			if _, another := memberOf(next); next != "" && (!another || isFolder(members[0].heading)) {
				out.WriteString("\n")
			}
		}
		members, begin = members[:0], at
	}
	for line := range strings.Lines(text) {
		m, ok := memberOf(line)
		if !ok || len(members) > 0 && members[0].heading != m.heading {
			flush(line)
		}
		at += len(line)
		if ok {
			members = append(members, m)
		} else {
			flush("")
		}
	}
	flush("")
	if grouped := out.String(); Expand(grouped) == text {
		return grouped
	}
	return text
}

// worth reports whether a heading is shorter than the paths that it replaces.
func worth(members []member) bool {
	return len(members[0].heading)*(len(members)-1) > len(members)+2
}

// Expand restores the lines that ShortenOutput grouped. Lines that ShortenOutput omitted stay omitted.
func Expand(text string) string {
	var out strings.Builder
	heading := ""
	for line := range strings.Lines(text) {
		switch path := strings.TrimSuffix(line, ":\n"); {
		case path != line && isPath(path) && !numbered(line):
			heading = path
		case heading != "" && line == "\n":
			heading = ""
		case isFolder(heading):
			out.WriteString(heading + line)
		case heading != "" && numbered(line):
			out.WriteString(heading + line[digits(line):digits(line)+1] + line)
		default:
			heading = ""
			out.WriteString(line)
		}
	}
	return out.String()
}

// passes matches a line of a test program that reports a passed test.
var passes = lazyregexp.New(`^\s*(?:ok\s+\S|--- PASS|=== (?:RUN|PAUSE|CONT)|✓|✔|.*\.\.\. ok$|.*\bPASSED\b)`)

// changing matches the parts in which similar lines may differ.
var changing = lazyregexp.New(`\b[0-9a-f]{7,64}\b|\d+`)

// likeness returns a form that similar lines have in common. It returns "" for a line that must
// stay.
func likeness(line string) string {
	trimmed := strings.TrimRight(line, "\r\n")
	if len(trimmed) > longest || trimmed == "" {
		return ""
	}
	if passes.MatchString(trimmed) {
		return "\x00passes"
	}
	letters, others := 0, 0
	for _, r := range trimmed {
		switch {
		case unicode.IsLetter(r):
			letters++
		case !unicode.IsSpace(r):
			others++
		}
	}
	if letters < others {
		return "" // a table of numbers or a dump
	}
	if _, ok := memberOf(line); ok {
		return "" // the line number of a hit is information
	}
	return changing.ReplaceAllString(trimmed, "0")
}

// repeats returns a text without the middle of each run of similar lines.
func repeats(text string) (short string, omitted bool) {
	var out strings.Builder
	var like string
	var same []string
	flush := func() {
		if len(same) < run {
			out.WriteString(strings.Join(same, ""))
		} else {
			omitted = true
			fmt.Fprintf(&out, "%s[… %d lines like this]\n%s", same[0], len(same)-2, same[len(same)-1])
		}
		same = same[:0]
	}
	for line := range strings.Lines(text) {
		now := likeness(line)
		if now == "" || now != like {
			flush()
		}
		like = now
		same = append(same, line)
	}
	flush()
	return out.String(), omitted
}
