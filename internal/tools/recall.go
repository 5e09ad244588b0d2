package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/traits"
	"agent/internal/words"
)

// An Archive holds the content that left the context of the conversation and is kept in the
// record. Its methods are safe for parallel use and return soon after ctx ends.
type Archive interface {
	// Removed returns the list of removed content, oldest first.
	Removed(ctx context.Context) ([]Removed, error)
	// Fetch returns the content of this number as it was, or an error that says why it cannot.
	Fetch(ctx context.Context, number int) (Fetched, error)
}

// Removed describes content that left the context.
type Removed struct {
	// Number identifies the content for Fetch. Turn is the number of the user's message during
	// which the content left, and Tokens the number of tokens that this freed.
	Number, Turn, Tokens int
	// Tool is the name of the called tool, empty for a message. Subject names the call: a path, a
	// command, a pattern.
	Tool, Subject string
}

// Fetched holds content that left the context.
type Fetched struct {
	// Heading tells on one line the origin and the age of the content, and the later changes of
	// its file.
	Heading, Text string
}

type recallArgs struct {
	Number int    `json:"number,omitempty" jsonschema:"the item to fetch"`
	Match  string `json:"match,omitempty" jsonschema:"list only items with this path, command or word"`
	Offset int    `json:"offset,omitempty" jsonschema:"the first line of a long item, from 1"`
}

var errNoRecord = errors.New("this conversation is not recorded, so nothing that left the context can be recalled")

func recall() Tool {
	return defineRead(Tool{
		Name:        "recall",
		Description: "Fetches results, arguments and messages that were removed from the context, as they were then. Without arguments it lists them, the latest first.",
		Traits: Traits{
			Key:         "number",
			NeedsRecord: true,
			Words:       traits.Say("recalling", "recalled", "recall"),
		},
	}, func(ctx context.Context, env *Env, args recallArgs) Answer {
		if env.Archive == nil {
			return failed(errNoRecord)
		}
		if args.Number == 0 {
			return env.listRemoved(ctx, args)
		}
		found, err := env.Archive.Fetch(ctx, args.Number)
		if err != nil {
			return failed(err)
		}
		return env.recalled(found.Heading, strings.Split(strings.TrimSuffix(found.Text, "\n"), "\n"), args.Offset, "line")
	})
}

// listRemoved lists the removed content, the latest first.
func (e *Env) listRemoved(ctx context.Context, args recallArgs) Answer {
	removed, err := e.Archive.Removed(ctx)
	if err != nil {
		return failed(err)
	}
	var rows []string
	for i := len(removed) - 1; i >= 0; i-- {
		r := removed[i]
		what := r.Subject
		if r.Tool != "" && !strings.HasPrefix(what, r.Tool) {
			what = strings.TrimSpace(r.Tool + " " + what)
		}
		if args.Match == "" || strings.Contains(strings.ToLower(what), strings.ToLower(args.Match)) {
			rows = append(rows, fmt.Sprintf("%d. %s, %s, turn %d", r.Number, words.Line(what, maxRow), words.Count(r.Tokens, "token"), r.Turn))
		}
	}
	switch {
	case len(removed) == 0:
		return Answer{Text: "Nothing was removed from the context so far."}
	case len(rows) == 0:
		return Answer{Text: "Nothing that was removed names " + strconv.Quote(args.Match) + "."}
	}
	return e.recalled("Removed from the context, the latest first; recall with number fetches one:", rows, args.Offset, "item")
}

// maxRow bounds the part of a subject that the list shows, in characters.
const maxRow = 120

// recalled answers with as many lines from an offset on as fit in an answer.
func (e *Env) recalled(heading string, all []string, offset int, what string) Answer {
	return listed(e.Limits, heading+"\n", all, offset, len(all), what, "", func(line string) string { return line })
}
