package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"agent/internal/chat/cachewarm"
	"agent/internal/history"
	"agent/internal/offline"
	"agent/internal/offline/logs"
	"agent/internal/settings"
	"agent/internal/tools"
)

// timedRequests lists the requests of a recording with times, for a replay with refreshes of the cache.
type timedRequests struct {
	File     string                  `json:"file"`
	Requests []cachewarm.SentRequest `json:"requests"`
}

// timed returns the requests of a recording as they were without pruning.
func timed(ctx context.Context, in offline.Input, fresh func() (*offline.Engine, error)) (*timedRequests, error) {
	report, err := offline.Replay(ctx, in, offline.Strategies()[:1], func() (*offline.Engine, error) {
		engine, err := fresh()
		if err == nil { // the age of a prefix does not matter here: it counts as cached
			err = engine.Settings.Set(settings.LayerSession, settings.CacheLife.Key(), "48h")
		}
		return engine, err
	})
	if err != nil {
		return nil, err
	}
	said, err := in.Said()
	if err != nil {
		return nil, err
	}
	sent := report.Variants[0].Cost[0].Sent
	out := &timedRequests{File: in.Name}
	for _, stretch := range said.Stretches {
		var latest, before time.Time
		entries := history.Repair(stretch, "no answer was recorded")
		for i, entry := range entries {
			if n := len(out.Requests); entry.Speaker == history.AI && n < len(sent) {
				out.Requests = append(out.Requests, cachewarm.SentRequest{
					At: latest, Tokens: sent[n].Tokens, Prefix: sent[n].Cached, Wait: waitBefore(entries[:i], latest.Sub(before)),
				})
				before = latest
			}
			if at := timeOf(entry); at.After(latest) {
				latest = at
			}
		}
	}
	return out, nil
}

func timeOf(entry *history.Content) time.Time {
	ms, _ := history.MetaOf[int64](entry, logs.MetaTime)
	return time.UnixMilli(ms)
}

// longestCommand is the time limit for commands in the recorded agents.
const longestCommand = 10 * time.Minute

// waitBefore returns the reason why a session waited before a request. A record does not contain how long a
// question was open. So a wait counts as a question unless a subagent or a command explains it.
func waitBefore(entries []*history.Content, waited time.Duration) cachewarm.Wait {
	for _, entry := range slices.Backward(entries) {
		switch entry.Speaker {
		case history.Human:
			return cachewarm.WaitForMessage
		case history.AI:
			wait := cachewarm.WaitForAnswer
			for _, block := range entry.Blocks {
				call, ok := block.(*history.ToolCall)
				if ok && (call.Name == tools.TaskName || call.Name == "Task" || call.Name == tools.ShellToolName && waited <= longestCommand) {
					wait = cachewarm.WaitForWork
				}
			}
			return wait
		}
	}
	return cachewarm.WaitForMessage
}

// printWarm compares the costs of the recordings with and without refreshes of the cache. It treats them as
// sessions of one user, at 5 dollars per million tokens. It also prints the cost with cache marks that last
// an hour.
func printWarm(out io.Writer, all []*timedRequests) error {
	const input = 5e-6
	all = slices.DeleteFunc(all, func(r *timedRequests) bool { return len(r.Requests) == 0 })
	slices.SortStableFunc(all, func(a, b *timedRequests) int { return a.Requests[0].At.Compare(b.Requests[0].At) })
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "life\tread\tcache-warming\topen at the end\tcost\tworst session\trefreshes\tan hour\tworst session\tcheaper in")
	for _, life := range []time.Duration{5 * time.Minute, time.Hour} {
		for _, read := range []float64{0.1, 0.05, 0.025} {
			for _, idle := range []bool{false, true} {
				for _, left := range []time.Duration{0, time.Hour} {
					var sum cachewarm.Outcome
					var pauses, same cachewarm.Pauses
					worst, hours, worstHour, cheaper := 0.0, 0.0, 0.0, 0
					for _, r := range all {
						o := cachewarm.Simulate(r.Requests, left, cachewarm.Rates{Read: read * input, Write: 1.25 * input, Life: life}, idle, &pauses)
						hour := cachewarm.Simulate(r.Requests, left, cachewarm.Rates{Read: read * input, Write: 2 * input, Life: time.Hour}, idle, &same).Without
						worst, hours, worstHour = max(worst, o.With/o.Without), hours+hour, max(worstHour, hour/o.Without)
						if hour < o.With {
							cheaper++
						}
						sum.With, sum.Without, sum.Refreshes = sum.With+o.With, sum.Without+o.Without, sum.Refreshes+o.Refreshes
					}
					mode := map[bool]string{false: "working", true: "idle"}[idle]
					fmt.Fprintf(w, "%s\t%g\t%s\t%s\t%.3f\t%.3f\t%d\t%.3f\t%.3f\t%d of %d\n", life, read, mode, left, sum.With/sum.Without, worst, sum.Refreshes, hours/sum.Without, worstHour, cheaper, len(all))
				}
			}
		}
	}
	return w.Flush()
}
