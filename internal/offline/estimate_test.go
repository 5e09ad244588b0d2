package offline

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agent/internal/chat/calibrate"
	"agent/internal/history"
	"agent/internal/tokens"
)

// TestRecordedMessagesCostTheirEstimate plays the recordings in the folder AGENT_RECORDINGS. The
// provider has another vocabulary, another format of tools and a cache with steps. The input cost
// of the request after each message is within 2 % of the estimate.
func TestRecordedMessagesCostTheirEstimate(t *testing.T) {
	t.Parallel()
	if os.Getenv("AGENT_RECORDINGS") == "" {
		t.Skip("AGENT_RECORDINGS names no folder of recordings")
	}
	files, _ := filepath.Glob(filepath.Join(os.Getenv("AGENT_RECORDINGS"), "*.json"))
	below, _ := filepath.Glob(filepath.Join(os.Getenv("AGENT_RECORDINGS"), "*", "*.json"))
	messages, worst := 0, 0.0
	for _, file := range append(files, below...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := history.NewService(tokens.NewCounter(tokens.O200K), nil), history.NewService(tokens.NewCounter(tokens.CL100K), nil)
		const ourHead, theirHead, anEntry, learned = 2400, 3500, 6, 3
		told := func() int { return theirHead + theirs.TotalTokens() + anEntry*theirs.Len() }
		request := func() calibrate.Request {
			r := calibrate.Request{Model: "m", Head: "h", HeadTokens: ourHead}
			r.Entries, r.Tokens = ours.Curated()
			return r
		}
		var g calibrate.Calibration
		before, requests := 0, 0
		for _, entry := range history.Repair(slices.DeleteFunc(slices.Clone(in.History), (*history.Content).Empty), "no answer") {
			if entry.Speaker == history.AI {
				before, requests = told(), requests+1
				g.Observe(request(), before)
			}
			if ours.Add(entry) != nil || theirs.Add(entry) != nil {
				t.Fatal(file)
			}
			if !entry.IsMessage() || requests <= learned {
				continue
			}
			const step, read = 128, 0.1
			cost := func(tokens float64) float64 { return tokens - (1-read)*float64(before-before%step) }
			whole, _ := g.Size(request(), 1, 0, 0)
			messages, worst = messages+1, max(worst, math.Abs(cost(whole.Tokens)/cost(float64(told()))-1))
		}
	}
	t.Logf("%d messages, at most %.2f %% off", messages, 100*worst)
	if messages == 0 || worst > 0.02 {
		t.Error("more than 2 %")
	}
}
