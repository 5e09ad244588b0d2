package compression

import (
	"cmp"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/words"
)

// largeResult is a response that a line would shorten.
type largeResult struct {
	at       history.Ref
	response *history.ToolResponse
	key      string
	// note is what represents it in a line.
	note  *history.ToolResponse
	bytes int
}

// noteResults puts a line in place of each tool result that the model has seen,
// largest first, until the request fits.
func (l *ladder) noteResults() {
	var seen []large
	for _, r := range l.largeResults(0, lastReply(l.History)+1) {
		seen = append(seen, large{r.at, r.note, r.bytes})
	}
	l.shorten(seen, l.Total()-l.room)
}

// cutResults cuts what the model has not seen to an equal share of the room there is for all
// of it, and only notes it if that is next to nothing (D-41, D-42). A small result leaves
// what it does not need to the others.
func (l *ladder) cutResults() {
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

// fewestShown is how many tokens of a result are worth showing.
const fewestShown = 30

// fit returns the beginning of a result of so many tokens, in at most so many, and a last
// line that says how to read on; a note alone where that is too little.
func (l *ladder) fit(r largeResult, tokens, most int) *history.ToolResponse {
	text := r.response.Result.Text()
	note := shortNote(r.response, r.key, "too large for the window, "+size(text)+"; read a range")
	last := "[cut: " + size(text) + " are too large for the window; read a range]"
	for keep := len(text) * most / max(1, tokens); most >= l.size(history.Tool, note)+fewestShown && keep > 0; keep -= keep/8 + 1 {
		shorter := *note
		shorter.Result = history.TextResult(wholeLines(text, keep) + last)
		if l.size(history.Tool, &shorter) <= most {
			return &shorter
		}
	}
	return note
}

// wholeLines returns the lines of text that end within its first bytes, or what fits
// of a line that is longer.
func wholeLines(text string, bytes int) string {
	head := strings.ToValidUTF8(text[:min(bytes, len(text))], "")
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		return head[:i+1]
	}
	return head + "…\n"
}

// largeResults are those of the entries from one on up to another.
func (l *ladder) largeResults(from, to int) []largeResult {
	var results []largeResult
	calls, facts := groupEntries(l.History).callOf(), l.Facts.remembered()
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

// lastReply is the entry with the model's latest reply, −1 when there is none.
func lastReply(entries []*history.Content) int {
	i := len(entries) - 1
	for i >= 0 && entries[i].Speaker != history.AI {
		i--
	}
	return i
}

// maxNoteError bounds what stays of an error text beside a note, in characters.
const maxNoteError = 200

// shortNote returns the response with a line in place of its result, and its
// error text cut.
func shortNote(response *history.ToolResponse, key, fate string) *history.ToolResponse {
	note := *response
	note.Error = words.Line(response.Error, maxNoteError)
	if text := response.Result.Text(); !isSummary(text, response) {
		note.Result = history.TextResult(summaryLine(response, key, fate))
	}
	return &note
}
