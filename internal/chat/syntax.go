package chat

import (
	"strings"

	"agent/internal/tools"
)

// syntax checks the files that the calls of a reply edit. It checks each file after the last of these
// calls that edits it, because in between a file need not parse.
type syntax struct {
	env *tools.Env
	// edits maps each call to its files, as absolute paths; last maps each file to its last call.
	edits map[*call][]string
	last  map[string]*call
	// changed holds the files that a call has edited.
	changed map[string]bool
}

func newSyntax(env *tools.Env, calls []*call) *syntax {
	s := &syntax{env: env, edits: map[*call][]string{}, last: map[string]*call{}, changed: map[string]bool{}}
	for _, k := range calls {
		s.edits[k] = env.EditedFiles(k.Traits, k.Arguments)
		for _, file := range s.edits[k] {
			s.last[file] = k
		}
	}
	return s
}

// notesAfter returns notes about files that do not parse after a call that ended, or "".
func (s *syntax) notesAfter(k *call) string {
	files := s.edits[k]
	if k.replaced { // the new arguments may name another file
		files = s.env.EditedFiles(k.Traits, k.Arguments)
	}
	var notes []string
	for _, file := range files {
		s.changed[file] = s.changed[file] || k.answer.Error == ""
		if last := s.last[file]; last != nil && last != k || !s.changed[file] {
			continue
		}
		if note := s.env.SyntaxNote(file); note != "" {
			notes = append(notes, note)
		}
	}
	return strings.Join(notes, "; ")
}
