package openai

import "strings"

// thinkTags are the tags around the thinking of models where the server leaves it in the
// answer: those of most models, of prompts for Claude, of Gemini and Gemma, and of Mistral.
var thinkTags = []struct{ opening, closing string }{
	{fieldThinkTags, "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"[THINK]", "[/THINK]"},
}

// tagReader separates the thinking from an answer that begins with it. Later tags belong to
// the answer.
type tagReader struct {
	// held is text that may be a part of a tag.
	held string
	// opening and closing are the tags around the thinking, "" if there are none.
	opening, closing string
	// thought is the thinking so far.
	thought strings.Builder
	// inside is set between the tags.
	inside bool
	// answering is set when the rest is the answer.
	answering bool
	// closed is set from the closing tag to the first word of the answer.
	closed bool
}

// add adds a piece of the content. It returns the thinking and the answer in it and in the
// text that was held.
func (t *tagReader) add(piece string) (thought, answer string) {
	if t.answering {
		return "", t.afterSpace(piece)
	}
	t.held += piece
	if !t.inside && !t.open() {
		return "", t.released()
	}
	if !t.inside {
		return "", ""
	}
	thought, rest, found := strings.Cut(t.held, t.closing)
	if found {
		t.held, t.inside, t.answering, t.closed = "", false, true, true
		return thought, t.afterSpace(rest)
	}
	keep := overlap(t.held, t.closing)
	thought, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
	t.thought.WriteString(thought)
	return thought, ""
}

// open looks for an opening tag at the beginning. It reports whether there is one, or may be
// one when more text arrives.
func (t *tagReader) open() bool {
	begin := strings.TrimLeft(t.held, " \t\r\n")
	for _, tags := range thinkTags {
		if rest, found := strings.CutPrefix(begin, tags.opening); found {
			t.opening, t.closing, t.inside = tags.opening, tags.closing, true
			t.held = rest
			return true
		}
		if strings.HasPrefix(tags.opening, begin) {
			return true
		}
	}
	return false
}

// released returns the text that was held, which belongs to the answer.
func (t *tagReader) released() string {
	held := t.held
	t.held, t.answering = "", true
	return held
}

// end returns the text that is still held at the end of the reply. If a complete reply never
// closes its thinking, the thinking is the answer.
func (t *tagReader) end(complete bool) (thought, answer string) {
	if !t.inside {
		return "", t.released()
	}
	thought, t.held = t.held, ""
	if complete {
		answer = strings.TrimSpace(t.thought.String() + thought)
	}
	return thought, answer
}

// afterSpace returns an answer without the space between it and the thinking.
func (t *tagReader) afterSpace(answer string) string {
	if t.closed {
		answer = strings.TrimLeft(answer, " \t\r\n")
		t.closed = answer == ""
	}
	return answer
}

// overlap returns how many bytes at the end of text may be the beginning of a tag.
func overlap(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}
