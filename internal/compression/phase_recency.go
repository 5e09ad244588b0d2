package compression

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/history"
)

// PrunedPlaceholder is the text that replaces a result removed by recency pruning (D-03, REQ-HD-007.2).
const PrunedPlaceholder = "[Result pruned — re-run tool to retrieve]"

var oldResults = Phase{
	Kind:  "old-result",
	Field: "recencyPruned",
	One:   "old result", Many: "old results",
	Switch: Switch{
		Name: "recencyPruning", Default: false, // REQ-HD-007.5
		Help: "keep only the latest results of each tool",
	},
	Numbers: []Number{retention},
	run:     pruneOldResults,
}

// retention is the number of results of each tool that are kept (REQ-HD-007.4).
var retention = Number{
	Name: "recencyRetention", Default: 3, Least: 1,
	Help: "how many results of each tool recency pruning keeps",
}

// pruneOldResults replaces all but the newest results of each tool by a pointer (REQ-HD-007). Call and
// response are kept, and so is an error text. Only the result is removed. A response that is already a
// pointer is not counted among the newest (D-22). A response that no request has contained yet is
// counted, but never replaced (D-120).
func pruneOldResults(v *view, config DensityConfig) {
	window := recencyWindow{
		retention: retention.in(config),
		facts:     config.Facts,
		tools:     make(map[string]*toolResults),
		pinned:    pinnedAnswers(v.raw, config),
	}
	first := len(v.prunes)
	var pruned []history.Ref
	for i := len(v.raw) - 1; i >= 0; i-- {
		for j, block := range slices.Backward(v.blocks(i)) {
			response, ok := block.(*history.ToolResponse)
			if !ok {
				continue
			}
			at := history.Ref{Entry: i, Block: j}
			if reason := window.add(v.raw[i].Key(), response); reason != "" && i < v.unseen && !window.pinned[at] {
				pruned = append(pruned, at)
				v.prunePointer(at, response, reason)
			}
		}
	}
	nameCalls(v.raw, config.Facts, pruned, v.prunes[first:])
	slices.Reverse(v.prunes[first:])
}

// A recencyWindow counts results by tool, starting from the newest.
type recencyWindow struct {
	retention int
	facts     TraitsLookup
	tools     map[string]*toolResults
	// pinned contains the positions of results about pinned files.
	pinned map[history.Ref]bool
}

// pinnedAnswers returns the positions of the results about pinned files. It returns nil if no file is
// pinned.
func pinnedAnswers(raw []*history.Content, config DensityConfig) map[history.Ref]bool {
	if len(config.Pinned) == 0 {
		return nil
	}
	pinned := make(map[history.Ref]bool)
	for _, part := range Parts(raw, config) {
		for _, at := range part.Answers {
			pinned[at] = pinned[at] || config.Pinned[part.Path]
		}
	}
	return pinned
}

type toolResults struct {
	retrievable bool
	count       int
	reason      string // the reason why older results are pruned
}

// add counts a result and returns the reason to prune it, or "" to keep it. Content that instructs the
// model is never too old.
func (w recencyWindow) add(key string, response *history.ToolResponse) string {
	results, ok := w.tools[response.ToolName]
	if !ok {
		results = &toolResults{
			retrievable: w.facts.of(response.ToolName).IsRetrievable(),
			reason:      fmt.Sprintf("older than the newest %d %s results", w.retention, response.ToolName),
		}
		w.tools[response.ToolName] = results
	}
	if !results.retrievable {
		return ""
	}
	text := response.Result.Text()
	if text == PrunedPlaceholder || history.IsInstructionKey(key) {
		return ""
	}
	results.count++
	if results.count <= w.retention || utf8.RuneCountInString(text) <= pointerLength || strings.TrimSpace(text) == "" { // D-45
		return ""
	}
	return results.reason
}

// pointerLength is the length of PrunedPlaceholder in characters.
var pointerLength = utf8.RuneCountInString(PrunedPlaceholder)

func (v *view) prunePointer(at history.Ref, response *history.ToolResponse, reason string) {
	pointer := response.WithResult(PrunedPlaceholder)
	v.set(at, pointer)
	swap := [...]history.Block{response, pointer}
	v.recordPrune(history.Prune{
		Subject: response.ToolName,
		Reason:  reason,
		Entry:   at.Entry,
		Gone:    swap[:1:1],
		Left:    swap[1:],
	})
}

// nameCalls adds the key parameters of the calls to the subjects of the prunes, so that a user can
// distinguish, for example, two grep calls. refs contains the responses to the calls. Both refs and
// prunes are ordered from last to first.
func nameCalls(raw []*history.Content, facts TraitsLookup, refs []history.Ref, prunes []history.Prune) {
	if len(refs) == 0 {
		return
	}
	for pair := range history.PairsBackward(raw) {
		for _, at := range pair.Responses {
			i, ok := slices.BinarySearchFunc(refs, at, func(a, b history.Ref) int { return b.Compare(a) })
			if !ok {
				continue
			}
			if key := facts.keyValue(pair.Call); key != "" {
				prunes[i].Subject += ": " + key
			}
			prunes[i].Paths = namedFiles(pair.Call, facts)
		}
	}
}
