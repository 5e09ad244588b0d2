package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/tools"
	"agent/internal/words"
)

// archive hands the tools what left the context and is kept in the record.
type archive struct{ *Chat }

// archive is nil where nothing is recorded.
func (c *Chat) archive() tools.Archive {
	if c.Recall == nil {
		return nil
	}
	return archive{c}
}

// Removed implements tools.Archive. What was recalled and left again is not listed: it
// is there under its first number.
func (a archive) Removed(ctx context.Context) ([]tools.Removed, error) {
	ledger, err := a.Ledger(ctx)
	var removed []tools.Removed
	for i, p := range ledger {
		if tool, err := a.Tools.Get(p.Tool); err != nil || !tool.NeedsRecord {
			removed = append(removed, tools.Removed{Number: i + 1, Turn: p.Turn, Tokens: p.Tokens, Tool: p.Tool, Subject: p.Subject})
		}
	}
	return removed, err
}

// Fetch implements tools.Archive. What the model asks for is needed after all.
func (a archive) Fetch(ctx context.Context, number int) (tools.Fetched, error) {
	p, err := a.prune(ctx, number)
	if err != nil {
		return tools.Fetched{}, err
	}
	found, err := a.recall(number, p)
	if err != nil {
		return tools.Fetched{}, err
	}
	needed, err := ask(ctx, a.inbox, func() error { return a.window.Needed(number) })
	if err = errors.Join(err, needed); err != nil {
		return tools.Fetched{}, err
	}
	heading, err := a.heading(number, p, found)
	return tools.Fetched{Heading: "[" + heading + "]", Text: textOf(found.Blocks)}, err
}

// prune is a line of the ledger by its number, from 1.
func (c *Chat) prune(ctx context.Context, number int) (PruneRecord, error) {
	ledger, err := c.Ledger(ctx)
	switch {
	case err != nil:
		return PruneRecord{}, err
	case len(ledger) == 0:
		return PruneRecord{}, fmt.Errorf("there is no number %d: nothing was removed from the context so far", number)
	case number < 1 || number > len(ledger):
		return PruneRecord{}, fmt.Errorf("there is no number %d; what was removed has the numbers 1 to %d", number, len(ledger))
	}
	return ledger[number-1], nil
}

// errNotRecorded is why nothing can be brought back.
var errNotRecorded = errors.New("this conversation is not recorded (--no-session), so what left the context is gone")

// recall returns what a line of the ledger took out of the context.
func (c *Chat) recall(number int, p PruneRecord) (history.Recollection, error) {
	if c.Recall == nil {
		return history.Recollection{}, errNotRecorded
	}
	found, err := c.Recall(p.Recorded)
	if err != nil {
		return found, fmt.Errorf("number %d cannot be recalled: %w", number, err)
	}
	if len(found.Blocks) == 0 {
		return found, fmt.Errorf("number %d cannot be recalled: the record does not hold it", number)
	}
	return found, nil
}

// heading says what was removed, how old it is, and what became of its files since.
func (c *Chat) heading(number int, p PruneRecord, found history.Recollection) (string, error) {
	what := p.Subject
	if p.Tool != "" && !strings.HasPrefix(what, p.Tool) {
		what = p.Tool + " " + what
	}
	heading := fmt.Sprintf("%d: %s, as of turn %d", number, words.Line(what, maxHeading), found.Turn)
	if age := c.Now().Sub(found.At); age >= time.Minute {
		heading += ", " + words.Elapsed(age) + " ago"
	}
	for _, path := range c.filesOf(p) {
		fate, err := c.fate(path, found)
		if err != nil {
			return "", err
		}
		if fate != "" {
			heading += "; " + fate
		}
	}
	return heading, nil
}

// maxHeading bounds how much of a subject a heading shows, in characters.
const maxHeading = 160

// filesOf are the files that a line of the ledger is about.
func (c *Chat) filesOf(p PruneRecord) []string {
	facts := c.Tools.Traits(p.Tool)
	subject := strings.TrimPrefix(p.Subject, p.Tool+": ")
	switch {
	case facts.ShowsFiles():
		return strings.Split(subject, ", ")
	case facts.ShowsFile() || facts.WritesFile():
		return []string{subject}
	case filepath.IsAbs(subject) && !strings.Contains(subject, " "):
		return []string{subject} // shown by a command
	}
	return nil
}

// fate says what became of a file since something of it was recorded, empty when
// nothing is known to have.
func (c *Chat) fate(path string, since history.Recollection) (string, error) {
	name := words.Line(path, maxHeading)
	written, err := compression.WrittenIn(since.Later, path, cmp.Or(c.SessionRoot, c.Root), c.Tools.Traits)
	switch {
	case err != nil:
		return "", err
	case written:
		return name + " was written since; read it to see it as it is", nil
	case c.Env.Workspace == nil:
		return "", nil
	}
	abs, err := c.Env.Workspace.Resolve(path)
	if err != nil {
		return "", nil // outside, where nothing is said of it
	}
	switch info, err := os.Stat(abs); {
	case errors.Is(err, os.ErrNotExist):
		return name + " is not there any more", nil
	case err == nil && info.ModTime().After(since.At):
		return name + " was changed on disk since; read it to see it as it is", nil
	}
	return "", nil
}

// textOf writes blocks as the model reads them again.
func textOf(blocks []history.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		switch block := block.(type) {
		case *history.Text:
			b.WriteString(block.Text + "\n")
		case *history.ToolCall:
			fmt.Fprintf(&b, "Call of %s:\n%s", block.Name, argumentsText(block.Parameters))
		case *history.ToolResponse:
			writeAnswer(&b, block, len(blocks) > 1)
		case *history.Media:
			fmt.Fprintf(&b, "(%s, which cannot be shown again here)\n", block.MimeType)
		}
	}
	return b.String()
}

// writeAnswer writes what a tool answered, with a line that says so where a call stands
// before it.
func writeAnswer(b *strings.Builder, answer *history.ToolResponse, afterCall bool) {
	if afterCall {
		b.WriteString("Answer:\n")
	}
	if text := answer.Result.Text(); text != "" {
		b.WriteString(strings.TrimSuffix(text, "\n") + "\n")
	}
	if answer.ExitCode != nil && *answer.ExitCode != 0 {
		fmt.Fprintf(b, "exit %d\n", *answer.ExitCode)
	}
	if answer.Error != "" {
		fmt.Fprintf(b, "Error: %s\n", answer.Error)
	}
}

// argumentsText writes the arguments of a call, texts of several lines as they are.
func argumentsText(parameters json.RawMessage) string {
	var given map[string]any
	if json.Unmarshal(parameters, &given) != nil {
		return string(parameters) + "\n"
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch value := given[name].(type) {
		case string:
			if strings.Contains(value, "\n") {
				fmt.Fprintf(&b, "  %s:\n%s\n", name, strings.TrimSuffix(value, "\n"))
				continue
			}
			fmt.Fprintf(&b, "  %s: %s\n", name, value)
		default:
			data, err := json.Marshal(value)
			if err == nil {
				fmt.Fprintf(&b, "  %s: %s\n", name, data)
			}
		}
	}
	return b.String()
}
