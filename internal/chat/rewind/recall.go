package rewind

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
)

// LedgerLine returns the line of the ledger with a number, which starts at 1. It may be called from any
// goroutine.
func LedgerLine(ledger []window.Prune, number int) (window.Prune, error) {
	switch {
	case len(ledger) == 0:
		return window.Prune{}, fmt.Errorf("can't recall %d: nothing was removed from the context so far", number)
	case number < 1 || number > len(ledger):
		return window.Prune{}, fmt.Errorf("can't recall %d: removed items have the numbers 1 to %d", number, len(ledger))
	}
	return ledger[number-1], nil
}

// PrunedContent returns the content that a line of the ledger removed from the context. heading describes the
// content and its age. It may be called from any goroutine.
func (p *Rewinder) PrunedContent(number int, line window.Prune) (heading, text string, err error) {
	content, err := p.recall(number, line)
	if err != nil {
		return "", "", err
	}
	heading, err = p.heading(number, line, content)
	return heading, Text(content.Blocks), err
}

// RestoreContent adds removed content to the context as the newest entry, so that nothing sent before
// changes. Pruning does not remove it again. If the strategy weighs the cost of pruning, RestoreContent pins
// the file in the content. It returns the size of the entry in tokens.
func (p *Rewinder) RestoreContent(number int, heading, text string) (tokens int, err error) {
	block := history.NewData(history.SourceRestored, "I restore this to the context. "+heading+":", text)
	entry := history.New(history.Human, block).WithMeta(history.MetaRestored, number)
	before := p.Window.Measure.Tokens()
	tokens = p.Window.Measure.ToProviderTokens(p.History.CountContent(entry))
	if most := p.Window.CompressionThreshold(); before+tokens >= most {
		return 0, fmt.Errorf("can't restore %d: its %s tokens don't fit (compression starts at %[4]s, and %[3]s are in use). Ask the model to recall a part of it",
			number, humanize.Tokens(tokens), humanize.Tokens(before), humanize.Tokens(most))
	}
	if err := p.Window.Pins.PinLine(number); err != nil {
		return 0, err
	}
	return tokens, p.Add(entry)
}

// ErrNotRecorded is returned if removed content is requested and the conversation has no session log.
var ErrNotRecorded = errors.New("can't restore: without a session log (--no-session), pruned content is gone")

// recall returns the content that a line of the ledger removed from the context, from the session log.
func (p *Rewinder) recall(number int, line window.Prune) (history.RecalledContent, error) {
	if p.Session == nil {
		return history.RecalledContent{}, ErrNotRecorded
	}
	content, err := p.Session.Recall(line.Recorded)
	if err != nil {
		return content, fmt.Errorf("can't recall %d: %w", number, err)
	}
	if len(content.Blocks) == 0 {
		return content, fmt.Errorf("can't recall %d: it is not in the session log", number)
	}
	return content, nil
}

// heading describes removed content, with its age and whether its files have changed.
func (p *Rewinder) heading(number int, line window.Prune, content history.RecalledContent) (string, error) {
	heading := fmt.Sprintf("%d: %s, as of turn %d", number, humanize.Line(p.relative(DescribeLine(line)), maxHeading), content.Turn)
	if age := p.Now().Sub(content.At); age >= time.Minute {
		heading += ", " + humanize.Elapsed(age) + " ago"
	}
	for _, path := range line.Paths {
		fate, err := p.fate(path, content)
		if err != nil {
			return "", err
		}
		if fate != "" {
			heading += "; " + fate
		}
	}
	return heading, nil
}

// A NumberedLine is a line of the ledger with its number.
type NumberedLine struct {
	window.Prune
	Number int
}

// DistinctLines lists the lines of a ledger, oldest first, without lines whose content a later line also
// contains. For example, a result became a placeholder and was later removed with its call. The later
// line then includes the tokens of the earlier one.
func DistinctLines(ledger []window.Prune) []NumberedLine {
	var distinct []NumberedLine
	holder := map[history.RecordRef]int{} // the index in distinct of the line with the content
	for i, line := range slices.Backward(ledger) {
		at, held := len(distinct), len(line.Recorded) > 0
		for _, place := range line.Recorded {
			later, ok := holder[place]
			held = held && ok && (at == len(distinct) || at == later)
			at = later
		}
		if held {
			distinct[at].Tokens += line.Tokens
			continue
		}
		for _, place := range line.Recorded {
			holder[place] = len(distinct)
		}
		distinct = append(distinct, NumberedLine{line, i + 1})
	}
	slices.Reverse(distinct)
	return distinct
}

// DescribeLine describes a line of the ledger by its call, or otherwise by its subject.
func DescribeLine(line window.Prune) string {
	switch {
	case line.Call != "":
		return line.Call
	case line.Tool != "" && !strings.HasPrefix(line.Subject, line.Tool):
		return line.Tool + " " + line.Subject
	}
	return line.Subject
}

// maxHeading limits the length of a subject in a heading, in characters.
const maxHeading = 160

// fate describes how a file has changed since the content in since was recorded. It returns "" if no
// change is known.
func (p *Rewinder) fate(path string, since history.RecalledContent) (string, error) {
	name := humanize.Line(p.relative(path), maxHeading)
	written, err := compression.HasWrite(since.Later, path, p.Folder, p.Tools.Traits)
	switch {
	case err != nil:
		return "", err
	case written:
		return name + " was changed since; read it for its current content", nil
	case p.Env.Workspace == nil:
		return "", nil
	}
	abs, err := p.Env.Workspace.Resolve(path)
	if err != nil {
		return "", nil // no state is stored for files outside the workspace
	}
	switch info, err := os.Stat(abs); {
	case errors.Is(err, os.ErrNotExist):
		return name + " no longer exists", nil
	case err == nil && info.ModTime().After(since.At):
		return name + " was changed on disk since; read it for its current content", nil
	}
	return "", nil
}

// relative returns text with paths in the workspace made relative to it.
func (p *Rewinder) relative(text string) string {
	if p.Env == nil || p.Env.Workspace == nil {
		return text
	}
	return fsutil.ShortenPaths(text, p.Env.Workspace.Root())
}

// Text formats blocks as the text that the model reads when they are recalled.
func Text(blocks []history.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		switch block := block.(type) {
		case *history.Text:
			b.WriteString(block.Text + "\n")
		case *history.ToolCall:
			fmt.Fprintf(&b, "Call of %s:\n%s", block.Name, argumentsText(block.Arguments()))
		case *history.ToolResponse:
			writeAnswer(&b, block, len(blocks) > 1)
		case *history.Media:
			fmt.Fprintf(&b, "(omitted: %s, which agent can't recall)\n", block.MimeType)
		}
	}
	return b.String()
}

// writeAnswer writes a tool's answer. If its call precedes it, a heading marks the beginning of the
// answer.
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

// argumentsText returns the arguments of a call, one per line. A text of several lines follows its
// name.
func argumentsText(given arguments.Arguments) string {
	if !given.IsObject() {
		return given.String() + "\n"
	}
	var b strings.Builder
	writeArguments(&b, "  ", given.Map())
	return b.String()
}

// writeArguments writes the members of a JSON object. Before each object of a list it writes the name
// of the list and the index from 1.
func writeArguments(b *strings.Builder, indent string, members map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch value := members[name].(type) {
		case string:
			if strings.Contains(value, "\n") {
				fmt.Fprintf(b, "%s%s:\n%s\n", indent, name, strings.TrimSuffix(value, "\n"))
				continue
			}
			fmt.Fprintf(b, "%s%s: %s\n", indent, name, value)
		case []any:
			if items, ok := objects(value); ok {
				for i, item := range items {
					fmt.Fprintf(b, "%s%s %d:\n", indent, name, i+1)
					writeArguments(b, indent+"  ", item)
				}
				continue
			}
			writeJSON(b, indent+name, value)
		default:
			writeJSON(b, indent+name, value)
		}
	}
}

func writeJSON(b *strings.Builder, name string, value any) {
	if data, err := json.Marshal(value); err == nil {
		fmt.Fprintf(b, "%s: %s\n", name, data)
	}
}

// objects returns the items of a list if all of them are objects and there are any.
func objects(list []any) (items []map[string]any, ok bool) {
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, false
		}
		items = append(items, object)
	}
	return items, len(items) > 0
}
