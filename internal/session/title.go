package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/base/secret"
)

// longestTitle limits a title, in characters.
const longestTitle = 100

// titleEvery is the number of bytes after which a title is written again. So the title is always in the
// part at the end of the log that a list reads.
const titleEvery = tailStep / 2

// titlePayload is the title that a user gave a session. An empty title removes it.
type titlePayload struct {
	Title string `json:"title"`
}

// Rename sets the title of the session. An empty title removes it.
func (l *Log) Rename(title string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.title = humanize.Line(secret.RedactKeys(humanize.FirstLine(title)), longestTitle)
	return l.append(change{kind: TypeTitle, payload: titlePayload{l.title}})
}

// Retitle sets the title of the session at path like Rename. It returns an error if the session is in use.
// The time of its last use stays the same.
func Retitle(path, title string, now func() time.Time) error {
	l, _, err := takeUp(path, Options{Now: now})
	if err != nil {
		return err
	}
	return errors.Join(l.Rename(title), l.Close())
}

// Title returns the title that a user gave the session, or "" for none.
func (l *Log) Title() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.title
}

// retitle writes the title again if titleEvery bytes were written since. The caller holds the lock.
func (l *Log) retitle(kind Type, written int) error {
	if l.untitled += written; kind == TypeTitle {
		l.untitled = 0
	}
	if l.title == "" || l.untitled < titleEvery {
		return nil
	}
	return l.append(change{kind: TypeTitle, payload: titlePayload{l.title}})
}

// latestTitle returns the last title in data, which is the end of a log. It returns "" if data contains no
// title.
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

// politeness matches words at the beginning of a request that do not describe it.
var politeness = lazyregexp.New(`(?i)^(hi|hello|hey|ok|okay|so|now|then|please|kindly|(can|could|would|will) you|i('d| would) like you to|i (want|need) you to|let('s| us)|help me( to)?|and)\b[\s,:;.!-]*`)

// titleOf makes a title from the user's first message: the first sentence, without a polite beginning and
// without the @ before files.
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
	return humanize.Line(text, longestTitle)
}

// firstSentence matches a sentence that another sentence follows.
var firstSentence = lazyregexp.New(`^(.+?)[.!?;]\s`)
