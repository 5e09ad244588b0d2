package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/disk"
	"agent/internal/headless"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/mcp/bridge"
	"agent/internal/setup/consent"
	"agent/internal/slash"
)

// maxPipedInput bounds what standard input may add to a prompt.
const maxPipedInput = 4 << 20

// runHeadless runs one prompt to its end. It never waits for a terminal.
func runHeadless(ctx context.Context, w world, o sessionOptions, endpoint app.Connector) error {
	format, err := headless.ParseFormat(o.output)
	if err != nil {
		return usage(err)
	}
	shape, err := o.answerShape(w)
	if err != nil {
		return usage(err)
	}
	if shape != nil && shape.Strict() == nil {
		fmt.Fprintln(w.people, "the schema has no form that servers enforce: the answer is asked for in words and checked here")
	}
	if o.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, o.timeout, timeoutError(o.timeout))
		defer stop()
	}
	printer := headless.NewPrinter(format, w.out, w.people)
	run := headless.Run{}
	started := w.Now()
	streaming := o.input == string(headless.StreamJSON)
	var prompt atcmd.Message
	if !streaming {
		prompt, err = headlessPrompt(ctx, w, o)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	emit := func(e chat.Envelope) {
		if e, ok := e.Event.(chat.StatusChanged); ok {
			run.Status, run.Stats = e.Status, e.Stats
		}
		if printer.Event(e.Event) != nil {
			cancel()
		}
	}
	var stream *streamingRun
	if streaming {
		stream = &streamingRun{printer: printer, stop: cancel, changed: make(chan struct{}, 1), open: map[int]chat.Approval{}, run: &run}
		emit = stream.event
	}
	var conversation *app.Conversation
	if err == nil {
		conversation, err = newConversation(ctx, w, o, app.Options{Events: emit, Unattended: !streaming, Connect: endpoint})
	}
	if err == nil {
		defer conversation.Close()
		for _, notice := range conversation.Notices {
			fmt.Fprintln(w.people, notice)
		}
		run.SessionID = conversation.SessionID()
		printer.Start(run.SessionID, loaded(conversation))
		switch {
		case streaming:
			stream.talk = conversation
			run.Outcome, run.Err = stream.serve(ctx, w, o)
		case o.sessionID != "":
			run.Outcome, run.Err = respondOnce(ctx, conversation, prompt)
		default:
			run.Outcome, run.Err = respond(ctx, conversation, prompt)
		}
		if shape != nil && run.Err == nil && run.Outcome.Stop == chat.StopDone {
			run.Output, run.Err = shaped(ctx, conversation, shape, &run.Outcome)
		}
		run.Setup = leftOut(conversation)
		run.Exit = outcomeStatus(run.Outcome, run.Err)
	} else {
		run.Err, run.Exit = err, exitStatus(err)
	}
	if late := timeoutError(0); errors.As(context.Cause(ctx), &late) {
		run.Err, run.Exit = late, exitStatus(late)
	}
	run.Duration = w.Now().Sub(started)
	if o.answerFile != "" && run.Err == nil {
		if err := disk.Replace(w.Path(o.answerFile), []byte(run.Answer()+"\n"), 0o666); err != nil {
			run.Err, run.Exit = fmt.Errorf("the answer cannot be written to %s: %w", o.answerFile, disk.Reason(err)), exitFailed
		}
	}
	if err := printer.Finish(run); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	if run.Err != nil {
		return run.Err
	}
	if run.Exit != exitOK {
		return statusError(run.Exit)
	}
	return nil
}

// loaded is what a run begins with of a set-up.
func loaded(c *app.Conversation) headless.Loaded {
	with := headless.Loaded{Servers: []headless.LoadedServer{}, Skills: []string{}, Commands: []string{}, Hooks: []string{}}
	for _, s := range c.Servers.Status() {
		with.Servers = append(with.Servers, headless.LoadedServer{Name: s.Name, State: string(s.State), Reason: s.Reason})
	}
	for _, e := range c.Brought.Set().Entries() {
		if e.Skill != nil {
			with.Skills = append(with.Skills, e.Name)
		} else {
			with.Commands = append(with.Commands, e.Name)
		}
	}
	for _, h := range c.Hooking.Statuses() {
		if h.Used {
			with.Hooks = append(with.Hooks, h.Name)
		}
	}
	return with
}

// leftOut is what of a set-up a run does without, nil for nothing.
func leftOut(c *app.Conversation) *headless.Setup {
	report, _ := c.Trust.Report() // what cannot be read was said
	setup := headless.Setup{Ignored: report.Ignored}
	for _, e := range report.Items {
		said := fmt.Sprintf("%s %s (%s)", e.Kind, e.Name, e.File)
		switch consent.State(e.State) {
		case consent.Refused:
			setup.Refused = append(setup.Refused, said)
		case consent.Waiting, consent.Changed:
			setup.Waiting = append(setup.Waiting, said)
		}
	}
	for _, s := range c.Servers.Status() {
		if s.State == bridge.Failed {
			setup.Failed = append(setup.Failed, "server "+s.Name+": "+s.Reason)
		}
	}
	if len(setup.Waiting)+len(setup.Refused)+len(setup.Ignored)+len(setup.Failed) == 0 {
		return nil
	}
	return &setup
}

// errTimeout is the answer to a --timeout that ends nothing.
var errTimeout = errors.New("--timeout is for -p, and a positive duration such as 90s or 10m")

// timeoutError says that a run took longer than it may.
type timeoutError time.Duration

func (e timeoutError) Error() string {
	return fmt.Sprintf("ended by --timeout after %s; -c goes on with the session", time.Duration(e))
}

// respond runs a prompt, or a slash command of the command line, to its end. A panic
// of the turn loop is an error like others.
func respond(ctx context.Context, c *app.Conversation, prompt atcmd.Message) (outcome chat.Outcome, err error) {
	defer func() {
		if value := recover(); value != nil {
			outcome, err = chat.Outcome{Stop: chat.StopFailed}, c.Defect(value)
		}
	}()
	if prompt.Leads() != '/' || !command.IsCommand(prompt[0].Text) {
		return c.Prompt(ctx, prompt)
	}
	if err := mayInit(c, prompt); err != nil {
		return chat.Outcome{Stop: chat.StopFailed}, err
	}
	session := &singleRun{Chat: c.Chat}
	out, err := runCommand(ctx, c, session, prompt[0].Text)
	switch {
	case err != nil:
		return chat.Outcome{Stop: chat.StopFailed}, refusal(err)
	case session.retry:
		return c.Resend(ctx)
	case out.Submit != "":
		return c.Prompt(ctx, append(atcmd.Typed(out.Submit), prompt[1:]...))
	}
	return chat.Outcome{Stop: chat.StopDone, Response: strings.Join(out.Plain(), "\n")}, nil
}

// respondOnce is respond for a job that may be tried again (--session-id). The prompt that
// the session has answered last is answered from the record; one that it was given last and
// did not answer continues without being said twice.
func respondOnce(ctx context.Context, c *app.Conversation, prompt atcmd.Message) (chat.Outcome, error) {
	last := -1
	for i, entry := range c.Recorded {
		if entry.IsMessage() {
			last = i
		}
	}
	if last < 0 || c.Recorded[last].Said() != typed(prompt) {
		return respond(ctx, c, prompt)
	}
	end := c.Recorded[len(c.Recorded)-1]
	if end.Speaker == history.AI && len(end.Calls()) == 0 && end.Metadata[history.MetaInterrupted] != true {
		return chat.Outcome{Stop: chat.StopDone, Response: end.Text()}, nil
	}
	return c.Resend(ctx)
}

// typed is what was typed of a message, as the record has it.
func typed(message atcmd.Message) string {
	var parts []string
	for _, part := range message {
		if part.Source == "" && part.Image == "" {
			parts = append(parts, part.Text)
		}
	}
	return strings.Join(parts, "")
}

// refusal is the error of a command: wrong usage, unless something else than the
// command refused.
func refusal(err error) error {
	var defect *app.DefectError
	var provider *llm.Error
	if errors.Is(err, context.Canceled) || errors.As(err, &defect) || errors.As(err, &provider) {
		return err
	}
	return usage(err)
}

// singleRun is the session of a program that ends with its command: a turn that
// the command begins comes after it and is waited for.
type singleRun struct {
	*chat.Chat
	retry bool
}

// Retry implements slash.Session.
func (s *singleRun) Retry(context.Context) error {
	s.retry = true
	return nil
}

// runCommand runs a slash command while the loop serves what it asks.
func runCommand(ctx context.Context, c *app.Conversation, session slash.Session, line string) (command.Output, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := c.Run(ctx); err != nil {
			cancel(err)
		}
	}()
	defer func() { cancel(nil); <-served }()
	out, err := c.Commands(ctx, session, app.Screen{}).Run(ctx, line)
	if defect := (*app.DefectError)(nil); errors.As(context.Cause(ctx), &defect) {
		return command.Output{}, defect
	}
	return out, err
}

// headlessPrompt is the prompt of the command line with what is piped in appended.
// What is piped in is data, whatever it looks like (D-46).
func headlessPrompt(ctx context.Context, w world, o sessionOptions) (atcmd.Message, error) {
	if o.timeout < 0 {
		return nil, usage(errTimeout)
	}
	piped, err := pipedInput(ctx, w)
	if err != nil {
		return nil, err
	}
	message := o.message().Trim()
	if strings.TrimSpace(piped) != "" {
		message = append(message, atcmd.Part{Text: piped, Source: history.Piped})
	}
	if len(message) == 0 {
		return nil, usage(errors.New("-p needs a prompt, as its value or on standard input"))
	}
	return message, nil
}

// slowInput is after how long a wait for piped input is reported.
const slowInput = 2 * time.Second

// pipedInput reads standard input to its end when it is a pipe or a file. A
// terminal and the like are not read, so that a run never waits for a person; a
// pipe that stays open is waited for, visibly, until ctx ends. A file of which
// something was read before is the list of a loop, as in "while read", not input.
func pipedInput(ctx context.Context, w world) (string, error) {
	info, err := w.stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return "", nil
	}
	if info.IsDir() {
		return "", usage(errors.New("standard input is a folder; pipe text into -p, or name files with @PATH"))
	}
	if at, err := w.stdin.Seek(0, io.SeekCurrent); err == nil && at > 0 {
		fmt.Fprintln(w.people, "standard input is not read: another program has begun to read that file")
		return "", nil
	}
	type input struct {
		data []byte
		err  error
	}
	read := make(chan input, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(w.stdin, maxPipedInput+1))
		read <- input{data, err}
	}()
	slow := time.AfterFunc(slowInput, func() { fmt.Fprintln(w.people, "waiting for the end of standard input …") })
	defer slow.Stop()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case in := <-read:
		if in.err != nil {
			return "", fmt.Errorf("reading standard input: %w", in.err)
		}
		if len(in.data) > maxPipedInput {
			return "", usage(errors.New("standard input is longer than 4 MiB; put it into a file and name it with @PATH"))
		}
		return strings.ToValidUTF8(string(in.data), "\uFFFD"), nil
	}
}
