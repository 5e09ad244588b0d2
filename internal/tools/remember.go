package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/toolspec"
)

type rememberArgs struct {
	Note     string   `json:"note"`
	Files    []string `json:"files,omitempty"`
	Replaces string   `json:"replaces,omitempty" jsonschema:"id of a note"`
}

var errNoNotes = errors.New("notes are off")

// Labels of the answers to the question whether to keep a note.
const (
	keepNote = "Keep it"
	dropNote = "Discard it"
)

// RememberTool returns the tool that stores notes.
func RememberTool() Tool {
	return define(Tool{
		Name: "remember",
		Description: "Saves a fact for later sessions of this repository: one that took effort to find out and is in no file. " +
			"Not progress of this task, nor guesses. Name the files that show it.",
		Traits: Traits{Key: "note", Stateful: true, Remembers: true, Words: []toolspec.Verbs{{Now: "remembering", Done: "remembered", Do: "remember", Declined: "not kept"}}},
	}, func(_ context.Context, env *Env, args rememberArgs) (Plan, error) {
		if env.Notes == nil {
			return Plan{}, errNoNotes
		}
		var files []string
		for _, path := range args.Files {
			abs, err := env.ground(path)
			if err != nil {
				return Plan{}, err
			}
			files = append(files, abs)
		}
		r, err := env.Notes.Remember(args.Note, files, args.Replaces)
		if err != nil {
			return Plan{}, err
		}
		plan := Plan{Apply: func(context.Context) Answer { return r.answer(r.Text, false) }}
		if r.Asks {
			question := "Keep this note for later sessions? " + r.Text
			if len(args.Files) > 0 {
				question += " · depends on " + strings.Join(args.Files, ", ")
			}
			if r.Replaces != "" {
				question += " · replaces: " + r.Replaces
			}
			question = strings.ReplaceAll(question, "\n", " ")
			plan.Preview = Preview{Title: "the model wants to save a note", Diff: r.Diff, Inquiries: []Inquiry{{
				Question: question, Header: "note", Options: []Option{{Label: keepNote}, {Label: dropNote}}, YesNo: true, Draft: r.Text,
			}}}
			plan.Answered = func(given []InquiryAnswer) Answer {
				said := given[0]
				if !slices.Contains(said.Chosen, keepNote) {
					text := "The user does not want this note."
					if said.Words != "" {
						text += " They say: " + said.Words
					}
					return Answer{Text: text, Summary: "not kept", Declined: true}
				}
				answer := r.answer(cmp.Or(said.Words, r.Text), true)
				if answer.Error == "" && said.Words != "" && said.Words != r.Text {
					answer = answer.WithNote("The user changed it to: " + said.Words)
				}
				return answer
			}
		}
		return plan, nil
	})
}

func (r NoteDraft) answer(text string, agreed bool) Answer {
	said, summary, err := r.Keep(text, agreed)
	if err != nil {
		return failedAnswer(err)
	}
	return Answer{Text: said, Summary: summary}
}

// ground returns the absolute path of a file on which a note depends. The model must have read its
// present content.
func (e *Env) ground(path string) (string, error) {
	abs, err := e.Workspace.Resolve(path)
	if err != nil {
		return "", err
	}
	content, err := fsutil.Read(abs)
	if err != nil {
		return "", fmt.Errorf("the note can't depend on %s: %w", path, fsutil.Reason(err))
	}
	if _, changed := e.Seen.changed(abs, content); changed || !e.Seen.IsKnown(abs) {
		return "", fmt.Errorf("the note can't depend on %s: you have not read its current content. Read it first", path)
	}
	return abs, nil
}
