package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/base/secret"
	"agent/internal/chat/rewind"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/sessionsearch"
	"agent/internal/tools"
)

// agentID matches the ids of agents.
var agentID = lazyregexp.New(`^s-[a-z0-9]{5}$`)

// agentRecords makes the records of subagents readable by the tool recall. It forwards requests for earlier
// sessions to Sessions.
type agentRecords struct {
	tools.Sessions
	conversation func() string
}

// log returns the path of the record of a subagent, or "" if no subagent has the id.
func (r agentRecords) log(id string) string {
	if !agentID.MatchString(id) {
		return ""
	}
	log := session.AgentPath(r.conversation(), id)
	if _, err := os.Stat(log); err != nil {
		return ""
	}
	return log
}

// entriesOf yields each record of a log that added an entry, with that entry.
func entriesOf(log string) iter.Seq2[session.Record, *history.Content] {
	return func(yield func(session.Record, *history.Content) bool) {
		for record, err := range session.ScanRecords(log) {
			if err != nil {
				return
			}
			if entry := record.Entry(); entry != nil && !yield(record.Record, entry) {
				return
			}
		}
	}
}

// Find implements tools.Sessions.
func (r agentRecords) Find(ctx context.Context, query, id string) (passages []string, remark string, err error) {
	log := r.log(id)
	if log == "" {
		return r.Sessions.Find(ctx, query, id)
	}
	wanted := strings.ToLower(query)
	for record, entry := range entriesOf(log) {
		for line := range strings.Lines(rewind.Text(entry.Blocks)) {
			if strings.Contains(strings.ToLower(line), wanted) {
				passages = append(passages, fmt.Sprintf("agent %s, number %d: %s", id, record.Seq, secret.Redact(humanize.Line(line, 0))))
			}
		}
	}
	return passages, "", nil
}

// Outline implements tools.Sessions.
func (r agentRecords) Outline(ctx context.Context, id string) (tools.Excerpt, error) {
	log := r.log(id)
	if log == "" {
		return r.Sessions.Outline(ctx, id)
	}
	var rows []string
	for record, entry := range entriesOf(log) {
		first := humanize.FirstLine(strings.TrimSpace(secret.Redact(rewind.Text(entry.Blocks))))
		for _, block := range entry.Blocks {
			if call, is := block.(*history.ToolCall); is {
				first = call.Name + " " + secret.Redact(string(call.Parameters))
			}
		}
		rows = append(rows, fmt.Sprintf("%d. %s: %s", record.Seq, entry.Speaker, humanize.Line(first, 160)))
	}
	return tools.Excerpt{Heading: "[agent " + id + ": its record]", Text: strings.Join(rows, "\n")}, nil
}

// Entry implements tools.Sessions.
func (r agentRecords) Entry(ctx context.Context, id string, number int) (tools.Excerpt, error) {
	log := r.log(id)
	if log == "" {
		return r.Sessions.Entry(ctx, id, number)
	}
	for record, entry := range entriesOf(log) {
		if record.Seq == uint64(number) {
			heading := fmt.Sprintf("[agent %s, number %d, %s]", id, number, entry.Speaker)
			return tools.Excerpt{Heading: heading, Text: secret.Redact(rewind.Text(entry.Blocks))}, nil
		}
	}
	return tools.Excerpt{}, &sessionsearch.MissingError{What: fmt.Sprintf("entry %d in the log of subagent %s", number, id)}
}

var _ tools.Sessions = agentRecords{}

// keepReport returns where the model finds the full text of a subagent's report. That is the subagent's
// record or, without a record, a file that keepReport writes.
func (r *record) keepReport(id, text string) (where string, err error) {
	if r.log == nil {
		return keepInFile(r.at.workspace.TempDir(), id, text)
	}
	number := uint64(0)
	for record, entry := range entriesOf(session.AgentPath(r.log.Path(), id)) {
		if strings.Contains(rewind.Text(entry.Blocks), text) {
			number = record.Seq
		}
	}
	if number == 0 {
		return keepInFile(r.at.workspace.TempDir(), id, text)
	}
	return recallOf(id, number), nil
}

// recallOf returns the arguments with which the model recalls an entry of a subagent's session log.
func recallOf(id string, number uint64) string {
	return fmt.Sprintf("recall, session %q, number %d", id, number)
}

// keepInFile writes a report to a file in a folder that the model can read, and returns its path.
func keepInFile(folder, id, text string) (path string, err error) {
	file, err := os.CreateTemp(folder, "report-"+id+"-*.md")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text + "\n")
	return file.Name(), errors.Join(err, file.Close())
}
