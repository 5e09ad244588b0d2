package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"agent/internal/app"
	"agent/internal/app/subagents"
	"agent/internal/base/rawjson"
	"agent/internal/compression"
	"agent/internal/extend/setup/agents"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/history"
	"agent/internal/offline"
	"agent/internal/offline/logs"
	"agent/internal/session"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// explored holds the long searches of a recording, with their costs if the agent explore had run them.
// Costs are in tokens at the full price of input.
type explored struct {
	File     string `json:"file"`
	Requests int    `json:"requests"`
	// Cost is the cost of the recording with the strategy cache-aware, at each price. Offered is the cost
	// that the definition of the tool task adds.
	Cost    []float64 `json:"cost"`
	Offered []float64 `json:"offered"`
	// Searches lists the long searches.
	Searches []search `json:"searches"`
}

// A search is a long search of a recording: successive calls that change nothing. The user sends no message
// between them, and no later call edits a file that they found.
type search struct {
	// Reply is the number of the first reply of the search. Replies and Calls count its replies and calls.
	Reply   int `json:"reply"`
	Replies int `json:"replies"`
	Calls   int `json:"calls"`
	// Files counts the files that the search shows. Tokens is the size of its calls and results.
	Files  int `json:"files"`
	Tokens int `json:"tokens"`
	// Before is the size of the conversation before the search. Later is the number of requests after it.
	Before int `json:"before"`
	Later  int `json:"later"`
	// Report is the size of the report: reportBase and the lines that later replies use. Missing is the
	// size of such lines that do not fit into the largest report. Both are in tokens.
	Report  int `json:"report"`
	Missing int `json:"missing"`
	// Gain is the saving at each price if this search alone had been a task. It is the difference of the
	// costs of all requests, less the output for the task and the report. Large is the saving with a
	// report of the largest size.
	Gain  []float64 `json:"gain"`
	Large []float64 `json:"gainLargestReport"`

	// from is the index of the first entry of the search, and to the index of the entry after its last
	// entry. last is the index of the entry of its last reply. used is the text of the report.
	from, to, last int
	used           string
}

const (
	// longSearch is the smallest number of calls of a long search.
	longSearch = 5
	// taskTokens is the size of a task. reportBase is the size of a report without its quotations, and
	// largestReport the size of the largest report. All are in tokens.
	taskTokens    = 100
	reportBase    = 150
	largestReport = 2000
	// outputPrice is the price of output relative to input.
	outputPrice = 5
)

// searchPrices returns the prices at which searches are compared.
func searchPrices() []offline.PriceModel {
	return slices.DeleteFunc(offline.PriceModels(), func(m offline.PriceModel) bool {
		return m.Against != (compression.Price{}) || m.Read < 0.1
	})
}

// explore replays a recording without changes, and then with each of its long searches as a task.
func explore(ctx context.Context, in offline.Input, fresh func() (*offline.Engine, error)) (*explored, error) {
	makes, err := exploring(fresh)
	if err != nil {
		return nil, err
	}
	recording, err := offline.NewRecording(in, makes.plain)
	if err != nil {
		return nil, err
	}
	said, err := in.Said()
	if err != nil {
		return nil, err
	}
	engine, err := makes.plain()
	if err != nil {
		return nil, err
	}
	out := &explored{File: in.Name}
	if out.Cost, out.Requests, err = cost(ctx, in, said.Stretches, makes.plain); err != nil {
		return nil, err
	}
	offered, _, err := cost(ctx, in, said.Stretches, makes.offering)
	if err != nil {
		return nil, err
	}
	out.Offered = minus(offered, out.Cost)
	counter := engine.Counter("")
	for i, stretch := range recording.Stretches {
		entries := history.Repair(said.Stretches[i], "no answer is recorded")
		var ended time.Time // end of the previous search, whose prefix the cache may still hold
		for n, s := range searches(entries, stretch.Needs, engine, in.WorkspaceRoot) {
			s.measure(entries, stretch.Needs, counter)
			warm := n > 0 && timeOf(entries[s.from]).Sub(ended) < cacheLife
			ended = timeOf(entries[s.to-1])
			for _, largest := range []bool{false, true} {
				gain, err := gainOf(ctx, in, said.Stretches, i, entries, s, out.Cost, makes, warm, largest)
				if err != nil {
					return nil, err
				}
				if largest {
					s.Large = gain
				} else {
					s.Gain = gain
				}
			}
			out.Searches = append(out.Searches, s)
		}
	}
	return out, nil
}

// cacheLife is the longest pause after which a provider still has a prefix in its cache, as in a replay.
const cacheLife = 5 * time.Minute

// engineMakers make three kinds of engines: unchanged, with the tool task, and with the tools and prompt of
// the agent explore.
type engineMakers struct {
	plain, offering, agent func() (*offline.Engine, error)
}

// exploring returns makers of engines for the agent explore, and for conversations that offer this agent.
func exploring(plain func() (*offline.Engine, error)) (engineMakers, error) {
	set := agents.Find(trustedfile.Locations{Workspace: "/none"})
	agent, err := set.ByName(agents.ExploreAgent)
	if err != nil {
		return engineMakers{}, err
	}
	with := func(change func(*offline.Engine)) func() (*offline.Engine, error) {
		return func() (*offline.Engine, error) {
			engine, err := plain()
			if err == nil {
				change(engine)
			}
			return engine, err
		}
	}
	return engineMakers{plain, with(func(e *offline.Engine) {
		e.Tools = tools.NewRegistry(append(e.Tools.All(), tools.TaskTool(subagents.NewCatalogue(set, usualWindow, func(text string) int { return len(text) / 4 }).Text, usualWindow, nil))...)
	}), with(func(e *offline.Engine) {
		e.Tools = tools.NewRegistry(slices.DeleteFunc(e.Tools.All(), func(t tools.Tool) bool { return !slices.Contains(agent.Tools, t.Name) })...)
		e.System = app.AgentPrompt(e.System, agent)
	})}, nil
}

// usualWindow is the context window, in tokens, for which the list of agents is made.
const usualWindow = 200_000

// cost returns the cost of the input of all requests with cache-aware, at each price, and their
// number.
func cost(ctx context.Context, in offline.Input, stretches [][]*history.Content, fresh func() (*offline.Engine, error)) ([]float64, int, error) {
	in.Said = func() (said session.Originals, err error) { return session.Originals{Stretches: stretches}, nil }
	var compared []offline.Variant
	for _, v := range offline.Strategies() {
		if v.Name == "none" || v.Name == compression.CacheAwareName {
			compared = append(compared, v)
		}
	}
	report, err := offline.Replay(ctx, in, compared, fresh)
	if err != nil {
		return nil, 0, err
	}
	var costs []float64
	last := report.Variants[len(report.Variants)-1]
	for _, m := range searchPrices() {
		at := slices.IndexFunc(last.Cost, func(c offline.Cost) bool { return c.Model == m.Name })
		costs = append(costs, last.Cost[at].Units)
	}
	return costs, last.Requests, nil
}

// gainOf returns the saving at each price if a search had been a task.
func gainOf(ctx context.Context, in offline.Input, all [][]*history.Content, stretch int, entries []*history.Content, s search, before []float64, makes engineMakers, warm, largest bool) ([]float64, error) {
	task, report := strings.Repeat("find ", taskTokens), s.used
	size := s.Report
	if largest {
		report, size = strings.Repeat("line of report ", largestReport/3), largestReport
	}
	parent := slices.Clone(all)
	parent[stretch] = slices.Concat(entries[:s.from], delegated(entries[s.from], entries[s.to-1], task, report), entries[s.to:])
	with, _, err := cost(ctx, in, parent, makes.plain)
	if err != nil {
		return nil, err
	}
	first := at(history.HumanText(task), timeOf(entries[s.from]))
	last := at(history.New(history.AI, &history.Text{Text: report}), timeOf(entries[s.to-1]))
	own := slices.Concat([]*history.Content{first}, entries[s.from:s.to], []*history.Content{last})
	agents, _, err := cost(ctx, in, [][]*history.Content{own}, makes.agent)
	if err != nil {
		return nil, err
	}
	gain := minus(minus(before, with), agents)
	head := 0
	if warm {
		prepared, err := offline.NewRecording(in, makes.agent)
		if err != nil {
			return nil, err
		}
		head = prepared.Head
	}
	for i, m := range searchPrices() {
		gain[i] += float64(head)*(m.Write-m.Read) - outputPrice*float64(taskTokens+size)
	}
	return gain, nil
}

// delegated returns a call of the tool task and its report, at the times of the first and the last entry of
// a search.
func delegated(first, last *history.Content, task, report string) []*history.Content {
	parameters, err := rawjson.Marshal(map[string]string{"task": task, "agent": "explore"})
	if err != nil {
		panic(err) // texts can always be encoded as JSON
	}
	head := "agent explore, s-abcde: done, 10 requests, 12 calls, 40k tokens, $0.02, 41s\n" + toolspec.ReportFiles + toolspec.ReportNoFiles + "\n"
	return []*history.Content{
		at(history.New(history.AI, &history.ToolCall{ID: "explored", Name: tools.TaskName, Parameters: parameters}), timeOf(first)),
		at(history.New(history.Tool, &history.ToolResponse{CallID: "explored", ToolName: tools.TaskName, Result: history.TextResult(head + report)}), timeOf(last)),
	}
}

func timeOf(entry *history.Content) time.Time {
	ms, _ := history.MetaOf[int64](entry, logs.MetaTime)
	return time.UnixMilli(ms)
}

func at(entry *history.Content, when time.Time) *history.Content {
	if when.UnixMilli() == 0 {
		return entry
	}
	return logs.WithTime(entry, when)
}

func minus(a, b []float64) []float64 {
	c := slices.Clone(a)
	for i := range c {
		c[i] -= b[i]
	}
	return c
}
