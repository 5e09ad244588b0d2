package chat

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/tools"
)

// Answers to calls that did not run.
const (
	answerTooMany = "not run: only the first %d calls of a reply are run; repeat the call if it is still needed"
	answerNotNow  = "not run: this reply may contain only the answer, without tool calls"
)

// nameNotes returns the notes of a call about the correct names of tools and parameters. It returns
// each note once in a conversation.
func (r *runner) nameNotes(k *call) string {
	var news []string
	for _, note := range k.notes {
		if !r.said[note] {
			r.said[note] = true
			news = append(news, note)
		}
	}
	return strings.Join(news, "; ")
}

// storeAnswer stores a call's response in the history, then shows it.
func (r *runner) storeAnswer(k *call) error {
	text := k.answer.ModelText()
	at := r.standing(k.answer.Key, text)
	if at > 0 {
		text = fmt.Sprintf("already in the context, unchanged (entry %d)", at)
	}
	blocks := []history.Block{&history.ToolResponse{
		CallID:   k.ID,
		ToolName: k.Name,
		Result:   history.TextResult(text),
		Error:    k.answer.Error,
		ExitCode: k.answer.ExitCode,
	}}
	for _, i := range k.answer.Images {
		blocks = append(blocks, &history.Media{MimeType: i.MimeType, Data: base64.StdEncoding.EncodeToString(i.Data), Width: i.Width, Height: i.Height})
	}
	entry := history.New(history.Tool, blocks...)
	if v := k.answer.View; v != nil {
		entry = v.Note(entry)
	}
	if k.answer.Key != "" && at == 0 {
		entry = entry.WithMeta(history.MetaKey, k.answer.Key)
	}
	if d := r.deed(k); !d.Empty() {
		entry = entry.WithMeta(history.MetaEffect, d)
	}
	if k.answer.Change != "" {
		entry = entry.WithMeta(history.MetaChange, string(k.answer.Change))
	}
	if k.answer.Started != "" {
		entry = entry.WithMeta(history.MetaStarted, k.answer.Started)
	}
	err := r.store(entry)
	r.touch(k)
	r.emit(ToolEnded{Call: k.Number, ID: k.ID, Name: k.Name, Label: k.Said, Traits: k.tool.Traits, Answer: k.answer, Duration: k.took, Denied: k.denied, Unanswered: k.unanswered})
	return err
}

// abandon answers calls that will not run any more, so that the stored history stays valid.
func (r *runner) abandon(calls []*call, reason string) error {
	var firstErr error
	for _, k := range calls {
		if k.refused == "" {
			k.refused = reason
		}
		k.answer = tools.Answer{Error: k.refused}
		firstErr = cmp.Or(firstErr, r.storeAnswer(k))
	}
	return firstErr
}

// standing returns the number, counted from 1, of the entry in the context with the newest content of
// key. It returns 0 if the newest content is not text.
func (r *runner) standing(key, text string) int {
	if key == "" {
		return 0
	}
	entries := r.history.RawHistory()
	for i := len(entries) - 1; i >= 0; i-- {
		if content, found := entries[i].KeyedText(key); found {
			if content == text {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// touch records the instructions that apply to the files of an answered call, unless they are in the
// context.
func (r *runner) touch(k *call) {
	if r.below == nil || k.answer.Error != "" || k.tool.Runs {
		return
	}
	for _, file := range slices.Concat(k.Preview.Paths, k.tool.FilesOf(k.Arguments)) {
		for _, n := range r.below(file) {
			noted := slices.ContainsFunc(r.nested, func(b history.Block) bool { return b.(*history.Text).Key == n.Key })
			if !noted && r.standing(n.Key, n.Text) == 0 {
				r.nested = append(r.nested, &history.Text{Text: n.Text, Source: history.SourceExtension, Key: n.Key})
			}
		}
	}
}
