// Package agentrecords reads the records of subagents: for the tool recall, and for reports that had not
// arrived when the program ended.
package agentrecords

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

// Sessions makes the records of subagents readable by the tool recall. It forwards requests for earlier
// sessions.
type Sessions struct {
	tools.Sessions
	// Conversation returns the path of the record of the conversation.
	Conversation func() string
}

// log returns the path of the record of a subagent, or "" if no subagent has the id.
func (r Sessions) log(id string) string {
	if !agentID.MatchString(id) {
		return ""
	}
	log := session.AgentPath(r.Conversation(), id)
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
func (r Sessions) Find(ctx context.Context, query, id string) (passages []string, remark string, err error) {
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
func (r Sessions) Outline(ctx context.Context, id string) (tools.Excerpt, error) {
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
func (r Sessions) Entry(ctx context.Context, id string, number int) (tools.Excerpt, error) {
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

var _ tools.Sessions = Sessions{}

// Keep returns where the model finds the full text of a subagent's report. That is the subagent's record in
// the conversation with a log, or a file that Keep writes in the folder temp. log is nil if nothing is
// recorded.
func Keep(log *session.Log, temp func() string, id, text string) (where string, err error) {
	number := uint64(0)
	if log != nil {
		for record, entry := range entriesOf(session.AgentPath(log.Path(), id)) {
			if strings.Contains(rewind.Text(entry.Blocks), text) {
				number = record.Seq
			}
		}
	}
	if number == 0 {
		return keepInFile(temp(), id, text)
	}
	return recallArguments(id, number), nil
}

// recallArguments returns the arguments with which the model recalls an entry of a subagent's session log.
func recallArguments(id string, number uint64) string {
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
