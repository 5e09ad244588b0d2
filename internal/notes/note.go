package notes

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"agent/internal/base/secret"
)

// Limits of a note.
const (
	longestNote = 600 // in characters
	mostLines   = 5
	MaxFiles    = 5
)

// A Note is a stored fact.
type Note struct {
	// ID identifies the note: its scope and a number.
	ID   string `json:"id"`
	Text string `json:"text"`
	// Made is the day on which the note was written. Checked is the day on which a user last confirmed
	// it. They are zero if unknown.
	Made    time.Time `json:"made,omitzero"`
	Checked time.Time `json:"checked,omitzero"`
	// From is the origin of the note: a position in a session, ID#N, or the file of another program. It
	// is "" for a note that was typed by hand.
	From string `json:"from,omitempty"`
	// Basis lists the files on which the note is based.
	Basis []Basis `json:"grounds,omitempty"`
	// Proposed is set until the user approves the note.
	Proposed bool `json:"proposed,omitempty"`
}

// A Basis is a file on which a note is based: its path below the repository, and the hash of its
// content.
type Basis struct {
	Path string `json:"path"`
	Sum  string `json:"sum"`
}

// Clean returns a text in the form of a note, or an error with the reason why it cannot be stored.
func Clean(text string) (string, error) {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	text = strings.Join(lines, "\n")
	switch n := utf8.RuneCountInString(text); {
	case text == "":
		return "", errors.New("a note can't be empty")
	case n > longestNote:
		return "", fmt.Errorf("a note can have at most %d characters; this one has %d", longestNote, n)
	case len(lines) > mostLines:
		return "", fmt.Errorf("a note can have at most %d lines; this one has %d", mostLines, len(lines))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }):
		return "", errors.New("a note can't contain control characters")
	case strings.Contains(text, "<!--") || strings.Contains(text, "-->"):
		return "", errors.New("a note can't contain <!-- or -->")
	case secret.Redact(text) != text:
		return "", errors.New("the note seems to contain an API key or a password, which is not allowed")
	}
	return text, nil
}

// sameText reports whether two notes differ only in blanks.
func sameText(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}

const day = "2006-01-02"

func (n Note) render() string {
	lines := strings.Split(n.Text, "\n")
	text := "- " + strings.Join(lines, "\n  ") + "\n"
	about := []string{n.ID}
	if !n.Made.IsZero() {
		about = append(about, n.Made.Format(day))
	}
	if n.From != "" {
		about = append(about, "from:"+escape(n.From))
	}
	if n.Proposed {
		about = append(about, "proposed")
	}
	if !n.Checked.IsZero() {
		about = append(about, "checked:"+n.Checked.Format(day))
	}
	for _, g := range n.Basis {
		about = append(about, "ground:"+escape(g.Path)+"@"+g.Sum)
	}
	return text + "  <!-- " + strings.Join(about, " ") + " -->\n"
}

// escape escapes the characters of a comment mark in a path or a name.
func escape(text string) string {
	return strings.NewReplacer("%2F", "/", "%23", "#", "--", "%2D%2D", "@", "%40").Replace(url.PathEscape(text))
}

// comment parses the comment of a note. ok is false if line is not such a comment.
func (n *Note) comment(line string) (ok bool) {
	inner, begins := strings.CutPrefix(strings.TrimSpace(line), "<!--")
	inner, ends := strings.CutSuffix(inner, "-->")
	fields := strings.Fields(inner)
	if !begins || !ends || len(fields) == 0 || !isID(fields[0]) {
		return false
	}
	read := *n
	read.ID = fields[0]
	for _, field := range fields[1:] {
		name, value, _ := strings.Cut(field, ":")
		switch name {
		case "proposed":
			read.Proposed = true
		case "from":
			read.From, _ = url.PathUnescape(value)
		case "checked":
			read.Checked, _ = time.Parse(day, value)
		case "ground":
			path, sum, _ := strings.Cut(value, "@")
			path, err := url.PathUnescape(path)
			if err != nil || sum == "" {
				path = value // no file has this path, so the note is stale
			}
			read.Basis = append(read.Basis, Basis{path, sum})
		default:
			if at, err := time.Parse(day, field); err == nil {
				read.Made = at
			}
		}
	}
	*n = read
	return true
}

// Matches reports whether content has the hash of the basis.
func (g Basis) Matches(content []byte) bool { return g.Sum == sumOf(content) }

// IDOf returns the ID that a user means. A number alone means a note of the repository.
func IDOf(text string) string {
	if id := string(ScopeRepository) + text; isID(id) {
		return id
	}
	return text
}

// ScopeOf returns the scope of the note with an ID, or "" if the ID is "".
func ScopeOf(id string) Scope { return Scope(id[:min(1, len(id))]) }

func isID(text string) bool {
	return len(text) > 1 && len(text) < 12 && strings.Contains("nup", text[:1]) && strings.Trim(text[1:], "0123456789") == ""
}
