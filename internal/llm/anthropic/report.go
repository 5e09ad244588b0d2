package anthropic

import (
	"maps"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/refusal"
)

// wireReport is the report of the server about the request.
type wireReport struct {
	Transformations []struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	} `json:"input_transformations"`
	Diagnostics struct {
		Reason struct {
			Type string `json:"type"`
		} `json:"cache_miss_reason"`
	} `json:"diagnostics"`
}

// prefixMismatch is the reason that the server reports if it drops thinking because an earlier message has
// changed.
const prefixMismatch = "prefix_binding_mismatch"

// report processes the report of the server about the request.
func (r *reply) report(w wireReport) {
	if reason := w.Diagnostics.Reason.Type; reason != "" {
		r.missed = reason
	}
	if len(w.Transformations) == 0 {
		return
	}
	r.dropped = map[string]int{} // a later report replaces an earlier one
	for _, t := range w.Transformations {
		if t.Type == "thinking_dropped" {
			r.dropped[t.Reason]++
		}
	}
}

// tellDropped yields a note for the user, once for each reason, that the server has dropped thinking.
// Thinking whose conversation has changed should not have been sent.
func (r *reply) tellDropped() {
	if r.begun {
		return
	}
	var notes []string
	for _, reason := range slices.Sorted(maps.Keys(r.dropped)) {
		why := strings.ReplaceAll(refusal.Line(reason), "_", " ")
		if reason == prefixMismatch {
			why = "earlier messages changed. This is a bug in agent; please report it"
		}
		notes = append(notes, "the provider ignored the thinking of earlier replies: "+why)
	}
	for _, note := range r.client.newNotes(notes) {
		r.emit(llm.AdaptedRequest{Note: note})
	}
}
