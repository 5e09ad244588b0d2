package openai

import "strings"

// strayCloser finds a closing tag of reasoning without an opening tag. Such a tag remains if the
// model's template has opened the reasoning in the prompt and the server does not remove the tag. The
// tag counts only at the beginning of a line, outside of code and of tags that the answer opens.
type strayCloser struct {
	// line is the part of the current line that was already returned.
	line string
	// pending is the rest of the current line, which may be a part of the tag.
	pending string
	// fenced is set inside a code block.
	fenced bool
	// over is set once the tag no longer counts.
	over bool
}

// closingThink is the only tag that is known to occur without an opening one.
const closingThink = "</think>"

// add adds a part of the answer. It returns the text before the tag and, if the tag was found, the text
// after it.
func (s *strayCloser) add(piece string) (before, after string, found bool) {
	if s.over {
		return piece, "", false
	}
	rest := s.pending + piece
	s.pending = ""
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
			s.pending = line
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

func (s *strayCloser) endLine() {
	switch {
	case strings.HasPrefix(s.line, "```"), strings.HasPrefix(s.line, "~~~"):
		s.fenced = !s.fenced
	case strings.HasPrefix(s.line, fieldThinkTags):
		s.over = true
	}
	s.line = ""
}

// end returns the pending text at the end of the reply.
func (s *strayCloser) end() string {
	pending := s.pending
	s.pending, s.over = "", true
	return pending
}
