package window

import (
	"slices"

	"agent/internal/history"
)

// The texts that replace content that a provider refused.
const (
	imageLeftOut  = "[An image was omitted: the model can't read images.]"
	resultLeftOut = "[The result was omitted: the provider refused the request that contained it.]"
)

// RemoveUnanswered removes the messages that the user sent since the model's last answer, and returns them,
// oldest first. The provider refused a request because of them, and would refuse all later requests
// (D-50). A reply ended by a content filter is not an answer, and is removed too. A summary is kept,
// and so are the first messages for which spared returns true.
func RemoveUnanswered(h *history.Service, spared func(*history.Content) bool) ([]*history.Content, error) {
	raw := h.RawHistory()
	var said []*history.Content
	var at []int
	for i := unanswered(raw); i < len(raw); i++ {
		switch {
		case len(said) == 0 && spared(raw[i]):
			at = nil
		case isMessage(raw[i]):
			said, at = append(said, raw[i]), append(at, i)
		case raw[i].Speaker == history.AI:
			at = append(at, i)
		}
	}
	if len(said) == 0 {
		return nil, nil
	}
	return said, amend(h, history.DensityResult{Removals: at}, "refusedMessages", len(at))
}

// HasNewImages reports whether a message that the user sent since the model's last answer contains images.
func HasNewImages(h *history.Service) bool {
	raw := h.RawHistory()
	return slices.ContainsFunc(raw[unanswered(raw):], func(c *history.Content) bool {
		return isMessage(c) && slices.ContainsFunc(c.Blocks, isImage)
	})
}

// DropImages replaces every image by a note, and returns the number of images.
func DropImages(h *history.Service) (int, error) {
	return replaceBlocks(h, "refusedImages", 0, func(b history.Block) history.Block {
		if isImage(b) {
			return &history.Text{Text: imageLeftOut}
		}
		return b
	})
}

// WithholdResults replaces the tool results that the model has not answered by a note, and returns
// their number. A failed call stays a failed call.
func WithholdResults(h *history.Service) (int, error) {
	return replaceBlocks(h, "refusedResults", unanswered(h.RawHistory()), func(b history.Block) history.Block {
		r, ok := b.(*history.ToolResponse)
		switch {
		case !ok || r.Error == resultLeftOut || r.Error == "" && r.Result.Text() == resultLeftOut:
			return b
		case r.Error == "":
			return r.WithResult(resultLeftOut)
		default:
			edited := r.WithResult("")
			edited.Error = resultLeftOut
			return edited
		}
	})
}

// replaceBlocks edits the entries from an index to the end, and returns the number of blocks that
// changed.
func replaceBlocks(h *history.Service, field string, from int, edit func(history.Block) history.Block) (int, error) {
	changed := 0
	replacements := map[int]*history.Content{}
	for i, entry := range h.RawHistory() {
		if i < from {
			continue
		}
		blocks, before := slices.Clone(entry.Blocks), changed
		for j, b := range blocks {
			if blocks[j] = edit(b); blocks[j] != b {
				changed++
			}
		}
		if changed > before {
			replacements[i] = entry.WithBlocks(blocks)
		}
	}
	return changed, amend(h, history.DensityResult{Replacements: replacements}, field, changed)
}

// amend changes the history, and records under field the number n of refused blocks or messages that
// were changed.
func amend(h *history.Service, result history.DensityResult, field string, n int) error {
	result.Metadata = history.PruneCounts{{Field: field, N: n}}
	return h.ApplyDensityResult(result)
}

// HasReply reports whether the history still contains an answer of the model.
func HasReply(h *history.Service) bool { return unanswered(h.RawHistory()) > 0 }

// unanswered returns the index after the model's latest reply. It ignores a reply ended by a content
// filter.
func unanswered(entries []*history.Content) int {
	for i, entry := range slices.Backward(entries) {
		if entry.Speaker == history.AI && (entry.Metadata[history.MetaFiltered] != true || len(entry.Calls()) > 0) {
			return i + 1
		}
	}
	return 0
}

func isMessage(c *history.Content) bool {
	return c.Speaker == history.Human && c.Metadata[history.MetaSummary] == nil && !c.HasSource(history.SourceUndo)
}

func isImage(b history.Block) bool {
	_, ok := b.(*history.Media)
	return ok
}

// MarkUndone marks the writes whose change of files was undone, and unmarks writes that were done
// again. An undone write supersedes nothing (D-48). MarkUndone removes and shortens nothing. It calls
// undone with the change id in the entry of a write.
func MarkUndone(h *history.Service, undone func(change string) bool) error {
	marks := history.DensityResult{Replacements: map[int]*history.Content{}}
	for i, entry := range h.RawHistory() {
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
	return h.ApplyDensityResult(marks)
}
