package history

// Usage splits a history's estimated tokens by speaker.
type Usage struct {
	Human       int
	Assistant   int
	ToolCalls   int
	ToolResults int
}

// Usage sums the memoised counts by kind. What surrounds an entry's blocks counts
// for its speaker, so that the parts add up to TotalTokens.
func (s *Service) Usage() Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	var u Usage
	for _, e := range s.entries {
		rest := e.tokens
		for i, block := range e.content.Blocks {
			if _, call := block.(*ToolCall); call {
				u.ToolCalls += e.blocks[i]
				rest -= e.blocks[i]
			}
		}
		switch e.content.Speaker {
		case Human:
			u.Human += rest
		case AI:
			u.Assistant += rest
		case Tool:
			u.ToolResults += rest
		}
	}
	return u
}
