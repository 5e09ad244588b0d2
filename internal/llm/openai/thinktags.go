package openai

import "strings"

// thinkTags lists the tags around reasoning that a server does not remove from the answer: of most
// models, of prompts for Claude, of Gemini and Gemma, and of Mistral.
var thinkTags = []struct{ opening, closing string }{
	{fieldThinkTags, "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"[THINK]", "[/THINK]"},
}

// tagReader separates the reasoning from an answer that begins with it. Later tags belong to the
// answer.
type tagReader struct {
	// pending is text that may be a part of a tag.
	pending string
	// opening is the tag before the reasoning, or "".
	opening string
	// closing is the tag after the reasoning.
	closing string
	// thought is the reasoning so far.
	thought strings.Builder
	// inside is set between the tags.
	inside bool
	// answering is set once the remaining text is the answer.
	answering bool
	// closed is set from the closing tag to the first word of the answer.
	closed bool
}

// add adds a part of the content. It returns the reasoning and the answer in that part and in the
// pending text.
func (t *tagReader) add(piece string) (thought, answer string) {
	if t.answering {
		return "", t.trimLeadingSpace(piece)
	}
	t.pending += piece
	if !t.inside && !t.open() {
		return "", t.takePending()
	}
	if !t.inside {
		return "", ""
	}
	thought, rest, found := strings.Cut(t.pending, t.closing)
	if found {
		t.pending, t.inside, t.answering, t.closed = "", false, true, true
		return thought, t.trimLeadingSpace(rest)
	}
	keep := overlap(t.pending, t.closing)
	thought, t.pending = t.pending[:len(t.pending)-keep], t.pending[len(t.pending)-keep:]
	t.thought.WriteString(thought)
	return thought, ""
}

// open looks for an opening tag at the beginning. It reports whether there is one, or might be one when
// more text has arrived.
func (t *tagReader) open() bool {
	begin := strings.TrimLeft(t.pending, " \t\r\n")
	for _, tags := range thinkTags {
		if rest, found := strings.CutPrefix(begin, tags.opening); found {
			t.opening, t.closing, t.inside = tags.opening, tags.closing, true
			t.pending = rest
			return true
		}
		if strings.HasPrefix(tags.opening, begin) {
			return true
		}
	}
	return false
}

// takePending returns the pending text, which belongs to the answer.
func (t *tagReader) takePending() string {
	pending := t.pending
	t.pending, t.answering = "", true
	return pending
}

// end returns the pending text at the end of the reply. If a complete reply never closes its reasoning,
// the reasoning is the answer.
func (t *tagReader) end(complete bool) (thought, answer string) {
	if !t.inside {
		return "", t.takePending()
	}
	thought, t.pending = t.pending, ""
	if complete {
		answer = strings.TrimSpace(t.thought.String() + thought)
	}
	return thought, answer
}

// trimLeadingSpace removes the space between the reasoning and the answer.
func (t *tagReader) trimLeadingSpace(answer string) string {
	if t.closed {
		answer = strings.TrimLeft(answer, " \t\r\n")
		t.closed = answer == ""
	}
	return answer
}

// overlap returns the number of bytes at the end of text that may be the beginning of a tag.
func overlap(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}
