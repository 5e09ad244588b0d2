// Package review parses and checks the findings of a review. Each finding quotes lines of the
// reviewed change. A finding is dropped if its quote is not in the change.
package review

import (
	"encoding/json"
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/text/lines"
	"agent/internal/text/textdiff"
)

// Schema is the JSON Schema of the findings that a model returns.
const Schema = `{"type":"object","additionalProperties":false,"required":["findings"],"properties":{"findings":{"type":"array","description":"the worst first; empty if there are none","items":{"type":"object","additionalProperties":false,"required":["file","severity","title","detail","quote"],"properties":{
"file":{"type":"string","description":"path as in the diff, without a/ or b/"},
"severity":{"enum":["error","warning","note"]},
"title":{"type":"string","description":"the defect, in one line"},
"detail":{"type":"string","description":"when it happens, and how to fix it"},
"quote":{"type":"string","description":"one to five whole lines of the diff that the finding is about, next to each other and exactly as they are there, without the sign before each; findings whose quote is not in the diff are dropped"}}}}}}`

// A Finding is a defect that a change introduces.
type Finding struct {
	File string `json:"file"`
	// Line and EndLine are the line numbers of the quote in the file after the change. If Removed
	// is set, they refer to the file before the change.
	Line     int    `json:"line"`
	EndLine  int    `json:"end_line"`
	Removed  bool   `json:"removed,omitempty"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Detail   string `json:"detail"`
	Quote    string `json:"quote"`
}

// Findings are the findings of a review.
type Findings struct {
	Findings []Finding `json:"findings"`
}

// Check reads the findings of an answer that matches Schema. kept contains the findings whose
// quotes are in the diff, with their line numbers. dropped has a line for each other finding.
func Check(answer []byte, diff string) (kept Findings, dropped []string, err error) {
	var given Findings
	if err := json.Unmarshal(answer, &given); err != nil {
		return kept, nil, err
	}
	files := map[string][]side{}
	for _, file := range textdiff.Split(diff) {
		for _, s := range sidesOf(file) {
			files[s.name] = append(files[s.name], s)
		}
	}
	kept.Findings = []Finding{}
	for _, f := range given.Findings {
		if f.locate(files[f.File]) {
			kept.Findings = append(kept.Findings, f)
			continue
		}
		why := "its quote is not in the diff of " + f.File
		if files[f.File] == nil {
			why = f.File + " is not in the diff"
		}
		dropped = append(dropped, humanize.Line(fmt.Sprintf("dropped a finding: %s: %s", f.Title, why), 300))
	}
	return kept, dropped, nil
}

// A side is a hunk of a file, either before or after the change.
type side struct {
	name    string
	first   int
	removed bool
	lines   []string
}

// sidesOf returns the hunks in the diff of one file, first those after the change and then those
// before it.
func sidesOf(diff string) []side {
	var all, were []side
	var old, now *side
	from, to := "", ""
	left := textdiff.Extent{} // the remaining lines of the hunk
	for line := range strings.Lines(diff) {
		text := strings.TrimRight(line, "\r\n")
		switch {
		case left.Lines > 0:
			if text == "" {
				text = " "
			}
			sign, rest := text[0], text[1:]
			if sign != '+' && sign != '\\' {
				old.lines = append(old.lines, rest)
				left.Lines--
			}
			if sign != '-' && sign != '\\' {
				now.lines = append(now.lines, rest)
				left.Lines--
			}
		case strings.HasPrefix(line, "--- "):
			from = named(text[4:], "a/")
		case strings.HasPrefix(line, "+++ "):
			to = named(text[4:], "b/")
		case strings.HasPrefix(line, "@@ "):
			was, is := textdiff.Extents(line)
			left.Lines = was.Lines + is.Lines
			were, all = append(were, side{from, was.Start, true, nil}), append(all, side{to, is.Start, false, nil})
			old, now = &were[len(were)-1], &all[len(all)-1]
		}
	}
	return append(all, were...)
}

// named returns the name of a file in the header of a diff.
func named(text, prefix string) string {
	name, _, _ := strings.Cut(text, "\t")
	return strings.TrimPrefix(strings.Trim(name, `"`), prefix)
}

// locate searches for the quote of a finding, and sets its line numbers. It returns false if it
// does not find the quote.
func (f *Finding) locate(sides []side) bool {
	var quote []string
	for _, line := range lines.Split(strings.Trim(f.Quote, "\r\n")) {
		quote = append(quote, strings.TrimSpace(line))
	}
	if strings.Join(quote, "") == "" {
		return false
	}
	for _, s := range sides {
		for at := 0; at+len(quote) <= len(s.lines); at++ {
			if same(s.lines[at:at+len(quote)], quote) {
				f.Line, f.EndLine, f.Removed = s.first+at, s.first+at+len(quote)-1, s.removed
				return true
			}
		}
	}
	return false
}

// same reports whether lines are equal, ignoring the blanks around them.
func same(have, want []string) bool {
	for i := range want {
		if strings.TrimSpace(have[i]) != want[i] {
			return false
		}
	}
	return true
}

// JSON returns the findings as JSON.
func (f Findings) JSON() (json.RawMessage, error) { return rawjson.Marshal(f) }
