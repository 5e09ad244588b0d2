package tools

import (
	"fmt"
	"strings"

	"agent/internal/text/textdiff"
	"agent/internal/text/textfile"
)

// ChangedError is the answer to an edit of a file that changed on disk since the
// model saw it.
type ChangedError struct {
	Path string
	// Diff leads from what the model saw to what is there; empty when it cannot be
	// shown.
	Diff string
}

func (e *ChangedError) Error() string {
	if e.Diff == "" {
		return fmt.Sprintf("%s changed on disk since you last saw it; nothing was written. Read it again first", e.Path)
	}
	return fmt.Sprintf("%s changed on disk since you last saw it; nothing was written. What changed:\n%s"+
		"You have seen the new content now: repeat the edit if it still fits", e.Path, e.Diff)
}

// refuseChanged shows what changed and takes the new content as seen, unless the
// difference is too large to show or the old content is forgotten.
func (e *Env) refuseChanged(s *source, seen []byte) error {
	refusal := &ChangedError{Path: s.rel}
	if seen == nil {
		return refusal
	}
	d := textdiff.New(textfile.Parse(seen).Text, textfile.Parse(s.whole).Text)
	text := strings.ToValidUTF8(d.Unified(s.rel+" (seen)", s.rel+" (on disk)"), "\uFFFD")
	if len(text) <= e.Limits.OutputBytes()/2-notesBytes {
		refusal.Diff = text
		e.Seen.Record(s.abs, s.whole)
	}
	return refusal
}
