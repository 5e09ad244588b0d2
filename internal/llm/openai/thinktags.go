package openai

import "strings"

// thinkTags are what models put around their thinking where the server does not take
// it out of the answer: most, Claude's prompts, Gemini and Gemma, Mistral.
var thinkTags = []struct{ opening, closing string }{
	{fieldThinkTags, "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"[THINK]", "[/THINK]"},
}

// tagReader takes the thinking out of an answer that begins with it. A tag that comes
// later is what the answer is about.
type tagReader struct {
	// held is what has come and may be a part of a tag.
	held string
	// opening and closing are the tags around the thinking, "" when it has none.
	opening, closing string
	// thought is what has come of the thinking.
	thought strings.Builder
	// inside is set between the tags; answering when all that comes is the answer;
	// closed until the first word after the thinking.
	inside, answering, closed bool
}

// add takes a piece of the content, and returns what of it and of what was held is
// thinking, and what is answer.
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

// open looks for the tag at the beginning. It reports false when there is none, and
// true when there is, or may be when more has come.
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

// released is all that was held, which is answer.
func (t *tagReader) released() string {
	held := t.held
	t.held, t.answering = "", true
	return held
}

// end returns what is held when the reply has ended. A model that has said all it
// wanted, and forgot to close its thinking, has answered in it.
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

// afterSpace is an answer without the space between it and the thinking.
func (t *tagReader) afterSpace(answer string) string {
	if t.closed {
		answer = strings.TrimLeft(answer, " \t\r\n")
		t.closed = answer == ""
	}
	return answer
}

// overlap is how many bytes at the end of text may be the beginning of a tag.
func overlap(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}
