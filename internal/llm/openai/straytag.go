package openai

import "strings"

// strayCloser finds the tag that ends the thinking where none began it: the template of
// a model has opened it in the prompt, and the server takes nothing out. The tag counts
// at the beginning of a line, outside of code and of tags that the answer opens itself.
type strayCloser struct {
	// line is the beginning of the line that is arriving, as far as it was passed on;
	// held is the rest of it, which may be a part of the tag.
	line, held string
	// fenced is set within a block of code; over when the tag can come no more.
	fenced, over bool
}

// closingThink is the tag that is known to be alone.
const closingThink = "</think>"

// add takes a piece of the answer. It returns what of it, and of what was held, comes
// before the tag, and, if that was found, what comes after it.
func (s *strayCloser) add(piece string) (before, after string, found bool) {
	if s.over {
		return piece, "", false
	}
	rest := s.held + piece
	s.held = ""
	var passed strings.Builder
	for rest != "" && !s.over {
		line, next, ended := strings.Cut(rest, "\n")
		begin := strings.TrimLeft(s.line+line, " \t\r")
		if tail, is := strings.CutPrefix(begin, closingThink); is && !s.fenced {
			s.over = true
			if ended {
				tail += "\n" + next
			}
			return passed.String(), tail, true
		}
		if strings.HasPrefix(closingThink, begin) && begin != "" && !ended && !s.fenced {
			s.held = line
			break
		}
		passed.WriteString(line)
		s.line = begin[:min(len(begin), len(closingThink))]
		if ended {
			passed.WriteString("\n")
			s.endLine()
		}
		rest = next
	}
	if s.over {
		passed.WriteString(rest)
	}
	return passed.String(), "", false
}

// endLine takes note of what a line was.
func (s *strayCloser) endLine() {
	switch {
	case strings.HasPrefix(s.line, "```"), strings.HasPrefix(s.line, "~~~"):
		s.fenced = !s.fenced
	case strings.HasPrefix(s.line, fieldThinkTags):
		s.over = true
	}
	s.line = ""
}

// end returns what is held when the reply has ended.
func (s *strayCloser) end() string {
	held := s.held
	s.held, s.over = "", true
	return held
}
