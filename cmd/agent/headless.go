package main

import (
	"context"

	"agent/internal/app"
	"agent/internal/front/script"
	"agent/internal/headless"
)

// runHeadless runs one prompt to its end. It never waits for a terminal.
func runHeadless(ctx context.Context, w world, o sessionOptions, endpoint app.Connector) error {
	format, err := headless.ParseFormat(o.output)
	if err != nil {
		return usage(err)
	}
	schema, err := script.ReadSchema(o.outputSchema, w.Path)
	if err != nil {
		return usage(err)
	}
	answerFile := ""
	if o.answerFile != "" {
		answerFile = w.Path(o.answerFile)
	}
	status, err := script.Run(ctx, script.Options{
		In: w.stdin, Out: w.out, People: w.people, Now: w.Now,
		Open: func(ctx context.Context, front app.Options) (*app.Conversation, error) {
			front.Connect = endpoint
			return newConversation(ctx, w, o, front)
		},
		Status: outcomeStatus, Format: format, Streams: o.input == string(headless.StreamJSON), Message: o.message(),
		Timeout: o.timeout, Shape: schema, Again: o.sessionID != "", AnswerFile: answerFile,
	})
	if err == nil && status != exitOK {
		return statusError(status)
	}
	return err
}
