package compression

import (
	"fmt"
	"slices"

	"agent/internal/history"
)

// PrunedPointer is what stands in place of a result that recency pruning took
// out (D-03, REQ-HD-007.2).
const PrunedPointer = "[Result pruned — re-run tool to retrieve]"

// pruneOldResults replaces all but the newest results of each tool by a pointer
// (REQ-HD-007). Call and response stay, and so does an error text; only the
// result goes. Responses that are the pointer already are not counted (D-22).
func pruneOldResults(v *view, config DensityConfig) {
	if !config.RecencyPruning {
		return
	}
	retention := NormalizeRetention(config.RecencyRetention)
	first := len(v.prunes)
	count := make(map[string]int)
	byRef := make(map[history.Ref]int) // index of the prune of a response
	for i := len(v.raw) - 1; i >= 0; i-- {
		for j, block := range slices.Backward(v.blocks(i)) {
			response, ok := block.(*history.ToolResponse)
			if !ok || response.Result.Text() == PrunedPointer {
				continue
			}
			if count[response.ToolName]++; count[response.ToolName] <= retention {
				continue
			}
			at := history.Ref{Entry: i, Block: j}
			byRef[at] = len(v.prunes)
			pointer := response.WithResult(PrunedPointer)
			v.set(at, pointer)
			v.pruned(history.Prune{
				Kind:    history.OldResult,
				Subject: response.ToolName,
				Reason:  fmt.Sprintf("older than the newest %d %s results", retention, response.ToolName),
				Entry:   i,
				Gone:    []history.Block{response},
				Left:    []history.Block{pointer},
			})
		}
	}
	nameKeys(v, config.Facts, byRef)
	slices.Reverse(v.prunes[first:])
}

// nameKeys completes the subjects of pruned responses by the key parameter of
// their calls, so that a person can tell one grep from another.
func nameKeys(v *view, facts Facts, byRef map[history.Ref]int) {
	if len(byRef) == 0 {
		return
	}
	for pair := range history.PairsBackward(v.raw) {
		for _, at := range pair.Responses {
			if i, ok := byRef[at]; ok {
				if key := facts.keyValue(pair.Call); key != "" {
					v.prunes[i].Subject += ": " + key
				}
			}
		}
	}
}
