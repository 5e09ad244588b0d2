package cachemiss

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/llm"
	"agent/prompts"
)

// A Head describes the system prompt and the tools of a request by digests. A session log can store it,
// so that another process can determine what changed first.
type Head struct {
	Tools []Digest `json:"tools"`
	Lines []Digest `json:"lines"`
}

// A Digest describes a tool, a line of the system prompt, or an instruction file in the prompt.
type Digest struct {
	// Name is the name of a tool, or a title in the system prompt.
	Name string `json:"name,omitempty"`
	Sum  string `json:"sum,omitempty"`
	// Undated is a digest of the line without its dates and times. It is "" if the line has none.
	Undated string `json:"undated,omitempty"`
	// text is the line. It is not recorded.
	text string
}

func (d Digest) same(other Digest) bool { return d.Name == other.Name && d.Sum == other.Sum }

// SamePrompt reports whether two heads have the same system prompt.
func SamePrompt(a, b *Head) bool { return slices.EqualFunc(a.Lines, b.Lines, Digest.same) }

// MetaHead is the key of a reply's metadata with the Head of its request. Replies whose request had the
// same head as the previous one lack it.
const MetaHead = "head"

// clock matches a date or a time of day.
var clock = lazyregexp.New(`\d{4}-\d\d-\d\d|\d\d:\d\d`)

// NewHead describes the head of a request.
func NewHead(system string, tools []llm.ToolSpec) *Head {
	h := &Head{}
	for _, t := range tools {
		h.Tools = append(h.Tools, Digest{Name: t.Name, Sum: sum(t.Name + t.Description + string(t.Schema))})
	}
	part := ""
	var file strings.Builder // the text of an instruction file
	endFile := func() {
		if file.Len() > 0 {
			h.Lines = append(h.Lines, Digest{Sum: sum(file.String())})
		}
		file.Reset()
	}
	for line := range strings.SplitSeq(system, "\n") {
		switch {
		case prompts.IsPartTitle(line, part):
			endFile()
			part = line
			h.Lines = append(h.Lines, Digest{Name: line})
		case strings.HasPrefix(part, prompts.InstructionsFrom):
			file.WriteString(line + "\n")
		default:
			d := Digest{Sum: sum(line), text: strings.TrimSpace(line)}
			if undated := clock.ReplaceAllString(line, ""); undated != line {
				d.Undated = sum(undated)
			}
			h.Lines = append(h.Lines, d)
		}
	}
	endFile()
	return h
}

func sum(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}

// headCause returns the part of the head that changed first. Providers process the tools before the
// prompt.
func headCause(before, now *Head) (Cause, string) {
	if before == nil || now == nil {
		return CausePrompt, "the prompt or the tools changed since the session was closed"
	}
	if what := toolChange(before.Tools, now.Tools); what != "" {
		return CauseTools, what
	}
	part := ""
	for i := range max(len(before.Lines), len(now.Lines)) {
		var was, is Digest
		if i < len(before.Lines) {
			was = before.Lines[i]
		}
		if i < len(now.Lines) {
			is = now.Lines[i]
		}
		if !is.same(was) {
			return lineCause(part, was, is)
		}
		part = cmp.Or(is.Name, part)
	}
	return lineCause(part, Digest{}, Digest{})
}

// lineCause returns why a line of the system prompt changed. part is the title above the line.
func lineCause(part string, was, is Digest) (Cause, string) {
	for _, title := range []string{is.Name, was.Name, part} {
		if file, found := strings.CutPrefix(title, prompts.InstructionsFrom); found {
			return CauseInstructions, "the instructions of " + file + " changed"
		}
	}
	if is.Undated != "" && is.Undated == was.Undated {
		return CauseClock, "the time in the system prompt changed: “" + humanize.Line(is.text, 60) + "”"
	}
	title := cmp.Or(strings.TrimPrefix(part, "# "), "its beginning")
	return CausePrompt, "the system prompt changed (" + humanize.Line(title, 60) + ")"
}

// toolChange names the tools that were added, removed or changed. It returns "" if there are none.
func toolChange(before, now []Digest) string {
	var changes []string
	named := func(tools []Digest, name string) int {
		return slices.IndexFunc(tools, func(t Digest) bool { return t.Name == name })
	}
	for _, t := range now {
		if i := named(before, t.Name); i < 0 {
			changes = append(changes, "+"+t.Name)
		} else if !before[i].same(t) {
			changes = append(changes, "another "+t.Name)
		}
	}
	for _, t := range before {
		if named(now, t.Name) < 0 {
			changes = append(changes, "−"+t.Name)
		}
	}
	switch {
	case len(changes) > 0:
		return "the tools changed: " + humanize.Line(strings.Join(changes, ", "), 60)
	case !slices.EqualFunc(before, now, Digest.same):
		return "the order of the tools changed"
	}
	return ""
}
