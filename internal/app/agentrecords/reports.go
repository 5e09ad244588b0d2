package agentrecords

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"

	"agent/internal/app/subagents"
	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/chat"
	"agent/internal/git/ignore"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tokens"
	"agent/internal/toolspec"
	"agent/internal/workspace"
)

// Reports restores the reports of subagents that had not arrived when the program ended, for a resumed
// session.
type Reports struct {
	agents []session.Agent
	// log is the record of the session, or nil if the session is not recorded. Without a record there are
	// no agents.
	log      *session.Log
	settings *settings.Settings
	// traits returns the traits of a tool. workspace contains the files that agents change.
	traits    func(tool string) toolspec.Traits
	workspace *workspace.Workspace
	// called and answered hold the ids of the calls in the context and of their answers. Ids may repeat.
	called, answered map[string]bool
	// owed counts, by agent id, the background tasks since the latest clear whose reports have not arrived.
	owed map[string]int
}

// NewReports collects the calls and the reports of agents from the context of a session. log is the record
// of the session, nil without one. traits returns the traits of a tool.
func NewReports(recorded session.State, log *session.Log, s *settings.Settings, traits func(tool string) toolspec.Traits, w *workspace.Workspace) Reports {
	p := Reports{recorded.Agents, log, s, traits, w, map[string]bool{}, map[string]bool{}, map[string]int{}}
	if len(p.agents) == 0 {
		return p
	}
	for _, entry := range recorded.Entries {
		for _, block := range entry.Blocks {
			switch block := block.(type) {
			case *history.ToolCall:
				p.called[block.ID] = true
			case *history.ToolResponse:
				p.answered[block.CallID] = true
			}
		}
	}
	said := recorded.Entries
	if all, err := recorded.Originals(); err == nil { // a compression may have removed them
		said = all.Stretches[len(all.Stretches)-1]
	}
	for _, entry := range said {
		id, started := history.MetaOf[string](entry, history.MetaStarted)
		reports, _ := history.MetaOf[[]string](entry, history.MetaReports)
		switch {
		case started:
			p.owed[id]++
		case len(reports) > 0:
			for _, id := range reports {
				p.owed[id]--
			}
		default:
			p.countOld(entry)
		}
	}
	return p
}

// oldReport matches the answer of a call that started an agent, and the title of the agent's report.
var oldReport = lazyregexp.New(`^(?:started|The agent \S+) (s-\w+)(?:;| ended)`)

// countOld counts the starts and reports in logs of older programs, whose metadata contains no reports.
// Remove it after 2027-06-01.
func (p Reports) countOld(entry *history.Content) {
	for _, block := range entry.Blocks {
		switch block := block.(type) {
		case *history.ToolResponse:
			if found := oldReport.FindStringSubmatch(block.Result.Text()); found != nil {
				p.owed[found[1]]++
			}
		case *history.Text:
			if found := oldReport.FindStringSubmatch(block.Text); found != nil && block.Source == history.SourceCommand {
				p.owed[found[1]]--
			}
		}
	}
}

// Answers returns, by call id, the reports of the agents whose calls were open when the program ended.
func (p Reports) Answers() map[string]string {
	answers := map[string]string{}
	for _, a := range p.agents {
		if p.called[a.Call] && (a.Status == "" || !p.answered[a.Call]) {
			answers[a.Call] = p.report(a)
		}
	}
	return answers
}

// Queue queues the missing reports of background agents in the conversation. The model receives them with
// the next message.
func (p Reports) Queue(to *chat.SubagentHost) {
	for _, a := range p.agents {
		if p.owed[a.ID] > 0 {
			report := subagents.BackgroundReport(a.Agent, a.ID, a.Title, p.report(a))
			report.Began = a.Began
			to.QueueReport(report)
		}
	}
}

// report returns the report of an agent from its session log. If the parent's log has no end of the agent,
// the agent counts as ended if its own log contains its last reply.
func (p Reports) report(a session.Agent) string {
	since, status := time.Time{}, a.Status
	if status == "" {
		since = a.Recorded
	}
	record := read(session.AgentPath(p.log.Path(), a.ID), since)
	switch {
	case status != "":
	case record.ended:
		status = "done"
	case record.begun:
		status = "interrupted when agent ended; to resume it, pass its ID as continue"
	default:
		status = "interrupted before it started; start the task again"
	}
	changed, unfinished := p.changes(record)
	head := subagents.Heading(a.Agent, a.ID, status)
	var stats chat.Stats
	if json.Unmarshal(a.Figures, &stats) == nil && stats.Requests > 0 {
		head += subagents.Figures(stats)
	}
	head += "\n" + toolspec.ReportFiles + cmp.Or(a.Changed, changed) + "\n" + unfinished
	counter := tokens.NewCounter(tokens.EncodingFor(settings.Model.Value(p.settings)))
	return subagents.FitReport(head, cmp.Or(record.said, subagents.ReportWithoutText(p.titles(record.calls))), settings.AgentsResultMaxTokens.Value(p.settings), counter.Count,
		func(string) (string, error) { return recallArguments(a.ID, record.number), nil })
}

// record is the part of an agent's record that its report needs.
type record struct {
	// begun is set if the agent has had a task. ended is set if its latest reply contains no calls.
	begun, ended bool
	// said is the latest text of the agent. number is the number of the entry with that text.
	said   string
	number uint64
	// wrote lists the changed files in the order of the first change.
	wrote []string
	// calls lists all calls, in order.
	calls []*history.ToolCall
	// open lists the calls without an answer, which were made after the time called.
	open   []*history.ToolCall
	called time.Time
}

// read reads the record of an agent. begun covers the whole record; the other fields start at the
// time since, when the agent got its latest task. An agent without a record has not begun.
func read(path string, since time.Time) (r record) {
	for record, entry := range entriesOf(path) {
		r.begun = true
		if record.Time.Before(since) {
			continue
		}
		text := strings.TrimSpace(entry.OwnText())
		r.ended = false
		deed, _ := history.MetaOf[history.Effect](entry, history.MetaEffect)
		for _, file := range deed.Wrote {
			if !slices.Contains(r.wrote, file.Path) {
				r.wrote = append(r.wrote, file.Path)
			}
		}
		switch entry.Speaker {
		case history.AI:
			r.open, r.called = entry.Calls(), record.Time
			r.calls = append(r.calls, r.open...)
			r.ended = len(r.open) == 0 && text != "" && entry.Metadata[history.MetaInterrupted] == nil
			if text != "" {
				r.said, r.number = text, record.Seq
			}
		case history.Tool:
			r.open = slices.DeleteFunc(r.open, func(call *history.ToolCall) bool {
				return slices.ContainsFunc(entry.Blocks, func(b history.Block) bool {
					answer, is := b.(*history.ToolResponse)
					return is && answer.CallID == call.ID
				})
			})
		}
	}
	return r
}

// HasBegun reports whether the agent with a record has had a task.
func HasBegun(path string) bool { return read(path, time.Time{}).begun }

// clockLag is added to the time of a file before it is compared with the clock. File systems round times
// down, some to two seconds.
const clockLag = 2 * time.Second

// changes returns the files that an agent changed. unfinished is a line about calls that the end of the
// program interrupted and whose changes are unknown, or "" if there are none. A file that such a call names
// counts as changed if it is newer than the call.
func (p Reports) changes(r record) (changed, unfinished string) {
	var calls []*history.ToolCall
	for _, call := range r.open {
		tool := p.traits(call.Name)
		if !tool.WritesFile() && !tool.IsHarmless() {
			calls = append(calls, call)
		}
		if !tool.WritesFile() {
			continue
		}
		for _, file := range tool.FilesOf(call) {
			file = history.Absolute(p.workspace.Root(), file)
			info, err := os.Stat(file)
			if path := p.workspace.Rel(file); err == nil && info.ModTime().Add(clockLag).After(r.called) && !slices.Contains(r.wrote, path) {
				r.wrote = append(r.wrote, path)
			}
		}
	}
	var items []string
	for _, path := range r.wrote {
		items = append(items, toolspec.ReportedFile(path, ""))
	}
	if len(calls) > 0 {
		unfinished = "Unknown changes of " + strings.Join(p.titles(calls), "; ") + " (interrupted when agent ended): " + p.since(r) + "\n"
	}
	return toolspec.ReportedFiles(items, ""), unfinished
}

const (
	// maxChangedFiles limits the number of files that are named because they changed after a call.
	// lookTime limits the time to find them.
	maxChangedFiles = 20
	lookTime        = time.Second
)

// since names the files of the workspace that are newer than the interrupted calls and that the agent is
// not known to have changed.
func (p Reports) since(r record) string {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	files, err := ignore.Files(ctx, p.workspace.Root(), p.workspace.Root())
	if err != nil || ctx.Err() != nil {
		return "can't check the files of the workspace"
	}
	var young []string
	for _, file := range files {
		info, err := os.Lstat(history.Absolute(p.workspace.Root(), file))
		if err == nil && info.ModTime().Add(clockLag).After(r.called) && !slices.Contains(r.wrote, file) {
			young = append(young, toolspec.ReportedFile(file, ""))
		}
	}
	if len(young) == 0 {
		return "no other file of the workspace has changed since"
	}
	more := ""
	if left := len(young) - maxChangedFiles; left > 0 {
		more = humanize.Count(left, "more file")
	}
	return "changed since then, by it or another program: " + toolspec.ReportedFiles(young[:min(len(young), maxChangedFiles)], more)
}

// titles describes calls, one line each.
func (p Reports) titles(calls []*history.ToolCall) (titles []string) {
	for _, call := range calls {
		titles = append(titles, humanize.Headline(p.traits(call.Name).Describe(call.Name, call.Arguments()).Title()))
	}
	return titles
}
