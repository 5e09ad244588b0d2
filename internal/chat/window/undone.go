package window

import "agent/internal/history"

// MarkUndone marks the writes whose change of files was undone, and takes the mark
// from those that were done again: an undone write supersedes nothing (D-48). It
// removes and shortens nothing. Undone is asked with what the entry of a write says of
// its change.
func (w *Window) MarkUndone(undone func(change string) bool) error {
	marks := history.DensityResult{Replacements: map[int]*history.Content{}}
	for i, entry := range w.History.RawHistory() {
		change, ok := entry.Metadata[history.MetaChange].(string)
		if !ok {
			continue
		}
		switch is, was := undone(change), entry.Metadata[history.MetaUndone] == true; {
		case is && !was:
			marks.Replacements[i] = entry.WithMeta(history.MetaUndone, true)
		case was && !is:
			marks.Replacements[i] = entry.WithoutMeta(history.MetaUndone)
		}
	}
	return w.History.ApplyDensityResult(marks)
}
