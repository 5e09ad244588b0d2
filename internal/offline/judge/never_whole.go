package judge

import (
	"strings"

	"agent/internal/history"
)

// CountNeverWhole counts the answers that no request contains unchanged (D-120). It compares the entries
// that arrived since the latest reply with the next request, sent, which may lack or shorten some. from
// is the index of the first arrived entry in the recording. A view does not count if a later view in
// arrived shows the same lines of the file, and is whole.
func (r *Recording) CountNeverWhole(from int, arrived, sent []*history.Content) int {
	count := 0
	carried := answersIn(sent)
	var shown []*view // later answers show the same lines completely
	for i := len(arrived) - 1; i >= 0; i-- {
		for j := len(arrived[i].Blocks) - 1; j >= 0; j-- {
			response, ok := arrived[i].Blocks[j].(*history.ToolResponse)
			if !ok {
				continue
			}
			seen := r.views[history.Ref{Entry: from + i, Block: j}]
			switch {
			case carried.carriesWhole(response):
				if seen != nil {
					shown = append(shown, seen)
				}
			case !seen.in(shown):
				count++
			}
		}
	}
	return count
}

// answers maps the ids of calls to their answers in a request.
type answers map[string][]*history.ToolResponse

func answersIn(entries []*history.Content) answers {
	found := answers{}
	for i := len(entries) - 1; i >= 0 && entries[i].Speaker != history.AI; i-- {
		for _, block := range entries[i].Blocks {
			if response, ok := block.(*history.ToolResponse); ok {
				found[response.CallID] = append(found[response.CallID], response)
			}
		}
	}
	return found
}

// carriesWhole reports whether the request contains an answer unchanged. More text may follow the
// answer.
func (a answers) carriesWhole(came *history.ToolResponse) bool {
	for _, sent := range a[came.CallID] {
		if sent == came || sent.Error == came.Error && strings.HasPrefix(sent.Result.Text(), came.Result.Text()) {
			return true
		}
	}
	return false
}

// view is a part of a file that an answer shows.
type view struct {
	path     string
	from, to int
}

// in reports whether one of the others shows the same lines as v.
func (v *view) in(others []*view) bool {
	if v == nil {
		return false
	}
	for _, other := range others {
		if other.path == v.path && other.from <= v.from && other.to >= v.to {
			return true
		}
	}
	return false
}
