// Package audit lists the actions on the machine in a session log: files read and written, commands
// run, hosts reached and approvals requested, by subagent.
package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/secret"
	"agent/internal/history"
	"agent/internal/session"
)

// A Report is the audit of one session. It covers the whole session log, including branches that a
// rewind abandoned.
type Report struct {
	ID string `json:"id"`
	// Agent is the name of the subagent that the report covers, "" for the session itself.
	Agent     string    `json:"agent,omitempty"`
	Title     string    `json:"title"`
	Workspace string    `json:"workspace"`
	Started   time.Time `json:"started"`
	Used      time.Time `json:"used"`
	// Chain is the result of checking that the log is unchanged.
	Chain session.Chain `json:"chain"`
	// LacksActs is set if an older program wrote a part of the log. That part does not contain
	// hooks, checks, servers, files that undo wrote, and further hosts.
	LacksActs bool    `json:"lacksActs,omitempty"`
	Events    []Event `json:"events"`
	// Agents has a report for each subagent of the session. Each subagent has a separate log.
	Agents []Report `json:"agents,omitempty"`
	// Problems lists the differences between the logs of subagents and the log of the session.
	Problems []string `json:"problems,omitempty"`

	// agentID is the ID of the subagent that the log names, "" for the log of a session.
	agentID string
}

// Kind is the kind of an event.
type Kind string

// The kinds of events, in the order in which they are listed.
const (
	KindRead    Kind = "read"
	KindSearch  Kind = "looked"
	KindWrite   Kind = "wrote"
	KindRun     Kind = "ran"
	KindNetwork Kind = "reached"
	KindCall    Kind = "called"
	KindAsk     Kind = "asked"
)

// An Event is one action. API keys in its texts are omitted, because other people read an audit.
type Event struct {
	At   time.Time `json:"at"`
	Kind Kind      `json:"kind"`
	// What is the file, command, host or tool. A file in the workspace has its path below the
	// workspace.
	What string `json:"what"`
	// Hash is the hash of the file that was read. From and To are the first and last line that were
	// shown, or 0 if the whole file was shown.
	Hash string `json:"hash,omitempty"`
	From int    `json:"from,omitempty"`
	To   int    `json:"to,omitempty"`
	// Before and After are the hashes of the file before and after a write, empty if there was no
	// file.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Profile is the sandbox profile of the command. Exit is its exit status, nil if the command
	// did not end.
	Profile string `json:"profile,omitempty"`
	Exit    *int   `json:"exit,omitempty"`
	// Unlisted is set if the command may have created files that are not listed.
	Unlisted bool `json:"unlisted,omitempty"`
	// ApprovedHash is the hash of the configuration that the user approved before a program was started.
	ApprovedHash string `json:"agreed,omitempty"`
	// By names who decided or typed. If no call of the model caused the action, By names its cause.
	// Answer is the decision. Rule is the rule that was approved, the rule that allowed the action,
	// or the reason of a refusal.
	By     string `json:"by,omitempty"`
	Answer string `json:"answer,omitempty"`
	Rule   string `json:"rule,omitempty"`
}

// ReadReport audits the session with the log at path, and its subagents.
func ReadReport(path string) (*Report, error) {
	r, began, err := of(path)
	if err != nil {
		return nil, err
	}
	records := map[string]bool{}
	for _, agent := range session.AgentsOf(path) {
		records[agent.ID] = true
		its, _, err := of(agent.Path, began.ends(agent.ID)...)
		if err != nil {
			return nil, err
		}
		if its.Chain.Missing {
			r.Problems = append(r.Problems, "the log of subagent "+agent.ID+" is truncated or replaced")
		}
		if !slices.ContainsFunc(began, func(a session.Agent) bool { return a.ID == agent.ID }) {
			r.Problems = append(r.Problems, "a log of subagent "+agent.ID+" exists, but the session did not start that subagent")
		}
		if its.agentID != agent.ID {
			r.Problems = append(r.Problems, fmt.Sprintf("the log of subagent %s belongs to %s", agent.ID, cmp.Or(its.agentID, "no agent")))
		}
		r.Agents = append(r.Agents, *its)
	}
	for _, a := range began {
		if !records[a.ID] && worked(a) {
			records[a.ID] = true
			r.Problems = append(r.Problems, fmt.Sprintf("the log of subagent %s (%s) is missing", a.ID, a.Agent))
		}
	}
	return r, nil
}

// of audits one log. It also returns the starts and ends of subagents in the log. hashes are the
// hashes of lines that the log must contain.
func of(path string, hashes ...string) (*Report, beginnings, error) {
	info, err := session.Inspect(path)
	if err != nil {
		return nil, nil, err
	}
	r := &Report{ID: info.ID, Title: info.Title, Workspace: info.Workspace, Started: info.Started, Used: info.Used, Events: []Event{}}
	if r.Chain, err = session.Verify(path, hashes...); err != nil {
		return nil, nil, err
	}
	a := auditor{report: r, hosts: map[string]bool{}}
	for record, err := range session.ScanRecords(path) {
		if err != nil {
			return nil, nil, err
		}
		if entry := record.Entry(); entry != nil {
			a.entry(record.Time, entry)
		}
		if act, is := record.Action(); is {
			a.deed(record.Time, act.Effect, "", act.By)
		}
		if warmed, is := record.CacheRefresh(); is {
			a.add(record.Time, Event{Kind: KindNetwork, What: warmed.Host, By: "cache-warming"})
		}
		a.readOpening(record)
		if agent, is := record.Agent(); is {
			a.agents = append(a.agents, agent)
		}
	}
	return r, a.agents, nil
}

// worked reports whether a subagent must have a log. It must if it ended with one, a model answered
// it, or it was running when the program ended. A subagent that ended before its first request has
// none.
func worked(a session.Agent) bool {
	var figures struct{ Requests int }
	_ = json.Unmarshal(a.Figures, &figures) // without figures, no requests are counted
	return a.Last != "" || figures.Requests > 0 || a.Status == "done" || a.Status == "" && a.Model != ""
}

// beginnings are the starts and ends of agents that a session recorded.
type beginnings []session.Agent

// ends returns the hashes of the lines with which a subagent ended, one for each of its tasks.
func (b beginnings) ends(id string) (hashes []string) {
	for _, a := range b {
		if a.ID == id && a.Last != "" {
			hashes = append(hashes, a.Last)
		}
	}
	return hashes
}

// Unchanged reports whether the logs of the session and its subagents are unchanged.
func (r *Report) Unchanged() bool {
	return len(r.Chain.Broken) == 0 && len(r.Problems) == 0 && !slices.ContainsFunc(r.Agents, func(a Report) bool { return !a.Unchanged() })
}

// An auditor processes the entries of a log in order.
type auditor struct {
	report *Report
	// hosts holds the reached hosts that are already listed, each with its cause.
	hosts map[string]bool
	// agents holds the starts and ends of agents.
	agents beginnings
}

func (a *auditor) add(at time.Time, e Event) {
	e.At, e.What, e.Rule = at, secret.Redact(e.What), secret.Redact(e.Rule)
	if e.Kind == KindRead || e.Kind == KindWrite { // tools use absolute or relative paths
		e.What = fsutil.ShortenPaths(e.What, a.report.Workspace)
	}
	a.report.Events = append(a.report.Events, e)
}

// entry lists the actions that an entry records.
func (a *auditor) entry(at time.Time, entry *history.Content) {
	if host, ok := entry.Metadata[history.MetaHost].(string); ok {
		a.reached(at, host, "the model")
	}
	deed, _ := history.MetaOf[history.Effect](entry, history.MetaEffect)
	view := history.ViewOf(entry)
	if len(deed.Wrote) > 0 { // the call contains what it wrote
		view = history.View{}
	}
	for _, block := range entry.Blocks {
		switch b := block.(type) {
		case *history.Text:
			if b.IncludedFile != "" {
				a.add(at, Event{Kind: KindRead, What: b.IncludedFile, Hash: history.Digest(included(b.Text)), By: "person"})
			}
		case *history.ToolResponse:
			deed.Exit = b.ExitCode
			a.deed(at, deed, b.ToolName, "")
			deed = history.Effect{}
		}
	}
	if view.Path != "" {
		a.read(at, view, "")
	}
	by := ""
	if entry.Speaker == history.Human {
		by = "person"
	}
	a.deed(at, deed, "!", by)
}

// readOpening reads the record that describes the log itself.
func (a *auditor) readOpening(record session.ScannedRecord) {
	if agent := record.OwningAgent(); agent != nil {
		a.report.Agent, a.report.agentID = agent.Agent, agent.ID
	}
	a.report.LacksActs = a.report.LacksActs || record.LacksActions()
}

// included returns the content inside the text of an inclusion.
func included(text string) string {
	_, text, _ = strings.Cut(text, "\n")
	return text[:max(0, strings.LastIndex(text, "\n"))]
}

func (a *auditor) read(at time.Time, v history.View, by string) {
	e := Event{Kind: KindRead, What: v.Path, Hash: v.Hash, By: by}
	if !v.Whole {
		e.From, e.To = v.From, v.To
	}
	a.add(at, e)
}

func (a *auditor) reached(at time.Time, host, by string) {
	if once := host + " " + by; !a.hosts[once] {
		a.hosts[once] = true
		a.add(at, Event{Kind: KindNetwork, What: host, By: by})
	}
}

// deed lists the effects of a tool call, or of another action, such as a hook. by names the cause
// of such an action.
func (a *auditor) deed(at time.Time, d history.Effect, tool, by string) {
	for _, v := range d.Read {
		a.read(at, v, by)
	}
	if d.Looked != "" {
		a.add(at, Event{Kind: KindSearch, What: d.Looked})
	}
	if d.Asked != nil {
		what := tool
		if d.Ran != "" {
			what = d.Ran
		}
		a.add(at, Event{Kind: KindAsk, What: what, By: d.Asked.By, Answer: d.Asked.Answer, Rule: d.Asked.Rule})
	}
	if d.Ran != "" {
		a.add(at, Event{Kind: KindRun, What: d.Ran, Profile: d.Profile, Exit: d.Exit, ApprovedHash: d.ApprovedHash, Unlisted: d.Unlisted, By: by})
	}
	for _, w := range d.Wrote {
		a.add(at, Event{Kind: KindWrite, What: w.Path, Before: w.Before, After: w.After, By: by})
	}
	for _, host := range d.Hosts {
		a.reached(at, host, cmp.Or(by, tool))
	}
	if d.Served != "" {
		a.add(at, Event{Kind: KindCall, What: d.Served})
	}
}
