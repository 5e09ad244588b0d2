package history

import (
	"testing"
)

// Thinking that requests omit counts nothing, also after an edit of its entry. It counts again once
// a request includes it.
func TestOmittedThinkingCountsNothing(t *testing.T) {
	t.Parallel()
	s, _ := letters(t, "A")
	thinking := &Thinking{Thought: "long thought", Attached: &Attachment{Wanted: true, Data: []byte(`"x"`)}}
	reply := New(AI, thinking, &Text{Text: "yes"})
	if err := s.Add(reply); err != nil {
		t.Fatal(err)
	}
	whole, thought := s.TotalTokens(), len(thinking.Thought)+len(thinking.Attached.Data)
	s.OmitThinking(func(c *Content) bool { return c == reply })
	if got := s.TotalTokens(); got != whole-thought {
		t.Errorf("%d tokens without the thinking, want %d", got, whole-thought)
	}
	edited := reply.WithBlocks([]Block{thinking, &Text{Text: "y"}})
	if err := s.ApplyDensityResult(DensityResult{Replacements: map[int]*Content{1: edited}}); err != nil {
		t.Fatal(err)
	}
	if got := s.TotalTokens(); got != whole-thought-2 {
		t.Errorf("%d tokens after an edit, want %d", got, whole-thought-2)
	}
	s.OmitThinking(func(*Content) bool { return false })
	if got := s.TotalTokens(); got != whole-2 {
		t.Errorf("%d tokens with the thinking, want %d", got, whole-2)
	}
}
