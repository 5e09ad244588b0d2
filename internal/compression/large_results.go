package compression

import (
	"cmp"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// A largeResult is a response that is longer than the line that would replace its result.
type largeResult struct {
	at       history.Ref
	response *history.ToolResponse
	key      string
	// note is the response with a line instead of its result.
	note  *history.ToolResponse
	bytes int
}

// noteResults replaces each tool result that the model has seen by a line, largest first, until the
// request fits.
func (l *reduction) noteResults() {
	var seen []large
	for _, r := range l.largeResults(0, lastReply(l.History)+1) {
		seen = append(seen, large{r.at, r.note, r.bytes})
	}
	l.shorten(seen, l.Total()-l.room)
}

// cutResults cuts each result that the model has not seen to an equal share of the room for all of
// them. If the share is too small, only a note about the result remains (D-41, D-42). The unused share
// of a small result is divided among the others.
func (l *reduction) cutResults() {
	unseen := l.largeResults(lastReply(l.History)+1, len(l.History))
	tokens, room := make(map[history.Ref]int), l.room-l.Total()
	for _, r := range unseen {
		tokens[r.at] = l.size(history.Tool, r.response)
		room += tokens[r.at]
	}
	slices.SortStableFunc(unseen, func(a, b largeResult) int { return cmp.Compare(tokens[a.at], tokens[b.at]) })
	blocks := make(map[int][]history.Block)
	for i, r := range unseen {
		share, takes := room/(len(unseen)-i), tokens[r.at]
		if takes > share {
			short := l.fit(r, takes, share)
			if blocks[r.at.Entry] == nil {
				blocks[r.at.Entry] = slices.Clone(l.History[r.at.Entry].Blocks)
			}
			blocks[r.at.Entry][r.at.Block] = short
			takes = l.size(history.Tool, short)
		}
		room -= takes
	}
	l.edit(blocks)
}

// fewestShown is the smallest number of tokens of a result worth showing.
const fewestShown = 30

// fit returns the beginning of a result, at most most tokens, with a last line about how to read the
// rest. If that is too short, it returns only a note. tokens is the size of the result.
func (l *reduction) fit(r largeResult, tokens, most int) *history.ToolResponse {
	text := r.response.Result.Text()
	note := shortNote(r.response, r.key, "too large for the context window, "+size(text)+"; read a range")
	last := "[cut: " + size(text) + " are too large for the context window; read a range]"
	for keep := len(text) * most / max(1, tokens); most >= l.size(history.Tool, note)+fewestShown && keep > 0; keep -= keep/8 + 1 {
		shorter := *note
		shorter.Result = history.TextResult(wholeLines(text, keep) + last)
		if l.size(history.Tool, &shorter) <= most {
			return &shorter
		}
	}
	return note
}

// wholeLines returns the whole lines within the first bytes of text. If the first line is longer, it
// returns the beginning of that line.
func wholeLines(text string, bytes int) string {
	head := strings.ToValidUTF8(text[:min(bytes, len(text))], "")
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		return head[:i+1]
	}
	return head + "…\n"
}

// largeResults lists the large results in the entries from index from up to index to.
func (l *reduction) largeResults(from, to int) []largeResult {
	var results []largeResult
	calls, facts := groupEntries(l.History).callOf(), l.Facts.memoized()
	for i, entry := range l.History[from:to] {
		if entry.Speaker != history.Tool {
			continue
		}
		for j, block := range entry.Blocks {
			response, ok := block.(*history.ToolResponse)
			if !ok {
				continue
			}
			text, at := response.Result.Text(), history.Ref{Entry: from + i, Block: j}
			r := largeResult{at: at, response: response, key: facts.keyValue(calls[at]), bytes: len(text) + len(response.Error)}
			r.note = shortNote(response, r.key, "removed to fit the context limit, "+size(text))
			if len(r.note.Result.Text())+len(r.note.Error) < r.bytes {
				results = append(results, r)
			}
		}
	}
	return results
}

// maxNoteError limits the error text after a note, in characters.
const maxNoteError = 200

// shortNote returns the response with a line instead of its result, and with its error text cut.
func shortNote(response *history.ToolResponse, key, fate string) *history.ToolResponse {
	note := *response
	note.Error = humanize.Line(response.Error, maxNoteError)
	if text := response.Result.Text(); !isSummary(text, response) {
		note.Result = history.TextResult(summaryLine(response, key, fate))
	}
	return &note
}
