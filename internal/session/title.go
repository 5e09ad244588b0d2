package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"agent/internal/pattern"
	"agent/internal/secret"
	"agent/internal/words"
)

// longestTitle is how much of a title is kept, in characters.
const longestTitle = 100

// titleEvery is after how many bytes a title is written again, so that the end of a log
// has it: a list reads no more than that.
const titleEvery = tailStep / 2

// titlePayload is the name that a person gave a session; an empty one takes it back.
type titlePayload struct {
	Title string `json:"title"`
}

// Rename gives the session a title; an empty one takes it back.
func (l *Log) Rename(title string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.title = words.Line(secret.Hide(words.FirstLine(title)), longestTitle)
	return l.append(change{kind: TypeTitle, payload: titlePayload{l.title}})
}

// Retitle gives the session at path a title, as Rename does, unless it is in use. Nothing
// else of it changes, not even when it was used last.
func Retitle(path, title string, now func() time.Time) error {
	l, _, err := takeUp(path, Options{Now: now})
	if err != nil {
		return err
	}
	return errors.Join(l.Rename(title), l.Close())
}

// Title is the name that a person gave the session, empty for none.
func (l *Log) Title() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.title
}

// retitle writes the title again when too much was written since. The lock is held.
func (l *Log) retitle(kind Type, written int) error {
	if l.untitled += written; kind == TypeTitle {
		l.untitled = 0
	}
	if l.title == "" || l.untitled < titleEvery {
		return nil
	}
	return l.append(change{kind: TypeTitle, payload: titlePayload{l.title}})
}

// latestTitle is the title in the end of a log, empty for none.
func latestTitle(data []byte) string {
	for len(data) > 0 {
		at := bytes.LastIndex(data, []byte(`"type":"title"`))
		if at < 0 {
			return ""
		}
		begin := bytes.LastIndexByte(data[:at], '\n') + 1
		line, _, _ := bytes.Cut(data[begin:], []byte("\n"))
		var payload titlePayload
		if r, wrong := parse(line); wrong == nil && r.Type == TypeTitle && json.Unmarshal(r.Payload, &payload) == nil {
			return payload.Title
		}
		data = data[:begin]
	}
	return ""
}

// politeness is what people begin a request with that says nothing of it.
var politeness = pattern.New(`(?i)^(hi|hello|hey|ok|okay|so|now|then|please|kindly|(can|could|would|will) you|i('d| would) like you to|i (want|need) you to|let('s| us)|help me( to)?|and)\b[\s,:;.!-]*`)

// titleOf makes a title of what the user wrote first: its first sentence, without the
// polite beginning and the sign before files.
func titleOf(prompt string) string {
	text := strings.TrimSpace(strings.TrimLeft(prompt, "#>*- "))
	for {
		rest := strings.TrimSpace(politeness.ReplaceAllString(text, ""))
		if rest == text || len(strings.Fields(rest)) < 2 {
			break
		}
		text = rest
	}
	if first := firstSentence.FindStringSubmatch(text); first != nil && len(strings.Fields(first[1])) > 2 {
		text = first[1]
	}
	fields := strings.Fields(text)
	for i, field := range fields {
		if name, ok := strings.CutPrefix(field, "@"); ok && name != "" {
			fields[i] = name
		}
	}
	text = strings.TrimRight(strings.Join(fields, " "), ".,:; ")
	return words.Line(text, longestTitle)
}

// firstSentence is a sentence with another behind it.
var firstSentence = pattern.New(`^(.+?)[.!?;]\s`)
