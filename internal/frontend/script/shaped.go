package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agent/internal/app"
	"agent/internal/base/fsutil"
	"agent/internal/base/outputschema"
	"agent/internal/chat"
	"agent/internal/review"
)

// Values of --output-schema for the findings of a review: unchanged, and in a format for other tools.
const (
	Findings = "findings"
	SARIF    = "sarif"
)

// ReadSchema parses the value of --output-schema. The value is a schema, the name of a schema file, or the
// name of a format for findings. ReadSchema returns nil for an empty value. path makes the name of a file
// absolute.
func ReadSchema(given string, path func(string) string) (*outputschema.Schema, error) {
	given = strings.TrimSpace(given)
	switch given {
	case "":
		return nil, nil
	case Findings, SARIF:
		return outputschema.Parse([]byte(review.Schema))
	}
	text, from := []byte(given), "--output-schema"
	if !strings.HasPrefix(given, "{") {
		var err error
		from += " " + given
		if text, err = fsutil.ReadBeginning(path(given), maxSchema); err != nil {
			return nil, fmt.Errorf("can't read %s: %w", from, fsutil.Reason(err))
		}
	}
	schema, err := outputschema.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a JSON Schema: %w", from, err)
	}
	return schema, nil
}

// finalOutput returns the output of a run in the format that --output-schema requires. It drops findings
// that do not quote the reviewed change.
func (r *run) finalOutput(c *app.Conversation, output json.RawMessage) (json.RawMessage, error) {
	if output == nil || r.OutputSchema != Findings && r.OutputSchema != SARIF {
		return output, nil
	}
	diff := c.Brought.LatestReviewDiff()
	if diff == "" {
		return nil, usage(fmt.Errorf("--output-schema %s needs a review. Add: -p /review", r.OutputSchema))
	}
	kept, dropped, err := review.Check(output, diff)
	if err != nil {
		return nil, err
	}
	for _, line := range dropped {
		fmt.Fprintln(r.People, line)
	}
	if r.OutputSchema == SARIF {
		return kept.SARIF(c.Version())
	}
	return kept.JSON()
}

// maxSchema limits the file of a schema, in bytes, because the schema is part of a request.
const maxSchema = 256 << 10

// maxRequests limits the requests for an answer that fits the schema: one, and two more to repair the
// answer.
const maxRequests = 3

// fitAnswer returns the answer of a run in the form of a schema. An answer that already fits is returned
// unchanged. Otherwise fitAnswer requests an answer from the model, and again if the new answer does not
// fit.
func fitAnswer(ctx context.Context, c *app.Conversation, schema *outputschema.Schema, run *chat.Outcome) (json.RawMessage, error) {
	output, misfit := schema.ParseAnswer(run.Response)
	if misfit == nil {
		return output, nil
	}
	if run.Requests == 0 && len(c.Recorded) == 0 {
		return nil, usage(errors.New("--output-schema needs a prompt that the model answers"))
	}
	return inForm(schema, func(text string) (string, bool, error) {
		asked, err := c.Chat.Ask(ctx, text, schema.Strict())
		run.Requests += asked.Requests
		run.Stop, run.Cut = asked.Stop, asked.Cut
		return asked.Response, asked.Stop == chat.StopDone, err
	})
}

// inForm requests an answer until one fits the schema, at most maxRequests times. It returns nil if an answer
// is incomplete, for example because it was interrupted.
func inForm(schema *outputschema.Schema, ask func(text string) (answer string, whole bool, err error)) (json.RawMessage, error) {
	text := schema.RequestPrompt()
	var misfit error
	for range maxRequests {
		answer, whole, err := ask(text)
		if err != nil || !whole {
			return nil, err
		}
		var output json.RawMessage
		if output, misfit = schema.ParseAnswer(answer); misfit == nil {
			return output, nil
		}
		text = schema.RetryPrompt(misfit)
	}
	return nil, fmt.Errorf("the model's answer does not match the schema: %w", misfit)
}
